#pragma once
#include <cstdint>

#include <hortus/digest.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/cuckoo.hpp>

namespace hortus {

/// What the places of tags depend on, computed once for a filter.
struct cuckoo_map {
  std::uint64_t windows = 0;
  std::uint64_t tags = 0;
  unsigned distance_shift = 0;

  constexpr cuckoo_map() noexcept = default;
  explicit constexpr cuckoo_map(plan::cuckoo_shape shape) noexcept
      : windows(shape.windows), tags(shape.tags()), distance_shift(64 - shape.reach_bits()) {}

  /// From the first window of a tag to its second. From 2, so that they share no slot, to 2^reach_bits + 1. Multiplying by the
  /// golden ratio spreads consecutive tags evenly: few tags have equal distances even in a small filter.
  [[nodiscard]] constexpr std::uint64_t distance(std::uint64_t tag) const noexcept {
    return 2 + (tag * golden_ratio64 >> distance_shift);
  }
};

/// The four slots of a fingerprint in a cuckoo filter, numbered 0 to 3 (its ways): two neighbours in its first window, two in
/// its second.
///
/// A slot stores the tag and the way. Both together with the slot's number give the fingerprint back: so a tag can be moved
/// without its key, and a stored value belongs to one fingerprint only.
struct cuckoo_places {
  std::uint64_t tag;
  std::uint64_t window;
  std::uint64_t second;

  [[nodiscard]] constexpr std::uint64_t slot(unsigned way) const noexcept {
    return ((way & 2) == 0 ? window : second) + (way & 1);
  }
  [[nodiscard]] constexpr std::uint64_t value(unsigned way) const noexcept { return tag << 2 | way; }

  /// Multiplies the digest first, so that keys selected by its top bits, such as those of one shard, use all windows. Then the
  /// digest is a fraction: times the number of windows, the integer part is the first window, and the rest gives the tag in
  /// the same way.
  static constexpr cuckoo_places of(digest x, cuckoo_map const& map) noexcept {
    __extension__ using wide = unsigned __int128;
    auto const product = static_cast<wide>(x.bits() * golden_ratio64) * map.windows;
    auto const tag = 1 + fastrange(static_cast<std::uint64_t>(product), map.tags);
    auto const window = static_cast<std::uint64_t>(product >> 64);
    return {tag, window, window + map.distance(tag)};
  }

  /// The places of the fingerprint that is stored as `value` in a slot. A file may hold any value, and then the result is
  /// meaningless; but its slots exist.
  static constexpr cuckoo_places stored(std::uint64_t value, std::uint64_t slot, cuckoo_map const& map) noexcept {
    auto const tag = value >> 2;
    auto const far = map.distance(tag);
    auto const first = slot - (value & 1) - ((value & 2) == 0 ? 0 : far);
    auto const window = first < map.windows ? first : 0;
    return {tag, window, window + far};
  }

  /// The fingerprint as one number, below shape.fingerprints(), and back.
  static constexpr cuckoo_places numbered(std::uint64_t number, cuckoo_map const& map) noexcept {
    auto const tag = number % map.tags + 1;
    return {tag, number / map.tags, number / map.tags + map.distance(tag)};
  }
  [[nodiscard]] constexpr std::uint64_t number(cuckoo_map const& map) const noexcept { return window * map.tags + tag - 1; }
};

}  // namespace hortus
