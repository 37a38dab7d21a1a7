#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/maths/blocked_rate.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/plan/blocked.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The mean number of keys that share a cell of a blocked counting filter. The number of keys in a cell is Binomial(items,
/// load / items), however unequal the blocks are, because each key chooses its block and its cells independently.
[[nodiscard]] inline double cell_load(blocked_shape shape, std::uint64_t items) {
  return static_cast<double>(items) * block_mark(shape.layout, shape.probes) / static_cast<double>(shape.blocks);
}

/// The share of cells that more than three keys share, so that two bits do not hold the count: by the Poisson distribution,
/// which the binomial one approaches from below.
[[nodiscard]] inline double share_past_three(double load) {
  double const sum = 1 + load * (1 + load / 2 * (1 + load / 3));
  return -std::expm1(std::log(sum) - load);
}

/// The overflow table, for cells above three, has one slot for 512 cells: an eighth of the bytes of the cells.
inline constexpr std::uint64_t cells_a_slot = 512;
/// The load at which the table is 0.3 full. Searches in it are short up to there.
inline constexpr double most_cell_load = 0.37;

/// The fewest blocks of 256 cells for the goal with a load of at most most_cell_load. In a Bloom filter the number of
/// probes that needs the fewest bits gives a load of ln 2. Here a cell above three costs a slot of 128 bits, and a table
/// search whenever it changes. At a rate of 1 %, with 4 probes and 11 cells per key, one erase in five searches the table;
/// with 6 probes and 10.2 cells per key half of them would.
[[nodiscard]] inline blocked_shape blocked_counting(goal g, unsigned probes = 0) {
  constexpr auto layout = layouts::free_256;
  checked_fpr(g.fpr);
  if (probes != 0) checked(blocked_shape{layout, 1, probes});
  g.items = std::max<std::uint64_t>(g.items, 1);
  auto const limit = detail::most_blocks(layout);
  auto const fewest = [&](unsigned k, std::uint64_t most) -> std::uint64_t {
    double const roomy = std::ceil(cell_load({layout, 1, k}, g.items) / most_cell_load);
    if (!(roomy <= static_cast<double>(most))) return 0;
    auto const blocks = detail::fewest_blocks(layout, k, g, most);
    return blocks == 0 ? 0 : std::max(blocks, static_cast<std::uint64_t>(roomy));
  };
  std::uint64_t blocks = 0;
  if (probes != 0) {
    blocks = fewest(probes, limit);
  } else {
    for (unsigned k = 1; k <= layout.max_probes; ++k)
      if (auto const fewer = fewest(k, blocks == 0 ? limit : blocks - 1); fewer != 0) {
        blocks = fewer;
        probes = k;
      }
  }
  return {layout, with_divisors(detail::reached(blocks, layout), limit), probes};
}

}  // namespace hortus::plan
