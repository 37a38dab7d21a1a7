#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace hortus::plan {

/// The shape of a minimal perfect hash. It has levels: each places nearly all of its keys, and those that are left over make
/// up the next one. A level has 2^k parts with keys of their own; a part has slots, one for each key, and buckets of keys with
/// a seed of one byte each.
struct perfect_hash_shape {
  static constexpr std::uint64_t max_part_items = std::uint64_t{1} << 21;  ///< on average
  static constexpr unsigned max_log2_window = 11;
  static constexpr std::uint64_t max_levels = 12;  ///< well-mixed keys need six for 2^38 keys
  /// As many keys are kept as words of 64 bits, because a level more would be larger.
  static constexpr std::uint64_t few_items = 16;
  static constexpr unsigned seed_shifts = 16;  ///< neighbouring slots between which a seed can choose
};

[[nodiscard]] constexpr unsigned perfect_hash_log2_parts(std::uint64_t items) noexcept {
  unsigned log2 = 0;
  while (items >> log2 > perfect_hash_shape::max_part_items) ++log2;
  return log2;
}

/// The slots over which a seed scatters the keys of a bucket, as a logarithm, in parts of so many keys. Wider windows leave
/// fewer keys over, but at the ends of a part they leave slots empty: by simulation twice the square root is best.
[[nodiscard]] constexpr unsigned perfect_hash_log2_window(std::uint64_t part_items) noexcept {
  return std::clamp((static_cast<unsigned>(std::bit_width(part_items)) + 2) / 2, 1U, perfect_hash_shape::max_log2_window);
}

/// The slots that a key can be in: from the first one on.
[[nodiscard]] constexpr std::uint64_t perfect_hash_reach(unsigned log2_window) noexcept {
  return (std::uint64_t{1} << log2_window) + perfect_hash_shape::seed_shifts - 1;
}

/// One for each key, and in a small part enough for the reach of a key.
[[nodiscard]] constexpr std::uint64_t perfect_hash_slots(std::uint64_t part_items, unsigned log2_window) noexcept {
  return std::max(part_items, perfect_hash_reach(log2_window));
}

/// 4.25 keys a bucket. With more keys, more buckets find no seed; with fewer, seeds take more space than they save: by
/// simulation 4.25 takes the least.
[[nodiscard]] constexpr std::uint64_t perfect_hash_buckets(std::uint64_t slots) noexcept { return slots * 4 / 17 + 1; }

/// Keys in 65536 that a part of 2^k to 2^(k+1) keys leaves over, by simulation; k is the place in the list.
inline constexpr std::array<std::uint64_t, 22> perfect_hash_left_in_65536{};

}  // namespace hortus::plan
