#pragma once
#include <array>
#include <cstdint>

#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// Where the slots of a key are: its first bits select the part, the next ones the segment in which it begins. The rest gives
/// an offset in that segment and in each of the next ones, and the fingerprint.
struct fuse_map {
  /// The low bits of the rest are not used: while a part is built they hold a counter. At least 56 bits of a word are used,
  /// all 64 where there are 256 segments or more.
  static constexpr std::uint64_t rest_mask = ~std::uint64_t{0xff};

  constexpr fuse_map() noexcept = default;
  constexpr fuse_map(unsigned part_bits, unsigned segments_log2) noexcept
      : segment_bits(segments_log2), used_bits(part_bits + segments_log2), place_shift(63 - used_bits) {}

  /// The segment of a word, counted through all parts. Two shifts, because a shift by 64 is undefined.
  [[nodiscard]] constexpr std::uint64_t place(std::uint64_t word) const noexcept { return word >> 1 >> place_shift; }
  [[nodiscard]] constexpr std::uint64_t part(std::uint64_t word) const noexcept { return place(word) >> segment_bits; }
  [[nodiscard]] constexpr std::uint64_t segment(std::uint64_t word) const noexcept {
    return place(word) & ((std::uint64_t{1} << segment_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint64_t rest(std::uint64_t word) const noexcept { return word << used_bits & rest_mask; }

  unsigned segment_bits = 0;
  unsigned used_bits = 0;
  unsigned place_shift = 63;
};

/// The offset of a key in its segment and in each of the Arity - 1 that follow, and a hash whose first bits are its
/// fingerprint.
template <unsigned Arity>
struct fuse_slots {
  std::array<std::uint64_t, Arity> offsets;
  std::uint64_t hash;

  /// The first offset is monotone in the rest, so keys in ascending order walk through memory. The others are 21 bits each of a
  /// product's two halves, scaled to the length: segments need not be powers of two.
  static constexpr fuse_slots of(std::uint64_t rest, std::uint64_t length) noexcept {
    __extension__ using wide = unsigned __int128;
    auto const product = static_cast<wide>(rest) * golden_ratio64;
    auto const mixed = static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
    constexpr std::uint64_t chunk = (std::uint64_t{1} << 21) - 1;
    fuse_slots key{};
    key.offsets[0] = fastrange(rest, length);
    key.offsets[1] = (mixed >> 43) * length >> 21;
    key.offsets[2] = (mixed >> 22 & chunk) * length >> 21;
    if constexpr (Arity == 4) key.offsets[3] = (mixed >> 1 & chunk) * length >> 21;
    key.hash = mixed * mix64_first;
    return key;
  }
};

}  // namespace hortus
