#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/tails.hpp>
#include <hortus/plan/bloom.hpp>
#include <hortus/plan/goal.hpp>

/// Bloom filters with counters instead of bits. Cells, probes and rate are those of a bloom filter. In addition, a counter of w
/// bits may overflow, and erasing a key that was never inserted does damage.
namespace hortus::plan {

/// The shape of a counting filter: m counters of w bits, k probes per key.
struct counting_shape {
  std::uint64_t cells = 0;
  unsigned probes = 0;
  unsigned cell_bits = 0;
  [[nodiscard]] constexpr bloom_shape projection() const noexcept { return {cells, probes}; }
  bool operator==(counting_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline counting_shape checked(counting_shape shape) {
  if (shape.cell_bits < 1 || shape.cell_bits > 64 || shape.cells < 1 || shape.cells > max_bits / shape.cell_bits ||
      shape.probes < 1 || shape.probes > max_probes)
    throw error(errc::bad_params, "a counting filter has 1 to 64 probes and at least 1 cell of 1 to 64 bits, 2^42 bits in all");
  return shape;
}

/// As many cells as the bloom filter for the goal has bits, each of `cell_bits` bits. Probes 0: the number that needs the
/// fewest cells.
[[nodiscard]] inline counting_shape counting(goal g, unsigned probes, unsigned cell_bits) {
  if (cell_bits < 1 || cell_bits > 64)
    throw error(errc::bad_goal, "cell_bits is " + std::to_string(cell_bits) + ": a counter has 1 to 64 bits");
  auto const shape = probes == 0 ? bloom(g) : bloom_shape{with_divisors(bloom_bits(g.items, g.fpr, probes)), probes};
  checked_bits(static_cast<double>(shape.bits) * cell_bits, "a counting filter for that goal");
  return {shape.bits, shape.probes, cell_bits};
}

/// The smallest value that does not fit into a counter: 2^w.
[[nodiscard]] inline double counter_limit(unsigned cell_bits) { return std::ldexp(1.0, static_cast<int>(cell_bits)); }

/// Upper bound of the probability that a given cell overflows (2^w or more) at `load` = kn/m: (e load / 2^w)^(2^w). From Fan et
/// al., "Summary cache", 2000; it gives their 1.37e-15 for 4 bits at load ln 2, which is twenty times too high.
[[nodiscard]] inline double counter_overflow_bound(double load, unsigned cell_bits) {
  double const limit = counter_limit(cell_bits);
  return std::min(1.0, std::pow(std::numbers::e * load / limit, limit));
}

/// The probability itself in the limit of large filters: a Poisson tail.
[[nodiscard]] inline double counter_overflow_limit(double load, unsigned cell_bits) {
  return poisson_tail(load, counter_limit(cell_bits));
}

/// Probability that at least one of a key's probes hits a given cell. The cell counts the key once, however many do.
[[nodiscard]] inline double chance_of_cell(bloom_shape shape) {
  return -std::expm1(shape.probes * std::log1p(-1 / static_cast<double>(checked(shape).bits)));
}

/// The exact probability of overflow with `items` distinct keys: each counts at most once in a cell, so the count is binomial.
[[nodiscard]] inline double counter_overflow(counting_shape shape, std::uint64_t items) {
  checked(shape);
  return binomial_tail(static_cast<double>(items), chance_of_cell(shape.projection()), counter_limit(shape.cell_bits));
}

/// The expected number of cells at their maximum, 2^w - 1, where they stay, after `items` distinct keys.
[[nodiscard]] inline double expected_saturated(counting_shape shape, std::uint64_t items) {
  checked(shape);
  return static_cast<double>(shape.cells) *
         binomial_tail(static_cast<double>(items), chance_of_cell(shape.projection()), counter_limit(shape.cell_bits) - 1);
}

/// The expected number of members that are missed after one erase of a false positive: k t / (e^t - 1) at load t. Each of its k
/// cells held 1 with probability t e^-t / (1 - e^-t). Such a cell falls to 0, and the one member that uses it is missed.
[[nodiscard]] inline double lost_per_wrong_erase(double load, unsigned probes) {
  return load > 0 ? probes * load / std::expm1(load) : probes;
}

}  // namespace hortus::plan
