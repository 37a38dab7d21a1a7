#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/maths/cardinality.hpp>

namespace hortus::plan {

/// Counters in which a key marks `probes` cells, or fewer if two of them are one, in one of `blocks` blocks.
struct counted_cells {
  std::uint64_t blocks = 1;
  std::uint64_t in_a_block = 1;
  unsigned probes = 1;
};

/// The counters of b subtracted from those of a, added up.
struct counter_differences {
  double sum = 0;
  double squares = 0;
};

/// How many keys only one of two filters holds, as their counters tell.
struct counted_difference {
  estimate only_a;
  estimate only_b;
};

/// The signed difference estimate. Keys that both filters hold cancel out exactly, so the error depends only on how many keys
/// differ: about d sqrt(2 / cells) for d of them, whatever both have in common. Estimates from bits have the error of the whole
/// sets. The figures are right if no key is in a filter more than once: a key that is r times more often in one of them counts
/// r^2 times in the sum of both, and r times in their difference. Counters that are stuck at their maximum make it wrong.
///
/// Let two keys share s cells on average, and a key mark c. The expectation of the sum of squares is d c + (D^2 - d) s, where
/// D, the sum of the differences over c, is the difference of the numbers of keys. Solved for d. The variance is that of the d
/// (d - 1) / 2 pairs, each counted twice.
[[nodiscard]] inline counted_difference signed_difference(counted_cells cells, counter_differences found) {
  auto const block = static_cast<double>(cells.in_a_block), blocks = static_cast<double>(cells.blocks);
  double const probes = cells.probes;
  auto const one_cell = [&](double others) { return std::pow(1 - others / block, probes); };  // all probes miss `others` cells
  double const marked = block * (1 - one_cell(1));                                            // cells of a key
  double const shared = marked * marked / (block * blocks);
  double const two_cells = std::max(0.0, 1 - 2 * one_cell(1) + one_cell(2));  // a key of the block marks both of two cells
  double const shared_squared = (marked * marked / block + block * (block - 1) * two_cells * two_cells) / blocks;
  double const more_in_a = found.sum / marked;
  double const apart = marked - shared;  // 0 if there is one cell, which tells only how many keys there are
  if (apart <= 0) return {{0, 0, 0, true}, {0, 0, 0, true}};
  double const differing = (found.squares - more_in_a * more_in_a * shared) / apart;
  double const pairs = std::max(differing, 0.0) * std::max(differing - 1, 0.0);
  double const sd = std::sqrt(2 * pairs * std::max(shared_squared - shared * shared, 0.0)) / apart;
  auto const half = [&](double twice) { return estimate{twice / 2, (twice - z95 * sd) / 2, (twice + z95 * sd) / 2, false}; };
  return {half(differing + more_in_a), half(differing - more_in_a)};
}

}  // namespace hortus::plan
