#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hortus/bitmask.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>

/// What maps share.
namespace hortus {

/// A block of lookups, one key after the other, for a map without a kernel: values[i] and bit i of hits are the answer for
/// xs[i]; values[i] is 0 if there is none. Prefetches `next` on the way.
template <class Map>
void find_each(Map const& map, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
               std::uint64_t* hits) noexcept {
  std::fill_n(hits, mask_words(xs.size()), 0);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) map.prefetch(next[i]);
    auto const found = map.find(xs[i]);
    values[i] = found.value_or(0);
    hits[i / 64] |= std::uint64_t{found.has_value()} << (i % 64);
  }
}

/// Throws errc::bad_params if the value has more bits.
inline void check_value(std::uint64_t value, unsigned value_bits) {
  if (value_bits < 64 && value >> value_bits != 0)
    throw error(errc::bad_params,
                "the value " + std::to_string(value) + " does not fit " + std::to_string(value_bits) + " bits (value_bits)");
}

}  // namespace hortus
