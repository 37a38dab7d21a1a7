#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/cells/sort_words.hpp>
#include <hortus/digest.hpp>

namespace hortus {

/// A key, and how often it occurs.
struct counted {
  digest key;
  std::uint64_t times = 0;
};

/// The distinct keys among these, each with the number of its occurrences, in the order of their digests.
inline std::vector<counted> tally(std::span<digest const> keys) {
  std::vector<std::uint64_t> sorted(keys.size());
  std::transform(keys.begin(), keys.end(), sorted.begin(), [](digest x) { return x.bits(); });
  sort_words(sorted);
  std::vector<counted> all;
  for (auto const bits : sorted)
    if (all.empty() || all.back().key != digest(bits))
      all.push_back({digest(bits), 1});
    else
      ++all.back().times;
  return all;
}

}  // namespace hortus
