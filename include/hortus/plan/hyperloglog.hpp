#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <hortus/error.hpp>
#include <hortus/maths/distinct_likelihood.hpp>
#include <hortus/maths/limits.hpp>

/// HyperLogLog: 2^precision registers, each the largest rank of its keys. A key has rank r with probability 2^-r.
namespace hortus::plan {

/// The limits of a kind of registers, and the variance of its estimate: (relative standard error)^2 * registers.
struct register_kind {
  unsigned bits;           ///< of a register
  unsigned least;          ///< precision
  unsigned most;           ///< precision
  double variance;         ///< of the estimate, relative, times the number of registers
  std::string_view title;  ///< for messages: "a hyperloglog sketch"

  [[nodiscard]] constexpr bool has(unsigned precision) const noexcept { return precision >= least && precision <= most; }
  [[nodiscard]] constexpr std::uint64_t bytes(unsigned precision) const noexcept {
    return (std::uint64_t{bits} << precision) / 8;
  }
  /// The relative standard error of an estimate of many keys. Few keys have a smaller one.
  [[nodiscard]] double error(unsigned precision) const noexcept {
    return std::sqrt(std::ldexp(variance, -static_cast<int>(precision)));
  }
  unsigned checked(unsigned precision) const {
    if (!has(precision))
      throw hortus::error(errc::bad_params, std::string(title) + " has a precision from " + std::to_string(least) + " to " +
                                                std::to_string(most) + ", not " + std::to_string(precision));
    return precision;
  }
  /// The least precision with at most this relative standard error; or `wanted`, unless that is 0.
  [[nodiscard]] unsigned precision_for(std::uint64_t items, double relative_error, unsigned wanted = 0) const {
    checked_fpr(relative_error);
    if (items > max_bits)  // any number would work; a larger one is surely a mistake
      throw hortus::error(errc::bad_goal, std::to_string(items) + " items: the most is 2^42");
    if (wanted != 0 && !has(wanted))
      throw hortus::error(errc::bad_goal, "precision is " + std::to_string(wanted) + ": it must lie between " +
                                              std::to_string(least) + " and " + std::to_string(most));
    if (wanted != 0) return wanted;
    for (unsigned p = least; p <= most; ++p)
      if (error(p) <= relative_error) return p;
    throw hortus::error(errc::bad_goal, "a relative error of " + text(relative_error) + " needs more than 2^" +
                                            std::to_string(most) + " registers; the least of " + std::string(title) + " is " +
                                            text(error(most)));
  }
};

/// The variance is 3 ln 2 - 1 (Flajolet and others), 1.04^2.
inline constexpr register_kind rank_registers{6, 4, 26, 1.0794415416798357, "a hyperloglog sketch"};

namespace detail {

/// x + x^2 + 2 x^4 + 4 x^8 + ...; infinite at 1. The sum over the ranks that are too small to be seen.
[[nodiscard]] inline double sigma(double x) noexcept {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x, before = -1;
  for (double weight = 1; sum != before; weight *= 2) {
    x *= x;
    before = sum;
    sum += x * weight;
  }
  return sum;
}

/// (1 - x - sum of (1 - x^(2^-i))^2 2^-i) / 3: the same for the ranks that are too large.
[[nodiscard]] inline double tau(double x) noexcept {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x, before = -1;
  for (double weight = 0.5; sum != before; weight /= 2) {
    x = std::sqrt(x);
    before = sum;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace detail

/// How many registers have each rank, 0 to 65 - precision.
using rank_histogram = std::array<std::uint64_t, 64>;

/// Distinct keys: the improved raw estimator of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches",
/// 2017. It holds from no key to 2^64, without thresholds and tables. The interval is that of the likelihood, whose maximum has
/// nearly the same variance.
[[nodiscard]] inline estimate hyperloglog_cardinality(rank_histogram const& ranks, unsigned precision) {
  auto const registers = std::ldexp(1.0, static_cast<int>(precision));
  unsigned const last = 64 - precision;  // the rank above it means: all bits of the digest were 0
  auto const share = [&](unsigned rank) { return static_cast<double>(ranks[rank]) / registers; };
  double z = detail::tau(1 - share(last + 1));
  for (unsigned rank = last; rank >= 1; --rank) z = (z + share(rank)) / 2;
  z += detail::sigma(share(0));
  met_values values;
  for (unsigned rank = 0; rank <= last + 1; ++rank) {
    if (rank > 0) values.met[std::min(rank, last)] += ranks[rank];
    if (rank <= last) values.missed += std::ldexp(static_cast<double>(ranks[rank]), -static_cast<int>(rank));
  }
  // Of many keys the reciprocal of z is too large by its relative variance.
  double const value = registers / (2 * std::log(2.0) * z) / (1 + rank_registers.variance / registers);
  return distinct_interval(values, registers, value, registers - static_cast<double>(ranks[0]));
}

}  // namespace hortus::plan
