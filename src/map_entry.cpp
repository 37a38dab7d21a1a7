#include <hortus/cells/map_entry.hpp>

#include <cstring>

#include <hwy/contrib/sort/vqsort.h>

namespace hortus {

void sort_entries(std::span<map_entry> entries) {
  static_assert(sizeof(map_entry) == sizeof(hwy::uint128_t) && alignof(map_entry) <= alignof(hwy::uint128_t));
  constexpr std::size_t few = 64;  // below this Highway's setup costs more than it saves
  if (entries.size() < few) {
    std::sort(entries.begin(), entries.end(),
              [](auto const& a, auto const& b) { return a.word != b.word ? a.word < b.word : a.value < b.value; });
  } else {
    // The same layout: the lower half of the number first.
    hwy::Sorter()(reinterpret_cast<hwy::uint128_t*>(entries.data()), entries.size(), hwy::SortAscending());
  }
}

std::vector<map_entry> distinct_entries(std::span<digest const> keys, std::span<std::uint64_t const> values) {
  if (keys.size() != values.size())
    throw error(errc::bad_params,
                std::to_string(keys.size()) + " keys want as many values, not " + std::to_string(values.size()));
  std::vector<map_entry> entries(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) entries[i] = {values[i], keys[i].bits()};
  try {
    entries.resize(sort_distinct(entries));
  } catch (conflicting_values const& found) {
    auto const first = std::find(keys.begin(), keys.end(), digest(found.word())) - keys.begin();
    auto second = first;
    do ++second;
    while (keys[static_cast<std::size_t>(second)] != digest(found.word()) ||
           values[static_cast<std::size_t>(second)] == values[static_cast<std::size_t>(first)]);
    auto const value = [&](auto at) { return std::to_string(values[static_cast<std::size_t>(at)]); };
    throw conflicting_values(found.word(), "key " + std::to_string(first) + " and key " + std::to_string(second) +
                                               " are equal (or have one digest), but their values " + value(first) + " and " +
                                               value(second) + " differ");
  }
  return entries;
}

}  // namespace hortus
