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

/// Bloom filters whose bits are counters. Cells, probes and rate are those of a bloom filter; what is new is that a counter of
/// w bits may overflow, and that erasing what was never inserted does damage.
namespace hortus::plan {

/// What a counting filter is made of: m counters of w bits, k probes a key.
struct counting_shape {
  std::uint64_t cells = 0;
  unsigned probes = 0;
  unsigned cell_bits = 0;
  [[nodiscard]] constexpr bloom_shape projection() const noexcept { return {cells, probes}; }
  bool operator==(counting_shape const&) const = default;
};

/// The shape, if a filter can have it.
inline counting_shape checked(counting_shape shape) {
  if (shape.cell_bits < 1 || shape.cell_bits > 64 || shape.cells < 1 || shape.cells > max_bits / shape.cell_bits ||
      shape.probes < 1 || shape.probes > max_probes)
    throw error(errc::bad_params, "a counting filter has 1 to 64 probes and at least 1 cell of 1 to 64 bits, 2^42 bits in all");
  return shape;
}

/// The cells of the bloom filter for that goal, each with `cell_bits` bits. Probes 0: as many as need the fewest cells.
[[nodiscard]] inline counting_shape counting(goal g, unsigned probes, unsigned cell_bits) {
  if (cell_bits < 1 || cell_bits > 64)
    throw error(errc::bad_goal, "cell_bits is " + std::to_string(cell_bits) + ": a counter has 1 to 64 bits");
  auto const shape = probes == 0 ? bloom(g) : bloom_shape{with_divisors(bloom_bits(g.items, g.fpr, probes)), probes};
  checked_bits(static_cast<double>(shape.bits) * cell_bits, "a counting filter for that goal");
  return {shape.bits, shape.probes, cell_bits};
}

/// Values from this on do not fit: 2^w.
[[nodiscard]] inline double counter_limit(unsigned cell_bits) { return std::ldexp(1.0, static_cast<int>(cell_bits)); }

/// Bound for the chance that a given cell is to count 2^w or more, at `load` = kn/m: (e load / 2^w)^(2^w). Fan et al., "Summary
/// cache", 2000, whose 1.37e-15 it is for 4 bits at load ln 2; twenty times too much there.
[[nodiscard]] inline double counter_overflow_bound(double load, unsigned cell_bits) {
  double const limit = counter_limit(cell_bits);
  return std::min(1.0, std::pow(std::numbers::e * load / limit, limit));
}

/// The same for filters without end: a tail of Poisson's.
[[nodiscard]] inline double counter_overflow_limit(double load, unsigned cell_bits) {
  return poisson_tail(load, counter_limit(cell_bits));
}

/// Chance that one of a key's probes is a given cell. It counts once, however many are.
[[nodiscard]] inline double chance_of_cell(bloom_shape shape) {
  return -std::expm1(shape.probes * std::log1p(-1 / static_cast<double>(checked(shape).bits)));
}

/// The chance itself, with that many different keys: each counts at most once in a cell, so what is there is binomial.
[[nodiscard]] inline double counter_overflow(counting_shape shape, std::uint64_t items) {
  checked(shape);
  return binomial_tail(static_cast<double>(items), chance_of_cell(shape.projection()), counter_limit(shape.cell_bits));
}

/// How many cells are at their maximum, 2^w - 1, where they stick, once that many different keys are in.
[[nodiscard]] inline double expected_saturated(counting_shape shape, std::uint64_t items) {
  checked(shape);
  return static_cast<double>(shape.cells) *
         binomial_tail(static_cast<double>(items), chance_of_cell(shape.projection()), counter_limit(shape.cell_bits) - 1);
}

/// Members that are missed after one erase of a key that was never inserted but was found: k t / (e^t - 1) at load t. Each of
/// its k cells held 1 with chance t e^-t / (1 - e^-t), and then some member's last count of it is gone.
[[nodiscard]] inline double lost_per_wrong_erase(double load, unsigned probes) {
  return load > 0 ? probes * load / std::expm1(load) : probes;
}

}  // namespace hortus::plan
