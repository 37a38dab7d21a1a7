#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/partitioned_rate.hpp>

namespace hortus::plan {

namespace detail {

/// |A u B|, capped at 2^64 - 1. Throws errc::bad_params if no two sets have these sizes.
inline std::uint64_t union_size(std::uint64_t a, std::uint64_t b, std::uint64_t common) {
  if (common > std::min(a, b))
    throw error(errc::bad_params, "two sets have at most as many items in common as the smaller has");
  a -= common;
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

/// 1 - q^a - q^b + q^(a + b - common), log_q < 0: the probability that a bit is set in both filters, by two keys or by a common
/// one. Written as a sum of positive terms, because otherwise the digits of a sparse filter would cancel.
inline double both_set(double log_q, double a, double b, double common) {
  auto const power = [&](double n) { return n > 0 ? log_q * n : 0; };  // one bit: log_q is -inf
  double const one_each = std::expm1(power(a)) * std::expm1(power(b));
  return common > 0 ? one_each + std::exp(power(a + b - common)) * -std::expm1(power(common)) : one_each;
}

}  // namespace detail

/// The rate after merge (OR), which gives the filter of all keys. `common` 0 is the worst case: disjoint sets.
[[nodiscard]] inline double merged_fpr(bloom_shape shape, std::uint64_t items_a, std::uint64_t items_b,
                                       std::uint64_t common = 0) {
  return bloom_fpr(shape, detail::union_size(items_a, items_b, common));
}
[[nodiscard]] inline double merged_fpr(partitioned_shape shape, std::uint64_t items_a, std::uint64_t items_b,
                                       std::uint64_t common = 0) {
  return partitioned_fpr(shape, detail::union_size(items_a, items_b, common));
}

/// The fill after merging two filters of disjoint sets.
[[nodiscard]] inline double merged_fill(double fill_a, double fill_b) { return fill_a + fill_b * (1 - fill_a); }

/// The fill after intersect (AND). It exceeds that of a filter of the common keys, because two different keys may set the same
/// bit.
[[nodiscard]] inline double intersected_fill(bloom_shape shape, std::uint64_t items_a, std::uint64_t items_b,
                                             std::uint64_t common) {
  checked(shape);
  (void)detail::union_size(items_a, items_b, common);
  return detail::both_set(shape.probes * std::log1p(-1 / static_cast<double>(shape.bits)), static_cast<double>(items_a),
                          static_cast<double>(items_b), static_cast<double>(common));
}
[[nodiscard]] inline double intersected_fill(partitioned_shape shape, std::uint64_t items_a, std::uint64_t items_b,
                                             std::uint64_t common) {
  checked(shape);
  (void)detail::union_size(items_a, items_b, common);
  return detail::both_set(std::log1p(-1 / static_cast<double>(shape.slice_bits)), static_cast<double>(items_a),
                          static_cast<double>(items_b), static_cast<double>(common));
}

/// The rate after intersect for keys in neither set. Keys of A alone are found at the rate of B, and vice versa.
[[nodiscard]] inline double intersected_fpr(auto const& shape, std::uint64_t items_a, std::uint64_t items_b,
                                            std::uint64_t common) {
  return std::pow(intersected_fill(shape, items_a, items_b, common), shape.probes);
}

/// The rate of "in one filter and not in the other", for independent positions: the other's false positives are subtracted.
[[nodiscard]] inline double one_not_other_fpr(double one, double other) { return one * (1 - other); }

/// The fill after a fold by `by`: a new bit is the OR of `by` old ones, 1 - (1 - fill)^by.
[[nodiscard]] inline double folded_fill(double fill, std::uint64_t by) {
  return fill < 1 ? -std::expm1(static_cast<double>(by) * std::log1p(-fill)) : 1;
}

/// The rate after a fold, from the ones before it. The number of probes does not change and is too high for the smaller size.
/// So a filter that will be folded should be planned with the probes of its smallest size.
[[nodiscard]] inline double folded_fpr(bloom_shape shape, std::uint64_t ones, std::uint64_t by) {
  checked(shape);
  if (ones > shape.bits) throw error(errc::bad_params, "a filter has at most as many ones as bits");
  if (by < 1 || shape.bits % by != 0) throw error(errc::bad_params, "a filter folds only by a divisor of its bits");
  return std::pow(folded_fill(static_cast<double>(ones) / static_cast<double>(shape.bits), by), shape.probes);
}
[[nodiscard]] inline double folded_fpr(partitioned_shape shape, std::span<std::uint64_t const> ones, std::uint64_t by) {
  (void)fill_fpr(shape, ones);  // checks both arguments
  if (by < 1 || shape.slice_bits % by != 0)
    throw error(errc::bad_params, "a partitioned filter folds only by a divisor of its slices' bits");
  double rate = 1;
  for (auto const one : ones) rate *= folded_fill(static_cast<double>(one) / static_cast<double>(shape.slice_bits), by);
  return rate;
}

namespace detail {

inline std::uint64_t greatest_fold(std::uint64_t bits, double fpr, auto const& rate_after) {
  if (rate_after(1) > checked_fpr(fpr))
    throw error(errc::bad_goal,
                "the filter's rate is " + text(rate_after(1)) + " already, and folding raises it: ask for an fpr above that");
  auto const all = divisors(bits);
  return *std::prev(std::partition_point(all.begin(), all.end(), [&](std::uint64_t by) { return rate_after(by) <= fpr; }));
}

}  // namespace detail

/// The greatest divisor to fold by for which the predicted rate is at most fpr; 1 if there is no other.
[[nodiscard]] inline std::uint64_t best_fold(bloom_shape shape, std::uint64_t ones, double fpr) {
  return detail::greatest_fold(checked(shape).bits, fpr, [&](std::uint64_t by) { return folded_fpr(shape, ones, by); });
}
[[nodiscard]] inline std::uint64_t best_fold(partitioned_shape shape, std::span<std::uint64_t const> ones, double fpr) {
  return detail::greatest_fold(checked(shape).slice_bits, fpr, [&](std::uint64_t by) { return folded_fpr(shape, ones, by); });
}

}  // namespace hortus::plan
