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
struct ribbon_shape {
  static constexpr unsigned max_columns = 64;
  static constexpr std::uint64_t block_slots = 64;
  static constexpr std::uint64_t max_blocks = (std::uint64_t{1} << 32) - 1;
  static constexpr std::uint64_t blocks_per_threshold_byte = 8;  // a threshold has 2 bits and is that of 128 slots

  std::uint64_t blocks = 0;
  unsigned columns = 0;
  std::uint64_t wide_blocks = 0;
  std::uint64_t strips = 1;  ///< into which the first layer is divided
  std::uint64_t layers = 0;

  [[nodiscard]] std::uint64_t column_bytes() const noexcept { return (blocks * columns + wide_blocks) * 8; }
  [[nodiscard]] std::uint64_t threshold_bytes() const noexcept {
    return (blocks + blocks_per_threshold_byte - 1) / blocks_per_threshold_byte;
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

/// The blocks of every layer of a filter of `items` keys, after `earlier` layers. The number of keys that a layer leaves to
/// the next one hardly varies, so all sizes are known before a key is seen.
[[nodiscard]] inline std::vector<std::uint64_t> ribbon_layers(std::uint64_t items, std::size_t earlier = 0) {
  namespace loss = ribbon_loss;
  std::vector<std::uint64_t> blocks;
  if (items == 0) return blocks;
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
/// so one block in wide_blocks counts for nothing.
[[nodiscard]] inline double ribbon_wide_share(ribbon_shape const& s) noexcept {
  if (s.wide_blocks == 0) return 0;
  if (s.wide_blocks == s.blocks) return 1;
  constexpr double shy = 0.995;  // slots are not all alike: the share is right within half a percent
  return shy * static_cast<double>(s.wide_blocks - 1) / static_cast<double>(s.blocks);
}
[[nodiscard]] inline double ribbon_fpr(ribbon_shape const& s) noexcept {
  return std::ldexp(1 - ribbon_wide_share(s) / 2, -static_cast<int>(s.columns));
}

/// The smallest filter with this rate.
inline ribbon_shape ribbon(goal g) {
  checked_fpr(g.fpr);
  auto const items = std::max<std::uint64_t>(g.items, 1);
  checked_bits(static_cast<double>(items) * -std::log2(g.fpr), "a ribbon filter of " + std::to_string(items) + " items");
  constexpr auto max_items = ribbon_shape::max_blocks * (ribbon_shape::block_slots - 1);
  if (items > max_items) throw error(errc::bad_goal, "a ribbon filter holds at most " + std::to_string(max_items) + " items");
  ribbon_shape s;
  auto const layers = ribbon_layers(items);
  for (auto const blocks : layers) s.blocks += blocks;
  s.layers = layers.size();
  s.strips = std::uint64_t{1} << ribbon_log2_strips(items);
  // The narrow blocks alone have at most twice the rate.
  s.columns = static_cast<unsigned>(std::floor(-std::log2(g.fpr) + 1e-12));
  if (ribbon_fpr(s) <= g.fpr * (1 + 1e-12)) return s;
  // Wide blocks are in the first layer. If they are not enough, every block is wide.
  auto all = s;
  ++all.columns;
  double const share = 2 - std::ldexp(2 * g.fpr, static_cast<int>(s.columns));
  double const wide = std::ceil(share / 0.995 * static_cast<double>(s.blocks)) + 1;
  if (wide > static_cast<double>(layers.front())) return all;
  s.wide_blocks = static_cast<std::uint64_t>(wide);
  while (ribbon_fpr(s) > g.fpr && s.wide_blocks < layers.front()) ++s.wide_blocks;  // rounding of the formulas
  return ribbon_fpr(s) <= g.fpr ? s : all;
}

}  // namespace hortus::plan
