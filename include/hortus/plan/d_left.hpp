#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a d-left filter: four tables of `buckets` buckets, eight cells in each, a remainder of `remainder_bits` in a
/// cell.
struct d_left_shape {
  static constexpr unsigned tables = 4;
  static constexpr unsigned cells = 8;
  static constexpr unsigned max_remainder_bits = 62;

  std::uint64_t buckets = 0;
  unsigned remainder_bits = 0;

  /// The number of possible fingerprints: a bucket of the first table and a nonzero remainder.
  [[nodiscard]] double fingerprints() const noexcept {
    return static_cast<double>(buckets) * (std::ldexp(1.0, static_cast<int>(remainder_bits)) - 1);
  }
  /// The size of the cells: a bucket of eight cells of b bits takes b bytes.
  [[nodiscard]] double cell_bytes() const noexcept { return static_cast<double>(buckets) * tables * (remainder_bits + 2); }
  bool operator==(d_left_shape const&) const = default;
};

/// The planned number of keys per bucket, of the eight that it can hold. By the fluid limit a key then finds its four buckets
/// full with probability below 1e-26, even after any number of erases and inserts (d_left_loads).
inline constexpr double d_left_mean_load = 6;

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline d_left_shape checked(d_left_shape shape) {
  if (shape.remainder_bits < 1 || shape.remainder_bits > d_left_shape::max_remainder_bits || shape.buckets < 1 ||
      shape.buckets > max_bits / 8 / d_left_shape::tables / (shape.remainder_bits + 2))
    throw error(errc::bad_params,
                "a d_left filter has remainders of 1 to 62 bits, at least 1 bucket a table and 2^42 bits in all");
  return shape;
}

/// Probability that an absent key has the fingerprint of one of `items`: 1 - (1 - 1/R)^n, where R is the number of
/// fingerprints. Exact at every size: a fingerprint is found if and only if a key with it is a member. About 24 / 2^r at
/// six keys per bucket.
[[nodiscard]] inline double d_left_fpr(d_left_shape shape, std::uint64_t items) {
  checked(shape);
  if (items == 0) return 0;  // one fingerprint: 0 * log(0)
  return -std::expm1(static_cast<double>(items) * std::log1p(-1 / shape.fingerprints()));
}

/// The fewest bytes for the goal: buckets for six keys each, or more buckets if that costs less than another remainder bit.
[[nodiscard]] inline d_left_shape d_left(goal g) {
  auto const items = std::max<std::uint64_t>(g.items, 1);
  auto const n = static_cast<double>(items);
  double const enough = -1 / std::expm1(std::log1p(-checked_fpr(g.fpr)) / n);  // fingerprints
  double const room = std::ceil(n / (d_left_shape::tables * d_left_mean_load));
  d_left_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  for (unsigned bits = 1; bits <= d_left_shape::max_remainder_bits; ++bits) {
    double const buckets = std::max(room, std::ceil(enough / d_left_shape{1, bits}.fingerprints()));
    double const bytes = buckets * (bits + 2);
    if (bytes < fewest && bytes < 0x1p60) fewest = bytes, best = {static_cast<std::uint64_t>(buckets), bits};
  }
  checked_bits(8 * d_left_shape::tables * fewest, "a d_left filter for that goal");
  while (d_left_fpr(best, items) > g.fpr) ++best.buckets;  // rounding may have been off by one
  checked_bits(8 * best.cell_bytes(), "a d_left filter for that goal");
  return best;
}

/// Distinct keys in a filter with `used` cells in use. Keys with equal fingerprints share a cell; there are few of them.
[[nodiscard]] inline estimate d_left_cardinality(d_left_shape shape, std::uint64_t used) {
  double const all = checked(shape).fingerprints();
  // With more than 2^63 fingerprints collisions are negligible. Otherwise `used` is at most their number, unless a file lies.
  auto const kinds = all < 0x1p63 ? static_cast<std::uint64_t>(all) : std::uint64_t{1} << 63;
  return detail::items_from(std::min(used, kinds), kinds, -std::log1p(-1 / static_cast<double>(kinds)), 1);
}

/// loads[j]: the share of buckets with at least j cells in use, in the limit of many buckets, if every key goes to the least
/// loaded of its four buckets, the leftmost of equals (M. Mitzenmacher, B. Voecking, "The asymptotics of selecting the shortest
/// of two, improved", 1999).
///
/// With turnovers 0 keys are only inserted. Otherwise each key is then replaced `turnovers` times on average; after about ten
/// turnovers the loads no longer change. `refused` is the probability that a key finds eight cells in use in all four buckets.
struct d_left_limit {
  std::array<double, 12> loads{};
  double refused = 0;
};
[[nodiscard]] inline d_left_limit d_left_loads(double mean_load, double turnovers = 0) {
  constexpr unsigned tables = d_left_shape::tables, top = 11;
  using state = std::array<std::array<double, top + 1>, tables>;  // [table][j]: share of its buckets with at least j
  state at{};
  for (auto& table : at) table[0] = 1;
  auto const slope = [](state const& y, bool erasing) {
    state rate{};
    double keys = 0;
    for (auto const& table : y)
      for (unsigned j = 1; j <= top; ++j) keys += table[j];
    for (unsigned i = 0; i < tables; ++i)
      for (unsigned j = 0; j < top; ++j) {
        double here = y[i][j] - y[i][j + 1];  // load j here, above j to the left, at least j to the right
        for (unsigned a = 0; a < tables; ++a) here *= a == i ? 1 : y[a][a < i ? j + 1 : j];
        double const next = j + 1 < top ? y[i][j + 2] : 0;
        rate[i][j + 1] = here - (erasing ? (j + 1) * (y[i][j + 1] - next) / keys : 0);
      }
    return rate;
  };
  auto const run = [&](double keys, bool erasing) {  // keys: number inserted per bucket of a table
    auto const steps = static_cast<int>(std::ceil(keys / 0.005));
    double const h = keys / steps;
    for (int step = 0; step < steps; ++step) {  // the midpoint rule
      auto const first = slope(at, erasing);
      auto middle = at;
      for (unsigned i = 0; i < tables; ++i)
        for (unsigned j = 1; j <= top; ++j) middle[i][j] += h / 2 * first[i][j];
      auto const second = slope(middle, erasing);
      for (unsigned i = 0; i < tables; ++i)
        for (unsigned j = 1; j <= top; ++j) at[i][j] += h * second[i][j];
    }
  };
  run(tables * mean_load, false);
  if (turnovers > 0) run(turnovers * tables * mean_load, true);
  d_left_limit limit{{}, 1};
  for (auto const& table : at) {
    for (unsigned j = 0; j <= top; ++j) limit.loads[j] += table[j] / tables;
    limit.refused *= table[d_left_shape::cells];
  }
  return limit;
}

}  // namespace hortus::plan
