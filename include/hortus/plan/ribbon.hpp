#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a ribbon filter: blocks of 64 slots. A block has a word of 64 bits for each of its columns, one bit a slot. The
/// first `wide_blocks` have a column more than the others.
///
/// A row has 64 slots, and a threshold of 2 bits is that of a bucket of 128. With few columns the thresholds would be a large
/// part of the filter. Then rows have 128 slots, and buckets 512: long rows carry more keys across the end of a bucket, so that
/// buckets may be longer.
struct ribbon_shape {
  static constexpr unsigned max_columns = 64;
  static constexpr std::uint64_t block_slots = 64;
  static constexpr std::uint64_t max_blocks = (std::uint64_t{1} << 32) - 1;

  std::uint64_t blocks = 0;
  unsigned columns = 0;
  std::uint64_t wide_blocks = 0;
  std::uint64_t strips = 1;  ///< into which the first layer is divided
  std::uint64_t layers = 0;
  unsigned row_blocks = 1;  ///< 1: rows of 64 slots, buckets of 128; 2: rows of 128 slots, buckets of 512

  [[nodiscard]] constexpr bool long_rows() const noexcept { return row_blocks == 2; }
  /// Blocks whose thresholds are one byte: four buckets.
  [[nodiscard]] constexpr std::uint64_t blocks_per_threshold_byte() const noexcept { return long_rows() ? 32 : 8; }
  [[nodiscard]] std::uint64_t column_bytes() const noexcept { return (blocks * columns + wide_blocks) * 8; }
  [[nodiscard]] std::uint64_t threshold_bytes() const noexcept {
    return (blocks + blocks_per_threshold_byte() - 1) / blocks_per_threshold_byte();
  }
  /// The ends of strips and layers, 4 bytes each.
  [[nodiscard]] std::uint64_t boundary_bytes() const noexcept { return layers == 0 ? 0 : (strips + layers) * 4; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return column_bytes() + threshold_bytes() + boundary_bytes(); }
};

/// The most layers. Every layer leaves 5 % of its keys to the next one, so eight are enough for any number of keys. More are
/// only made for keys that were chosen to defeat the filter.
inline constexpr std::size_t ribbon_max_layers = 16;

/// What becomes of the keys of a layer, measured in simulations (tests/plan/ribbon_test.cpp repeats them).
namespace ribbon_loss {
/// Keys per slot, except in the last layer. More keys fill more of the slots and leave more keys to the next layer; 1.05 to
/// 1.08 need the same space.
inline constexpr double overload = 1.055;
/// Slots that stay empty: this share, and as many for each strip, at its two ends.
inline constexpr double of_slots = 0.00042, of_strip = 14;
/// The variance of their number.
inline constexpr double variance_of_slots = 0.0085, variance_of_strip = 90;
/// Up to so many keys a last layer without overload is smaller, and safer: in a layer of few buckets one that bumps all its
/// keys leaves over far more than planned.
inline constexpr double few_keys = 1200;
}  // namespace ribbon_loss

/// The same of long rows.
namespace ribbon_long_loss {
/// A layer is a whole number of buckets of 512 slots, so that in a small one there may be more or fewer keys for each slot.
inline constexpr double overload = 1.03;
[[nodiscard]] inline double of_slots(double keys_per_slot) { return 0.00013 + 0.004 * std::exp(-140 * (keys_per_slot - 1)); }
inline constexpr double of_strip = 28;
inline constexpr double variance_of_slots = 0.0025, variance_of_strip = 300;
/// Up to so many keys a last layer without overload, and without thresholds, is smaller.
inline constexpr double few_keys = 6000;
/// The slots that such a layer needs for its keys.
[[nodiscard]] constexpr double last_slots(double keys) { return keys + 4 + keys * keys / 400'000; }
/// With fewer columns than these, and with at least so many keys, rows are long.
inline constexpr unsigned columns = 4;
inline constexpr std::uint64_t items = 1000;
}  // namespace ribbon_long_loss

/// The first layer is built in parts of at most 2^20 keys on average. A part is divided into four strips, which are solved at
/// the same time. A small filter has one strip, because every strip loses some slots at its ends.
inline constexpr std::uint64_t ribbon_keys_per_part = std::uint64_t{1} << 20;
[[nodiscard]] constexpr unsigned ribbon_log2_parts(std::uint64_t items) noexcept {
  unsigned log2 = 0;
  while (items >> log2 > ribbon_keys_per_part) ++log2;
  return log2;
}
inline constexpr std::uint64_t ribbon_keys_for_strips = std::uint64_t{1} << 18;
[[nodiscard]] constexpr unsigned ribbon_log2_strips(std::uint64_t items) noexcept {
  return ribbon_log2_parts(items) + (items >= ribbon_keys_for_strips ? 2 : 0);
}

/// The layers of long rows.
[[nodiscard]] inline std::vector<std::uint64_t> ribbon_long_layers(std::uint64_t items, std::size_t earlier) {
  namespace loss = ribbon_long_loss;
  constexpr double slots = ribbon_shape::block_slots, bucket_blocks = 8;
  std::vector<std::uint64_t> blocks;
  auto keys = static_cast<double>(items);
  double variance = 0;
  double strips = earlier == 0 ? static_cast<double>(std::uint64_t{1} << ribbon_log2_strips(items)) : 1;
  for (; keys > loss::few_keys && earlier + blocks.size() + 1 < ribbon_max_layers; strips = 1) {
    double const whole = bucket_blocks * std::round(keys / loss::overload / (bucket_blocks * slots));
    blocks.push_back(static_cast<std::uint64_t>(whole));
    keys -= whole * slots * (1 - loss::of_slots(keys / (whole * slots))) - loss::of_strip * strips;
    variance += whole * slots * loss::variance_of_slots + loss::variance_of_strip * strips;
  }
  // If more keys are left over than planned, the last layer is enlarged when it is built.
  constexpr std::uint64_t small = 30'000;
  double const spare = std::sqrt(variance) * (items < small ? 0.25 : 4);
  blocks.push_back(std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::ceil(loss::last_slots(keys + spare) / slots))));
  return blocks;
}

