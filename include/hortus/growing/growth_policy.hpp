#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include <hortus/growing/stage.hpp>

namespace hortus {

/// A growth policy defines a growing filter: the size and the false-positive rate of each stage.
template <class G>
concept growth_policy = std::equality_comparable<G> && requires(G const g, typename G::goal wish, std::uint64_t items) {
  { G::name } -> std::convertible_to<std::string_view>;
  { G::summary } -> std::convertible_to<std::string_view>;
  { G::keeps_fpr } -> std::convertible_to<bool>;     // does the whole filter, for any number of keys?
  { G::of(wish) } -> std::same_as<G>;                // throws errc::bad_goal
  { g.first() } -> std::same_as<std::uint64_t>;      // keys that the first stage takes
  { g.next(items) } -> std::same_as<std::uint64_t>;  // keys that the stage after one for `items` keys takes
  { g.fpr_of(items) } -> std::same_as<double>;       // the rate of a stage for `items` keys
  { g.is_stage(items) } -> std::same_as<bool>;       // is there a stage for `items` keys?
  { g.valid() } -> std::same_as<bool>;
};

/// The shape of a stage that takes `capacity` keys.
template <stage_layer Layer>
typename Layer::params plan_layer(growth_policy auto const& growth, std::uint64_t capacity) {
  typename Layer::goal g;
  g.items = capacity;
  g.fpr = growth.fpr_of(capacity);
  return Layer::plan(g);
}

}  // namespace hortus
