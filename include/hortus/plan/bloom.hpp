#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/maths/occupancy.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The fewest bits for the goal, rounded up by with_divisors, and the number of probes that needs them. By the exact formula
/// the rate is kept, down to a single item.
[[nodiscard]] inline bloom_shape bloom(goal g) {
  checked_fpr(g.fpr);
  unsigned probes = 1;
  for (unsigned k = 2; k <= max_probes; ++k)
    if (bloom_bits_per_item(g.fpr, k) < bloom_bits_per_item(g.fpr, probes)) probes = k;
  bloom_shape best{bloom_bits(g.items, g.fpr, probes), probes};
  while (best.bits < 2000 && best.probes > 1) {  // for few items fewer probes are better than the limit formula says
    bloom_shape const other{bloom_bits(g.items, g.fpr, best.probes - 1), best.probes - 1};
    if (other.bits > best.bits) break;
    best = other;
  }
  return {with_divisors(best.bits), best.probes};
}

/// What is known of a planned bloom filter; solve() finds the rest. At least two of items, bits and fpr must be given.
struct bloom_wish {
  std::optional<std::uint64_t> items{};
  std::optional<std::uint64_t> bits{};
  std::optional<double> fpr{};  ///< at most this
  std::optional<unsigned> probes{};
};

/// A filter with integer bits, probes and items, and the rate that results.
struct bloom_plan {
  std::uint64_t items = 0;
  std::uint64_t bits = 0;
  double fpr = 1;
  unsigned probes = 0;
  double bits_per_item = 0;
  double fill = 0;  ///< the part of the bits that is expected to be set by `items`
  bool operator==(bloom_plan const&) const = default;
};

namespace detail {

/// Throws errc::bad_goal, not errc::bad_params, for numbers that no filter can have: a wish is a goal.
inline void check(bloom_wish const& wish) {
  if (wish.fpr) checked_fpr(*wish.fpr);
  if (wish.bits && (*wish.bits < 1 || *wish.bits > max_bits))
    throw error(errc::bad_goal, "bits is " + std::to_string(*wish.bits) + ": a bloom filter has 1 to 2^42 bits");
  if (wish.probes && (*wish.probes < 1 || *wish.probes > max_probes))
    throw error(errc::bad_goal, "probes is " + std::to_string(*wish.probes) + ": a bloom filter has 1 to 64 probes");
  if (wish.items.has_value() + wish.bits.has_value() + wish.fpr.has_value() < 2)
    throw error(errc::bad_goal, "too little is known: give at least two of items, bits and fpr (probes may be added)");
}

/// The most items in `bits`: first by the limit formula, then, as in bloom(), with fewer probes while that holds more.
inline std::uint64_t most_items(std::uint64_t bits, double fpr) {
  unsigned probes = 1;
  for (unsigned k = 2; k <= max_probes; ++k)
    if (bloom_bits_per_item(fpr, k) < bloom_bits_per_item(fpr, probes)) probes = k;
  auto most = bloom_items({bits, probes}, fpr);
  while (bits < 2000 && probes > 1) {
    auto const other = bloom_items({bits, --probes}, fpr);
    if (other < most) break;
    most = other;
  }
  return most;
}

}  // namespace detail

/// Completes a wish. Given numbers are kept (items 0 counts as 1). The others are chosen as the best: the fewest bits (rounded
/// up by with_divisors), the most items, the probes with the lowest rate. Throws errc::bad_goal if the wish gives too few
/// numbers, or a rate that its other numbers cannot reach.
[[nodiscard]] inline bloom_plan solve(bloom_wish wish) {
  detail::check(wish);
  if (wish.items) wish.items = std::max<std::uint64_t>(*wish.items, 1);
  if (!wish.bits) {
    auto const shape = wish.probes ? bloom_shape{with_divisors(bloom_bits(*wish.items, *wish.fpr, *wish.probes)), *wish.probes}
                                   : bloom({*wish.items, *wish.fpr});
    wish.bits = shape.bits;
    wish.probes = shape.probes;
  }
  if (!wish.items) {
    wish.items = wish.probes ? bloom_items({*wish.bits, *wish.probes}, *wish.fpr) : detail::most_items(*wish.bits, *wish.fpr);
    if (*wish.items == 0)
      throw error(errc::bad_goal,
                  "so few bits cannot hold even one item at fpr " + text(*wish.fpr) + ": give more bits or a higher fpr");
  }
  if (!wish.probes) wish.probes = best_probes(*wish.bits, *wish.items);

  bloom_plan plan{*wish.items, *wish.bits, bloom_fpr({*wish.bits, *wish.probes}, *wish.items), *wish.probes};
  auto const bits = static_cast<double>(plan.bits);
  auto const items = static_cast<double>(plan.items);
  plan.bits_per_item = bits / items;
  plan.fill = occupied(bits, plan.probes * items).mean / bits;
  if (wish.fpr && plan.fpr > *wish.fpr)
    throw error(errc::bad_goal, std::to_string(plan.bits) + " bits with " + std::to_string(plan.probes) + " probes hold " +
                                    std::to_string(plan.items) + " items at fpr " + text(plan.fpr) + ", not " +
                                    text(*wish.fpr) + ": leave out the bits or the fpr to see what fits");
  return plan;
}

}  // namespace hortus::plan
