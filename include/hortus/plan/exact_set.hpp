#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/maths/limits.hpp>
#include <hortus/plan/bloomier_map.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus::plan {

/// The fewest bits that tell n members from the other keys of a universe: log2 of the number of subsets of that size.
[[nodiscard]] inline double exact_set_bound(std::uint64_t items, std::uint64_t others) {
  auto const n = static_cast<double>(items), m = static_cast<double>(others);
  return (std::lgamma(n + m + 1) - std::lgamma(n + 1) - std::lgamma(m + 1)) / std::log(2.0);
}

/// The shape of an exact set: a filter of the members, and a bit for each key that passes it.
struct exact_set_shape {
  std::uint64_t items = 0;   ///< members, or if there are more of them than of the others, the others
  std::uint64_t others = 0;  ///< keys that are certainly none
  double filter_fpr = 1;     ///< 1: there is no filter, because bits alone are smaller

  [[nodiscard]] std::uint64_t survivors() const noexcept {
    return static_cast<std::uint64_t>(std::min(std::round(static_cast<double>(others) * filter_fpr), 0x1p63));
  }
  [[nodiscard]] bloomier_shape bits() const noexcept {
    return {survivors() == 0 ? 0 : items + survivors(), 1, 0, 0, 0};  // without other keys all bits would be 1
  }
  [[nodiscard]] std::uint64_t bytes() const {
    auto const filter = filter_fpr < 1 && items != 0 ? ribbon({items, filter_fpr}).bytes() : 0;
    return filter + (bits().items == 0 ? 0 : bits().lower().bytes());
  }
};

/// The rate of the filter with which filter and bits take the least space: n log2(1/p) + n + m p bits are fewest at
/// p = n / (m ln 2). `fpr` is the highest rate for keys that are in neither list; where it is lower, it decides.
[[nodiscard]] inline exact_set_shape exact_set(std::uint64_t items, std::uint64_t others, double fpr) {
  exact_set_shape s{items, others, 1};
  if (items == 0) return s;
  if (others != 0) s.filter_fpr = static_cast<double>(items) / (static_cast<double>(others) * std::log(2.0));
  s.filter_fpr = std::min({s.filter_fpr, fpr, 1.0});
  if (s.filter_fpr < 1) s.filter_fpr = std::max(s.filter_fpr, min_fpr);
  auto const n = static_cast<double>(items), passing = static_cast<double>(s.survivors());
  checked_bits(1.3 * (n * (1 - std::log2(s.filter_fpr)) + passing), "an exact set of " + std::to_string(items) + " keys");
  bool const few_others = others / 8 <= items;  // where they are more, bits alone are never smaller
  if (s.filter_fpr < 1 && fpr >= 1 && few_others && s.bytes() > exact_set_shape{items, others, 1}.bytes()) s.filter_fpr = 1;
  return s;
}

}  // namespace hortus::plan
