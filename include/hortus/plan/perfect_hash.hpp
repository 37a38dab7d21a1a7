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
  static constexpr std::uint64_t max_levels = 12;  ///< 2^40 well-mixed keys need seven
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

/// As many bases as keys, and slots for the reach of the last one.
[[nodiscard]] constexpr std::uint64_t perfect_hash_slots(std::uint64_t part_items, unsigned log2_window) noexcept {
  return std::max<std::uint64_t>(part_items, 1) + perfect_hash_reach(log2_window) - 1;
}

/// The bucket of the keys with this base: 4.25 slots a bucket. With more keys, more buckets find no seed; with fewer, seeds
/// take more space than they save: by simulation 4.25 takes the least. A multiplication, because a division would take longer.
[[nodiscard]] constexpr std::uint64_t perfect_hash_bucket(std::uint64_t base) noexcept { return base * 15421 >> 16; }

/// The buckets of a level: one more for each part, so that no bucket belongs to two parts.
[[nodiscard]] constexpr std::uint64_t perfect_hash_buckets(std::uint64_t slots, std::uint64_t parts) noexcept {
  return perfect_hash_bucket(slots) + parts;
}

/// Keys in 65536 that a part of 2^k to 2^(k+1) keys leaves over, by simulation; k is the place in the list.
inline constexpr std::array<std::uint64_t, 22> perfect_hash_left_in_65536{
    0, 360, 6000, 5500, 8700, 1900, 2800, 1300, 2250, 1600, 2050, 1400, 1600, 1100, 1175, 880, 900, 718, 712, 612, 622, 632};

/// About how many keys a level leaves over.
[[nodiscard]] constexpr std::uint64_t perfect_hash_left(std::uint64_t items) noexcept {
  auto const part_items = std::max<std::uint64_t>(items >> perfect_hash_log2_parts(items), 1);
  auto const row = std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(part_items)) - 1, 21);
  return items / 65536 * perfect_hash_left_in_65536[row] + items % 65536 * perfect_hash_left_in_65536[row] / 65536;
}

/// About how many bytes a perfect hash of so many keys takes: seeds, the table of parts, words that are kept, and the list of
/// numbers.
[[nodiscard]] constexpr std::uint64_t perfect_hash_bytes(std::uint64_t items) noexcept {
  std::uint64_t bytes = 0, slots = 0, left = items;
  do {
    auto const parts = std::uint64_t{1} << perfect_hash_log2_parts(left);
    auto const part_items = left / parts;
    auto const part_slots = perfect_hash_slots(part_items, perfect_hash_log2_window(part_items));
    auto const level_slots = std::max(left, parts * part_slots);
    bytes += (parts + 1) * 8 + perfect_hash_buckets(level_slots, parts);
    slots += level_slots;
    left = perfect_hash_left(left);
  } while (left > perfect_hash_shape::few_items);
  bytes += left * 8;
  // Low bits: a block of 32 numbers is up to 1.75 times as wide as the average one.
  auto const numbers = slots + left - items, blocks = (numbers + 31) / 32;
  auto const mean_gap = items / std::max<std::uint64_t>(numbers, 1);
  auto const low_bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(mean_gap * 7 / 4, 1)));
  return bytes + blocks * 8 + blocks * static_cast<unsigned>(std::bit_width(items)) / 8 + numbers * low_bits / 8 + 16;
}

}  // namespace hortus::plan
