#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/tails.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/quotient.hpp>

/// Dynamic Bloomier maps: a table of signatures with values, and a small one of whole digests, for keys whose signature another
/// key has.
namespace hortus::plan {

/// Both tables are those of quotient filters, with a value beside each remainder.
struct dynamic_bloomier_shape {
  quotient_shape signatures;
  quotient_shape collisions{0, 64};  ///< of whole digests; it may have no slots
  unsigned value_bits = 0;

  static constexpr double bytes_of(quotient_shape table, unsigned value_bits) noexcept {
    return table.slots == 0 ? 0
                            : static_cast<double>(table.blocks()) *
                                  static_cast<double>(quotient_shape::block_bytes + 8 * (table.remainder_bits() + value_bits));
  }
  [[nodiscard]] constexpr double bytes() const noexcept {
    return bytes_of(signatures, value_bits) + bytes_of(collisions, value_bits);
  }
  /// Signatures have a bit more than the slots need, at least, and there are no more digests than signatures.
  [[nodiscard]] constexpr bool possible() const noexcept {
    return signatures.slots >= 1 && signatures.slots <= max_bits / 8 && signatures.fingerprint_bits <= 64 &&
           signatures.fingerprint_bits >= static_cast<unsigned>(std::bit_width(signatures.slots)) &&
           collisions.slots <= signatures.slots && collisions.fingerprint_bits == 64 && value_bits <= 64 &&
           bytes() <= static_cast<double>(max_bits) / 8;
  }
  bool operator==(dynamic_bloomier_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no map can have it.
inline dynamic_bloomier_shape checked(dynamic_bloomier_shape const& shape) {
  if (!shape.possible())
    throw error(
        errc::bad_params,
        "a dynamic_bloomier_map has at least 1 slot, signatures with more bits than log2 of the slots and at most 64, no "
        "more slots for collisions than for signatures, values of at most 64 bits, and 2^42 bits in all");
  return shape;
}

/// The probability that an absent key gets a value: that its signature is one of those of `items` keys.
[[nodiscard]] inline double dynamic_bloomier_fpr(dynamic_bloomier_shape const& shape, std::uint64_t items) {
  checked(shape);
  return items == 0 ? 0 : -std::expm1(static_cast<double>(items) * std::log1p(-1 / shape.signatures.fingerprints()));
}

/// The expected number of `items` keys that have the signature of an earlier one: items minus the different signatures. About
/// items * fpr / 2.
[[nodiscard]] inline double expected_collisions(std::uint64_t items, unsigned signature_bits) {
  auto const n = static_cast<double>(items);
  double const kinds = std::ldexp(1.0, static_cast<int>(signature_bits));
  if (n < 1e-3 * kinds) return n * std::max(0.0, n - 1) / (2 * kinds) * (1 - n / kinds / 3);  // the difference would cancel
  return n + kinds * std::expm1(n * std::log1p(-1 / kinds));
}

/// As many collisions as `items` keys have, except with a probability of 1e-12. Their number is at most as spread as a Poisson
/// variable.
[[nodiscard]] inline std::uint64_t most_collisions(std::uint64_t items, unsigned signature_bits) {
  constexpr double rare = 1e-12;
  double const mean = expected_collisions(items, signature_bits);
  double most = 0;
  if (mean > 100) {  // Bernstein's inequality
    double const log = -std::log(rare);
    most = std::ceil(mean + log / 3 + std::sqrt(log * log / 9 + 2 * log * mean));
  } else {
    while (poisson_tail(mean, most + 1) > rare) ++most;
  }
  return std::min(static_cast<std::uint64_t>(most), std::max<std::uint64_t>(items, 1) - 1);
}

/// The fewest bytes for the goal. Longer signatures than the rate needs can take fewer: each bit halves the collisions, which
/// take 60 bits and more each.
[[nodiscard]] inline dynamic_bloomier_shape dynamic_bloomier_map(goal g, unsigned value_bits) {
  if (value_bits > 64)
    throw error(errc::bad_goal, "value_bits is " + std::to_string(value_bits) + ": a value has 0 to 64 bits");
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  double const log_fpr = std::log1p(-checked_fpr(g.fpr));
  checked_bits(n * (3 + value_bits), "a dynamic_bloomier_map for that goal");
  auto const with_room = [](std::uint64_t keys) { return keys + (std::max<std::uint64_t>(keys, 1) - 1) / 19; };  // at 95 %
  auto const room = with_room(items);
  dynamic_bloomier_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  for (auto bits = static_cast<unsigned>(std::bit_width(room)); bits <= 64; ++bits) {
    if (n * std::log1p(-std::ldexp(1.0, -static_cast<int>(bits))) < log_fpr) continue;  // too short for the rate
    quotient_shape const collisions{with_room(most_collisions(items, bits)), 64};
    // Twice as many slots need one remainder bit less: a few more slots, up to the next power of two, can take fewer bytes.
    for (auto log = static_cast<unsigned>(std::bit_width(room)) - 1; log < bits && log < 40; ++log) {
      dynamic_bloomier_shape const some{{std::max(room, std::uint64_t{1} << log), bits}, collisions, value_bits};
      if (some.bytes() < fewest) fewest = some.bytes(), best = some;
    }
  }
  if (fewest == std::numeric_limits<double>::infinity())
    throw error(errc::bad_goal, "a dynamic_bloomier_map for " + text(n) + " items has a rate of at least " + text(n * 0x1p-64) +
                                    ": a key has 64 bits; ask for a higher fpr or fewer items");
  checked_bits(8 * fewest, "a dynamic_bloomier_map for that goal");
  return best;
}

}  // namespace hortus::plan
