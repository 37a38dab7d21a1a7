#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/maths/divisors.hpp>
#include <hortus/maths/partitioned_rate.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The fewest bits for the goal and the number of slices that needs them; then every slice is rounded up by with_divisors.
[[nodiscard]] inline partitioned_shape partitioned(goal g) {
  checked_fpr(g.fpr);
  auto const items = static_cast<double>(std::max<std::uint64_t>(g.items, 1));
  unsigned probes = 1;
  double fewest = std::numeric_limits<double>::infinity();
  for (unsigned k = 1; k <= max_probes; ++k) {
    double const bits = k * std::ceil(-1 / std::expm1(log_free_at(g.fpr, k) / items));
    if (bits < fewest) {
      fewest = bits;
      probes = k;
    }
  }
  return {with_divisors(partitioned_slice_bits(g.items, g.fpr, probes), max_bits / probes), probes};
}

/// The shape with the lowest rate in `bits` bits: the best number of equal slices for the items.
[[nodiscard]] inline partitioned_shape partitioned_within(std::uint64_t bits, std::uint64_t items) {
  checked(partitioned_shape{bits, 1});
  items = std::max<std::uint64_t>(items, 1);
  partitioned_shape best{bits, 1};
  for (unsigned k = 2; k <= max_probes && k <= bits; ++k) {
    partitioned_shape const other{bits / k, k};
    if (partitioned_fpr(other, items) < partitioned_fpr(best, items)) best = other;
  }
  return best;
}

}  // namespace hortus::plan
