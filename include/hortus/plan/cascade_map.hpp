#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/bloom.hpp>
#include <hortus/plan/goal.hpp>

/// Cascades of pairs of Bloom filters: for each bit of a value a cascade, in which a key that both filters of a pair report
/// goes on to the next pair.
namespace hortus::plan {

struct cascade_shape {
  static constexpr std::uint64_t few_keys = 16;  ///< as few are kept exactly
  static constexpr unsigned max_levels = 20;     ///< of a cascade; the keys after the last one are kept exactly, too

  std::uint64_t items = 0;
  unsigned value_bits = 0;
  double filter_fpr = 0;  ///< of each filter
  bool operator==(cascade_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no map can have it.
inline cascade_shape checked(cascade_shape const& shape) {
  if (shape.value_bits > 64 || !(shape.filter_fpr >= min_fpr && shape.filter_fpr < 1))
    throw error(errc::bad_params, "a cascade_map has values of 0 to 64 bits, and filters with a rate between 2^-64 and 1");
  return shape;
}

/// The probability that a cascade of filters with this rate answers for an absent key, whatever its answer: one filter of the
/// first pair reports it, or both do and a later pair answers. f = 2 phi (1 - phi) + phi^2 f, so f = 2 phi / (1 + phi).
[[nodiscard]] inline double cascade_fpr(double filter_fpr) { return 2 * filter_fpr / (1 + filter_fpr); }

/// The rate of filters for which a map of q-bit values gives an absent key a value with probability fpr: all q cascades answer,
/// independently of each other. Without values one filter is enough.
///
/// Not above 1 - 1/e: filters with one probe take -n / ln(1 - phi) bits, the levels together 1 / (1 - phi) times that, and no
/// other rate is as small.
[[nodiscard]] inline double cascade_filter_fpr(double fpr, unsigned value_bits) {
  if (value_bits == 0) return checked_fpr(fpr);
  double const each = std::pow(checked_fpr(fpr), 1.0 / value_bits);
  return std::min(each / (2 - each), 1 - 1 / std::numbers::e);
}

/// The probability that an absent key gets a value. At most: fewer levels, or values that are nearly all equal, give fewer.
[[nodiscard]] inline double cascade_map_fpr(cascade_shape const& shape) {
  checked(shape);
  return shape.value_bits == 0 ? shape.filter_fpr : std::pow(cascade_fpr(shape.filter_fpr), shape.value_bits);
}

/// The number of keys that are expected on each level, and as the last number those that are kept exactly.
[[nodiscard]] inline std::vector<double> cascade_levels(cascade_shape const& shape) {
  checked(shape);
  std::vector<double> keys{static_cast<double>(shape.items)};
  while (keys.back() > cascade_shape::few_keys && keys.size() <= cascade_shape::max_levels)
    keys.push_back(shape.value_bits == 0 ? 0 : keys.back() * shape.filter_fpr);
  return keys;
}

/// Bytes of all filters and of the digests that are kept, for values of which each bit is 0 for half of the keys.
[[nodiscard]] inline double cascade_bytes(cascade_shape const& shape) {
  auto const words = [&](double keys) {
    auto const whole = static_cast<std::uint64_t>(std::llround(keys));
    auto const count = whole == 0 ? 1 : (bloom({whole, shape.filter_fpr}).bits + 63) / 64;
    return static_cast<double>(count);
  };
  auto const keys = cascade_levels(shape);
  double sum = std::ceil(keys.back());
  for (std::size_t level = 0; level + 1 < keys.size(); ++level)
    sum += shape.value_bits == 0 ? words(keys[level]) + 1 : 2 * words(keys[level] / 2);
  return 8 * std::max(shape.value_bits, 1U) * sum;
}

/// The shape for a goal. filter_fpr 0: what the rate of the goal needs.
[[nodiscard]] inline cascade_shape cascade_map(goal g, unsigned value_bits, double filter_fpr = 0) {
  if (value_bits > 64)
    throw error(errc::bad_goal, "value_bits is " + std::to_string(value_bits) + ": a value has 0 to 64 bits");
  auto const needed = cascade_filter_fpr(g.fpr, value_bits);
  cascade_shape const shape{g.items, value_bits, filter_fpr == 0 ? needed : checked_fpr(filter_fpr)};
  checked_bits(static_cast<double>(g.items) * bloom_bits_per_item(shape.filter_fpr) * std::max(value_bits, 1U),
               "a cascade_map for that goal");
  return shape;
}

}  // namespace hortus::plan
