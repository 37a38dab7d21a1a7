#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus::plan {

/// The shape of a homogeneous ribbon filter: layers of the same shape, each divided into strips of blocks of 64 slots. A block
/// has a word of 64 bits for each of its columns, one bit a slot. Rows start in all blocks of a strip but the last.
struct homogeneous_shape {
  static constexpr std::uint64_t block_slots = 64;
  static constexpr unsigned max_columns = 10;  ///< of a layer
  static constexpr unsigned max_layers = 7;    ///< 64 columns in all

  std::uint64_t items = 0;
  unsigned layers = 0;
  unsigned columns = 0;
  std::uint64_t strips = 1;        ///< a power of two
  std::uint64_t start_blocks = 0;  ///< of a strip
  std::uint64_t wide_blocks = 0;   ///< the last ones of a layer, with a column more

  [[nodiscard]] std::uint64_t layer_blocks() const noexcept { return strips * (start_blocks + 1); }
  [[nodiscard]] std::uint64_t layer_starts() const noexcept { return strips * start_blocks * block_slots; }
  [[nodiscard]] std::uint64_t layer_words() const noexcept { return layer_blocks() * columns + wide_blocks; }
  /// The columns, and a number for each layer from which its rate follows.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return layers * (layer_words() + 1) * 8; }
  /// Blocks with a column more in which rows start. The last block of every strip is none.
  [[nodiscard]] std::uint64_t wide_start_blocks() const noexcept {
    return wide_blocks - (wide_blocks + start_blocks) / (start_blocks + 1);
  }
};

/// An absent key is found for sure if its row is dependent: the sum of rows of members. That happens where more keys than slots
/// meet in a stretch of some hundred slots.
namespace homogeneous_dependence {
/// The logarithm of its probability in a long strip with 95 %, 96 %, ... 120 % as many starts as keys: a Markov chain, which
/// tests/plan/homogeneous_ribbon_test.cpp computes again. Its state is the number of rows that reach beyond a slot.
inline constexpr std::array<double, 26> of_starts = {-0.0059, -0.0188, -0.0550, -0.1450, -0.3381, -0.6882, -1.2253,  //
                                                     -1.9383, -2.7876, -3.7292, -4.7283, -5.7613, -6.8132, -7.8744,  //
                                                     -8.9388, -10.002, -11.062, -12.116, -13.162, -14.201, -15.230,  //
                                                     -16.250, -17.259, -18.259, -19.247, -20.224};
inline constexpr double first = 0.95, step = 0.01;
/// In a short strip there are fewer places to meet, and at its end there is room. By simulation.
inline constexpr double of_length = 5000, starts_at_end = 16;
}  // namespace homogeneous_dependence

/// The probability that the row of an absent key is dependent, in a strip with these keys and starts. About right, and rather
/// too high in strips of less than 2000 keys.
[[nodiscard]] inline double homogeneous_dependent(double keys, double starts) noexcept {
  namespace law = homogeneous_dependence;
  if (keys < 1) return 0;
  double const at = ((starts + law::starts_at_end) / keys - law::first) / law::step;
  auto const below = static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(law::of_starts.size() - 2)));
  double const part = std::max(at - static_cast<double>(below), 0.0);
  double const log = law::of_starts[below] * (1 - part) + law::of_starts[below + 1] * part - law::of_length / keys;
  // Keys that reach into the last block, which has 64 slots.
  double const over = std::exp2(std::min(keys - starts - 64, 0.0));
  return std::min(std::exp(log) + (keys > starts ? over : 0), 1.0);
}

/// The rate of one layer, if so many rows are dependent. Others add up to 0 by chance.
[[nodiscard]] inline double homogeneous_layer_fpr(homogeneous_shape const& s, double dependent) noexcept {
  double const wide = static_cast<double>(s.wide_start_blocks()) / static_cast<double>(s.strips * s.start_blocks);
  return dependent + (1 - dependent) * std::ldexp(1 - wide / 2, -static_cast<int>(s.columns));
}
/// The rate with `items` keys instead of those it was planned for.
[[nodiscard]] inline double homogeneous_fpr(homogeneous_shape const& s, std::uint64_t items) noexcept {
  if (s.layers == 0 || items == 0) return 0;
  auto const strips = static_cast<double>(s.strips);
  auto const dependent =
      homogeneous_dependent(static_cast<double>(items) / strips, static_cast<double>(s.layer_starts()) / strips);
  return std::pow(homogeneous_layer_fpr(s, dependent), static_cast<double>(s.layers));
}

/// A small filter for this rate. A rate below 2^-10 is that of several layers: in one layer the number of slots a key would
/// have to grow with the number of columns, from 9 % more than keys at 2^-8 to 14 % at 2^-16.
inline homogeneous_shape homogeneous_ribbon(goal g) {
  checked_fpr(g.fpr);
  homogeneous_shape s;
  s.items = std::max<std::uint64_t>(g.items, 1);
  double const bits = -std::log2(g.fpr);
  checked_bits(static_cast<double>(s.items) * bits * 1.2,
               "a homogeneous ribbon filter of " + std::to_string(s.items) + " items");
  s.layers = std::max(1U, static_cast<unsigned>(std::ceil(bits / homogeneous_shape::max_columns - 1e-9)));
  s.strips = std::uint64_t{1} << ribbon_log2_strips(s.items);
  double const rate = std::pow(g.fpr, 1.0 / s.layers);
  auto const strips = static_cast<double>(s.strips);
  auto const keys = static_cast<double>(s.items) / strips;
  constexpr double slots = homogeneous_shape::block_slots;
  // Dependent rows are this share of the rate. Between 1 % and 4 % the space is the same within .4 %: fewer of them need more
  // slots, more of them more wide blocks. They come in hundreds, side by side, so in a filter of less than a million keys the
  // rate would be right on average, but very high in a few filters; there the share is smaller.
  double const share = 0.02 * std::min(1.0, static_cast<double>(s.items) / 0x1p20);
  auto const dependent = [&](std::uint64_t blocks) { return homogeneous_dependent(keys, slots * static_cast<double>(blocks)); };
  std::uint64_t enough = 1;  // found by bisection: more blocks are always better
  while (dependent(enough) > share * rate) enough *= 2;
  for (auto too_few = enough / 2; enough - too_few > 1;) {
    auto const middle = too_few + (enough - too_few) / 2;
    (dependent(middle) > share * rate ? too_few : enough) = middle;
  }
  s.start_blocks = enough;
  // The narrow blocks alone have at most twice the rate that is left.
  double const q = dependent(enough);
  double const left = (rate - q) / (1 - q);
  s.columns = static_cast<unsigned>(std::floor(-std::log2(left) + 1e-12));
  auto const meets = [&](homogeneous_shape const& some) { return homogeneous_fpr(some, s.items) <= g.fpr * (1 + 1e-12); };
  if (meets(s)) return s;
  double const wide = 2 - std::ldexp(2 * left, static_cast<int>(s.columns));
  s.wide_blocks = static_cast<std::uint64_t>(std::floor(wide * static_cast<double>(s.layer_blocks())));
  while (s.wide_blocks < s.layer_blocks() && !meets(s)) ++s.wide_blocks;
  if (s.wide_blocks == s.layer_blocks()) {
    s.wide_blocks = 0;
    ++s.columns;
  }
  return s;
}

}  // namespace hortus::plan
