#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>

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
};

namespace detail {

inline void check_union(std::uint64_t ones_a, std::uint64_t ones_b, std::uint64_t ones_either) {
  if (ones_either < std::max(ones_a, ones_b) || ones_either - ones_a > ones_b)
    throw error(errc::bad_params, "the union of two filters has the ones of each, and no others");
}

inline estimate around(double value, double variance, bool saturated) {
  if (saturated) return {value, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), true};
  double const half = z95 * std::sqrt(std::max(variance, 0.0));
  return {value, value - half, value + half, false};
}

/// The three estimates are not independent. Let V(n) be the variance of an estimate of n items. The covariance of two estimates
/// is V(items common to their sets): a bit is free in S and in T with probabilities e^-s and e^-t, in both with
/// e^-(s + t - common), and the delta method gives m (e^common - common - 1) / k^2. The union contains both sets, so
/// cov(a, either) = V(a).
inline overlap overlap_of(estimate a, estimate b, estimate either, auto const& shape) {
  bool const full = a.saturated || b.saturated || either.saturated;
  auto const variance = [&](double items) { return full ? 0.0 : std::pow(cardinality_sd(shape, items), 2); };
  double const common = a.value + b.value - either.value;
  double const va = variance(a.value), vb = variance(b.value), vu = variance(either.value), vc = variance(common);
  overlap result{a, b, either, {}, {}, {}, {}};
  result.both = around(common, vu - va - vb + 2 * vc, full);
  result.only_a = around(either.value - b.value, vu - vb, full);
  result.only_b = around(either.value - a.value, vu - va, full);
  if (either.value > 0) {
    double const sum = (a.value + b.value) / either.value;  // the ratio is sum - 1
    double const v = va + vb + 2 * vc + sum * sum * vu - 2 * sum * (va + vb);
    result.jaccard = around(common / either.value, v / (either.value * either.value), full);
  }
  return result;
}

}  // namespace detail

/// From the ones of two filters of the same shape and hash, and of their union (OR). The ones of the intersection (AND) are not
/// useful, because many of them belong to no common key.
[[nodiscard]] inline overlap bloom_overlap(bloom_shape shape, std::uint64_t ones_a, std::uint64_t ones_b,
                                           std::uint64_t ones_either) {
  detail::check_union(ones_a, ones_b, ones_either);
  return detail::overlap_of(bloom_cardinality(shape, ones_a), bloom_cardinality(shape, ones_b),
                            bloom_cardinality(shape, ones_either), shape);
}

/// The same for partitioned filters, from the ones in each slice.
[[nodiscard]] inline overlap partitioned_overlap(partitioned_shape shape, std::span<std::uint64_t const> ones_a,
                                                 std::span<std::uint64_t const> ones_b,
                                                 std::span<std::uint64_t const> ones_either) {
  auto const a = partitioned_cardinality(shape, ones_a), b = partitioned_cardinality(shape, ones_b);
  auto const either = partitioned_cardinality(shape, ones_either);  // this has checked the sizes of all three
  for (std::size_t i = 0; i < ones_a.size(); ++i) detail::check_union(ones_a[i], ones_b[i], ones_either[i]);
  return detail::overlap_of(a, b, either, shape);
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
  return o;
}

}  // namespace hortus::plan
