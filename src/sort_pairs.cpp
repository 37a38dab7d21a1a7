#include <hortus/cells/sort_pairs.hpp>

#include <algorithm>
#include <vector>

#include <hwy/contrib/sort/vqsort.h>

namespace hortus {

void sort_pairs(std::span<std::uint64_t> words, std::span<std::uint64_t> values) {
  constexpr std::size_t few = 64;  // below this Highway's setup costs more than it saves
  // Not hwy::K64V64: in Highway 1.0 such a pair loses its value if its key is 2^64 - 1, which also fills the rest of a vector.
  std::vector<hwy::uint128_t> pairs(words.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].hi = words[i], pairs[i].lo = values[i];
  if (pairs.size() < few)
    std::sort(pairs.begin(), pairs.end(),
              [](auto const& a, auto const& b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; });
  else
    hwy::Sorter()(pairs.data(), pairs.size(), hwy::SortAscending());
  for (std::size_t i = 0; i < pairs.size(); ++i) words[i] = pairs[i].hi, values[i] = pairs[i].lo;
}

}  // namespace hortus
