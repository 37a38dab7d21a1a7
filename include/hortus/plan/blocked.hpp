#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/error.hpp>
#include <hortus/maths/blocked_rate.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

namespace detail {

/// The most blocks that a filter may have.
[[nodiscard]] inline std::uint64_t most_blocks(block_layout layout) {
  checked(blocked_shape{layout, 1, layout.parts});
  return std::min(layout.max_blocks, max_bits / layout.bits());
}

/// The fewest blocks, 1 .. limit, that keep the rate; 0 if `limit` is not enough.
[[nodiscard]] inline std::uint64_t fewest_blocks(block_layout layout, unsigned probes, goal g, std::uint64_t limit) {
  // The rate is at least the power of the mean fill, (1 - (1 - mark/blocks)^items)^probes (Jensen, over the loads and within a
  // block). This bounds the number of blocks from below; fewer need not be tried or tabulated.
  double const log_free = log_free_at(g.fpr, probes) / static_cast<double>(g.items);
  double const least = std::floor((1 - 1e-9) * block_mark(layout, probes) / -std::expm1(log_free));
  if (!(least <= static_cast<double>(limit)) || limit == 0) return 0;
  block_rates rate(layout, probes);
  auto const enough = [&](std::uint64_t blocks) { return rate(blocks, g.items) <= g.fpr; };
  if (!enough(limit)) return 0;
  auto blocks = limit;
  auto too_few = std::max(static_cast<std::uint64_t>(least), std::uint64_t{1}) - 1;
  while (blocks - too_few > 1) {
    auto const middle = too_few + (blocks - too_few) / 2;
    (enough(middle) ? blocks : too_few) = middle;
  }
  return blocks;
}

inline std::uint64_t reached(std::uint64_t blocks, block_layout layout) {
  if (blocks == 0)
    throw error(errc::bad_goal, "a filter of " + text(static_cast<double>(most_blocks(layout))) + " blocks of " +
                                    std::to_string(layout.bits()) +
                                    " bits, the most there can be, misses that goal: ask for fewer items or a higher fpr");
  return blocks;
}

}  // namespace detail

/// The number of probes with the lowest rate in `blocks` blocks; the smaller of two equally good ones. It is smaller than for a
/// bloom filter of the same size, because most false positives come from crowded blocks.
[[nodiscard]] inline unsigned best_block_probes(block_layout layout, std::uint64_t blocks, std::uint64_t items) {
  checked(blocked_shape{layout, blocks, layout.parts});
  items = std::max<std::uint64_t>(items, 1);
  unsigned best = layout.parts;
  double lowest = block_rates(layout, best)(blocks, items);
  for (unsigned probes = 2 * layout.parts; probes <= layout.max_probes; probes += layout.parts) {
    double const log_free = static_cast<double>(items) * std::log1p(-block_mark(layout, probes) / static_cast<double>(blocks));
    if (std::pow(-std::expm1(log_free), probes) >= lowest) continue;  // the bound of fewest_blocks()
    double const rate = block_rates(layout, probes)(blocks, items);
    if (rate < lowest) {
      lowest = rate;
      best = probes;
    }
  }
  return best;
}

/// The fewest blocks that hold `items` at a rate of at most fpr with `probes` probes.
[[nodiscard]] inline std::uint64_t blocked_blocks(block_layout layout, std::uint64_t items, double fpr, unsigned probes) {
  checked(blocked_shape{layout, 1, probes});
  goal const g{std::max<std::uint64_t>(items, 1), checked_fpr(fpr)};
  return detail::reached(detail::fewest_blocks(layout, probes, g, detail::most_blocks(layout)), layout);
}

/// The fewest blocks for the goal, rounded up by with_divisors, and the fewest probes that are enough for them. If `probes` is
/// not 0, it is used as given.
[[nodiscard]] inline blocked_shape blocked(block_layout layout, goal g, unsigned probes = 0) {
  checked_fpr(g.fpr);
  g.items = std::max<std::uint64_t>(g.items, 1);
  auto const limit = detail::most_blocks(layout);
  std::uint64_t blocks = 0;
  if (probes != 0) {
    blocks = blocked_blocks(layout, g.items, g.fpr, probes);
  } else {
    for (unsigned k = layout.parts; k <= layout.max_probes; k += layout.parts)
      if (auto const fewer = detail::fewest_blocks(layout, k, g, blocks == 0 ? limit : blocks - 1); fewer != 0) {
        blocks = fewer;
        probes = k;
      }
    detail::reached(blocks, layout);
  }
  return {layout, with_divisors(blocks, limit), probes};
}

}  // namespace hortus::plan
