#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/any_family.hpp>
#include <hortus/any/card.hpp>
#include <hortus/io/store.hpp>
#include <hortus/part_source.hpp>

/// The list of families at run time: cards, and functions that make, build and read filters. Generated from any/families.def.
namespace hortus {

/// Writes the next digests, at most as many as there is room for, and returns their number; 0 at the end.
using digest_fill = std::function<std::size_t(std::span<digest>)>;

struct family_info : card {
  any_family (*make)(request const&);  ///< an empty filter; throws errc::unsupported if the family has no insert
  /// A filter of these keys, built at once, or made and then filled. Throws errc::full if a key does not fit.
  any_family (*build)(std::span<digest const>, request const&);
  /// The same from words that need not be in memory all at once. Null for families that are not built in parts.
  any_family (*build_from)(word_source const&, request const&, part_loop const&);
  /// A map of these entries, the largest of whose values is given. Null for families that are no maps built at once.
  any_family (*build_map)(entry_source const&, std::uint64_t largest, request const&, part_loop const&);
  /// A set of the keys of the first list, which tells them from those of the second. Null for other families.
  any_family (*build_apart)(word_source const& members, word_source const& others, request const&, part_loop const&);
  any_family (*read)(field_reader&);
  /// A filter of the digests that the fills write, each called in a thread of its own until it writes none. Adds their number
  /// to `in`. Temporarily takes as much memory as the filter. Null for families that threads cannot fill without locks: see
  /// parallel.hpp.
  any_family (*fill_by_threads)(std::span<digest_fill>, request const&, std::size_t& in) = nullptr;
};

[[nodiscard]] std::span<family_info const> catalogue();
[[nodiscard]] family_info const& family_named(std::string_view name);  ///< throws errc::unsupported, naming all families

template <plantable F>
any_family made_family(request const& wish) {
  if constexpr (makeable<F>)
    return any_family(F(F::plan(goal_of<F>(wish))));
  else
    lacks(F::name, verb::insert);
}

/// If the request gives no number of items, the filter is planned for keys.size().
template <plantable F>
any_family built_family(std::span<digest const> keys, request const& wish) {
  auto goal = goal_of<F>(wish);
  if (goal.items == 0) goal.items = keys.size();
  if constexpr (buildable<F>) {
    return any_family(F::build(keys, goal));
  } else {
    F f(F::plan(goal));
    if (auto const in = insert_all(f, keys); in != keys.size())
      throw error(errc::full, std::to_string(keys.size() - in) + " of " + std::to_string(keys.size()) +
                                  " keys did not fit into " + one(F::name) + " for " + std::to_string(goal.items) +
                                  "; items = " + std::to_string(keys.size()) + " would do");
    return any_family(std::move(f));
  }
}

template <built_in_parts F>
any_family family_built_from(word_source const& words, request const& wish, part_loop const& for_each) {
  auto goal = goal_of<F>(wish);
  if (goal.items == 0) goal.items = words.size();
  return any_family(build_from<F>(words, goal, for_each));
}

/// A map that is built in parts, of entries.
template <class F>
concept built_of_entry_parts = built_in_parts<F> && requires(typename F::builder& making, std::span<map_entry const> some) {
  making.build_part(0, some);
};
template <map_buildable F>
any_family map_built_from(entry_source const& entries, std::uint64_t largest, request const& wish, part_loop const& for_each) {
  auto goal = goal_of<F>(wish);
  if (goal.items == 0) goal.items = entries.size();
  if (entries.size() != 0) goal.value_bits = value_bits_of<F>(goal.value_bits, largest);
  if constexpr (built_of_entry_parts<F>) {
    return any_family(build_from<F>(entries, goal, for_each));
  } else {
    std::vector<digest> keys;
    std::vector<std::uint64_t> values;
    for (auto const& each : entries.of_part({}, 0)) {
      keys.emplace_back(each.word);
      values.push_back(each.value);
    }
    return any_family(F::build(keys, values, goal));
  }
}

/// A family that is built of two lists, keys that are in and keys that are not.
template <class F>
concept built_apart = buildable<F> && requires(word_source const& words, typename F::goal g, part_loop const& loop) {
  { F::build(words, words, g, loop) } -> std::same_as<F>;
};
template <built_apart F>
any_family built_of_both(word_source const& members, word_source const& others, request const& wish,
                         part_loop const& for_each) {
  return any_family(F::build(members, others, goal_of<F>(wish), for_each));
}

/// The catalogue entry of F, for its unit: see families.def.
template <plantable F>
family_info made_entry(card const& its) {
  family_info entry{its, made_family<F>, built_family<F>, nullptr, nullptr, nullptr, [](field_reader& in) {
                      return any_family(family_reader<F>::read({.family = std::string(F::name)}, in));
                    }};
  if constexpr (built_in_parts<F>) entry.build_from = family_built_from<F>;
  if constexpr (built_apart<F>) entry.build_apart = built_of_both<F>;
  if constexpr (map_buildable<F>) entry.build_map = map_built_from<F>;
  return entry;
}

}  // namespace hortus
