#include <gtest/gtest.h>

#include <random>

#include <hortus/parts.hpp>

namespace hortus {
namespace {

TEST(distinct_words, are_ascending_without_duplicates) {
  std::vector<digest> keys;
  for (std::uint64_t const bits : {9U, 3U, 9U, 1U, 3U}) keys.emplace_back(bits);
  EXPECT_EQ(distinct_words(keys), (std::vector<std::uint64_t>{1, 3, 9}));
  EXPECT_TRUE(distinct_words({}).empty());
}

TEST(word_parts, are_as_many_as_a_limit_needs) {
  EXPECT_EQ(word_parts::of_at_most(0, 100).count(), 1U);
  EXPECT_EQ(word_parts::of_at_most(100, 100).count(), 1U);
  EXPECT_EQ(word_parts::of_at_most(101, 100).count(), 2U);
  EXPECT_EQ(word_parts::of_at_most(202, 100).count(), 4U);
  EXPECT_EQ(word_parts::of_at_most(~std::uint64_t{0}, 1 << 20).log2, 44U);
}

TEST(word_parts, hold_every_word_once_in_order) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(10000);
  for (auto& word : words) word = random();
  words.insert(words.end(), {0, ~std::uint64_t{0}});
  words.resize(sort_distinct(words));
  for (unsigned log2 = 0; log2 <= 12; ++log2) {
    word_parts const parts{log2};
    auto const dealt = split(parts, words);
    ASSERT_EQ(dealt.size(), parts.count());
    std::vector<std::uint64_t> again;
    for (std::uint64_t part = 0; part < parts.count(); ++part)
      for (auto const word : dealt[part]) {
        EXPECT_EQ(parts.part_of(word), part);
        EXPECT_EQ(log2 == 0 ? parts.within(word) : part << (64 - log2) | parts.within(word) >> log2, word);
        again.push_back(word);
      }
    EXPECT_EQ(again, words);
  }
}

}  // namespace
}  // namespace hortus
