#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/frozen/golomb_set.hpp>

namespace hortus {

/// Looks up keys in ascending order of their digests, in one pass: a block is decoded once for all its keys. Calls act(i) for
/// each keys[i] that is found, in order. Faster than a batch from one key for every ten of the set on, or every five if they
/// have to be sorted first: docs/performance-history.md.
void for_each_found(golomb_set const& set, std::span<digest const> keys, auto act) {
  constexpr auto none = ~std::uint64_t{0};  // no value is as large
  auto const& blocks = set.blocks();
  for (std::size_t i = 0; i < keys.size();) {
    auto const first = blocks.place_of(keys[i]);
    auto wanted = first.value;
    auto const next_of_block = [&] {
      if (++i == keys.size()) return none;
      auto const place = blocks.place_of(keys[i]);
      return place.line == first.line && place.number == first.number ? place.value : none;
    };
    auto const codes = blocks.where(first);
    blocks.code().scan(blocks.words(), codes.begin, codes.end, [&](std::uint64_t value) {
      for (; wanted != none && wanted <= value; wanted = next_of_block())
        if (wanted == value) act(i);
      return wanted == none;
    });
    while (wanted != none) wanted = next_of_block();
  }
}

}  // namespace hortus
