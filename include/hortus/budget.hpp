#pragma once
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/concepts.hpp>
#include <hortus/error.hpp>
#include <hortus/plan/best_fpr.hpp>

namespace hortus {

/// A goal given by space instead of rate, for every family that can be planned. Set either the total bytes or the bits per
/// item.
///
///     bloom_filter seen(budget{.items = 1'000'000, .bits_per_item = 10});
struct budget {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  double bits_per_item = 0;
};

/// The budget in bytes. Throws errc::bad_goal unless exactly one of the two is set.
[[nodiscard]] inline std::uint64_t bytes_of(budget const& wish) {
  if ((wish.bytes != 0) == (wish.bits_per_item != 0))
    throw error(errc::bad_goal, wish.bytes != 0 ? "a budget has bytes or bits_per_item, not both"
                                                : "a budget needs bytes or bits_per_item: how much space there is");
  if (wish.bytes != 0) return wish.bytes;
  if (wish.items == 0) throw error(errc::bad_goal, "a budget of bits_per_item needs items: for how many keys");
  auto const bytes = static_cast<double>(wish.items) * wish.bits_per_item / 8;
  if (!(wish.bits_per_item > 0 && bytes < 0x1p60))
    throw error(errc::bad_goal, "bits_per_item must be above 0, and with all items at most 2^60 bytes, not " +
                                    std::to_string(wish.bits_per_item));
  return static_cast<std::uint64_t>(bytes);
}

/// The goal with the lowest rate whose plan fits: a filter made from it takes at most the budget's bytes. (Families that grow
/// take more when they do.) Other fields, such as probes, are copied from `like`. Throws errc::bad_goal if the space is too
/// small for any rate.
template <plannable F>
[[nodiscard]] typename F::goal best_goal(budget const& wish, typename F::goal like = {}) {
  auto const bytes = bytes_of(wish);
  like.items = wish.items;
  auto const cost_of = [&](double fpr) {
    like.fpr = fpr;
    auto const params = F::plan(like);
    plan::cost cost{.bytes = F::planned_bytes(params)};
    if constexpr (requires { F::planned_fnr(params, wish.items); }) cost.fnr = F::planned_fnr(params, wish.items);
    return cost;
  };
  auto const fpr = plan::best_fpr(cost_of, bytes);
  if (!fpr)
    throw error(errc::bad_goal, std::to_string(bytes) + " bytes are too few for " + std::to_string(wish.items) +
                                    " items in the family " + std::string(F::name));
  like.fpr = *fpr;
  return like;
}

}  // namespace hortus
