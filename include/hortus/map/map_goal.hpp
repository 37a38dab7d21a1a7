#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hortus/cells/label_table.hpp>
#include <hortus/cells/map_entry.hpp>
#include <hortus/error.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/goal.hpp>

/// What the families of this room share.
namespace hortus {

inline constexpr setting_note value_bits_note{"bits of a value; by default as many as the largest value needs", "1 to 64", "8"};
inline constexpr setting_note unchecked_note{"1: no bits that check keys, whatever the rate: every absent key gets some value",
                                             "0 or 1", "1"};

/// Throws errc::bad_params if the value has more bits, or if values stand for texts and this one has none.
inline void check_value(std::uint64_t value, unsigned value_bits, label_table const& labels = {}) {
  if (value_bits < 64 && value >> value_bits != 0)
    throw error(errc::bad_params,
                "the value " + std::to_string(value) + " does not fit " + std::to_string(value_bits) + " bits (value_bits)");
  if (!labels.allow(value)) throw error(errc::bad_params, "this map has no text for the value " + std::to_string(value));
}

/// Builds the map of these entries, given in ascending order without duplicates.
template <class F>
F build_of_entries(std::span<map_entry const> entries, typename F::goal g) {
  std::uint64_t largest = 0;
  for (auto const& each : entries) largest = std::max(largest, each.value);
  if (!entries.empty()) g.value_bits = value_bits_of<F>(g.value_bits, largest);
  auto const parts = F::parts(entries.size());
  std::vector<std::uint64_t> sizes(parts.count());
  for (auto rest = entries; !rest.empty();) {
    auto const part = parts.part_of(rest.front().word);
    auto const end =
        std::partition_point(rest.begin(), rest.end(), [&](auto const& each) { return parts.part_of(each.word) == part; });
    sizes[part] = static_cast<std::uint64_t>(end - rest.begin());
    rest = rest.subspan(sizes[part]);
  }
  typename F::builder making(g, sizes);
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    making.build_part(part, entries.first(sizes[part]));
    entries = entries.subspan(sizes[part]);
  }
  return std::move(making).finish();
}

}  // namespace hortus
