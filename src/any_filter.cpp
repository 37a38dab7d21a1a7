#include <algorithm>

#include <hortus/any/any_filter.hpp>

namespace hortus {

any_filter make_filter(std::string_view family, request const& wish, any_hash hash) {
  return {family_named(family).make(wish), std::move(hash), envelope{.items_planned = wish.items, .fpr_planned = wish.fpr}};
}

any_family detail::map_of_digests(family_info const& its, std::span<digest const> xs, std::span<std::uint64_t const> values,
                                  request const& wish) {
  std::uint64_t largest = 0;
  for (auto const value : values) largest = std::max(largest, value);
  return its.build_map(entries_in_memory(distinct_entries(xs, values)), largest, wish, one_part_after_the_other);
}

}  // namespace hortus
