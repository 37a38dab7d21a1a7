#include <hortus/cells/sort_pairs.hpp>

#include <algorithm>
#include <vector>

#include <hwy/contrib/sort/vqsort.h>

namespace hortus {

void sort_pairs(std::span<std::uint64_t> words, std::span<std::uint64_t> values) {
  constexpr std::size_t few = 64;  // below this Highway's setup costs more than it saves
  std::vector<hwy::K64V64> pairs(words.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].key = words[i], pairs[i].value = values[i];
  if (pairs.size() < few)
    std::sort(pairs.begin(), pairs.end(), [](auto const& a, auto const& b) { return a.key < b.key; });
  else
    hwy::Sorter()(pairs.data(), pairs.size(), hwy::SortAscending());
  for (std::size_t i = 0; i < pairs.size(); ++i) words[i] = pairs[i].key, values[i] = pairs[i].value;
}

}  // namespace hortus
