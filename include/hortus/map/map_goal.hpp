#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/map_entry.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/goal.hpp>

/// What the families of this room share.
namespace hortus {

inline constexpr setting_note value_bits_note{"bits of a value; by default as many as the largest value needs", "1 to 64", "8"};

/// Builds the map of these entries, given in ascending order without duplicates.
template <class F>
F build_of_entries(std::span<map_entry const> entries, typename F::goal g) {
  std::uint64_t largest = 0;
  for (auto const& each : entries) largest = std::max(largest, each.value);
  g.value_bits = checked_value_bits(g.value_bits, largest);
  auto const parts = F::parts(entries.size());
  std::vector<std::uint64_t> sizes(parts.count());
  for (auto const& each : entries) ++sizes[parts.part_of(each.word)];
  typename F::builder making(g, sizes);
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    making.build_part(part, entries.first(sizes[part]));
    entries = entries.subspan(sizes[part]);
  }
  return std::move(making).finish();
}

}  // namespace hortus
