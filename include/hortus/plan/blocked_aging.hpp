#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/age_partitioned.hpp>
#include <hortus/plan/goal.hpp>

/// Age-partitioned filters in blocks: a block is a cache line of 16 slices, and has all bits of its keys. The rate is higher
/// than that of large slices of the same fill, because blocks get different numbers of keys.
namespace hortus::plan {

inline constexpr unsigned block_slices = 16;
inline constexpr unsigned block_slice_bits = 32;

/// The shape of an age-partitioned filter in blocks.
struct blocked_aging_shape {
  std::uint64_t blocks = 0;
  unsigned probes = 0;                 ///< k: slices that a key marks
  std::uint64_t generation_items = 0;  ///< keys after which a generation is full; of a window of time, the keys of the window
  [[nodiscard]] constexpr unsigned generations() const noexcept { return block_slices - probes; }  ///< besides the current one
  bool operator==(blocked_aging_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline blocked_aging_shape checked(blocked_aging_shape shape) {
  if (shape.probes < 1 || shape.probes >= block_slices || shape.blocks < 1 || shape.blocks > max_bits / 512 ||
      shape.generation_items < 1)
    throw error(errc::bad_params,
                "an age-partitioned filter in blocks has 1 to 15 probes, at least 1 item a generation and 1 block, and at most "
                "2^42 bits in all");
  return shape;
}

/// The probability that none of the keys of a generation has its bit in any of c slices that all got them: each of n keys falls
/// into another block with probability 1 - 1/blocks, and misses the c bits with (1 - 1/32)^c. This is its logarithm.
[[nodiscard]] inline std::array<double, block_slices + 1> logs_of_misses(std::uint64_t blocks, std::uint64_t keys) {
  std::array<double, block_slices + 1> logs{};
  for (unsigned c = 0; c <= block_slices; ++c) {
    double const hit = -std::expm1(c * std::log1p(-1.0 / block_slice_bits));
    logs[c] = static_cast<double>(keys) * std::log1p(-hit / static_cast<double>(blocks));
  }
  return logs;
}

/// The false-positive rate in the steady state at the end of a generation, when it is highest.
///
/// Slice j, counted from the youngest, has the keys of generations j - probes + 1 to j. A set T of slices misses an absent key
/// with the product over generations of what logs_of_misses says for the number of slices of T that have the generation. The
/// probability that all slices of a row have the key's bits, and the slice before the row has not, is the alternating sum over
/// the subsets of the row. The sum over rows is exact for 8 or more probes. With fewer, two rows may be in one block, and it
/// counts such a block twice: an upper bound.
[[nodiscard]] inline double blocked_aging_fpr(blocked_aging_shape shape) {
  checked(shape);
  auto const probes = shape.probes;
  auto const logs = logs_of_misses(shape.blocks, shape.generation_items);
  auto const all_miss = [&](std::uint32_t slices) {
    double sum = 0;
    for (unsigned generation = 0; slices >> generation != 0; ++generation)
      sum += logs[static_cast<unsigned>(std::popcount(slices >> generation & ((1U << probes) - 1)))];
    return std::exp(sum);
  };
  double rate = 0;
  double row = 0;
  for (unsigned first = 0; first <= shape.generations(); ++first) {
    if (first <= probes) {  // from there on, all rows have the same number of full generations
      row = 0;
      auto const before = first == 0 ? 0U : 1U << (first - 1);
      for (std::uint32_t subset = 0; subset < 1U << probes; ++subset)
        row += all_miss(subset << first | before) * (std::popcount(subset) % 2 == 0 ? 1 : -1);
    }
    rate += row;
  }
  return std::clamp(rate, 0.0, 1.0);
}

/// An upper bound of the rate if time ends generations: see age_partitioned_burst_fpr. With no more probes than generations no
/// slice has more than the `generation_items` keys of a window. By Hoelder's inequality a row is then found at most as often as
/// one of slices that all have the same keys; there are generations + 1 rows.
[[nodiscard]] inline double blocked_aging_burst_fpr(blocked_aging_shape shape) {
  checked(shape);
  auto const logs = logs_of_misses(shape.blocks, shape.generation_items);
  double row = 0;
  double ways = 1;  // to choose `missing` slices of the row, with the sign of the sum
  for (unsigned missing = 0; missing <= shape.probes; ++missing) {
    row += ways * std::exp(logs[missing]);
    ways *= -static_cast<double>(shape.probes - missing) / (missing + 1);
  }
  return std::clamp(row * (shape.generations() + 1), 0.0, 1.0);
}

/// Lower rates are lost in the rounding errors of the sums.
inline constexpr double least_blocked_aging_fpr = 1e-9;

/// The shape with the fewest blocks. `items` is the window. If `generations` is not 0, it is used as given.
[[nodiscard]] inline blocked_aging_shape blocked_aging(goal g, window_of what, unsigned generations = 0) {
  checked_fpr(g.fpr);
  if (g.fpr < least_blocked_aging_fpr)
    throw error(errc::bad_goal, "a blocked_aging filter has a rate of 1e-9 or more: age_partitioned goes below");
  auto const most_probes = what == window_of::time ? block_slices / 2 : block_slices - 1;
  if (generations != 0 && (generations >= block_slices || block_slices - generations > most_probes))
    throw error(errc::bad_goal, what == window_of::time ? "a blocked_aging filter for a window of time has 8 to 15 generations"
                                                        : "a blocked_aging filter has 1 to 15 generations");
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const shape_of = [&](unsigned probes, std::uint64_t blocks) {
    auto const window = window_generations(block_slices - probes, what);
    return blocked_aging_shape{blocks, probes, what == window_of::time ? items : (items - 1) / window + 1};
  };
  auto const enough = [&](unsigned probes, std::uint64_t blocks) {
    auto const shape = shape_of(probes, blocks);
    return (what == window_of::time ? blocked_aging_burst_fpr(shape) : blocked_aging_fpr(shape)) <= g.fpr;
  };
  auto blocks = max_bits / 512;
  unsigned best = 0;
  for (auto probes = generations != 0 ? block_slices - generations : 1; probes <= most_probes; ++probes) {
    if (enough(probes, blocks)) {  // of as many blocks, more probes are better: fewer generations forget sooner
      best = probes;
      std::uint64_t too_few = 0;
      while (blocks - too_few > 1) {
        auto const middle = too_few + (blocks - too_few) / 2;
        (enough(probes, middle) ? blocks : too_few) = middle;
      }
    }
    // Space falls with more probes, then rises; every other number of generations wastes one. Many probes are slow to plan.
    bool const rising = best != 0 && probes >= best + 3 && probes >= block_slices / 2;
    if (generations != 0 || rising) break;
  }
  if (best == 0)
    throw error(errc::bad_goal,
                "a blocked_aging filter for that goal needs more than 2^42 bits; ask for fewer items or a higher fpr");
  return shape_of(best, blocks);
}

}  // namespace hortus::plan
