#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/partitioned_rate.hpp>

/// Sketches: rows of counters, in each of which a key has one counter. A row is right about a key if no other key shares its
/// counter there. count_min answers with the smallest of its rows, fast_ams with the median.
///
/// There are two kinds of goal. By number of keys: an answer is wrong if it is not exactly the count. By `error`, for any
/// number of keys: an answer is wrong if it is off by more than that share of the whole stream. In both the goal's fpr is
/// the probability of a wrong answer.
namespace hortus::plan {

/// `depth` rows of `width` counters; at most 2^42 counters in all.
struct sketch_shape {
  std::uint64_t width = 0;
  unsigned depth = 0;
  bool operator==(sketch_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no sketch can have it.
inline sketch_shape checked(sketch_shape shape) {
  if (shape.depth < 1 || shape.depth > max_probes || shape.width < 1 || shape.width > max_bits / shape.depth)
    throw error(errc::bad_params, "a sketch has 1 to 64 rows of at least 1 counter and at most 2^42 counters in all");
  return shape;
}

/// A shape from a width computed as a double. Throws errc::bad_goal if no sketch can have it.
inline sketch_shape checked_sketch(double width, unsigned depth) {
  if (!(width * depth <= static_cast<double>(max_bits)))
    throw error(errc::bad_goal,
                "a sketch for that goal needs " + text(width * depth) +
                    " counters: the most is 2^42 (4.398e+12); ask for fewer items, a higher fpr or a larger error");
  return {std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(width))), depth};
}

/// Returns the share of the stream by which an answer may be off; throws errc::bad_goal if it cannot be planned.
inline double checked_error(double part) {
  if (!(part > 0 && part < 1))
    throw error(errc::bad_goal, "error is " + text(part) + ": it must lie between 0 and 1, both excluded");
  return part;
}

/// Probability that a key shares its counter of one row with one of `items` others: 1 - (1 - 1/w)^n.
[[nodiscard]] inline double row_wrong(std::uint64_t width, std::uint64_t items) {
  if (items == 0) return 0;  // a row of one counter: 0 * log(0)
  return -std::expm1(static_cast<double>(items) * std::log1p(-1 / static_cast<double>(width)));
}

/// Probability that the smallest of the rows is not the count, because all of them are shared: (1 - (1 - 1/w)^n)^d. Exact for a
/// key that is not among the items; for a member there are n - 1 others. A sketch is a partitioned filter with counters instead
/// of bits.
[[nodiscard]] inline double count_min_wrong(sketch_shape shape, std::uint64_t items) {
  checked(shape);
  return partitioned_fpr({shape.width, shape.depth}, items);
}

/// Probability that the median of d answers is wrong if each is wrong with probability p, independently, and then, by random
/// signs, as often too high as too low: 2 P(Binomial(d, p/2) >= d/2). The median is too high if half of the rows are. Exact for
/// odd d; an upper bound for even d, where the mean of the middle two has to be right.
[[nodiscard]] inline double median_wrong(double p, unsigned depth) {
  if (!(p > 0)) return 0;
  double const high = p / 2;
  unsigned const half = (depth + 1) / 2;
  double term = 1;  // C(d, half) high^half (1 - high)^(d - half), factor by factor so that nothing overflows
  for (unsigned i = 1; i <= half; ++i) term *= (depth - half + i) / static_cast<double>(i) * high;
  term *= std::pow(1 - high, depth - half);
  double sum = 0;
  for (unsigned j = half; j <= depth; ++j) {
    sum += term;
    term *= (depth - j) / (j + 1.0) * high / (1 - high);
  }
  return std::min(1.0, 2 * sum);
}

/// The largest p with median_wrong(p, depth) at most `chance`.
[[nodiscard]] inline double median_allows(double chance, unsigned depth) {
  double low = 0, high = 1;
  for (int i = 0; i < 120; ++i) {  // enough for the last digit of a p near 2^-64
    double const middle = (low + high) / 2;
    (median_wrong(middle, depth) <= chance ? low : high) = middle;
  }
  return low;
}

/// Probability that the median of the signed rows is not the count. An upper bound: counts that share a counter may cancel.
[[nodiscard]] inline double fast_ams_wrong(sketch_shape shape, std::uint64_t items) {
  checked(shape);
  return median_wrong(row_wrong(shape.width, items), shape.depth);
}

}  // namespace hortus::plan
