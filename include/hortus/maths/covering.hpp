#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// How a handful of cells that a query will look at get set by the inserts before it. The state is how many of them are still
/// free; a step (a throw, or an insert) can only lower it.
struct covering {
  using row = std::array<double, max_probes + 1>;
  unsigned cells = 0;                      ///< states are 0 .. cells
  std::array<row, max_probes + 1> step{};  ///< step[u][v], v < u: chance that of u free cells v are left after one step
  row log_stay{};                          ///< log of the chance that of u free cells all are left
};

/// result[u]: chance that u given cells are all covered after `times` steps.
///
/// The step is a triangular matrix, raised to its power by squaring: cells^3 / 6 * log2(times) multiplications whatever the
/// size of the filter, where the occupancy recurrence takes bits * throws. Every term is positive, so nothing cancels, unlike
/// the sums over Stirling numbers of Bose et al. The diagonal is taken from its logarithm at every squaring: rounding errors in
/// it would double each time.
[[nodiscard]] inline covering::row covered_after(covering chain, std::uint64_t times) {
  covering::row covered{};
  covered[0] = 1;
  auto& power = chain.step;
  for (double steps = 1; times > 0; steps *= 2, times >>= 1) {
    for (unsigned u = 0; u <= chain.cells; ++u) power[u][u] = std::exp(steps * chain.log_stay[u]);
    if (times & 1) {
      for (unsigned u = chain.cells; u > 0; --u) {
        double sum = 0;
        for (unsigned v = 0; v <= u; ++v) sum += power[u][v] * covered[v];
        covered[u] = sum;
      }
    }
    if (times == 1) break;
    for (unsigned u = chain.cells; u > 0; --u) {  // in place: row u needs the rows above it and itself to the right of v
      for (unsigned v = 0; v < u; ++v) {
        double sum = 0;
        for (unsigned w = v; w <= u; ++w) sum += power[u][w] * power[w][v];
        power[u][v] = sum;
      }
    }
  }
  return covered;
}

}  // namespace hortus::plan
