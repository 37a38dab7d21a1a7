#pragma once
#include <cmath>
#include <cstdint>

/// When is a count of rare events wrong? Every test here fails by chance with probability 1e-9 at most, so that a red test is a
/// bug and is never rerun.
namespace hortus::testing {

/// Two-sided 1e-9 of a normal variable, and a little for the skew of binomials with few expected events.
inline constexpr double z_two_sided = 6.11;

/// Expected hits that tell a rate 10 % too high with both error chances at 1e-9 (exact sums of binomials; the derivation is in
/// docs/testing.md).
inline constexpr double hits_for_ten_percent = 15110;

struct band {
  double low;
  double high;
  [[nodiscard]] bool holds(double x) const { return x >= low && x <= high; }
};

/// Where `trials` tries of chance `p` land but for 1e-9: mean +- z sd, with the Cornish-Fisher term for skew and one for
/// rounding.
inline band binomial_band(double trials, double p) {
  double const mean = trials * p;
  double const sd = std::sqrt(mean * (1 - p));
  double const skew = (z_two_sided * z_two_sided - 1) * (1 - 2 * p) / 6;
  return {mean - z_two_sided * sd - 1, mean + z_two_sided * sd + skew + 1};
}

/// How many of `cells` are hit by `throws` into them, but for 1e-9. Needs some hundred cells to be normal.
inline band occupancy_band(double cells, double throws) {
  double const load = throws / cells;
  double const mean = -cells * std::expm1(throws * std::log1p(-1 / cells));
  double const sd = std::sqrt(cells * std::exp(-load) * (1 - (1 + load) * std::exp(-load)));
  return {mean - z_two_sided * sd - 1, mean + z_two_sided * sd + 1};
}

}  // namespace hortus::testing
