#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// A key, as the bits of its digest, and its value.
struct word_and_value {
  std::uint64_t word;
  std::uint64_t value;
  bool operator==(word_and_value const&) const = default;
};

/// The keys with their values in ascending order of digests, each once: the order of the input, and pairs that are given
/// twice, do not change a map. Throws errc::bad_params if a key has two values, naming both, or if the spans differ in length.
inline std::vector<word_and_value> distinct_pairs(std::span<digest const> keys, std::span<std::uint64_t const> values) {
  if (keys.size() != values.size())
    throw error(errc::bad_params, "there are " + std::to_string(keys.size()) + " keys, but " + std::to_string(values.size()) +
                                      " values; give one for each key");
  std::vector<std::size_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return keys[a].bits() != keys[b].bits() ? keys[a].bits() < keys[b].bits() : a < b;
  });
  std::vector<word_and_value> pairs;
  pairs.reserve(keys.size());
  std::size_t first = 0;  // the first of the keys with this digest
  for (auto const i : order) {
    if (pairs.empty() || pairs.back().word != keys[i].bits()) {
      pairs.push_back({keys[i].bits(), values[i]});
      first = i;
    } else if (pairs.back().value != values[i]) {
      throw error(errc::bad_params, "key " + std::to_string(first) + " and key " + std::to_string(i) +
                                        " are equal (or have one digest), but their values " + std::to_string(values[first]) +
                                        " and " + std::to_string(values[i]) + " differ");
    }
  }
  return pairs;
}

}  // namespace hortus
