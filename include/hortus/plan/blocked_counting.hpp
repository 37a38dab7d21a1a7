#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/maths/blocked_rate.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/plan/blocked.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// How many keys share a cell of a blocked counting filter, on average. A cell's keys are Binomial(items, load / items),
/// however unequal the blocks are: each key takes its block, and the cell in it, by itself.
[[nodiscard]] inline double cell_load(blocked_shape shape, std::uint64_t items) {
  return static_cast<double>(items) * block_mark(shape.layout, shape.probes) / static_cast<double>(shape.blocks);
}

/// Share of cells that more than three keys share, so that two bits do not hold their number: of Poisson's law, which the
/// binomial one approaches from below.
[[nodiscard]] inline double share_past_three(double load) {
  double const sum = 1 + load * (1 + load / 2 * (1 + load / 3));
  return -std::expm1(std::log(sum) - load);
}

/// The table of cells that passed three: one slot for so many cells, an eighth of what the cells take.
inline constexpr std::uint64_t cells_a_slot = 512;
/// And the load that fills it to 0.3, where searches in it are short.
inline constexpr double most_cell_load = 0.37;

/// Fewest blocks of 256 cells for the goal that are loaded no more than that. In a Bloom filter the probes that need the
/// fewest bits load them with ln 2; here a cell that is shared often costs a slot of 128 bits, and a search in the table
/// whenever it changes: at 1 % and 4 probes, 11 cells a key, one erase in five does that, and with 6 probes, 10.2 cells
/// a key, half of them would.
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