/// The blocks of every layer of a filter of `items` keys, after `earlier` layers. The number of keys that a layer leaves to
/// the next one hardly varies, so all sizes are known before a key is seen.
[[nodiscard]] inline std::vector<std::uint64_t> ribbon_layers(std::uint64_t items, std::size_t earlier = 0,
                                                              bool long_rows = false) {
  namespace loss = ribbon_loss;
  std::vector<std::uint64_t> blocks;
  if (items == 0) return blocks;
  if (long_rows) return ribbon_long_layers(items, earlier);
  auto keys = static_cast<double>(items);
  double variance = 0;
  double strips = earlier == 0 ? static_cast<double>(std::uint64_t{1} << ribbon_log2_strips(items)) : 1;
  constexpr double slots = ribbon_shape::block_slots;
  for (; keys > loss::few_keys && keys > 16 * std::sqrt(variance) && earlier + blocks.size() + 1 < ribbon_max_layers;
       strips = 1) {
    double const whole = 2 * std::floor(keys / loss::overload / (2 * slots));  // no bucket of 128 slots is in two layers
    blocks.push_back(static_cast<std::uint64_t>(whole));
    keys -= whole * slots * (1 - loss::of_slots) - loss::of_strip * strips;
    variance += whole * slots * loss::variance_of_slots + loss::variance_of_strip * strips;
  }
  // The last layer holds all of its keys, but for a few that cost 64 bits each. In a small filter a block more is dearer than
  // some such keys. From 10,000 keys on it has the slots that they need, and none to spare.
  constexpr std::uint64_t small = 30'000, smallest = 10'000;
  double const spare = std::sqrt(variance) * (items < small ? 0.25 : 4);
  bool const tight = earlier == 0 && items >= smallest && items < small;
  double const needed = tight ? keys + keys * keys / 60'000 : (keys + spare) * 1.03 + 4;
  blocks.push_back(static_cast<std::uint64_t>(std::ceil(needed / slots)));
  return blocks;
}

/// The share of absent keys that are compared in a column more. A row that ends in a block without the column does not have it,
/// so one block in wide_blocks, or two if rows are long, counts for nothing.
[[nodiscard]] inline double ribbon_wide_share(ribbon_shape const& s) noexcept {
  if (s.wide_blocks == s.blocks && s.blocks != 0) return 1;
  if (s.wide_blocks <= s.row_blocks) return 0;
  constexpr double shy = 0.995;  // slots are not all alike: the share is right within half a percent
  return shy * static_cast<double>(s.wide_blocks - s.row_blocks) / static_cast<double>(s.blocks);
}
[[nodiscard]] inline double ribbon_fpr(ribbon_shape const& s) noexcept {
  return std::ldexp(1 - ribbon_wide_share(s) / 2, -static_cast<int>(s.columns));
}

/// The columns that all blocks have.
[[nodiscard]] inline unsigned ribbon_columns(double fpr) noexcept {
  return static_cast<unsigned>(std::floor(-std::log2(fpr) + 1e-12));
}

/// The smallest filter with this rate and with rows of so many blocks.
inline ribbon_shape ribbon_of_rows(goal g, unsigned row_blocks) {
  checked_fpr(g.fpr);
  auto const items = std::max<std::uint64_t>(g.items, 1);
  checked_bits(static_cast<double>(items) * -std::log2(g.fpr), "a ribbon filter of " + std::to_string(items) + " items");
  constexpr auto max_items = ribbon_shape::max_blocks * (ribbon_shape::block_slots - 1);
  if (items > max_items) throw error(errc::bad_goal, "a ribbon filter holds at most " + std::to_string(max_items) + " items");
  ribbon_shape s;
  s.columns = ribbon_columns(g.fpr);
  s.row_blocks = row_blocks;
  auto const layers = ribbon_layers(items, 0, s.long_rows());
  for (auto const blocks : layers) s.blocks += blocks;
  s.layers = layers.size();
  s.strips = std::uint64_t{1} << ribbon_log2_strips(items);
  // The narrow blocks alone have at most twice the rate.
  if (ribbon_fpr(s) <= g.fpr * (1 + 1e-12)) return s;
  // Wide blocks are in the first layer. If they are not enough, every block is wide.
  auto all = s;
  ++all.columns;
  double const share = 2 - std::ldexp(2 * g.fpr, static_cast<int>(s.columns));
  double const wide = std::ceil(share / 0.995 * static_cast<double>(s.blocks)) + s.row_blocks;
  if (wide > static_cast<double>(layers.front())) return all;
  s.wide_blocks = static_cast<std::uint64_t>(wide);
  while (ribbon_fpr(s) > g.fpr && s.wide_blocks < layers.front()) ++s.wide_blocks;  // rounding of the formulas
  return ribbon_fpr(s) <= g.fpr ? s : all;
}

/// The smallest filter with this rate.
inline ribbon_shape ribbon(goal g) {
  bool const few_columns = ribbon_columns(checked_fpr(g.fpr)) < ribbon_long_loss::columns;
  return ribbon_of_rows(g, few_columns && g.items >= ribbon_long_loss::items ? 2 : 1);
}

}  // namespace hortus::plan
