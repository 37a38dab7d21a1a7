#include <hortus/cells/sort_words.hpp>

#include <algorithm>

#include <hwy/contrib/sort/vqsort.h>

namespace hortus {

void sort_words(std::span<std::uint64_t> words) {
  constexpr std::size_t few = 64;  // below this Highway's setup costs more than it saves
  if (words.size() < few)
    std::sort(words.begin(), words.end());
  else
    hwy::Sorter()(words.data(), words.size(), hwy::SortAscending());
}

}  // namespace hortus
