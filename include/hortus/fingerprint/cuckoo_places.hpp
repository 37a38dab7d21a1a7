#pragma once
#include <cstdint>

#include <hortus/digest.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/cuckoo.hpp>

namespace hortus {

/// The four slots of a fingerprint in a cuckoo filter, numbered 0 to 3 (its ways): two neighbours in its first window, two in
/// its second. The second window is the first, shifted by a distance that depends on the tag, in the same chunk.
///
/// A slot stores the tag and the way. Both together with the slot's number give the fingerprint back: so a tag can be moved
/// without its key, and a stored value belongs to one fingerprint only.
struct cuckoo_places {
  std::uint64_t first_slot;  ///< of the chunk
  std::uint64_t tag;
  std::uint64_t window;  ///< in the chunk
  std::uint64_t second;

  [[nodiscard]] constexpr std::uint64_t slot(unsigned way) const noexcept {
    return first_slot + ((way & 2) == 0 ? window : second) + (way & 1);
  }
  [[nodiscard]] constexpr std::uint64_t value(unsigned way) const noexcept { return tag << 2 | way; }

  /// Multiplies the digest first, so that keys selected by its top bits, such as those of one shard, use all chunks. Then the
  /// digest is a fraction: times the number of chunks, the integer part is the chunk, and the rest gives the window and the
  /// tag in the same way.
  static constexpr cuckoo_places of(digest x, plan::cuckoo_shape const& shape) noexcept {
    fraction rest{x.bits() * golden_ratio64};
    auto const chunk = rest.times(shape.chunks);
    auto const window = rest.times(shape.windows);
    auto const tag = 1 + rest.times(shape.tags());
    return {chunk * (shape.windows + 1), tag, window, add_mod(window, distance(tag, shape.windows), shape.windows)};
  }

  /// The places of the fingerprint that is stored as `value` in a slot of the chunk that begins at first_slot. A file may hold
  /// any value, and then the result is meaningless; but its slots are always in the chunk.
  static constexpr cuckoo_places stored(std::uint64_t value, std::uint64_t slot, std::uint64_t first_slot,
                                        std::uint64_t windows) noexcept {
    auto const tag = value >> 2;
    auto const far = distance(tag, windows);
    auto here = slot - first_slot - (value & 1);
    if (here >= windows) here = 0;  // no way leads there
    if ((value & 2) == 0) return {first_slot, tag, here, add_mod(here, far, windows)};
    return {first_slot, tag, add_mod(here, windows - far, windows), here};
  }

  /// The fingerprint as one number, below shape.fingerprints().
  [[nodiscard]] constexpr std::uint64_t number(plan::cuckoo_shape const& shape) const noexcept {
    auto const windows_before = first_slot / (shape.windows + 1) * shape.windows + window;
    return windows_before * shape.tags() + tag - 1;
  }

 private:
  struct fraction {
    std::uint64_t bits;
    constexpr std::uint64_t times(std::uint64_t range) noexcept {
      __extension__ using wide = unsigned __int128;
      auto const product = static_cast<wide>(bits) * range;
      bits = static_cast<std::uint64_t>(product);
      return static_cast<std::uint64_t>(product >> 64);
    }
  };
  /// From 2 to windows - 2, so that the two windows share no slot. Multiplying by the golden ratio spreads consecutive tags
  /// evenly: few tags have equal distances even in a small chunk.
  static constexpr std::uint64_t distance(std::uint64_t tag, std::uint64_t windows) noexcept {
    return 2 + fastrange(tag * golden_ratio64, windows - 3);
  }
};

}  // namespace hortus
