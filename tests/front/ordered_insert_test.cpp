#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <stdexcept>
#include <string>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/blocked_pair.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/hash/little_endian.hpp>
#include <hortus/parallel.hpp>

#include "key_sets.hpp"

/// Dealing keys out by place, or their bits, with one thread or several, makes the bytes of inserting them one after the other.
namespace hortus::testing {
namespace {

template <class F>
class ordered_insert : public ::testing::Test {};
using orderable_families =
    ::testing::Types<blocked, blocked_pair, sectorized, split_block, register_blocked, bloom<>, partitioned<>>;
TYPED_TEST_SUITE(ordered_insert, orderable_families);

template <class F>
of_keys<F> planned(std::uint64_t items) {
  typename F::goal goal;
  goal.items = items;
  return of_keys<F>(goal);
}

TYPED_TEST(ordered_insert, by_several_threads_makes_the_same_bytes) {
  for (std::uint64_t const items : {1U, 100U, 10'000U, 300'000U})
    for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{1}, items, 3 * items})
      for (unsigned const threads : {0U, 1U, 2U, 3U, 8U}) {
        auto const all = keys<random_keys>(0, count);
        auto together = planned<TypeParam>(items);
        auto singly = planned<TypeParam>(items);
        for (auto const key : all) singly.insert(key);
        EXPECT_EQ(insert_parallel(together, all, threads), count);
        ASSERT_EQ(together, singly) << items << " items, " << count << " keys, " << threads << " threads";
        EXPECT_EQ(together.about(), singly.about());
      }
}

TYPED_TEST(ordered_insert, takes_text_and_containers_that_are_not_contiguous) {
  std::deque<std::string> words;
  for (int i = 0; i < 5000; ++i) words.push_back("word " + std::to_string(i));
  auto together = planned<TypeParam>(5000);
  auto singly = planned<TypeParam>(5000);
  for (auto const& word : words) singly.insert(word);
  EXPECT_EQ(insert_parallel(together, words, 3), words.size());
  EXPECT_EQ(together, singly);
}

/// All in one part: it is full long before the others, again and again.
TYPED_TEST(ordered_insert, copes_with_keys_that_all_go_to_one_place) {
  std::vector<digest> const same(3'000'000, digest(std::uint64_t{1} << 63 | 12345));
  auto together = planned<TypeParam>(1'000'000);
  auto singly = planned<TypeParam>(1'000'000);
  singly.insert(same[0]);
  EXPECT_EQ(insert_parallel(together, same, 2), same.size());
  EXPECT_EQ(together.family(), singly.family());
}

TYPED_TEST(ordered_insert, is_what_a_large_batch_does_by_itself) {
  std::uint64_t items = 1'000'000;
  while (!worth_ordering(planned<TypeParam>(items).family(), items / 10)) items += items / 2;
  auto const all = keys<random_keys>(0, items / 10);
  auto together = planned<TypeParam>(items);
  auto singly = planned<TypeParam>(items);
  for (auto const key : all) singly.insert(key);
  EXPECT_EQ(together.insert(all), all.size());
  EXPECT_EQ(together, singly);
  EXPECT_EQ(together.about().items_inserted, all.size());

  std::vector<digest> digests;
  for (auto const key : all) digests.push_back(singly(key));
  TypeParam of_digests(singly.family().shape());
  EXPECT_EQ(insert_many(of_digests, std::span<digest const>(digests)), digests.size());
  EXPECT_EQ(of_digests, singly.family());
}

struct moody {
  std::uint64_t number;
};
std::array<std::byte, 8> key_bytes(moody const& key) {
  if (key.number == 7777) throw std::runtime_error("not today");
  return little_endian_bytes(key.number);
}

TEST(ordered_insert_failing, hands_on_what_a_key_throws_in_another_thread) {
  std::vector<moody> all;
  for (std::uint64_t i = 0; i < 10'000; ++i) all.push_back({i});
  for (unsigned const threads : {1U, 2U, 4U}) {
    auto f = planned<blocked>(10'000);
    EXPECT_THROW(insert_parallel(f, all, threads), std::runtime_error);
    EXPECT_TRUE(f.may_contain(moody{0})) << "what came before it is in";
  }
}

/// 64 bits of a key, all in a part that is nearly full.
TEST(ordered_insert_of_bits, has_room_for_all_bits_of_a_key) {
  for (unsigned const probes : {1U, 7U, 63U, 64U}) {
    bloom<> together({100'000, probes});
    bloom<> singly({100'000, probes});
    std::vector<digest> xs;
    for (auto const key : keys<random_keys>(0, 20'000)) xs.push_back(bloom_filter({.items = 1})(key));
    for (auto const x : xs) singly.insert(x);
    std::size_t in = 0;
    auto next = [&, at = std::size_t{0}](std::span<digest> space) mutable {
      auto const count = std::min(space.size(), xs.size() - at);
      std::copy_n(xs.begin() + static_cast<std::ptrdiff_t>(at), count, space.begin());
      at += count;
      return count;
    };
    insert_ordered(together, next, in);
    EXPECT_EQ(in, xs.size());
    ASSERT_EQ(together, singly) << probes << " probes";
  }
}

TEST(parts_of_filter, are_whole_cache_lines_of_bits) {
  for (std::uint64_t const bits : {1ULL, 511ULL, 513ULL, 100'000ULL, 3'000'000'017ULL}) {
    bloom<> const f({bits, 5});
    parts_of_filter const parts(f);
    EXPECT_GE(parts.shift, 9U) << "512 bits are a line";
    EXPECT_LE(parts.count, 512U);
    EXPECT_EQ((bits - 1) >> parts.shift, parts.count - 1);
  }
}

TEST(parts_of_filter, cover_it_and_end_on_cache_lines) {
  for (std::uint64_t const blocks : {1ULL, 15ULL, 16ULL, 17ULL, 100'000ULL, 3'000'017ULL, 100'000'000ULL}) {
    register_blocked const f({blocks, 5});
    parts_of_filter const parts(f);
    EXPECT_GE(parts.shift, 3U) << "eight words are a line";
    EXPECT_LE(parts.count, 512U);
    EXPECT_EQ((blocks - 1) >> parts.shift, parts.count - 1);
    if (f.size_bytes() > (std::uint64_t{64} << 20)) {
      EXPECT_LE(std::uint64_t{8} << parts.shift, f.size_bytes() / 64);
    }
  }
}

}  // namespace
}  // namespace hortus::testing
