#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>

/// Active-active buffering (Yoon 2010): two filters. When the newer one has kappa keys, the older one is cleared and the roles
/// change. A key is found if either filter finds it.
namespace hortus::plan {

/// The false-positive rate of a lookup in two filters with independent contents.
[[nodiscard]] inline double either_fpr(double a, double b) { return a + b * (1 - a); }

/// The rate that each of two filters may have: 1 - sqrt(1 - fpr).
[[nodiscard]] inline double half_fpr(double fpr) { return -std::expm1(std::log1p(-checked_fpr(fpr)) / 2); }

/// kappa / m: the number of keys that each half may hold per bit of both halves, -ln(1 - f^(1/k)) / (2k), in large filters.
/// With k fixed this is the right capacity. ln 2 / (2k) is right only if 2^-k = f, which for an integer k is a coincidence.
[[nodiscard]] inline double active_active_load(double fpr, unsigned probes) {
  return -log_free_at(half_fpr(fpr), probes) / (2.0 * probes);
}

/// The number of probes with the highest capacity: neither the floor nor the ceiling of log2(1/half_fpr) in general.
[[nodiscard]] inline unsigned active_active_probes(double fpr) {
  unsigned best = 1;
  for (unsigned k = 2; k <= max_probes; ++k)
    if (active_active_load(fpr, k) > active_active_load(fpr, best)) best = k;
  return best;
}

/// kappa: the number of keys that each half of `bits` may hold, at least one. An odd last bit is not used.
[[nodiscard]] inline std::uint64_t active_active_items(std::uint64_t bits, double fpr, unsigned probes) {
  checked(bloom_shape{bits, probes});
  auto const used = bits / 2 * 2;
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(used) * active_active_load(fpr, probes)), 1);
}

/// The mean rate over a cycle. The rate follows a sawtooth: right after a swap it is that of one full half, at the end that of
/// two.
[[nodiscard]] inline double active_active_mean_fpr(bloom_shape half, std::uint64_t items) {
  double const older = bloom_fpr_asymptotic(half, items);
  double sum = 0;
  constexpr unsigned steps = 1000;
  for (unsigned i = 0; i < steps; ++i) {
    double const filled = (i + 0.5) / steps * static_cast<double>(items);
    sum += either_fpr(filled > 0 ? bloom_fpr_limit(static_cast<double>(half.bits) / filled, half.probes) : 0, older);
  }
  return sum / steps;
}

}  // namespace hortus::plan
