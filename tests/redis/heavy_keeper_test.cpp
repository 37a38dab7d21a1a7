#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "redis/heavy_keepers.hpp"
#include "statistics.hpp"

namespace hortus::redisbloom {
namespace {

using testing::binomial_band;
using namespace std::string_literals;

// -- chance ---------------------------------------------------------------------------------------------------------------

/// A bucket of count 4 is decremented with probability 0.5^4, by an item that comes again and again.
TEST(heavy_keeper, a_bucket_decays_with_the_probability_of_its_count) {
  constexpr int tries = 320'000;
  auto keeper = keeper_of(1, 1, 1, 0.5);
  add(keeper, "owner", 4);
  int decrements = 0;
  for (int i = 0; i < tries; ++i) {
    add(keeper, "other");
    if (keeper.buckets()[0].count == 4) continue;
    ASSERT_EQ(keeper.buckets()[0].count, 3U);
    ++decrements;
    add(keeper, "owner");
  }
  EXPECT_TRUE(binomial_band(tries, 1.0 / 16).holds(decrements)) << decrements;
}

/// Taking over a bucket of count 2 by 6 units: one addition of 6 and six additions of 1 are equally likely to do it.
TEST(heavy_keeper, an_increment_is_as_likely_to_win_as_single_additions) {
  constexpr double decay = 0.5;
  // The probabilities of counts 2, 1 and 0 after each try; what takes over stays.
  double two = 1;
  double one = 0;
  for (int i = 0; i < 6; ++i) {
    one = one * (1 - decay) + two * decay * decay;
    two *= 1 - decay * decay;
  }
  constexpr int trials = 100'000;
  int at_once = 0;
  int one_by_one = 0;
  for (int i = 0; i < trials; ++i) {
    auto const item = "item" + std::to_string(i);
    auto keeper = keeper_of(1, 1, 1, decay);
    add(keeper, "owner", 2);
    auto other = keeper;
    add(keeper, item, 6);
    for (int j = 0; j < 6; ++j) add(other, item);
    at_once += keeper.count(item) != 0 ? 1 : 0;
    one_by_one += other.count(item) != 0 ? 1 : 0;
  }
  auto const band = binomial_band(trials, 1 - two - one);
  EXPECT_TRUE(band.holds(at_once)) << at_once;
  EXPECT_TRUE(band.holds(one_by_one)) << one_by_one;
}

TEST(heavy_keeper, an_item_that_failed_can_succeed_later) {
  auto keeper = keeper_of(1, 1, 1, 0.9);
  add(keeper, "owner", 20);
  int additions = 0;
  for (; keeper.count("other") == 0 && additions < 100'000; ++additions) add(keeper, "other");
  EXPECT_GT(additions, 20);
  EXPECT_LT(additions, 100'000);
}

// -- the same everywhere -----------------------------------------------------------------------------------------------------

TEST(heavy_keeper, copies_and_restored_ones_go_on_alike) {
  auto keeper = keeper_of(10, 20, 7, 0.9);
  for (auto const& item : zipf(10'000, 1)) add(keeper, item);
  auto copy = keeper;
  auto loaded = stored_and_restored(keeper);
  EXPECT_EQ(bytes_of(loaded), bytes_of(keeper));
  for (auto const& item : zipf(10'000, 2)) {
    auto const expelled = add(keeper, item).expelled;
    ASSERT_EQ(add(copy, item).expelled, expelled);
    ASSERT_EQ(add(loaded, item).expelled, expelled);
  }
  EXPECT_EQ(bytes_of(copy), bytes_of(keeper));
  EXPECT_EQ(bytes_of(loaded), bytes_of(keeper));
}

TEST(heavy_keeper, a_batch_does_what_single_additions_do) {
  for (std::uint64_t const depth : {1U, 7U, 8U, 9U, 20U}) {
    auto batch = keeper_of(5, 8, depth, 0.9);
    auto single = batch;
    auto const items = zipf(3000, 3);
    std::size_t told = 0;
    batch.add(
        items.size(),
        [&](std::size_t i) {
          return heavy_keeper::addition{items[i], static_cast<std::uint32_t>(i % 5)};
        },
        [&](heavy_keeper::outcome const& its) {
          auto const one = add(single, items[told], static_cast<std::uint32_t>(told % 5));
          EXPECT_EQ(its.expelled ? its.expelled.view() : "-", one.expelled);
          EXPECT_EQ(its.changed, one.changed);
          ++told;
        });
    EXPECT_EQ(told, items.size());
    EXPECT_EQ(bytes_of(batch), bytes_of(single));
  }
}

TEST(heavy_keeper, certain_decay_needs_no_draw) {
  auto keeper = keeper_of(3, 2, 2, 1);
  for (auto const& item : zipf(500, 4)) add(keeper, item);
  EXPECT_EQ(keeper.list().spare(), 0U);
}

// -- the list ----------------------------------------------------------------------------------------------------------------

/// Recorded from RedisBloom 8.10: TOPK.RESERVE 5 50 4 1, and one TOPK.INCRBY.
TEST(heavy_keeper, lists_what_redisbloom_lists) {
  auto keeper = keeper_of(5, 50, 4, 1);
  for (std::uint32_t i = 0; i < 40; ++i) add(keeper, "a" + std::to_string(i), i * 37 % 101 + 1);
  EXPECT_EQ(list_of(keeper), (listed{{"a30", 101}, {"a19", 98}, {"a8", 95}, {"a38", 94}, {"a27", 91}}));
}

/// As RedisBloom 8.10: which of equal counts leaves, and the order of equal counts.
TEST(heavy_keeper, equal_counts_have_redisblooms_order) {
  auto keeper = keeper_of(7, 1000, 5, 1);
  std::string expelled;  // each after the item that took its place
  for (char const c : "abcdefghijabcacbdxyhhij"s)
    if (auto const left = add(keeper, {&c, 1}).expelled; left != "-") expelled += c + left;
  EXPECT_EQ(expelled, "hcigjhcixjyfhxiyje");
  EXPECT_EQ(list_of(keeper), (listed{{"a", 3}, {"b", 3}, {"c", 3}, {"h", 3}, {"i", 2}, {"j", 2}, {"d", 2}}));
}

TEST(heavy_keeper, an_item_has_a_bucket_in_every_row) {
  auto keeper = keeper_of(1, 1000, 20, 0.9);
  add(keeper, "a", 3);
  std::vector<std::uint64_t> expected;
  for (std::uint32_t row = 0; row < 20; ++row) expected.push_back(row * 1000 + murmur32("a", row) % 1000);
  std::vector<std::uint64_t> used;
  for (std::uint64_t i = 0; i < keeper.buckets().size(); ++i)
    if (keeper.buckets()[i].count == 3) used.push_back(i);
  EXPECT_EQ(used, expected);
}

/// As in RedisBloom: buckets of an item in the list do not count if they have decayed below the least count in the list.
TEST(heavy_keeper, the_count_of_a_listed_item_is_that_of_a_bucket_or_0) {
  auto keeper = keeper_of(1, 1, 1, 1);
  add(keeper, "a", 4);
  EXPECT_EQ(keeper.count("a"), 4U);
  add(keeper, "b");
  EXPECT_EQ(keeper.buckets()[0].count, 3U);
  EXPECT_EQ(keeper.count("a"), 0U);
  EXPECT_EQ(list_of(keeper), (listed{{"a", 4}}));
}

TEST(heavy_keeper, keeps_the_frequent_items) {
  auto keeper = keeper_of(10, 100, 7, 0.9);
  for (auto const& item : zipf(50'000, 5)) add(keeper, item);
  std::set<std::string> kept;
  for (auto const& [item, count] : list_of(keeper)) kept.insert(item);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(kept.contains("z" + std::to_string(i))) << i;
}

TEST(heavy_keeper, expels_the_item_of_the_least_count) {
  auto keeper = keeper_of(2, 50, 5, 1);
  EXPECT_EQ(add(keeper, "a").expelled, "-");
  EXPECT_EQ(add(keeper, "b").expelled, "-");
  EXPECT_EQ(add(keeper, "a").expelled, "-");
  EXPECT_EQ(add(keeper, "c").expelled, "b");
  add(keeper, "c", 2);
  EXPECT_EQ(list_of(keeper), (listed{{"c", 3}, {"a", 2}}));
  EXPECT_TRUE(keeper.contains("a"));
  EXPECT_FALSE(keeper.contains("b"));
  EXPECT_EQ(keeper.count("b"), 1U);
  EXPECT_EQ(keeper.count("z"), 0U);
}

TEST(heavy_keeper, items_are_any_bytes) {
  auto keeper = keeper_of(4, 100, 5, 1);
  std::string const items[] = {"nul\0a"s, "nul\0b"s, "nul"s, ""s};
  std::uint32_t by = 5;
  for (auto const& item : items) add(keeper, item, --by);
  listed const expected{{items[0], 4}, {items[1], 3}, {items[2], 2}, {items[3], 1}};
  EXPECT_EQ(list_of(keeper), expected);
  auto loaded = stored_and_restored(keeper);
  EXPECT_EQ(list_of(loaded), expected);
  for (auto const& item : items) EXPECT_TRUE(loaded.contains(item));
  EXPECT_FALSE(loaded.contains("nul\0c"s));
  EXPECT_EQ(add(loaded, "new", 9).expelled, "");  // the empty item, which is not the same as none
}

TEST(heavy_keeper, an_increment_of_0_changes_nothing_that_is_counted) {
  auto keeper = keeper_of(1, 10, 3, 0.9);
  add(keeper, "a", 3);
  auto const before = bytes_of(keeper);
  EXPECT_FALSE(add(keeper, "a", 0).changed);
  EXPECT_EQ(bytes_of(keeper), before);
  EXPECT_TRUE(add(keeper, "a", 1).changed);
}

TEST(heavy_keeper, counts_stop_at_their_largest_number) {
  auto keeper = keeper_of(1, 10, 3, 0.9);
  for (int i = 0; i < 3; ++i) add(keeper, "a", 2'000'000'000);
  EXPECT_EQ(keeper.count("a"), std::numeric_limits<std::uint32_t>::max());
}

}  // namespace
}  // namespace hortus::redisbloom
