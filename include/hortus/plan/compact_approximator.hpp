#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/bloom.hpp>
#include <hortus/plan/goal.hpp>

/// Compact approximators: the cells of a Bloom filter, with values instead of bits.
namespace hortus::plan {

/// m cells of v bits, of which a key has k.
struct approximator_shape {
  std::uint64_t cells = 0;
  unsigned probes = 0;
  unsigned value_bits = 0;
  /// The Bloom filter of the cells that are not empty.
  [[nodiscard]] constexpr bloom_shape projection() const noexcept { return {cells, probes}; }
  [[nodiscard]] constexpr bool possible() const noexcept {
    return value_bits >= 1 && value_bits <= 64 && cells >= 1 && cells <= max_bits / value_bits && probes >= 1 &&
           probes <= max_probes;
  }
  bool operator==(approximator_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no approximator can have it.
inline approximator_shape checked(approximator_shape shape) {
  if (!shape.possible())
    throw error(errc::bad_params,
                "a compact_approximator has 1 to 64 probes and at least 1 cell of 1 to 64 bits, 2^42 bits in all");
  return shape;
}

/// As many cells as the bloom filter for the goal has bits. Probes 0: the number that needs the fewest cells.
[[nodiscard]] inline approximator_shape compact_approximator(goal g, unsigned probes, unsigned value_bits) {
  if (value_bits < 1 || value_bits > 64)
    throw error(errc::bad_goal, "value_bits is " + std::to_string(value_bits) + ": a value has 1 to 64 bits");
  if (probes > max_probes) throw error(errc::bad_goal, "probes is " + std::to_string(probes) + ": a key has 1 to 64 cells");
  auto const shape = probes == 0 ? bloom(g) : bloom_shape{with_divisors(bloom_bits(g.items, g.fpr, probes)), probes};
  checked_bits(static_cast<double>(shape.bits) * value_bits, "a compact_approximator for that goal");
  return {shape.bits, shape.probes, value_bits};
}

/// The probability that an absent key gets a value, after `items` keys: that others hit all its cells. Exact for numbers in
/// their order; an upper bound for any other lattice, where the values of these cells may have nothing in common.
[[nodiscard]] inline double approximator_fpr(approximator_shape shape, std::uint64_t items) {
  return bloom_fpr(checked(shape).projection(), items);
}

/// The probability that a key gets more than its value v, if `larger` keys have values that are not below or equal to v: that
/// these hit all its cells. Exact for numbers in their order, an upper bound for any other lattice. The largest value is never
/// wrong.
[[nodiscard]] inline double approximator_error(approximator_shape shape, std::uint64_t larger) {
  return bloom_fpr(checked(shape).projection(), larger);
}

/// The share of keys that get more than their value, of numbers in their order: keys[i] keys have the i-th smallest value.
[[nodiscard]] inline double approximator_wrong(approximator_shape shape, std::span<std::uint64_t const> keys) {
  double wrong = 0, all = 0;
  std::uint64_t larger = 0;
  for (auto at = keys.rbegin(); at != keys.rend(); ++at) {
    wrong += static_cast<double>(*at) * approximator_error(shape, larger);
    all += static_cast<double>(*at);
    larger += *at;
  }
  return all == 0 ? 0 : wrong / all;
}

/// The number of probes with the fewest errors of a value above which `larger` keys lie. It is larger than the best number for
/// absent keys, and the same if all keys are larger.
[[nodiscard]] inline unsigned approximator_probes(std::uint64_t cells, std::uint64_t larger) {
  return best_probes(cells, larger);
}

}  // namespace hortus::plan
