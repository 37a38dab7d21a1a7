#pragma once
#include <cmath>
#include <cstdint>
#include <optional>

#include <hortus/error.hpp>

/// From space to rate: the search that budgets, `hortus build --memory` and `hortus plan --memory` share.
namespace hortus::plan {

/// What a family takes at some rate, and the chance that it then misses a key of its window.
struct cost {
  std::uint64_t bytes = 0;
  double fnr = 0;
};

/// The highest rate that is of use with these misses. A filter must report an absent key at most half as often as one of the
/// window: without that rule a filter that answers at random, in no space at all, would win.
[[nodiscard]] inline double highest_fpr(double fnr) noexcept { return (1 - fnr) / 2; }

/// The lowest rate at which cost_of(fpr) is at most `bytes`; none if not even a rate of 99 % is, or with misses the highest
/// that is of use. cost_of may throw errc::bad_goal for what is out of reach.
template <class CostOf>
[[nodiscard]] std::optional<double> best_fpr(CostOf cost_of, std::uint64_t bytes) {
  auto const fits = [&](double log_fpr) {
    try {
      return cost_of(std::exp(log_fpr)).bytes <= bytes;
    } catch (error const& e) {
      if (e.code() != errc::bad_goal) throw;
      return false;
    }
  };
  double high = std::log(0.99);
  double low = std::log(1e-18);
  bool enough = fits(high);
  if (auto const fnr = enough ? cost_of(std::exp(high)).fnr : 0; fnr > 0) {
    high = std::log(highest_fpr(cost_of(highest_fpr(fnr)).fnr));  // misses depend on the rate: asked where it is about right
    enough = fits(high);
  }
  if (!enough) return std::nullopt;
  if (fits(low)) return std::exp(low);
  while (high - low > 1e-9) {  // a millionth of a percent of the rate: below the rounding of any size
    auto const middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return std::exp(high);
}

}  // namespace hortus::plan
