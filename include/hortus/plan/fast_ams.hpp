#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/maths/sketch_rate.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

namespace detail {

/// The odd depth with the fewest counters, where a depth needs rows of width_for(probability that one row may be wrong).
template <class Width>
sketch_shape fewest_counters(double chance, Width width_for) {
  unsigned depth = 1;
  double fewest = std::numeric_limits<double>::infinity(), width = 0;
  for (unsigned d = 1; d < max_probes; d += 2) {
    double const w = std::ceil(width_for(median_allows(chance, d)));
    if (w * d < fewest) fewest = w * d, width = w, depth = d;
  }
  return checked_sketch(width, depth);
}

}  // namespace detail

/// The fewest counters for the goal.
[[nodiscard]] inline sketch_shape fast_ams(goal g) {
  checked_fpr(g.fpr);
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto shape =
      detail::fewest_counters(g.fpr, [&](double p) { return -1 / std::expm1(std::log1p(-p) / static_cast<double>(items)); });
  // Rounding may be off by a counter or two, so the widths around it are tried.
  for (shape.width = std::max<std::uint64_t>(shape.width, 3) - 2; fast_ams_wrong(shape, items) > g.fpr; ++shape.width) continue;
  return checked_sketch(static_cast<double>(shape.width), shape.depth);
}

/// The fewest counters with which an answer is off by more than error * sqrt(F2) with probability at most `chance`; F2 is the
/// sum of the squares of all counts. A row's answer has variance at most F2 / w, so by Chebyshev's inequality it is off by that
/// much with probability at most 1 / (w error^2) (Charikar, Chen and Farach-Colton, "Finding frequent items in data streams",
/// ICALP 2002).
[[nodiscard]] inline sketch_shape fast_ams_within(double error, double chance) {
  checked_error(error), checked_fpr(chance);
  return detail::fewest_counters(chance, [&](double p) { return 1 / (p * error * error); });
}

}  // namespace hortus::plan
