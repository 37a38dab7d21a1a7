#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a quotient filter: any number of slots, and fingerprints of `fingerprint_bits`. The slots are numbered by the
/// first bits of a fingerprint, so that only the others, the remainder, are stored.
struct quotient_shape {
  static constexpr unsigned max_remainder_bits = 56;
  static constexpr unsigned max_fingerprint_bits = 64;  ///< those of a digest
  static constexpr std::uint64_t block_slots = 64;
  static constexpr std::uint64_t block_bytes = 18;  ///< of a block without its remainders: two words and 16 bits

  std::uint64_t slots = 0;
  unsigned fingerprint_bits = 0;

  /// Of 2^p fingerprints at most 2^p / slots, rounded up, have the same slot: these many bits tell them apart.
  [[nodiscard]] constexpr unsigned remainder_bits() const noexcept { return fingerprint_bits + 1 - log_slots_above(); }
  /// The number of possible fingerprints.
  [[nodiscard]] double fingerprints() const noexcept { return std::ldexp(1.0, static_cast<int>(fingerprint_bits)); }
  /// The most slots that may be in use, 95 %. Above that, inserts would become slow.
  [[nodiscard]] constexpr std::uint64_t room() const noexcept { return slots - slots / 20; }
  /// Slots after the last one that a fingerprint can belong to: fingerprints that were displaced from the last slots lie there.
  /// At 95 % load they do not suffice with a probability below 1e-12: Quotient.SpareSlotsSuffice. In a few slots all keys may
  /// belong to the last one.
  [[nodiscard]] constexpr std::uint64_t spare_slots() const noexcept {
    return std::min({slots, 72 + slots / 6, std::uint64_t{288}});
  }
  [[nodiscard]] constexpr std::uint64_t blocks() const noexcept {
    return (slots + spare_slots() + block_slots - 1) / block_slots;
  }
  [[nodiscard]] double cell_bytes() const noexcept {
    return static_cast<double>(blocks()) * static_cast<double>(block_bytes + 8 * remainder_bits());
  }
  [[nodiscard]] bool possible() const noexcept {
    return slots >= 1 && slots <= max_bits / 8 && fingerprint_bits <= max_fingerprint_bits &&
           fingerprint_bits >= log_slots_above() && remainder_bits() <= max_remainder_bits &&
           cell_bytes() <= static_cast<double>(max_bits) / 8;
  }
  bool operator==(quotient_shape const&) const = default;

 private:
  [[nodiscard]] constexpr unsigned log_slots_above() const noexcept { return static_cast<unsigned>(std::bit_width(slots)); }
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline quotient_shape checked(quotient_shape shape) {
  if (!shape.possible())
    throw error(errc::bad_params,
                "a quotient filter has at least 1 slot, fingerprints of at most 64 bits, remainders (the bits of a fingerprint "
                "beyond log2 of the slots) of 1 to 56 bits, and 2^42 bits in all");
  return shape;
}

/// Probability that an absent key has the fingerprint of one of `items`: 1 - (1 - 2^-p)^n. Exact at every size: a key is found
/// if and only if its fingerprint is stored.
[[nodiscard]] inline double quotient_fpr(quotient_shape shape, std::uint64_t items) {
  checked(shape);
  return items == 0 ? 0 : -std::expm1(static_cast<double>(items) * std::log1p(-1 / shape.fingerprints()));
}

/// The fewest bytes for the goal. The rate gives the bits of a fingerprint, 95 % load the slots. Twice as many slots need one
/// remainder bit less, so a few more slots, up to the next power of two, can take fewer bytes. At last the slots are increased
/// as far as that costs nothing.
[[nodiscard]] inline quotient_shape quotient(goal g) {
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  double const enough = -1 / std::expm1(std::log1p(-checked_fpr(g.fpr)) / n);  // fingerprints
  checked_bits(3 * n, "a quotient filter for that goal");
  auto const room = items + (items - 1) / 19;  // the fewest slots of which 95 % are enough
  auto const log_room = static_cast<unsigned>(std::bit_width(room)) - 1;
  auto bits = static_cast<unsigned>(std::clamp(std::ceil(std::log2(enough)), 1.0, 65.0));
  while (bits <= 64 && -std::expm1(n * std::log1p(-std::ldexp(1.0, -static_cast<int>(bits)))) > g.fpr) ++bits;  // rounding
  if (bits > quotient_shape::max_fingerprint_bits)
    throw error(errc::bad_goal, "a quotient filter for " + text(n) + " items has a rate of at least " + text(n * 0x1p-64) +
                                    ": a key has 64 bits; ask for a higher fpr or fewer items");
  quotient_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  for (unsigned log = log_room; log < std::max(bits, log_room + 1); ++log) {
    quotient_shape const some{std::max(room, std::uint64_t{1} << log), std::max(bits, log_room + 1)};
    if (some.remainder_bits() > quotient_shape::max_remainder_bits) continue;
    if (some.cell_bytes() < fewest) fewest = some.cell_bytes(), best = some;
  }
  checked_bits(8 * fewest, "a quotient filter for that goal");
  auto const limit = (std::uint64_t{2} << (std::bit_width(best.slots) - 1)) - 1;  // with more, a remainder has fewer bits
  auto const blocks = best.blocks();
  for (auto step = std::uint64_t{64}; step != 0; step /= 2)
    while (best.slots + step <= limit && quotient_shape{best.slots + step, best.fingerprint_bits}.blocks() == blocks)
      best.slots += step;
  return best;
}

/// Distinct keys in a set of `distinct` fingerprints of so many bits. Keys with equal fingerprints count once; there are few of
/// them.
[[nodiscard]] inline estimate fingerprint_cardinality(unsigned bits, std::uint64_t distinct) {
  // With 2^63 fingerprints or more collisions are negligible. `distinct` is at most their number, unless a file lies.
  auto const kinds = std::uint64_t{1} << std::min(bits, 63U);
  return detail::items_from(std::min(distinct, kinds), kinds, -std::log1p(-1 / static_cast<double>(kinds)), 1);
}
[[nodiscard]] inline estimate quotient_cardinality(quotient_shape shape, std::uint64_t distinct) {
  return fingerprint_cardinality(checked(shape).fingerprint_bits, distinct);
}

}  // namespace hortus::plan
