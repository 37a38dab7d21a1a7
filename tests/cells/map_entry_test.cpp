#include <hortus/cells/map_entry.hpp>

#include <gtest/gtest.h>

#include <random>

#include "with_target.hpp"

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

/// Entries of keys and values are put into buckets first. Keys that share their first bits, or all but their last ones, are
/// many in a bucket, and equal in the bits by which it is sorted.
TEST(map_entry, distinct_entries_are_sorted_whatever_the_digests_are) {
  std::mt19937_64 random(2);
  for (std::size_t const count : {0U, 1U, 2U, 64U, 5000U, 70'000U, 300'000U})
    for (int const kind : {0, 1, 2, 3, 4}) {
      std::vector<digest> keys;
      std::vector<std::uint64_t> values;
      std::vector<map_entry> expected;
      for (std::size_t i = 0; i < count; ++i) {
        auto const word = kind == 0   ? random()
                          : kind == 1 ? i                                          // all in one bucket
                          : kind == 2 ? ~std::uint64_t{0} << 40 | random() >> 30   // the same first bits
                          : kind == 3 ? (random() >> 54 << 54) | (random() % 300)  // 1024 runs that differ in their last bits
                                      : random() % 1000 << 50;                     // many duplicates
        keys.push_back(digest(word));
        values.push_back(word * 31 + 7);
        expected.push_back({values.back(), word});
      }
      auto sorted = expected;
      sort_entries(sorted);
      std::sort(expected.begin(), expected.end(), [](auto const& a, auto const& b) { return a.word < b.word; });
      EXPECT_EQ(sorted, expected) << count << " of kind " << kind;
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      EXPECT_EQ(distinct_entries(keys, values), expected) << count << " of kind " << kind;
      if (count < 2) continue;
      keys.back() = keys.front();
      values.back() = values.front() + 1;
      EXPECT_THROW((void)distinct_entries(keys, values), conflicting_values) << count << " of kind " << kind;
    }
}

/// Highway's sort of 128 bits aborts with some instruction sets.
TEST(map_entry, entries_are_sorted_with_all_instruction_sets) {
  std::mt19937_64 random(3);
  std::vector<map_entry> entries(10'000);
  for (auto& each : entries) each = {random(), random()};
  auto expected = entries;
  sort_entries(expected);
  for (auto const name : kernels::targets()) {
    testing::with_target const use(name);
    auto sorted = entries;
    sort_entries(sorted);
    EXPECT_EQ(sorted, expected) << name;
  }
}

}  // namespace
}  // namespace hortus
