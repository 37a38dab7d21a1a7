#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

/// Tail probabilities of counts, accurate even where they are as small as 1e-300: sums of positive terms, so nothing cancels.
namespace hortus::plan {

/// P(X >= at_least) by the normal approximation of a count.
[[nodiscard]] inline double normal_tail(double mean, double variance, double at_least) {
  return std::erfc((at_least - 0.5 - mean) / std::sqrt(2 * variance)) / 2;
}

/// first + first * ratio(0) + first * ratio(0) * ratio(1) + ..., for decreasing terms, until they are negligible.
template <class Ratio>
[[nodiscard]] double sum_of_falling(double first, Ratio ratio) {
  double sum = 0;
  double term = first;
  for (double i = 0; term > sum * 1e-18; ++i) {
    sum += term;
    term *= ratio(i);
  }
  return sum;
}

/// P(X = i) for a Poisson variable X. By Stirling's series, because i log(mean) - log(i!) cancels: at a mean of 2^39 no digit
/// would be left (C. Loader, "Fast and accurate computation of binomial probabilities", 2000).
[[nodiscard]] inline double poisson_chance(double mean, double i) {
  if (i < 16) return std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
  double const away = (mean - i) / i;
  double const log_ratio = std::abs(away) < 0.5 ? std::log1p(away) : std::log(mean / i);
  double const beyond_stirling = (1 / 12.0 - (1 / 360.0 - 1 / (1260 * i * i)) / (i * i)) / i;
  return std::exp(-i * (away - log_ratio) - beyond_stirling) / std::sqrt(2 * std::numbers::pi * i);
}

/// P(X >= at_least) for a Poisson variable X; at_least is an integer. From a mean of 2^40 on by the normal approximation, which
/// is right to six digits near the middle.
[[nodiscard]] inline double poisson_tail(double mean, double at_least) {
  if (at_least <= 0) return 1;
  if (!(mean > 0)) return 0;
  if (mean > 0x1p40) return normal_tail(mean, mean, at_least);
  if (at_least > mean)
    return sum_of_falling(poisson_chance(mean, at_least), [=](double i) { return mean / (at_least + i + 1); });
  double const below = at_least - 1;
  return 1 - sum_of_falling(poisson_chance(mean, below), [=](double i) { return std::max(0.0, below - i) / mean; });
}

/// Probability of at least `at_least` hits, an integer, in `trials` trials of probability `chance` each. From 2^20 hits on by
/// the normal approximation.
[[nodiscard]] inline double binomial_tail(double trials, double chance, double at_least) {
  if (at_least <= 0) return 1;
  if (at_least > trials || !(chance > 0)) return 0;
  if (chance >= 1) return 1;
  double const odds = chance / (1 - chance);
  if (at_least > 0x1p20) return normal_tail(trials * chance, trials * chance * (1 - chance), at_least);
  auto const chance_of = [=](double hits) {
    double log = (trials - hits) * std::log1p(-chance);
    for (double i = 0; i < hits; ++i) log += std::log((trials - i) / (i + 1) * chance);
    return std::exp(log);
  };
  if (at_least > trials * chance)
    return sum_of_falling(chance_of(at_least), [=](double i) { return (trials - at_least - i) / (at_least + i + 1) * odds; });
  double const below = at_least - 1;
  return 1 - sum_of_falling(chance_of(below), [=](double i) { return (below - i) / (trials - below + i + 1) / odds; });
}

/// The entropy of a Poisson variable in bits: the lower bound for the space of a counter at that load.
[[nodiscard]] inline double poisson_entropy(double mean) {
  if (!(mean > 0)) return 0;
  double bits = 0;
  auto const end = mean + 40 * std::sqrt(mean) + 40;  // the omitted rest is below 1e-50
  for (double i = std::max(0.0, std::floor(2 * mean - end)); i < end; ++i) {
    double const chance = poisson_chance(mean, i);
    if (chance > 0) bits -= chance * std::log2(chance);
  }
  return bits;
}

}  // namespace hortus::plan
