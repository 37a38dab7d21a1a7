#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <hortus/cells/sort_words.hpp>

namespace hortus::testing {
namespace {

/// All sorts of words, for every length where the way of sorting changes and some that are long.
TEST(sort_words, sorts_as_std_sort_does) {
  std::mt19937_64 random(1);
  std::vector<std::size_t> lengths(300);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  lengths.insert(lengths.end(), {1000, 4095, 4096, 4097, 65'537, 300'000});
  for (auto const length : lengths)
    for (int const kind : {0, 1, 2, 3, 4, 5}) {
      std::vector<std::uint64_t> words(length);
      for (std::size_t i = 0; i < length; ++i) {
        auto const r = random();
        words[i] = kind == 0   ? r
                   : kind == 1 ? i
                   : kind == 2 ? length - i
                   : kind == 3 ? r % 5
                   : kind == 4 ? (r % 2 == 0 ? 0 : ~std::uint64_t{0})
                               : r << 40;
      }
      auto expected = words;
      std::sort(expected.begin(), expected.end());
      sort_words(words);
      ASSERT_EQ(words, expected) << length << " words of kind " << kind;
    }
}

}  // namespace
}  // namespace hortus::testing
