#pragma once
#include <cstdint>

#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/perfect_hash.hpp>

namespace hortus {

/// A part of a level of a perfect hash: `slots` slots, and `buckets` buckets with a seed each. All positions are monotone in
/// the word, so keys in ascending order walk through buckets and slots.
///
///     bucket   |  . . . . .  |  . . . .  |             a seed: 4 bits select how its keys are scattered over their windows,
///     slots    ...|--- window ---|                     4 bits by how many slots all of them are shifted
///                 ^ base of a key
struct perfect_part_shape {
  std::uint64_t slots = 0;
  std::uint64_t buckets = 0;
  unsigned log2_window = 1;

  [[nodiscard]] constexpr std::uint64_t bases() const noexcept { return slots - plan::perfect_hash_reach(log2_window) + 1; }
};

/// What a key's seed scatters: 32 bits that are independent of its bucket. `within` is the word without the bits of its part.
[[nodiscard]] constexpr std::uint32_t perfect_spread(std::uint64_t within) noexcept {
  __extension__ using wide = unsigned __int128;
  auto const product = static_cast<wide>(within) * golden_ratio64;
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product)) >> 32);
}

/// The slot of a key, from its base on. The 16 odd multiples of the spread give 16 independent offsets in the window; a build
/// makes them by additions.
[[nodiscard]] constexpr std::uint64_t perfect_offset(std::uint32_t spread, unsigned seed, unsigned log2_window) noexcept {
  return (static_cast<std::uint32_t>(spread * (seed >> 3 | 1)) >> (32 - log2_window)) + (seed & 15);
}

}  // namespace hortus
