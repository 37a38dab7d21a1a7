#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// The shape of a partitioned filter: k slices of m/k bits, each with one probe of every key.
struct partitioned_shape {
  std::uint64_t slice_bits = 0;
  unsigned probes = 0;
  /// The number of bits: slice_bits * probes; at most 2^42 for a checked shape.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return slice_bits * probes; }
  bool operator==(partitioned_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline partitioned_shape checked(partitioned_shape shape) {
  if (shape.probes < 1 || shape.probes > max_probes || shape.slice_bits < 1 || shape.slice_bits > max_bits / shape.probes)
    throw error(errc::bad_params, "a partitioned filter has 1 to 64 slices of at least 1 bit and at most 2^42 bits in all");
  return shape;
}

/// Probability that an absent key finds its bit set in every slice: (1 - (1 - 1/s)^n)^k. Exact at every size, because slices
/// fill independently. A little above bloom_fpr for as many bits.
[[nodiscard]] inline double partitioned_fpr(partitioned_shape shape, std::uint64_t items) {
  checked(shape);
  if (items == 0) return 0;  // a slice of one bit: 0 * log(0)
  double const log_free = static_cast<double>(items) * std::log1p(-1 / static_cast<double>(shape.slice_bits));
  return std::pow(-std::expm1(log_free), shape.probes);
}

/// The rate of an existing filter, from the ones in each slice: the product of their fills.
[[nodiscard]] inline double fill_fpr(partitioned_shape shape, std::span<std::uint64_t const> ones) {
  checked(shape);
  if (ones.size() != shape.probes) throw error(errc::bad_params, "a partitioned filter has as many slices as probes");
  double rate = 1;
  for (auto const one : ones) {
    if (one > shape.slice_bits) throw error(errc::bad_params, "a slice has at most as many ones as bits");
    rate *= static_cast<double>(one) / static_cast<double>(shape.slice_bits);
  }
  return rate;
}

/// The fewest bits of a slice that hold `items` at a rate of at most fpr with `probes` slices.
[[nodiscard]] inline std::uint64_t partitioned_slice_bits(std::uint64_t items, double fpr, unsigned probes) {
  checked(partitioned_shape{1, probes});
  items = std::max<std::uint64_t>(items, 1);
  // From (1 - 1/s)^n >= 1 - p^(1/k). Rounding may be off by a bit or two, so the sizes around it are tried.
  double const least = -1 / std::expm1(log_free_at(checked_fpr(fpr), probes) / static_cast<double>(items));
  auto slice_bits = checked_bits(least * probes, "a partitioned filter for that goal") / probes;
  for (slice_bits = std::max<std::uint64_t>(slice_bits, 2) - 1;; ++slice_bits) {
    checked_bits(static_cast<double>(slice_bits) * probes, "a partitioned filter for that goal");
    if (partitioned_fpr({slice_bits, probes}, items) <= fpr) return slice_bits;
  }
}

}  // namespace hortus::plan
