#pragma once
#include <cmath>
#include <cstdint>
#include <optional>

#include <hortus/error.hpp>

/// The search for the lowest rate that fits a given space. budget, `hortus build --memory` and `hortus plan --memory` share
/// it.
namespace hortus::plan {

/// The space of a family at some rate, and the probability that it then misses a key of its window.
struct cost {
  std::uint64_t bytes = 0;
  double fnr = 0;
};

/// The highest useful rate at this false-negative rate. A filter must report an absent key at most half as often as a key of
/// the window. Without that rule a filter that answers at random, in no space at all, would win.
[[nodiscard]] inline double highest_fpr(double fnr) noexcept { return (1 - fnr) / 2; }

/// A rate above this is reported as useless where the space was given and the rate results from it. It is the square root of
/// the default rate of 1 %. Half the bits give the square root of a rate, so such a filter has less than half the space that
/// the default needs, and it leaves more than a tenth of the lookups that it is there to prevent.
inline constexpr double highest_useful_fpr = 0.1;

/// The lowest rate at which cost_of(fpr) is at most `bytes`. None if a rate of 99 % does not fit or, for families with
/// misses, the highest useful rate does not. cost_of may throw errc::bad_goal for a rate out of reach.
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
    high = std::log(highest_fpr(cost_of(highest_fpr(fnr)).fnr));  // misses depend on the rate: so evaluated near the final rate
    enough = fits(high);
  }
  if (!enough) return std::nullopt;
  if (fits(low)) return std::exp(low);
  while (high - low > 1e-9) {  // relative precision of the rate: finer than the rounding of any size
    auto const middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return std::exp(high);
}

}  // namespace hortus::plan
