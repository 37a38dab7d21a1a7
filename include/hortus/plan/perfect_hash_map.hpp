#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/cells/wide_slots.hpp>
#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/perfect_hash.hpp>

namespace hortus::plan {

/// The shape of a map by perfect hashing: a signature and a value for each key.
struct perfect_hash_map_shape {
  std::uint64_t items = 0;
  unsigned signature_bits = 0;
  unsigned value_bits = 0;

  /// Signature and value of a key are in one slot where they fit a word, so that one cache line has both.
  [[nodiscard]] bool in_one_slot() const noexcept { return signature_bits + value_bits <= 64; }
  [[nodiscard]] unsigned first_bits() const noexcept { return in_one_slot() ? signature_bits + value_bits : signature_bits; }
  [[nodiscard]] unsigned second_bits() const noexcept { return in_one_slot() ? 0 : value_bits; }
  [[nodiscard]] bool possible() const noexcept { return signature_bits <= 64 && value_bits <= 64; }
  [[nodiscard]] double fpr() const noexcept { return items == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(signature_bits)); }
  bool operator==(perfect_hash_map_shape const&) const = default;
};

/// The fewest bits that keep the rate. A rate of 1 needs none: every absent key has a value then.
[[nodiscard]] inline perfect_hash_map_shape perfect_hash_map(goal g, unsigned value_bits) {
  if (g.fpr != 1) checked_fpr(g.fpr);
  if (value_bits > 64)
    throw error(errc::bad_goal, "value_bits is " + std::to_string(value_bits) + ": values have at most 64 bits");
  // The exponent is exact, as the logarithm need not be: fpr = fraction * 2^exponent, 0.5 <= fraction < 1.
  int exponent = 0;
  (void)std::frexp(g.fpr, &exponent);
  perfect_hash_map_shape const shape{g.items, static_cast<unsigned>(1 - exponent), value_bits};
  // A slot of more than 57 bits takes 64.
  auto const bits = static_cast<double>(std::min(64U, shape.first_bits() + 7) + std::min(64U, shape.second_bits() + 7));
  checked_bits(bits * static_cast<double>(g.items), "a perfect_hash_map for that goal");
  return shape;
}

/// Predicted: the keys that the levels of the hash leave over are not known in advance.
[[nodiscard]] inline std::uint64_t perfect_hash_map_bytes(perfect_hash_map_shape shape) noexcept {
  return perfect_hash_bytes(shape.items) + wide_slots::bytes_for(shape.items, shape.first_bits()) +
         wide_slots::bytes_for(shape.items, shape.second_bits());
}

/// Cache lines that a lookup reads, without the one of the hash: a slot that does not divide a line may cross into the next.
[[nodiscard]] inline double perfect_hash_map_lines(perfect_hash_map_shape shape) noexcept {
  auto const lines = [](unsigned bits) {
    auto const stored = bits > slot_array::max_width ? 64 : bits;
    return stored == 0 ? 0 : 512 % stored == 0 ? 1 : 1 + (stored - 1) / 512.0;
  };
  return lines(shape.first_bits()) + lines(shape.second_bits());
}

}  // namespace hortus::plan
