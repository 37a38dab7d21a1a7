#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <hortus/error.hpp>
#include <hortus/maths/blocked_cardinality.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/signed_difference.hpp>

namespace hortus::plan {

/// The sizes of the union, intersection and differences of two sets, estimated from their filters. Differences of estimates may
/// be negative, and clamping them would bias their means: use presentable() for display, not before averaging.
struct overlap {
  estimate a;
  estimate b;
  estimate either;   ///< of the union
  estimate both;     ///< of the intersection: a + b - either
  estimate only_a;   ///< either - b
  estimate only_b;   ///< either - a
  estimate jaccard;  ///< both / either; 0 for two empty sets
  /// The differences again, from the counters of filters that count: see signed_difference.hpp.
  std::optional<counted_difference> by_counters;
};

/// The number of set bits, or of counters that are not 0, in each of two filters, and in at least one of them.
struct set_cells {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t either = 0;
};

namespace detail {

inline void check_union(set_cells ones) {
  if (ones.either < std::max(ones.a, ones.b) || ones.either - ones.a > ones.b)
    throw error(errc::bad_params, "the union of two filters has the ones of each, and no others");
}

inline estimate around(double value, double variance, bool saturated) {
  if (saturated) return {value, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), true};
  double const half = z95 * std::sqrt(std::max(variance, 0.0));
  return {value, value - half, value + half, false};
}

/// The three estimates are not independent. The union contains both sets, so its covariance with the estimate of either is
/// that one's variance. `covariance` is that of the estimates of a and b.
inline overlap overlap_of(estimate a, estimate b, estimate either, double va, double vb, double vu, double covariance) {
  bool const full = a.saturated || b.saturated || either.saturated;
  double const common = a.value + b.value - either.value;
  overlap result{a, b, either, {}, {}, {}, {}, {}};
  result.both = around(common, vu - va - vb + 2 * covariance, full);
  result.only_a = around(either.value - b.value, vu - vb, full);
  result.only_b = around(either.value - a.value, vu - va, full);
  if (either.value > 0) {
    double const sum = (a.value + b.value) / either.value;  // the ratio is sum - 1
    double const v = va + vb + 2 * covariance + sum * sum * vu - 2 * sum * (va + vb);
    result.jaccard = around(common / either.value, v / (either.value * either.value), full);
  }
  return result;
}

/// Of Bloom filters. Let V(n) be the variance of an estimate of n items. The covariance of two estimates is V(items common to
/// their sets): a bit is free in S and in T with probabilities e^-s and e^-t, in both with e^-(s + t - common), and the delta
/// method gives m (e^common - common - 1) / k^2. Bits of a block that depend on each other do so in both filters alike.
inline overlap overlap_of(estimate a, estimate b, estimate either, auto const& shape) {
  bool const full = a.saturated || b.saturated || either.saturated;
  auto const variance = [&](double items) { return full ? 0.0 : std::pow(cardinality_sd(shape, items), 2); };
  return overlap_of(a, b, either, variance(a.value), variance(b.value), variance(either.value),
                    variance(a.value + b.value - either.value));
}

inline double sd_of(estimate e) { return (e.high - e.low) / 2 / z95; }

}  // namespace detail

/// From the ones of two filters of the same shape and hash, and of their union (OR). The ones of the intersection (AND) are not
/// useful, because many of them belong to no common key.
[[nodiscard]] inline overlap bloom_overlap(bloom_shape shape, set_cells ones) {
  detail::check_union(ones);
  return detail::overlap_of(bloom_cardinality(shape, ones.a), bloom_cardinality(shape, ones.b),
                            bloom_cardinality(shape, ones.either), shape);
}

/// The same for partitioned filters, from the ones of all slices.
[[nodiscard]] inline overlap partitioned_overlap(partitioned_shape shape, set_cells ones) {
  detail::check_union(ones);
  return detail::overlap_of(partitioned_cardinality(shape, ones.a), partitioned_cardinality(shape, ones.b),
                            partitioned_cardinality(shape, ones.either), shape);
}

/// The same for filters of blocks.
[[nodiscard]] inline overlap blocked_overlap(blocked_shape shape, set_cells ones) {
  detail::check_union(ones);
  return detail::overlap_of(blocked_cardinality(shape, ones.a), blocked_cardinality(shape, ones.b),
                            blocked_cardinality(shape, ones.either), shape);
}

/// From the estimates of two distinct counters and of their union. A register holds the largest of many random values. For the
/// smallest of exponential values, which is the same without rounding, the covariance of the estimates of a and b is their
/// common share of the union times both standard deviations, and with the union it is the variance of the part.
[[nodiscard]] inline overlap sketch_overlap(estimate a, estimate b, estimate either) {
  double const sa = detail::sd_of(a), sb = detail::sd_of(b), su = detail::sd_of(either);
  double const common = std::max(a.value + b.value - either.value, 0.0);
  double const share = either.value > 0 ? std::min(common / either.value, 1.0) : 0;
  return detail::overlap_of(a, b, either, sa * sa, sb * sb, su * su, share * sa * sb);
}

/// From the estimates of two sets of fingerprints and of their union. Keys are only lost where two have the same fingerprint,
/// and the number of such pairs grows with the square of the keys.
[[nodiscard]] inline overlap fingerprint_overlap(estimate a, estimate b, estimate either) {
  double const sa = detail::sd_of(a), sb = detail::sd_of(b), su = detail::sd_of(either);
  double const share = either.value > 0 ? (a.value + b.value - either.value) / either.value : 0;
  return detail::overlap_of(a, b, either, sa * sa, sb * sb, su * su, std::pow(share * su, 2));
}

/// The same figures clamped to what is possible: no negative sizes, no part greater than its whole.
[[nodiscard]] inline overlap presentable(overlap o) {
  auto const within = [](estimate e, double most) {
    return estimate{std::clamp(e.value, 0.0, most), std::clamp(e.low, 0.0, most), std::clamp(e.high, 0.0, most), e.saturated};
  };
  o.both = within(o.both, std::min(o.a.value, o.b.value));
  o.only_a = within(o.only_a, o.a.value);
  o.only_b = within(o.only_b, o.b.value);
  o.jaccard = within(o.jaccard, 1);
  if (o.by_counters) {
    double const any = std::numeric_limits<double>::infinity();
    o.by_counters = counted_difference{within(o.by_counters->only_a, any), within(o.by_counters->only_b, any)};
  }
  return o;
}

}  // namespace hortus::plan
