#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/occupancy.hpp>
#include <hortus/maths/partitioned_rate.hpp>

namespace hortus::plan {

/// A number estimated from a filter: the value and a 95 % interval around it.
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool saturated = false;  ///< the filter is full: the value is a lower bound, and high is infinite
  bool operator==(estimate const&) const = default;
};

/// The two-sided 95 % quantile of the normal distribution.
inline constexpr double z95 = 1.959963984540054;

/// Standard deviation of bloom_cardinality at `items`: sqrt(m (e^t - t - 1)) / k, t = kn/m.
[[nodiscard]] inline double cardinality_sd(bloom_shape shape, double items) {
  checked(shape);
  auto const bits = static_cast<double>(shape.bits);
  return std::sqrt(bits * exp_excess(shape.probes * std::max(items, 0.0) / bits)) / shape.probes;
}

/// The same for a partitioned filter; it equals that of a bloom filter with as many bits.
[[nodiscard]] inline double cardinality_sd(partitioned_shape shape, double items) {
  return cardinality_sd(bloom_shape{checked(shape).bits(), shape.probes}, items);
}

namespace detail {

/// The load between two bounds at which the increasing function `rising` becomes positive.
template <class Rising>
double root(double low, double high, Rising rising) {
  for (int i = 0; i < 100; ++i) {
    double const middle = low + (high - low) / 2;
    (rising(middle) > 0 ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

/// Estimates items from `ones` of `all` bits, where an item leaves a bit free with probability e^(-per_item).
///
/// The interval holds the loads at which `ones` lies within 1.96 sd of its expectation. In filters of thousands of bits that is
/// value +- 1.96 sd; in filters of a hundred bits it is more accurate than that, and it has a lower end even if the filter is
/// full. An item sets at most `probes` bits, so there are at least ones / probes items: neither end lies below that.
inline estimate items_from(std::uint64_t ones, std::uint64_t all, double per_item, unsigned probes) {
  if (ones == 0) return {};
  auto const bits = static_cast<double>(all);
  double const sure = static_cast<double>(ones) / probes;
  auto const width = [&](double load) { return z95 * std::sqrt(exp_excess(load) / bits); };
  if (ones == all) {
    double const value = std::max({bits * std::log(bits) / probes, sure, 1.0});
    double const low = root(0, std::log(bits) + 2, [&](double load) { return width(load) - 1; }) * bits / probes;
    return {value, std::min(value, std::max(low, sure)), std::numeric_limits<double>::infinity(), true};
  }
  double const load = -std::log1p(-static_cast<double>(ones) / bits);
  double const low = root(0, load, [&](double t) { return width(t) + std::expm1(t - load); });
  double gap = width(load);  // doubled until it brackets the upper end
  while (std::expm1(gap) <= width(load + gap)) gap *= 2;
  double const high = root(load, load + gap, [&](double t) { return std::expm1(t - load) - width(t); });
  double const value = load / per_item;
  return {value, std::min(value, std::max(low / per_item, sure)), std::max(high / per_item, std::ceil(sure)), false};
}

}  // namespace detail

/// Distinct keys in a filter with X = `ones` set bits: ln(1 - X/m) / (k ln(1 - 1/m)) (Swamidass and Baldi, "Mathematical
/// correction for fingerprint similarity measures", 2007). For a full filter m ln(m) / k, about the number of items that fill
/// one, as a lower bound.
[[nodiscard]] inline estimate bloom_cardinality(bloom_shape shape, std::uint64_t ones) {
  checked(shape);
  if (ones > shape.bits) throw error(errc::bad_params, "a filter has at most as many ones as bits");
  return detail::items_from(ones, shape.bits, -(shape.probes * std::log1p(-1 / static_cast<double>(shape.bits))), shape.probes);
}

/// Distinct keys in a partitioned filter, from the ones of all slices. Pooled slices have 1/k of the bias of a mean over
/// slices, and are saturated only if every slice is.
[[nodiscard]] inline estimate partitioned_cardinality(partitioned_shape shape, std::uint64_t ones) {
  checked(shape);
  if (ones > shape.bits()) throw error(errc::bad_params, "a filter has at most as many ones as bits");
  return detail::items_from(ones, shape.bits(), -std::log1p(-1 / static_cast<double>(shape.slice_bits)), shape.probes);
}
/// The same from the ones in each slice.
[[nodiscard]] inline estimate partitioned_cardinality(partitioned_shape shape, std::span<std::uint64_t const> ones) {
  checked(shape);
  if (ones.size() != shape.probes) throw error(errc::bad_params, "a partitioned filter has as many slices as probes");
  if (std::any_of(ones.begin(), ones.end(), [&](auto one) { return one > shape.slice_bits; }))
    throw error(errc::bad_params, "a slice has at most as many ones as bits");
  return partitioned_cardinality(shape, std::accumulate(ones.begin(), ones.end(), std::uint64_t{0}));
}

}  // namespace hortus::plan
