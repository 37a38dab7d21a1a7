#pragma once
#include <cmath>
#include <cstdint>

/// Decides whether a count of rare events is wrong. Every test fails by chance with probability at most 1e-9, so that a red
/// test is a bug and is never rerun.
namespace hortus::testing {

/// The two-sided 1e-9 quantile of the normal distribution, with a margin for the skew of binomials with few expected events.
inline constexpr double z_two_sided = 6.11;

/// The number of expected hits that detects a rate 10 % too high with both error probabilities at 1e-9 (exact sums of
/// binomials; the derivation is in docs/testing.md).
inline constexpr double hits_for_ten_percent = 15110;

struct band {
  double low;
  double high;
  [[nodiscard]] bool holds(double x) const { return x >= low && x <= high; }
};

/// The range of hits in `trials` trials of probability `p`, except with probability 1e-9: mean +- z sd, with the Cornish-Fisher
/// term for skew and one for rounding.
inline band binomial_band(double trials, double p) {
  double const mean = trials * p;
  double const sd = std::sqrt(mean * (1 - p));
  double const skew = (z_two_sided * z_two_sided - 1) * (1 - 2 * p) / 6;
  return {mean - z_two_sided * sd - 1, mean + z_two_sided * sd + skew + 1};
}

/// The range of the number of `cells` that `throws` throws hit, except with probability 1e-9. Needs some hundred cells, for the
/// normal approximation.
inline band occupancy_band(double cells, double throws) {
  double const load = throws / cells;
  double const mean = -cells * std::expm1(throws * std::log1p(-1 / cells));
  double const sd = std::sqrt(cells * std::exp(-load) * (1 - (1 + load) * std::exp(-load)));
  return {mean - z_two_sided * sd - 1, mean + z_two_sided * sd + 1};
}

}  // namespace hortus::testing
