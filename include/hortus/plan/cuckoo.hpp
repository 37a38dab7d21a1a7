#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a cuckoo filter: `windows` windows of two neighbouring slots, which overlap. A slot holds a tag and two bits
/// that say in which of its four slots the tag lies. A key has a first window anywhere and a second one at most 2^reach_bits +
/// 1 slots further on, so there are that many slots more than windows.
struct cuckoo_shape {
  static constexpr unsigned way_bits = 2;
  static constexpr unsigned min_slot_bits = 7;  // fewer than 31 tags connect too few windows: filters refuse keys too early
  static constexpr unsigned max_slot_bits = 57;
  static constexpr unsigned min_reach_bits = 4;
  static constexpr unsigned max_reach_bits = 12;

  std::uint64_t windows = 0;
  unsigned slot_bits = 0;

  /// The number of different tags. Tag 0 is not used: a slot that is 0 is free.
  [[nodiscard]] constexpr std::uint64_t tags() const noexcept { return (std::uint64_t{1} << (slot_bits - way_bits)) - 1; }
  /// The smallest power of two that is at least four times the square root of the number of windows, from 2^4 to 2^12. In
  /// that range, the number of keys differs from its mean by less than the share of keys that can move out of the range.
  [[nodiscard]] constexpr unsigned reach_bits() const noexcept {
    unsigned bits = min_reach_bits;
    while (bits < max_reach_bits && (std::uint64_t{1} << 2 * bits) < 16 * windows) ++bits;
    return bits;
  }
  [[nodiscard]] constexpr std::uint64_t slots() const noexcept { return windows + (std::uint64_t{1} << reach_bits()) + 2; }
  /// The number of possible fingerprints: a first window and a tag.
  [[nodiscard]] constexpr double fingerprints() const noexcept {
    return static_cast<double>(windows) * static_cast<double>(tags());
  }
  [[nodiscard]] constexpr bool possible() const noexcept {
    return slot_bits >= min_slot_bits && slot_bits <= max_slot_bits && windows >= 1 && windows <= max_bits &&
           slots() <= max_bits / slot_bits && fingerprints() <= 0x1p63;
  }
  bool operator==(cuckoo_shape const&) const = default;
};

/// The planned number of keys per window. With two choices of two overlapping slots, keys fit up to 0.9649 per slot (E. Lehman,
/// R. Panigrahy, "3.5-way cuckoo hashing for the price of 2-and-a-bit", ESA 2009; S. Walzer, "Load thresholds for cuckoo
/// hashing with overlapping blocks", ICALP 2018). Near that limit an insert searches long for a free slot: the last 5 % of the
/// keys of a filter planned for 0.93 take as long as the first 70 % (docs/performance-history.md).
inline constexpr double cuckoo_load = 0.91;

/// The fewest windows for `items` keys. A small filter needs spare ones, because a few keys can share their windows by chance.
[[nodiscard]] inline double cuckoo_windows(double items) { return items / cuckoo_load + std::sqrt(items) + 16; }

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline cuckoo_shape checked(cuckoo_shape shape) {
  if (!shape.possible())
    throw error(errc::bad_params,
                "a cuckoo filter has slots of 7 to 57 bits, 2^42 bits in all, and at most 2^63 fingerprints, because digests "
                "have 64 bits");
  return shape;
}

/// Probability that an absent key has the fingerprint of one of `items`: 1 - (1 - 1/R)^n, where R is the number of
/// fingerprints. Exact at every size: a fingerprint is found if and only if a key with it is a member.
[[nodiscard]] inline double cuckoo_fpr(cuckoo_shape shape, std::uint64_t items) {
  return -std::expm1(static_cast<double>(items) * std::log1p(-1 / checked(shape).fingerprints()));
}

/// The fewest bytes for the goal: windows for a load of 0.91, or more windows if that costs less than another bit in each slot.
[[nodiscard]] inline cuckoo_shape cuckoo(goal g) {
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  double const enough = -1 / std::expm1(std::log1p(-checked_fpr(g.fpr)) / n);  // fingerprints
  cuckoo_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  for (unsigned bits = cuckoo_shape::min_slot_bits; bits <= cuckoo_shape::max_slot_bits; ++bits) {
    auto const tags = static_cast<double>(cuckoo_shape{1, bits}.tags());
    double const windows = std::ceil(std::max(cuckoo_windows(n), enough / tags));
    if (windows * tags > 0x1p63) break;
    if (windows * bits < fewest && windows < 0x1p60)
      fewest = windows * bits, best = {static_cast<std::uint64_t>(windows), bits};
  }
  if (enough > 0x1p62 || std::isinf(fewest))
    throw error(errc::bad_goal, "a cuckoo filter for " + text(n) + " items has a rate of at least " + text(n * 0x1p-62) +
                                    ": a key has 64 bits; ask for a higher fpr or fewer items");
  checked_bits(fewest, "a cuckoo filter for that goal");
  while (cuckoo_fpr(best, items) > g.fpr) ++best.windows;  // rounding may have been off by one
  checked_bits(static_cast<double>(best.slots()) * best.slot_bits, "a cuckoo filter for that goal");
  return best;
}

/// Distinct keys in a filter with `distinct` different fingerprints. Few keys share one.
[[nodiscard]] inline estimate cuckoo_cardinality(cuckoo_shape shape, std::uint64_t distinct) {
  auto const kinds = static_cast<std::uint64_t>(checked(shape).fingerprints());
  return detail::items_from(std::min(distinct, kinds), kinds, -std::log1p(-1 / static_cast<double>(kinds)), 1);
}

}  // namespace hortus::plan
