#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <hortus/any/catalogue.hpp>
#include <hortus/parallel.hpp>

/// The catalogue's function for families that several threads can fill. Apart, because of the headers for threads.
namespace hortus {

template <separable F>
any_family filled_by_threads(std::span<digest_fill> fills, request const& wish, std::size_t& in) {
  F f(F::plan(goal_of<F>(wish)));
  insert_ordered_by_threads(f, fills, in);
  return any_family(std::move(f));
}

/// The entry with that function, if the family can have it.
template <plantable F>
[[nodiscard]] family_info with_threads(family_info entry) {
  if constexpr (separable<F> && makeable<F>) entry.fill_by_threads = filled_by_threads<F>;
  return entry;
}

}  // namespace hortus
