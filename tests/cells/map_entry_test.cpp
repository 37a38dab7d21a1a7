#include <hortus/cells/map_entry.hpp>

#include <gtest/gtest.h>

#include <random>

namespace hortus {
namespace {

TEST(map_entry, values_stay_with_their_words) {
  std::mt19937_64 random(1);
  for (std::size_t const count : {0U, 1U, 2U, 63U, 64U, 1000U, 100'000U}) {
    std::vector<map_entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const word = i % 3 == 0 ? random() % 100 : i % 100 == 1 ? ~std::uint64_t{0} : random();
      entries[i] = {~word, word};
    }
    auto const distinct = sort_distinct(entries);
    for (std::size_t i = 0; i < distinct; ++i) {
      ASSERT_EQ(entries[i].value, ~entries[i].word);
      if (i != 0) {
        ASSERT_LT(entries[i - 1].word, entries[i].word);
      }
    }
  }
}

}  // namespace
}  // namespace hortus
