#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <hortus/maths/cardinality.hpp>

/// Distinct keys from registers (HyperLogLog, ExaLogLog), by maximum likelihood.
///
/// A key draws one register and one update value. A value v has probability 2^-e(v), for some exponent e(v). With n keys and m
/// registers a register has met the value v with probability 1 - exp(-x 2^-e), x = n/m, independently of other values: so it
/// is if the number of keys is Poisson distributed, and nearly so for a fixed number. What the registers know is therefore
/// summed up by how many values of each exponent were met, and by the sum of the probabilities of those that were not:
///
///     ln likelihood(x) = sum over e of met[e] ln(1 - exp(-x 2^-e))  -  x missed
///
/// It is concave in x, so it has one maximum. Source: O. Ertl, "ExaLogLog: space-efficient and practical approximate distinct
/// counting up to the exa-scale", 2024.
namespace hortus::plan {

struct met_values {
  std::array<std::uint64_t, 65> met{};  ///< by exponent: values that a register has met
  double missed = 0;                    ///< probabilities of values that a register would show, and has not met

  [[nodiscard]] bool none() const noexcept {
    return std::ranges::all_of(met, [](auto count) { return count == 0; });
  }
};

namespace detail {

/// The first derivative of ln likelihood, and minus the second, at x > 0.
struct slopes {
  double first;
  double curvature;
};
[[nodiscard]] inline slopes slopes_at(met_values const& values, double x) noexcept {
  slopes at{-values.missed, 0};
  for (std::size_t e = 0; e < values.met.size(); ++e) {
    if (values.met[e] == 0) continue;
    double const share = std::ldexp(1.0, -static_cast<int>(e));
    double const grown = std::expm1(x * share);  // infinite: this value would have been met in any case
    auto const count = static_cast<double>(values.met[e]);
    at.first += count * share / grown;
    at.curvature += count * share * share * (1 / grown) * (1 + 1 / grown);
  }
  return at;
}

}  // namespace detail

/// The x = keys / registers of greatest likelihood: 0 if no value was met, infinite if none was missed.
///
/// Newton's method. The first derivative is convex and decreasing, so from a point below its root every step stays below and
/// comes nearer. 1/(e^y - 1) >= 1/y - 1/2 gives such a point.
[[nodiscard]] inline double likeliest_load(met_values const& values) noexcept {
  if (values.none()) return 0;
  if (!(values.missed > 0)) return std::numeric_limits<double>::infinity();
  double all = 0, half = 0;
  for (std::size_t e = 0; e < values.met.size(); ++e) {
    all += static_cast<double>(values.met[e]);
    half += std::ldexp(static_cast<double>(values.met[e]), -static_cast<int>(e) - 1);
  }
  double x = all / (values.missed + half);
  for (int step = 0; step < 200; ++step) {  // about ten are taken; a bound, because the values may be from a hostile file
    auto const at = detail::slopes_at(values, x);
    double const next = x + at.first / at.curvature;
    if (!(next > x * (1 + 1e-15))) break;
    x = next;
  }
  return x;
}

/// The standard deviation of the estimate of a fixed number of keys, at `items` keys in `registers` registers. The likelihood
/// is that of a Poisson distributed number, whose own variance, `items`, is no error of the estimate.
[[nodiscard]] inline double distinct_sd(met_values const& values, double registers, double items) noexcept {
  double const curvature = detail::slopes_at(values, items / registers).curvature / (registers * registers);
  return curvature > 0 ? std::sqrt(std::max(1 / curvature - items, 0.0)) : std::numeric_limits<double>::infinity();
}

/// The estimate `value` with its 95 % interval. No fewer keys than one a register that met any value: that is `sure`.
[[nodiscard]] inline estimate distinct_interval(met_values const& values, double registers, double value, double sure) {
  if (values.none()) return {};
  if (!std::isfinite(value)) {  // all registers at their maximum: as many keys as there are digests
    double const most = 0x1p64;
    return {most, sure, std::numeric_limits<double>::infinity(), true};
  }
  double const half = z95 * distinct_sd(values, registers, value);
  value = std::max(value, sure);
  return {value, std::min(value, std::max(value - half, sure)), value + half, false};
}

/// Distinct keys from their tokens: which values `registers` registers have met, every one of them, so that only keys with
/// equal tokens are missed. They are few, so the value is an integer, and so are the ends of the interval. Adding 3/4 before
/// rounding down keeps a probability of 95 % while 0.01 to 2 keys are expected to be missed, where their number is not normal.
[[nodiscard]] inline estimate token_cardinality(met_values values, double registers) {
  double tokens = 0, chances = 0;
  for (std::size_t e = 0; e < values.met.size(); ++e) {
    tokens += static_cast<double>(values.met[e]);
    chances += std::ldexp(static_cast<double>(values.met[e]), -static_cast<int>(e));
  }
  if (tokens == 0) return {};
  values.missed = registers - chances;
  double const value = registers * likeliest_load(values);
  double const half = z95 * distinct_sd(values, registers, value);
  return {std::round(value), std::max(tokens, std::ceil(value - half - 0.75)),
          std::max(std::round(value), std::floor(value + half + 0.75)), false};
}

}  // namespace hortus::plan
