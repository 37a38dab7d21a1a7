#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// log(1 - fpr^(1/probes)): minus the load, in throws per bit, at which all `probes` probes hit ones with probability fpr.
[[nodiscard]] inline double log_free_at(double fpr, unsigned probes) {
  double const log_fill = std::log(fpr) / probes;
  return log_fill < -std::numbers::ln2 ? std::log1p(-std::exp(log_fill)) : std::log(-std::expm1(log_fill));
}

/// Bits per item for a rate with a given number of probes, c_k = -k / ln(1 - p^(1/k)), in the limit of large filters.
[[nodiscard]] inline double bloom_bits_per_item(double fpr, unsigned probes) { return -(probes / log_free_at(fpr, probes)); }

/// The same for a fractional number of probes: ln(1/p) / ln(2)^2, 1.44 times the lower bound log2(1/p) of all such structures.
[[nodiscard]] inline double bloom_bits_per_item(double fpr) { return -std::log(fpr) / (std::numbers::ln2 * std::numbers::ln2); }

/// The best fractional number of probes: c ln 2.
[[nodiscard]] inline double best_probes_real(double bits_per_item) { return bits_per_item * std::numbers::ln2; }

/// The number of probes with the lowest rate: not always the floor or the nearest integer of best_probes_real. Rates are
/// compared from its ceiling downward, beyond the floor if a small filter is better with even fewer.
[[nodiscard]] inline unsigned best_probes(std::uint64_t bits, std::uint64_t items) {
  checked(bloom_shape{bits, 1});
  items = std::max<std::uint64_t>(items, 1);
  double const real = best_probes_real(static_cast<double>(bits) / static_cast<double>(items));
  auto probes = static_cast<unsigned>(std::clamp(std::ceil(real), 1.0, static_cast<double>(max_probes)));
  for (double rate = bloom_fpr({bits, probes}, items); probes > 1; --probes) {
    double const with_fewer = bloom_fpr({bits, probes - 1}, items);
    if (!(with_fewer < rate)) break;
    rate = with_fewer;
  }
  return probes;
}

/// The fewest bits that hold `items` at a rate of at most fpr with `probes` probes.
[[nodiscard]] inline std::uint64_t bloom_bits(std::uint64_t items, double fpr, unsigned probes) {
  checked(bloom_shape{1, probes});
  items = std::max<std::uint64_t>(items, 1);
  auto const enough = [&](std::uint64_t bits) { return bloom_fpr({bits, probes}, items) <= fpr; };
  // The limit formula's rate is too low at every size, so its size is a lower bound; the right one is about probes / 2 bits
  // more.
  double const least = static_cast<double>(items) * bloom_bits_per_item(checked_fpr(fpr), probes);
  auto bits = checked_bits(least, "a bloom filter for that goal");
  if (enough(bits)) return bits;
  auto too_few = bits;
  for (std::uint64_t step = 1; !enough(bits = std::min(too_few + step, max_bits)); step *= 2) {
    if (bits == max_bits) checked_bits(static_cast<double>(max_bits) + 1, "a bloom filter for that goal");
    too_few = bits;
  }
  while (bits - too_few > 1) {
    auto const middle = too_few + (bits - too_few) / 2;
    (enough(middle) ? bits : too_few) = middle;
  }
  return bits;
}

/// The most items that the filter holds at a rate of at most fpr; 0 if even one is too many.
[[nodiscard]] inline std::uint64_t bloom_items(bloom_shape shape, double fpr) {
  checked(shape);
  auto const good = [&](std::uint64_t items) { return bloom_fpr(shape, items) <= fpr; };
  // As above, the limit formula gives an upper bound, below 2^48 even for the highest rate below 1.
  auto too_many =
      static_cast<std::uint64_t>(static_cast<double>(shape.bits) / bloom_bits_per_item(checked_fpr(fpr), shape.probes)) + 1;
  std::uint64_t items = too_many;
  for (std::uint64_t step = 1; !good(items); step *= 2) {
    too_many = items;
    items -= std::min(items, step);
  }
  while (too_many - items > 1) {
    auto const middle = items + (too_many - items) / 2;
    (good(middle) ? items : too_many) = middle;
  }
  return items;
}

}  // namespace hortus::plan
