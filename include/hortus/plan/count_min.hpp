#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

#include <hortus/maths/sketch_rate.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/partitioned.hpp>

namespace hortus::plan {

/// The fewest counters for the goal.
[[nodiscard]] inline sketch_shape count_min(goal g) {
  auto const depth = partitioned(g).probes;
  return {partitioned_slice_bits(g.items, g.fpr, depth), depth};
}

/// w = ceil(e / error), d = ceil(ln(1 / chance)). Let N be the sum of all counts. By Markov's inequality one row is more than
/// error * N too high with probability at most 1/e, and all rows are with probability at most e^-d (Cormode and Muthukrishnan,
/// "An improved data stream summary: the count-min sketch and its applications", J. Algorithms 55, 2005).
[[nodiscard]] inline sketch_shape count_min_within(double error, double chance) {
  auto const depth = std::max(1.0, std::ceil(-std::log(checked_fpr(chance))));
  return checked_sketch(std::numbers::e / checked_error(error), static_cast<unsigned>(depth));
}

}  // namespace hortus::plan
