#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// A Markov chain of how inserts set the few cells that a later query reads. The state is the number of these cells that are
/// still free. A step (a throw, or an insert) can only lower it.
struct covering {
  using row = std::array<double, max_probes + 1>;
  unsigned cells = 0;                      ///< states are 0 .. cells
  std::array<row, max_probes + 1> step{};  ///< step[u][v], v < u: probability that one step leaves v of u free cells
  row log_stay{};                          ///< log_stay[u]: log of the probability that one step leaves all u cells free
};

/// result[u]: probability that u given cells are all covered after `times` steps.
///
/// The step is a triangular matrix, raised to the power by squaring. That takes cells^3 / 6 * log2(times) multiplications
/// for any size of the filter, where the occupancy recurrence takes bits * throws. Every term is positive, so nothing
/// cancels, unlike the sums over Stirling numbers of Bose et al. The diagonal is recomputed from its logarithm at every
/// squaring, because its rounding errors would double each time.
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
    for (unsigned u = chain.cells; u > 0; --u) {  // in place: row u needs smaller rows, and its own entries from v on
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
