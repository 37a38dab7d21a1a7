// Batches of texts in filters larger than the cache, which are prefetched while keys are hashed.
#include <gtest/gtest.h>

#include <list>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/catalogue.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/counting/blocked_counting.hpp>
#include <hortus/growing/scalable.hpp>

namespace hortus::testing {
namespace {

std::vector<std::string> texts(std::size_t from, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("key " + std::to_string(from + i));
  return all;
}

/// Sizes around those of blocks.
constexpr std::size_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 66, 127, 128, 129, 1023, 1024, 1025, 3000};

template <class Filter>
void is_filled_as_by_single_keys(Filter const& empty) {
  ASSERT_GT(empty.size_bytes(), cached_bytes);
  for (auto const count : sizes) {
    auto together = empty;
    auto singly = empty;
    auto const keys = texts(0, count);
    EXPECT_EQ(together.insert(keys), count);
    for (auto const& key : keys) (void)singly.insert(key);
    ASSERT_EQ(together.family(), singly.family()) << count << " keys";
    EXPECT_EQ(together.about().items_inserted, count);
  }
}

TEST(text_batches, insert_as_single_keys_do) {
  is_filled_as_by_single_keys(split_block_filter({.items = 3'000'000, .fpr = 0.01}));
  is_filled_as_by_single_keys(blocked_counting_filter({.items = 1'000'000, .fpr = 0.01}));
  is_filled_as_by_single_keys(scalable_filter({.items = 3'000'000, .fpr = 0.01}));
  for (auto const* const family : {"bloom", "blocked", "counting", "count_min"})
    is_filled_as_by_single_keys(make_filter(family, {.items = 3'000'000, .fpr = 0.01, .settings = {}}));
}

TEST(text_batches, need_no_contiguous_keys) {
  split_block_filter together({.items = 3'000'000, .fpr = 0.01});
  auto const keys = texts(0, 200);
  EXPECT_EQ(together.insert(std::list<std::string>(keys.begin(), keys.end())), 200U);
  EXPECT_EQ(together.may_contain(std::list<std::string>(keys.begin(), keys.end())).count(), 200U);
}

/// Digests in several portions, of any number each: all are handed on, in order, in whole blocks, when the blocks after them
/// are full.
template <std::size_t AtOnce, std::size_t Block, std::size_t Blocks>
void hands_on_all() {
  split_block const filter(split_block::plan({.items = 3'000'000, .fpr = 0.01}));
  for (std::uint64_t portion = 0; portion < 200; portion += portion < 70 ? 1 : 43) {
    hashed_ahead<access::lookup, split_block, AtOnce, Block, Blocks> ahead(filter);
    std::uint64_t made = 0;
    std::uint64_t handed = 0;
    bool ended = false;
    auto const act = [&](std::span<digest const> xs) {
      EXPECT_TRUE(xs.size() == Block || (ended && !xs.empty() && xs.size() < Block)) << xs.size();
      EXPECT_TRUE(ended || made - handed == Block * Blocks) << made << " made, " << handed << " handed on";
      for (auto const x : xs) EXPECT_EQ(x, digest(handed++));
    };
    for (int i = 0; i < 9; ++i) {
      auto const end = made + portion;
      ahead.take(
          [&](std::span<digest> space) {
            std::size_t count = 0;
            while (count < space.size() && made < end) space[count++] = digest(made++);
            return count;
          },
          act);
      EXPECT_LE(made - handed, Block * Blocks);
    }
    ended = true;
    ahead.finish(act);
    EXPECT_EQ(handed, 9 * portion);
    ahead.finish(act);
    EXPECT_EQ(handed, 9 * portion) << "there is nothing left";
  }
}

TEST(text_batches, are_handed_on_in_order) {
  hands_on_all<2, 64, 2>();
  hands_on_all<8, 16, 3>();
  hands_on_all<3, 16, 5>();
  hands_on_all<16, 16, 1>();
}

/// Every family that takes keys one by one, large enough to be prefetched.
TEST(text_batches, answer_as_single_keys_do) {
  std::size_t asked = 0;
  for (auto const& family : catalogue()) {
    if (!family.has(verb::insert) || !(family.has(verb::may_contain) || family.has(verb::count))) continue;
    if (family.has(verb::top)) continue;  // its keys are kept, and looked up in another way
    std::uint64_t items = 100'000;
    auto const wish = [&] { return request{.items = items, .fpr = 0.01, .settings = {}}; };
    while (items < 10'000'000 && family.plan(wish()).size_bytes <= cached_bytes) items *= 2;
    auto filter = make_filter(family.name, wish());
    if (filter.size_bytes() <= cached_bytes) continue;
    ++asked;
    EXPECT_EQ(filter.insert(texts(0, 3000)), 3000U) << family.name;
    for (auto const count : sizes) {
      auto const keys = texts(1500, count);  // half of 3000 are members
      if (family.has(verb::may_contain)) {
        auto const together = filter.may_contain(keys);
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(together[i], filter.may_contain(keys[i])) << family.name << ", key " << i << " of " << count;
      }
      if (family.has(verb::count)) {
        auto const together = filter.count(keys);
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(together[i], filter.count(keys[i])) << family.name << ", key " << i << " of " << count;
      }
    }
  }
  EXPECT_GT(asked, 15U);
}

}  // namespace
}  // namespace hortus::testing
