#pragma once
#include <cstdint>

#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/perfect_hash.hpp>

namespace hortus {

/// A part of a level of a perfect hash. All positions are monotone in the word, so keys in ascending order walk through buckets
/// and slots.
///
///     bucket   |  . . . . .  |  . . . .  |             a seed: 4 bits select how its keys are scattered over their windows,
///     slots    ...|--- window ---|                     4 bits by how many slots all of them are shifted
///                 ^ base of a key
struct perfect_part_shape {
  std::uint64_t number = 0;
  std::uint64_t first = 0;  ///< its first slot
  std::uint64_t end = 0;
  unsigned log2_window = 1;

  /// Keys reach beyond their base, so the last slots are no bases.
  [[nodiscard]] constexpr std::uint64_t bases() const noexcept {
    return end - first - plan::perfect_hash_reach(log2_window) + 1;
  }
  /// `within` is the word of a key without the bits of its part.
  [[nodiscard]] constexpr std::uint64_t base(std::uint64_t within) const noexcept { return first + fastrange(within, bases()); }
  /// One more for each part, so that no bucket belongs to two parts.
  [[nodiscard]] constexpr std::uint64_t bucket(std::uint64_t base) const noexcept {
    return plan::perfect_hash_bucket(base) + number;
  }
  [[nodiscard]] constexpr std::uint64_t first_bucket() const noexcept { return bucket(first); }
  [[nodiscard]] constexpr std::uint64_t buckets() const noexcept { return bucket(first + bases() - 1) + 1 - first_bucket(); }
};

/// What a key's seed scatters: 32 bits that are independent of its base.
[[nodiscard]] constexpr std::uint32_t perfect_spread(std::uint64_t within) noexcept {
  return static_cast<std::uint32_t>(within * golden_ratio64 >> 32);
}

/// The slot of a key, from its base on. The 16 odd multiples of the spread give 16 independent offsets in the window; a build
/// makes them by additions.
[[nodiscard]] constexpr std::uint64_t perfect_offset(std::uint32_t spread, unsigned seed, unsigned log2_window) noexcept {
  return (static_cast<std::uint32_t>(spread * (seed >> 3 | 1)) >> (32 - log2_window)) + (seed & 15);
}

}  // namespace hortus
