#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/cells/sort_words.hpp>
#include <hortus/digest.hpp>

namespace hortus {

/// Sorts the words and removes duplicates; returns how many are left, at the front.
inline std::size_t sort_distinct(std::span<std::uint64_t> words) {
  sort_words(words);
  return static_cast<std::size_t>(std::unique(words.begin(), words.end()) - words.begin());
}

/// The bits of these digests in ascending order, each once. The families of this room are built from them, so the order and
/// the duplicates of the keys do not change a byte of the filter. Takes 8 bytes per key.
inline std::vector<std::uint64_t> distinct_words(std::span<digest const> keys) {
  std::vector<std::uint64_t> words(keys.size());
  std::transform(keys.begin(), keys.end(), words.begin(), [](digest x) { return x.bits(); });
  words.resize(sort_distinct(words));
  return words;
}

}  // namespace hortus
