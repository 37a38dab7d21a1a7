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

/// The shape of a cuckoo filter: `chunks` chunks, each with `windows` windows of two neighbouring slots that overlap, so one
/// slot more than windows. A slot holds a tag and two bits that say in which of its four slots the tag lies.
struct cuckoo_shape {
  static constexpr unsigned way_bits = 2;
  static constexpr unsigned min_slot_bits = 7;  // fewer than 31 tags connect too few windows: filters refuse keys too early
  static constexpr unsigned max_slot_bits = 57;
  static constexpr std::uint64_t min_windows = 8;
  static constexpr std::uint64_t max_windows = std::uint64_t{1} << 16;

  std::uint64_t chunks = 0;
  std::uint64_t windows = 0;  ///< in a chunk
  unsigned slot_bits = 0;

  /// The number of different tags. Tag 0 is not used: a slot that is 0 is free.
  [[nodiscard]] constexpr std::uint64_t tags() const noexcept { return (std::uint64_t{1} << (slot_bits - way_bits)) - 1; }
  [[nodiscard]] constexpr std::uint64_t slots() const noexcept { return chunks * (windows + 1); }
  /// The number of possible fingerprints: a first window and a tag.
  [[nodiscard]] constexpr double fingerprints() const noexcept {
    return static_cast<double>(chunks) * static_cast<double>(windows) * static_cast<double>(tags());
  }
  [[nodiscard]] constexpr bool possible() const noexcept {
    return slot_bits >= min_slot_bits && slot_bits <= max_slot_bits && chunks >= 1 && windows >= min_windows &&
           windows <= max_windows && chunks <= max_bits / slot_bits / (windows + 1) && fingerprints() <= 0x1p63;
  }
  bool operator==(cuckoo_shape const&) const = default;
};

/// The planned share of slots in use. With two choices of two overlapping slots, keys fit up to a load of 0.9649 (E. Lehman, R.
/// Panigrahy, "3.5-way cuckoo hashing for the price of 2-and-a-bit", ESA 2009; S. Walzer, "Load thresholds for cuckoo hashing
/// with overlapping blocks", ICALP 2018). The rest is for the difference between chunks, whose load has a standard deviation
/// of 0.0038 to 0.0053: six to nine of these. tests/plan/cuckoo_test.cpp fills filters to the limit.
inline constexpr double cuckoo_load = 0.93;

/// The fewest slots for `items` keys. One chunk alone has spare slots instead: a few keys can share their windows by chance.
[[nodiscard]] inline double cuckoo_slots(double items) {
  double const slots = items / cuckoo_load;
  double const alone = slots + std::sqrt(items) + 32;
  return alone < static_cast<double>(cuckoo_shape::max_windows) ? alone : std::max(slots, 0x1p16);
}

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline cuckoo_shape checked(cuckoo_shape shape) {
  if (!shape.possible())
    throw error(
        errc::bad_params,
        "a cuckoo filter has slots of 7 to 57 bits, chunks of 8 to 65536 windows, 2^42 bits in all, and fewer than 2^63 "
        "fingerprints, because digests have 64 bits");
  return shape;
}

/// Probability that an absent key has the fingerprint of one of `items`: 1 - (1 - 1/R)^n, where R is the number of
/// fingerprints. Exact at every size: a fingerprint is found if and only if a key with it is a member.
[[nodiscard]] inline double cuckoo_fpr(cuckoo_shape shape, std::uint64_t items) {
  return -std::expm1(static_cast<double>(items) * std::log1p(-1 / checked(shape).fingerprints()));
}

/// A shape with at least that many slots, divided into chunks of equal size.
[[nodiscard]] inline cuckoo_shape cuckoo_shape_of(std::uint64_t slots, unsigned slot_bits) {
  auto const chunks = (slots + cuckoo_shape::max_windows) / (cuckoo_shape::max_windows + 1);
  auto const windows = (slots + chunks - 1) / chunks - 1;
  return {chunks, std::max(windows, cuckoo_shape::min_windows), slot_bits};
}

/// The fewest bytes for the goal: slots for a load of 0.93, or more slots if that costs less than another bit in each.
[[nodiscard]] inline cuckoo_shape cuckoo(goal g) {
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  double const enough = -1 / std::expm1(std::log1p(-checked_fpr(g.fpr)) / n);  // fingerprints
  cuckoo_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  double slots_of_best = 0;
  for (unsigned bits = cuckoo_shape::min_slot_bits; bits <= cuckoo_shape::max_slot_bits; ++bits) {
    auto const tags = static_cast<double>(cuckoo_shape{1, 1, bits}.tags());
    double const for_rate = enough / tags * (1 + 0x1p-15) + 1;  // a chunk of 65537 slots has 65536 windows
    double const slots = std::ceil(std::max(cuckoo_slots(n), for_rate));
    if (slots * bits < fewest) fewest = slots * bits, slots_of_best = slots, best.slot_bits = bits;
  }
  checked_bits(fewest, "a cuckoo filter for that goal");
  best = cuckoo_shape_of(static_cast<std::uint64_t>(slots_of_best), best.slot_bits);
  checked_bits(static_cast<double>(best.slots()) * best.slot_bits, "a cuckoo filter for that goal");
  while (cuckoo_fpr(best, items) > g.fpr) best = cuckoo_shape_of(best.slots() + best.chunks, best.slot_bits);  // rounding
  return best;
}

/// Distinct keys in a filter with `distinct` different fingerprints. Few keys share one.
[[nodiscard]] inline estimate cuckoo_cardinality(cuckoo_shape shape, std::uint64_t distinct) {
  auto const kinds = static_cast<std::uint64_t>(checked(shape).fingerprints());
  return detail::items_from(std::min(distinct, kinds), kinds, -std::log1p(-1 / static_cast<double>(kinds)), 1);
}

}  // namespace hortus::plan
