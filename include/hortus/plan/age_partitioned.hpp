#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

/// Age-partitioned Bloom filters (Shtul, Baquero and Almeida 2020): a ring of k + l slices of bits. A key sets a bit in each of
/// the k youngest slices. After g keys all slices grow older by one; the oldest is cleared and becomes the youngest. A key is
/// found if k consecutive slices have its bits.
namespace hortus::plan {

/// The most slices of a filter: the number of bits in a word that can say which slices hold a key.
inline constexpr unsigned max_slices = 64;

/// The shape of an age-partitioned filter.
struct age_partitioned_shape {
  std::uint64_t slice_bits = 0;
  unsigned probes = 0;                 ///< k: slices that a key marks
  unsigned generations = 0;            ///< l: generations that are remembered besides the current one
  std::uint64_t generation_items = 0;  ///< g: keys after which a generation is full
  [[nodiscard]] constexpr unsigned slices() const noexcept { return probes + generations; }
  bool operator==(age_partitioned_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline age_partitioned_shape checked(age_partitioned_shape shape) {
  if (shape.probes < 1 || shape.generations < 1 || shape.probes > max_slices || shape.generations > max_slices - shape.probes ||
      shape.slice_bits < 1 || shape.slice_bits > max_bits / shape.slices() || shape.generation_items < 1)
    throw error(errc::bad_params,
                "an age-partitioned filter has 1 or more probes and generations, 64 at most together, at least 1 item a "
                "generation and 1 bit a slice, and at most 2^42 bits in all");
  return shape;
}

/// Probability that somewhere `probes` consecutive slices have an absent key's bits, from the fill of each slice, youngest
/// first. Exact, because the bits of a key in different slices are independent. The first such row ends with slice i if the
/// `probes` slices up to i have the key's bits, the slice before them has not, and there is no row before that one.
[[nodiscard]] inline double row_chance(std::span<double const> fill, unsigned probes) {
  std::array<double, max_slices + 1> by{};  // by[i]: probability of a row among the first i slices
  for (std::size_t i = probes; i <= fill.size(); ++i) {
    double row = 1;
    for (auto j = i - probes; j < i; ++j) row *= fill[j];
    auto const before = i - probes;
    by[i] = by[i - 1] + (before == 0 ? row : (1 - by[before - 1]) * (1 - fill[before - 1]) * row);
  }
  return std::min(by[fill.size()], 1.0);
}

/// Expected fill of slice i, youngest first, when the current generation has `part` of its keys: 1 - (1 - 1/s)^n.
[[nodiscard]] inline double slice_fill(age_partitioned_shape shape, unsigned i, double part) {
  double const keys = static_cast<double>(shape.generation_items) * (i < shape.probes ? i + part : shape.probes);
  return keys > 0 ? -std::expm1(keys * std::log1p(-1 / static_cast<double>(shape.slice_bits))) : 0;
}

/// The false-positive rate in the steady state, at the end of a generation (the highest rate) or when `part` of it is over.
/// Exact at every size. The published tables assume a linear fill of the young slices, (i + 1) / 2k, and are too low.
[[nodiscard]] inline double age_partitioned_fpr(age_partitioned_shape shape, double part = 1) {
  checked(shape);
  std::array<double, max_slices> fill{};
  for (unsigned i = 0; i < shape.slices(); ++i) fill[i] = slice_fill(shape, i, part);
  return row_chance({fill.data(), shape.slices()}, shape.probes);
}

/// An upper bound of the rate if time ends generations. Then keys may come in bursts: all generation_items keys that the window
/// may hold can come in one generation. If there are no more probes than generations, a slice gets the keys of at most one
/// window. So no slice is fuller than with generation_items keys, and the bound takes all slices as full as that.
[[nodiscard]] inline double age_partitioned_burst_fpr(age_partitioned_shape shape) {
  checked(shape);
  std::array<double, max_slices> fill{};
  fill.fill(-std::expm1(static_cast<double>(shape.generation_items) * std::log1p(-1 / static_cast<double>(shape.slice_bits))));
  return row_chance({fill.data(), shape.slices()}, shape.probes);
}

/// The unit of a window.
enum class window_of {
  distinct_keys,  ///< a key found in the younger half of the generations is not inserted again: repeats push no key out
  inserts,        ///< every key that is not in the current generation counts, also a repeated one: half the space
  time,           ///< as inserts, but time ends generations, however many keys came
};

/// How many of the youngest generations count as young. A key found in one of them is not inserted again.
[[nodiscard]] constexpr unsigned young_generations(unsigned generations, window_of what) noexcept {
  return what == window_of::distinct_keys ? (generations + 1) / 2 : 1;
}

/// The number of generations in the window. A repeated key that was found in the last young generation, number y - 1, stays
/// there. It is forgotten when l + 1 - (y - 1) more generations have begun, of which l + 1 - y are full. The keys of y
/// consecutive generations are all distinct, because a repeat would have been found young; those of more need not be.
[[nodiscard]] constexpr unsigned window_generations(unsigned generations, window_of what) noexcept {
  auto const young = young_generations(generations, what);
  return what == window_of::distinct_keys ? std::min(young, generations + 1 - young) : generations + 1 - young;
}

/// The most generations that the plan considers, and the factor of space that it accepts for fewer generations. Each generation
/// costs lookups some probes and saves less space than the one before.
inline constexpr unsigned planned_generations = 31;
inline constexpr double worth_fewer_generations = 1.05;

/// The most keys per slice bit and generation that the rate allows in large filters; 0 if that is not above `at_least`.
inline double age_partitioned_load(unsigned probes, unsigned generations, window_of what, double fpr, double at_least) {
  auto const rate = [&](double load) {
    std::array<double, max_slices> fill{};
    for (unsigned i = 0; i < probes + generations; ++i)
      fill[i] = -std::expm1(-load * (what == window_of::time ? 1 : std::min(i + 1, probes)));
    return row_chance({fill.data(), probes + generations}, probes);
  };
  if (!(rate(at_least) < fpr)) return 0;
  double low = at_least;
  double high = 50;  // at this load a slice is full
  while (high - low > 1e-6 * low + 1e-300) {
    double const middle = low > 0 ? std::sqrt(low * high) : high / 1024;
    (rate(middle) <= fpr ? low : high) = middle;
  }
  return low;
}

/// The shape with the fewest bits per slice that keep the rate.
inline age_partitioned_shape with_slice_bits(age_partitioned_shape shape, window_of what, double fpr) {
  auto const enough = [&](std::uint64_t bits) {
    shape.slice_bits = bits;
    return (what == window_of::time ? age_partitioned_burst_fpr(shape) : age_partitioned_fpr(shape)) <= fpr;
  };
  auto const most = max_bits / shape.slices();
  std::uint64_t too_few = 0;
  std::uint64_t bits = 1;
  while (!enough(bits)) {
    if (bits == most) checked_bits(static_cast<double>(max_bits) + 1, "an age-partitioned filter for that goal");
    too_few = bits;
    bits = std::min(2 * bits, most);
  }
  while (bits - too_few > 1) {
    auto const middle = too_few + (bits - too_few) / 2;
    (enough(middle) ? bits : too_few) = middle;
  }
  shape.slice_bits = bits;
  return shape;
}

/// The shape with the fewest generations among those that need at most 5 % more than the fewest bits. `items` is the window. If
/// `generations` is not 0, it is used as given.
[[nodiscard]] inline age_partitioned_shape age_partitioned(goal g, window_of what, unsigned generations = 0) {
  checked_fpr(g.fpr);
  if (generations > max_slices - 1) throw error(errc::bad_goal, "an age-partitioned filter has 1 to 63 generations");
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const per_generation = [&](unsigned l) {
    return what == window_of::time ? items : (items - 1) / window_generations(l, what) + 1;
  };
  std::array<double, max_slices> cost{};
  std::array<unsigned, max_slices> probes{};
  double fewest = std::numeric_limits<double>::infinity();
  auto const first = generations != 0 ? generations : 1;
  auto const last = generations != 0 ? generations : planned_generations;
  unsigned const step = what != window_of::distinct_keys || generations != 0 ? 1 : 2;  // of an even number one is wasted
  for (unsigned l = first; l <= last; l += step) {
    cost[l] = std::numeric_limits<double>::infinity();
    auto const most_probes = what == window_of::time ? std::min(l, max_slices - l) : max_slices - l;
    for (unsigned k = 1; k <= most_probes; ++k) {
      double const keys = static_cast<double>(per_generation(l)) * (k + l);
      double const load = age_partitioned_load(k, l, what, g.fpr, keys / cost[l]);
      if (load > 0) {
        cost[l] = keys / load;
        probes[l] = k;
      }
    }
    fewest = std::min(fewest, cost[l]);
  }
  auto l = first;
  while (cost[l] > fewest * worth_fewer_generations) l += step;
  checked_bits(cost[l] * 0.5, "an age-partitioned filter for that goal");  // no search for impossible goals
  return with_slice_bits({1, probes[l], l, per_generation(l)}, what, g.fpr);
}

}  // namespace hortus::plan
