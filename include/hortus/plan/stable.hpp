#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/tails.hpp>
#include <hortus/plan/goal.hpp>

/// Stable Bloom filters (Deng and Rafiei 2006): an insert lowers P cells of m by one, then sets the K cells of its key to Max.
/// Seen from a cell, looking back in time: it is 0 if its last Max events were all decrements.
namespace hortus::plan {

/// What a stable filter is made of.
struct stable_shape {
  std::uint64_t cells = 0;
  unsigned cell_bits = 0;
  unsigned probes = 0;
  std::uint64_t decrements = 0;  ///< cells lowered by an insert
  [[nodiscard]] constexpr unsigned max() const noexcept { return (1U << cell_bits) - 1; }
  bool operator==(stable_shape const&) const = default;
};

inline constexpr unsigned max_stable_cell_bits = 8;

/// The shape, if a filter can have it.
inline stable_shape checked(stable_shape shape) {
  if (shape.cell_bits < 1 || shape.cell_bits > max_stable_cell_bits || shape.probes < 1 || shape.probes > max_probes ||
      shape.cells <= shape.probes || shape.cells > max_bits / shape.cell_bits || shape.decrements < 1 ||
      shape.decrements > shape.cells)
    throw error(
        errc::bad_params,
        "a stable filter has 1 to 64 probes, more cells than that, of 1 to 8 bits and 2^42 bits in all, and lowers 1 to "
        "all of them");
  return shape;
}

/// What one insert does to a cell.
struct stable_events {
  double reset;      ///< chance that it is set to Max: 1 - (1 - 1/m)^K
  double any;        ///< chance that it is lowered, or set
  double decrement;  ///< q: an event, if there is one, is a decrement with this chance
};

/// An insert lowers first and sets then, so a cell that is both is set: a decrement that lasts has chance (1 - reset) P/m.
[[nodiscard]] inline stable_events stable_events_of(stable_shape shape) {
  checked(shape);
  auto const cells = static_cast<double>(shape.cells);
  double const lowered = static_cast<double>(shape.decrements) / cells;
  double const reset = -std::expm1(shape.probes * std::log1p(-1 / cells));
  double const any = reset + (1 - reset) * lowered;
  return {reset, any, (1 - reset) * lowered / any};
}

/// Part of the cells that is 0 at the stable point, q^Max: exact for a cell, whatever the order of keys. With K/m for the
/// chance of a reset this is Deng and Rafiei's (1 / (1 + 1/(P (1/K - 1/m))))^Max.
[[nodiscard]] inline double stable_zeros(stable_shape shape) {
  return std::pow(stable_events_of(shape).decrement, shape.max());
}

/// Rate of false positives at the stable point, (1 - zeros)^K. A filter gets there from below, and stays: a stream may go on
/// for ever.
[[nodiscard]] inline double stable_fpr(stable_shape shape) { return std::pow(1 - stable_zeros(shape), shape.probes); }

/// Chance that a key is missed when `gap` keys were inserted after it: 1 - (1 - z)^K. A cell of the key has fallen to 0 if,
/// looking back, Max decrements come before a reset and before the key itself: z = q^Max P(at least Max events in gap inserts).
/// With `gap` it goes to 1 - stable_fpr: then the key is a key like any other.
[[nodiscard]] inline double stable_fnr(stable_shape shape, std::uint64_t gap) {
  auto const cell = stable_events_of(shape);
  double const zero = std::pow(cell.decrement, shape.max()) * binomial_tail(static_cast<double>(gap), cell.any, shape.max());
  return zero < 1 ? -std::expm1(shape.probes * std::log1p(-zero)) : 1;
}

/// The decrements that a rate at the stable point takes, if they came in fractions: 1 / (((1 - F^(1/K))^(-1/Max) - 1)
/// (1/K - 1/m)), here with the exact chance of a reset.
[[nodiscard]] inline double stable_decrements_real(std::uint64_t cells, unsigned cell_bits, unsigned probes, double fpr) {
  checked(stable_shape{cells, cell_bits, probes, 1});
  double const log_decrement = log_free_at(checked_fpr(fpr), probes) / ((1U << cell_bits) - 1);
  double const resets_per_stay = std::expm1(-(probes * std::log1p(-1 / static_cast<double>(cells))));  // reset / (1 - reset)
  return static_cast<double>(cells) * resets_per_stay * std::exp(log_decrement) / -std::expm1(log_decrement);
}

/// The same in whole cells, rounded up (rounding down, as ports of the paper do, misses the rate): at least 1, and more than
/// there are cells where the rate is out of reach.
[[nodiscard]] inline std::uint64_t stable_decrements(std::uint64_t cells, unsigned cell_bits, unsigned probes, double fpr) {
  double const real = stable_decrements_real(cells, cell_bits, probes, fpr);
  if (!(real <= static_cast<double>(cells))) return cells + 1;
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(real * (1 - 1e-12))), 1);
}

