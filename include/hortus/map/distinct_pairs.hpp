#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hortus/cells/sort_pairs.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Throws if a value has more bits than the values of a map.
inline void check_value(std::uint64_t value, unsigned value_bits) {
  if (value_bits == 0) throw error(errc::bad_params, "this map has no values: it was planned with value_bits 0");
  if (static_cast<unsigned>(std::bit_width(value)) > value_bits)
    throw error(errc::bad_params, "the value " + std::to_string(value) + " needs " + std::to_string(std::bit_width(value)) +
                                      " bits, and values of this map have " + std::to_string(value_bits));
}

/// Keys with values, in ascending order, each key once.
struct word_values {
  std::vector<std::uint64_t> words, values;
};

/// Finds two positions of a word with different values, and throws.
[[noreturn]] inline void throw_two_values(std::span<digest const> keys, std::span<std::uint64_t const> values,
                                          std::uint64_t word) {
  auto const is_it = [&](digest x) { return x.bits() == word; };
  auto const first = static_cast<std::size_t>(std::find_if(keys.begin(), keys.end(), is_it) - keys.begin());
  auto second = first;
  while (!is_it(keys[second]) || values[second] == values[first]) ++second;
  throw error(errc::bad_params, "key " + std::to_string(first) + " and key " + std::to_string(second) +
                                    " are equal (or have one digest), but their values " + std::to_string(values[first]) +
                                    " and " + std::to_string(values[second]) + " differ");
}

/// Maps that are built of all keys at once are built from these, so the order and the duplicates of the keys do not change a
/// byte. Throws if there are not as many values as keys, a value has too many bits, or a key has two values; positions in the
/// message count from 0. Takes 32 bytes per key.
inline word_values distinct_pairs(std::span<digest const> keys, std::span<std::uint64_t const> values, unsigned value_bits) {
  if (keys.size() != values.size())
    throw error(errc::bad_params,
                std::to_string(keys.size()) + " keys have " + std::to_string(values.size()) + " values: every key needs one");
  word_values pairs{std::vector<std::uint64_t>(keys.size()), {values.begin(), values.end()}};
  for (auto const value : values) check_value(value, value_bits);
  std::transform(keys.begin(), keys.end(), pairs.words.begin(), [](digest x) { return x.bits(); });
  sort_pairs(pairs.words, pairs.values);
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (distinct != 0 && pairs.words[distinct - 1] == pairs.words[i]) {
      if (pairs.values[distinct - 1] != pairs.values[i]) throw_two_values(keys, values, pairs.words[i]);
      continue;
    }
    pairs.words[distinct] = pairs.words[i];
    pairs.values[distinct++] = pairs.values[i];
  }
  pairs.words.resize(distinct);
  pairs.values.resize(distinct);
  return pairs;
}

}  // namespace hortus
