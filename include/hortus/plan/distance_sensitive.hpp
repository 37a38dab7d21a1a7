#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/tails.hpp>

/// The distance-sensitive Bloom filter of Kirsch and Mitzenmacher: `arrays` arrays of `slice_bits` bits. A key has one bit in
/// each, at a hash of `samples` locality-sensitive hashes. Each of those is the same for two keys at distance d with
/// probability 1 - d. The score of a key is the number of its bits that are set; a score of at least `threshold` means near.
/// Arrays are independent, so scores are binomial, and the tails below are exact. docs/near.md has the derivation.
namespace hortus::plan {

struct distance_sensitive_shape {
  std::uint64_t slice_bits = 0;
  unsigned arrays = 0;
  unsigned samples = 0;
  unsigned threshold = 0;
  double near = 0;  ///< a key at most so far from a member is to be accepted
  double far = 0;   ///< a key at least so far from all members is to be rejected
  bool operator==(distance_sensitive_shape const&) const = default;
};

inline constexpr unsigned max_arrays = 1024;    ///< a key costs one cache miss an array
inline constexpr unsigned max_samples = 1024;   ///< hashes of a key in each array
inline constexpr double most_slice_ratio = 64;  ///< bits of an array, per item

[[nodiscard]] constexpr bool is_valid(distance_sensitive_shape const& s) noexcept {
  return s.arrays >= 1 && s.arrays <= max_arrays && s.samples >= 1 && s.samples <= max_samples && s.threshold >= 1 &&
         s.threshold <= s.arrays && s.slice_bits >= 1 && s.slice_bits <= max_bits / s.arrays &&  //
         s.near >= 0 && s.near < s.far && s.far <= 1;                                            // false for NaN
}

/// The probability that all samples of two keys at this distance are equal.
[[nodiscard]] inline double equal_samples(double distance, double samples) {
  return distance >= 1 ? 0 : std::exp(samples * std::log1p(-distance));
}

/// The probability that none of `items` random positions is the one asked for.
[[nodiscard]] inline double stays_clear(double items, std::uint64_t slice_bits) {
  return items <= 0 ? 1 : std::exp(items * std::log1p(-1 / static_cast<double>(slice_bits)));
}

/// The probability that a bit of a key is set, in a filter of `items` members, if the key is at this distance from one member.
/// At least: samples that are equal to those of the other members are not counted.
[[nodiscard]] inline double bit_set_near(distance_sensitive_shape const& s, std::uint64_t items, double distance) {
  auto const others = items == 0 ? 0.0 : static_cast<double>(items - 1);
  return 1 - (1 - equal_samples(distance, s.samples)) * stays_clear(others, s.slice_bits);
}
/// The same if the key is at least at this distance from every member. At most.
[[nodiscard]] inline double bit_set_far(distance_sensitive_shape const& s, std::uint64_t items, double distance) {
  auto const all = static_cast<double>(items);
  double const equal = equal_samples(distance, s.samples);
  if (equal >= 1) return items == 0 ? 0 : 1;
  return 1 - std::exp(all * std::log1p(-equal)) * stays_clear(all, s.slice_bits);
}

/// P(score >= threshold), and P(score < threshold) without cancellation.
[[nodiscard]] inline double score_reaches(unsigned arrays, double bit_set, unsigned threshold) {
  return binomial_tail(arrays, bit_set, threshold);
}
[[nodiscard]] inline double score_stays_below(unsigned arrays, double bit_set, unsigned threshold) {
  return binomial_tail(arrays, 1 - bit_set, arrays - threshold + 1.0);
}

/// The probability that a key at distance `near` from a member is missed, at most.
[[nodiscard]] inline double distance_sensitive_fnr(distance_sensitive_shape const& s, std::uint64_t items) {
  return score_stays_below(s.arrays, bit_set_near(s, items, s.near), s.threshold);
}
/// The probability that a key at distance `far` from all members is accepted, at most.
[[nodiscard]] inline double distance_sensitive_fpr(distance_sensitive_shape const& s, std::uint64_t items) {
  return score_reaches(s.arrays, bit_set_far(s, items, s.far), s.threshold);
}
/// The probability that a key is accepted which is at this distance from one member, and shares no sample with the others.
[[nodiscard]] inline double near_chance(distance_sensitive_shape const& s, std::uint64_t items, double distance) {
  return score_reaches(s.arrays, bit_set_near(s, items, distance), s.threshold);
}

/// The least number of arrays, and their threshold, with both rates kept. Searches upwards from `first` in steps of `step`,
/// because a larger number may fail where a smaller one succeeds: thresholds are integers.
struct arrays_and_threshold {
  unsigned arrays = 0;
  unsigned threshold = 0;
  bool operator==(arrays_and_threshold const&) const = default;
};
[[nodiscard]] inline std::optional<arrays_and_threshold> fewest_arrays(double near_bit, double far_bit, double fnr, double fpr,
                                                                       unsigned most, unsigned first = 1, unsigned step = 1) {
  // The least threshold that keeps fpr. It never falls as arrays are added. One at the mean or below is reached by half of the
  // scores, so a search for a rate below one half starts there.
  unsigned threshold = fpr < 0.5 ? std::max(1U, static_cast<unsigned>(first * far_bit)) : 1;
  for (auto arrays = first; arrays <= most; arrays += step) {
    while (threshold <= arrays && score_reaches(arrays, far_bit, threshold) > fpr) ++threshold;
    if (threshold <= arrays && score_stays_below(arrays, near_bit, threshold) <= fnr) return {{arrays, threshold}};
  }
  return std::nullopt;
}

struct distance_sensitive_goal {
  std::uint64_t items = 0;
  double fpr = 0.01;
  double fnr = 0.01;
  double near = 0;
  double far = 0;
  unsigned samples = 0;    ///< 0: as many as need the least space
  double slice_ratio = 0;  ///< bits of an array, per item; 0: as many as need the least space
  bool full = false;       ///< fnr is kept when all items are members; else from the first member on, which takes more space
};

/// z with P(Z > z) = tail for a normal Z, to two digits (Abramowitz and Stegun, 26.2.22): only to know where to search.
[[nodiscard]] inline double rough_quantile(double tail) {
  if (tail > 0.5) return -rough_quantile(1 - tail);
  double const t = std::sqrt(-2 * std::log(tail));
  return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
}

/// A number of arrays that is too small, or 1: where a search starts. By the normal approximation, with a margin for its error:
/// tests/plan/distance_sensitive_test.cpp compares it with searches that start at 1.
[[nodiscard]] inline double least_arrays(double near_bit, double far_bit, double fnr, double fpr) {
  double const spread =
      rough_quantile(fnr) * std::sqrt(near_bit * (1 - near_bit)) + rough_quantile(fpr) * std::sqrt(far_bit * (1 - far_bit));
  double const expected = std::pow(std::max(spread, 0.0) / (near_bit - far_bit), 2);
  return std::max(1.0, std::floor((expected < 40 ? 0.4 : 0.5) * expected));
}

/// The same as fewest_arrays, or nearly, from fewer trials: first in large steps, then in small ones before the first success.
[[nodiscard]] inline std::optional<arrays_and_threshold> few_arrays(double near_bit, double far_bit, double fnr, double fpr,
                                                                    unsigned most) {
  double const least = least_arrays(near_bit, far_bit, fnr, fpr);
  if (least > most) return std::nullopt;
  auto const first = static_cast<unsigned>(least);
  auto const stride = 1 + first / 16;
  auto const some = fewest_arrays(near_bit, far_bit, fnr, fpr, most, first, stride);
  if (!some || stride == 1) return some;
  return fewest_arrays(near_bit, far_bit, fnr, fpr, some->arrays, std::max(first, some->arrays - stride + 1));
}

/// The smallest shape for a goal; none if there is none within the limits. Bits of other
/// members make scores larger. A filter that counts on them is smaller, and misses near keys until it is full.
[[nodiscard]] inline std::optional<distance_sensitive_shape> find_distance_sensitive(distance_sensitive_goal const& g) {
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  // Samples of a far key must seldom equal those of any member: items (1 - far)^samples between 4 and 1/1000.
  double const fall = g.far >= 1 ? 1e9 : -std::log1p(-g.far);
  auto const within = [](double x) { return static_cast<unsigned>(std::clamp(x, 1.0, double{max_samples})); };
  unsigned const low = g.samples != 0 ? g.samples : within(std::floor(std::log(n / 4) / fall));
  unsigned const high = g.samples != 0 ? g.samples : within(std::ceil(std::log(n * 1000) / fall));
  unsigned const step = 1 + (high - low) / 24;
  constexpr std::array<double, 14> all_ratios{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 12, 16, 24, 32, most_slice_ratio};
  auto const ratios = g.slice_ratio > 0 ? std::span(&g.slice_ratio, 1) : std::span<double const>(all_ratios);
  std::optional<distance_sensitive_shape> best;
  auto best_bits = static_cast<double>(max_bits) + 1;
  for (auto samples = low; samples <= high; samples += step)
    for (double const ratio : ratios) {
      double const width = std::max(8.0, std::ceil(ratio * n));
      if (width >= best_bits) break;
      distance_sensitive_shape s{static_cast<std::uint64_t>(width), 1, samples, 1, g.near, g.far};
      double const near_bit = bit_set_near(s, g.full ? items : 1, g.near);
      double const far_bit = bit_set_far(s, items, g.far);
      if (!(near_bit > far_bit)) continue;
      double const most = std::min<double>(max_arrays, std::ceil(best_bits / width) - 1);
      auto const found = few_arrays(near_bit, far_bit, g.fnr, g.fpr, static_cast<unsigned>(most));
      if (!found) continue;
      s.arrays = found->arrays;
      s.threshold = found->threshold;
      best = s;
      best_bits = width * s.arrays;
    }
  return best;
}

/// What would be possible instead, for the message about a goal that is not.
[[nodiscard]] inline std::string possible_instead(distance_sensitive_goal const& g) {
  // By bisection, in steps of 1/10000, so that the number in the message is one that was tried.
  auto const last_possible = [](int good, double to, auto with) {
    if (!find_distance_sensitive(with(good / 10000.0))) return -1.0;
    int bad = static_cast<int>(to * 10000);
    while (std::abs(good - bad) > 1) {
      int const middle = (good + bad) / 2;
      (find_distance_sensitive(with(middle / 10000.0)) ? good : bad) = middle;
    }
    return good / 10000.0;
  };
  auto changed = g;
  double const near = last_possible(0, g.near, [&](double x) { return changed.near = x, changed; });
  changed = g;
  double const far = last_possible(10000, g.far, [&](double x) { return changed.far = x, changed; });
  if (near >= 0 && far >= 0) return "near at most " + text(near) + ", or far at least " + text(far) + ", would be possible";
  if (near >= 0) return "near at most " + text(near) + " would be possible";
  if (far >= 0) return "far at least " + text(far) + " would be possible";
  return "fewer items, a higher fpr or a higher fnr would be possible";
}

/// The smallest shape with both rates kept for any number of members up to g.items, or with g.full for g.items. Throws
/// errc::bad_goal, and says what would be possible.
[[nodiscard]] inline distance_sensitive_shape distance_sensitive(distance_sensitive_goal const& g) {
  checked_fpr(g.fpr);
  if (!(g.fnr >= min_fpr && g.fnr < 1))
    throw error(errc::bad_goal, "fnr is " + text(g.fnr) + ": it must lie between 2^-64 (5.4e-20) and 1, 1 excluded");
  if (!(g.near >= 0 && g.near < g.far && g.far <= 1))
    throw error(errc::bad_goal, "near is " + text(g.near) + " and far is " + text(g.far) +
                                    ": distances are shares from 0 to 1, and near must be less than far");
  if (g.samples > max_samples)
    throw error(errc::bad_goal, "samples is " + std::to_string(g.samples) + ": it must lie between 1 and 1024");
  if (!(g.slice_ratio == 0 || (g.slice_ratio >= 1 && g.slice_ratio <= most_slice_ratio)))
    throw error(errc::bad_goal, "slice_ratio is " + text(g.slice_ratio) + ": it must lie between 1 and 64");
  if (g.items > max_bits) throw error(errc::bad_goal, std::to_string(g.items) + " items: the most is 2^42");
  if (auto const found = find_distance_sensitive(g)) return *found;
  throw error(errc::bad_goal, "keys at distance " + text(g.near) + " cannot be told from keys at distance " + text(g.far) +
                                  " among " + std::to_string(g.items) +
                                  " members, in at most 1024 arrays and 2^42 bits, at these rates; " + possible_instead(g));
}

}  // namespace hortus::plan
