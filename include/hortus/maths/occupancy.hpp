#pragma once
#include <cmath>

namespace hortus::plan {

/// e^x - 1 - x for x >= 0, which appears in the variance of every fill. Near 0 the direct formula has no correct digit.
[[nodiscard]] inline double exp_excess(double x) {
  if (x > 0.5) return std::expm1(x) - x;
  double sum = 1;  // x^2/2 (1 + x/3 (1 + x/4 (1 + ...))): at x = 1/2 the first omitted term is below 2^-53 of the sum
  for (int i = 16; i >= 3; --i) sum = 1 + sum * x / i;
  return x * x / 2 * sum;
}

/// Mean and standard deviation of a random number.
struct spread {
  double mean;
  double sd;
};

/// The number of `cells` that `throws` uniform throws hit, which is the number of ones of a filter. For a bloom filter cells =
/// bits and throws = probes * items; for one slice of a partitioned filter cells = slice_bits and throws = items. The mean is
/// exact; the variance is its leading term (Kolchin, Sevast'yanov and Chistyakov, "Random Allocations", 1978).
[[nodiscard]] inline spread occupied(double cells, double throws) {
  if (throws <= 0) return {0, 0};
  double const load = throws / cells;
  double const free_log = throws * std::log1p(-1 / cells);  // log of the probability that a given cell stays free
  return {-cells * std::expm1(free_log), std::exp(-load) * std::sqrt(load > 700 ? 0 : cells * exp_excess(load))};
}

}  // namespace hortus::plan