/// The fewest cells that keep the rate, and miss a key `gap` keys old with a chance of at most fnr. None: cells is 0.
[[nodiscard]] inline stable_shape stable_of(unsigned cell_bits, unsigned probes, double fpr, std::uint64_t gap, double fnr) {
  auto const with = [&](std::uint64_t cells) {
    return stable_shape{cells, cell_bits, probes, stable_decrements(cells, cell_bits, probes, fpr)};
  };
  auto const enough = [&](std::uint64_t cells) {  // more cells are lowered and set more seldom: once enough, always enough
    auto const shape = with(cells);
    return shape.decrements <= cells && stable_fpr(shape) <= fpr * (1 + 1e-9) && stable_fnr(shape, gap) <= fnr;
  };
  std::uint64_t too_few = probes;
  std::uint64_t cells = probes;
  do {
    too_few = cells;
    if (cells > max_bits / cell_bits / 2) return {};
    cells *= 2;
  } while (!enough(cells));
  while (cells - too_few > 1) {
    auto const middle = too_few + (cells - too_few) / 2;
    (enough(middle) ? cells : too_few) = middle;
  }
  return with(cells);
}

/// Widths that fill words without a gap: lowering a run of such cells is a few subtractions.
inline constexpr std::initializer_list<unsigned> whole_cell_bits{1, 2, 4};

/// Fewest bits for the goal: `items` is the age at which a key is missed with chance fnr. Zeros let the plan choose.
[[nodiscard]] inline stable_shape stable(goal g, double fnr, unsigned cell_bits = 0, unsigned probes = 0) {
  checked_fpr(g.fpr);
  if (!(fnr > 0 && fnr < 1)) throw error(errc::bad_goal, "fnr is " + text(fnr) + ": it must lie between 0 and 1");
  if (cell_bits > max_stable_cell_bits || probes > max_probes)
    throw error(errc::bad_goal, "a stable filter has cells of 1 to 8 bits and 1 to 64 probes");
  auto const gap = std::max<std::uint64_t>(g.items, 1);
  stable_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  auto const consider = [&](unsigned width) {
    double fewest_here = std::numeric_limits<double>::infinity();
    for (unsigned k = probes != 0 ? probes : 1; k <= (probes != 0 ? probes : max_probes); ++k) {
      auto const shape = stable_of(width, k, g.fpr, gap, fnr);
      if (shape.cells == 0) continue;
      double const bits = static_cast<double>(shape.cells) * width;
      if (bits > 1.5 * fewest_here) break;  // past its best number of probes it only gets worse
      fewest_here = std::min(fewest_here, bits);
      if (bits < fewest) {
        fewest = bits;
        best = shape;
      }
    }
  };
  if (cell_bits != 0)
    consider(cell_bits);
  else
    for (auto const width : whole_cell_bits) consider(width);
  if (best.cells == 0) checked_bits(std::numeric_limits<double>::infinity(), "a stable filter for that goal");
  return best;
}

/// The other way round: in that many bits, the shape that keeps the rate and misses fewest keys `gap` keys old.
[[nodiscard]] inline stable_shape stable_within(std::uint64_t bits, double fpr, std::uint64_t gap) {
  stable_shape best;
  double lowest = std::numeric_limits<double>::infinity();
  for (auto const width : whole_cell_bits)
    for (unsigned probes = 1; probes <= max_probes && probes < bits / width; ++probes) {
      auto const cells = bits / width;
      stable_shape const shape{cells, width, probes, stable_decrements(cells, width, probes, fpr)};
      if (shape.decrements > cells) continue;
      double const fnr = stable_fnr(shape, gap);
      if (fnr < lowest) {
        lowest = fnr;
        best = shape;
      }
    }
  if (best.cells == 0) throw error(errc::bad_goal, "too few bits for a stable filter of that rate");
  return best;
}

}  // namespace hortus::plan
