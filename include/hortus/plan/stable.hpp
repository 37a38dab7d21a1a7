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

/// Stable Bloom filters (Deng and Rafiei 2006): an insert lowers P of m cells by one, then sets the K cells of its key to
/// Max. A cell is 0 if its last Max events were all decrements.
namespace hortus::plan {

/// The shape of a stable filter.
struct stable_shape {
  std::uint64_t cells = 0;
  unsigned cell_bits = 0;
  unsigned probes = 0;
  std::uint64_t decrements = 0;  ///< cells lowered by an insert
  [[nodiscard]] constexpr unsigned max() const noexcept { return (1U << cell_bits) - 1; }
  bool operator==(stable_shape const&) const = default;
};

inline constexpr unsigned max_stable_cell_bits = 8;

/// Returns the shape; throws errc::bad_params if no filter can have it.
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

/// The probabilities of what one insert does to a given cell.
struct stable_events {
  double reset;      ///< it is set to Max: 1 - (1 - 1/m)^K
  double any;        ///< it is lowered or set
  double decrement;  ///< q: it is lowered, given that it is lowered or set
};

/// An insert lowers cells first and sets cells then, so a cell that is both is set: a lasting decrement has probability
/// (1 - reset) P/m.
[[nodiscard]] inline stable_events stable_events_of(stable_shape shape) {
  checked(shape);
  auto const cells = static_cast<double>(shape.cells);
  double const lowered = static_cast<double>(shape.decrements) / cells;
  double const reset = -std::expm1(shape.probes * std::log1p(-1 / cells));
  double const any = reset + (1 - reset) * lowered;
  return {reset, any, (1 - reset) * lowered / any};
}

/// The share of cells that are 0 at the stable point, q^Max: exact for a cell, whatever the order of keys. With K/m as the
/// probability of a reset this is Deng and Rafiei's (1 / (1 + 1/(P (1/K - 1/m))))^Max.
[[nodiscard]] inline double stable_zeros(stable_shape shape) {
  return std::pow(stable_events_of(shape).decrement, shape.max());
}

/// The false-positive rate at the stable point, (1 - zeros)^K. A filter approaches it from below and stays there, however long
/// the stream.
[[nodiscard]] inline double stable_fpr(stable_shape shape) { return std::pow(1 - stable_zeros(shape), shape.probes); }

/// Probability that a key is missed when `gap` keys were inserted after it: 1 - (1 - z)^K. A cell of the key is 0 if its last
/// Max events were all decrements and came after the key's own insert: z = q^Max P(at least Max events in gap inserts). For
/// large `gap` it approaches 1 - stable_fpr: then the key is found only as often as an absent key.
[[nodiscard]] inline double stable_fnr(stable_shape shape, std::uint64_t gap) {
  auto const cell = stable_events_of(shape);
  double const zero = std::pow(cell.decrement, shape.max()) * binomial_tail(static_cast<double>(gap), cell.any, shape.max());
  return zero < 1 ? -std::expm1(shape.probes * std::log1p(-zero)) : 1;
}

/// The fractional number of decrements that gives rate F at the stable point: 1 / (((1 - F^(1/K))^(-1/Max) - 1) (1/K - 1/m)),
/// here with the exact probability of a reset.
[[nodiscard]] inline double stable_decrements_real(std::uint64_t cells, unsigned cell_bits, unsigned probes, double fpr) {
  checked(stable_shape{cells, cell_bits, probes, 1});
  double const log_decrement = log_free_at(checked_fpr(fpr), probes) / ((1U << cell_bits) - 1);
  double const resets_per_stay = std::expm1(-(probes * std::log1p(-1 / static_cast<double>(cells))));  // reset / (1 - reset)
  return static_cast<double>(cells) * resets_per_stay * std::exp(log_decrement) / -std::expm1(log_decrement);
}

/// The same rounded up to an integer, at least 1. (Rounding down, as ports of the paper do, misses the rate.) If the rate
/// cannot be reached, returns more than the number of cells.
[[nodiscard]] inline std::uint64_t stable_decrements(std::uint64_t cells, unsigned cell_bits, unsigned probes, double fpr) {
  double const real = stable_decrements_real(cells, cell_bits, probes, fpr);
  if (!(real <= static_cast<double>(cells))) return cells + 1;
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(real * (1 - 1e-12))), 1);
}

/// The fewest cells that keep the rate and miss a key `gap` inserts old with probability at most fnr. If there are none, cells
/// is 0.
[[nodiscard]] inline stable_shape stable_of(unsigned cell_bits, unsigned probes, double fpr, std::uint64_t gap, double fnr) {
  auto const with = [&](std::uint64_t cells) {
    return stable_shape{cells, cell_bits, probes, stable_decrements(cells, cell_bits, probes, fpr)};
  };
  auto const enough = [&](std::uint64_t cells) {  // monotone: with more cells each is lowered and set less often
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

/// Widths that divide a word: lowering a run of such cells takes a few subtractions.
inline constexpr std::initializer_list<unsigned> whole_cell_bits{1, 2, 4};

/// The fewest bits for the goal. `items` is the age at which a key is missed with probability fnr. If cell_bits or probes is 0,
/// the plan chooses it.
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
      if (bits > 1.5 * fewest_here) break;  // past the best number of probes more are only worse
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

/// The shape in `bits` bits that keeps the rate and misses the fewest keys `gap` inserts old.
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
