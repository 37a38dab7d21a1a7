#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/blocked_pair.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/concurrent.hpp>

#include "key_sets.hpp"

/// Run under ThreadSanitizer too (`make nightly`): a plain access to a word that another thread writes would be reported.
namespace hortus::testing {
namespace {

template <class F>
class concurrent_inserts : public ::testing::Test {};
using insert_only = ::testing::Types<bloom<>, partitioned<>, blocked, blocked_pair, sectorized, split_block, register_blocked>;
TYPED_TEST_SUITE(concurrent_inserts, insert_only);

template <class F>
of_keys<F> planned_filter(std::uint64_t items) {
  typename F::goal goal;
  goal.items = items;
  return of_keys<F>(goal);
}

/// So small a filter that the threads meet in every word.
TYPED_TEST(concurrent_inserts, lose_nothing_and_make_the_bytes_of_one_thread) {
  constexpr std::uint64_t each = 5'000;
  constexpr unsigned threads = 4;
  auto alone = planned_filter<TypeParam>(2'000);
  alone.insert(keys<random_keys>(0, threads * each));
  concurrent shared(planned_filter<TypeParam>(2'000));
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto const mine = keys<random_keys>(t * each, each);
        for (std::size_t i = 0; i < each / 2; ++i) shared.insert(mine[i]);
        shared.insert(std::vector(mine.begin() + each / 2, mine.end()));
        for (auto const key : mine) ASSERT_TRUE(shared.may_contain(key)) << "its own inserts come before";
      });
  }
  auto const done = std::move(shared).take();
  EXPECT_EQ(done, alone);
  EXPECT_EQ(done.about(), alone.about());
}

/// Everybody inserts the same keys: each new key is told to one of them at least, an old one to nobody.
TYPED_TEST(concurrent_inserts, tell_new_keys) {
  constexpr std::uint64_t count = 3'000;
  concurrent shared(planned_filter<TypeParam>(100'000));
  auto const all = keys<random_keys>(0, count);
  std::vector<std::atomic<unsigned>> told(count);
  auto const insert_all_keys = [&] {
    std::vector<std::jthread> running;
    for (int t = 0; t < 3; ++t)
      running.emplace_back([&] {
        for (std::size_t i = 0; i < count; ++i)
          if (shared.insert(all[i])) ++told[i];
      });
  };
  insert_all_keys();
  std::uint64_t nobody = 0;
  for (auto const& n : told) nobody += n == 0 ? 1U : 0U;
  EXPECT_LE(nobody, 5U) << "but for false positives, of which there are hardly any so far below the planned number";
  for (auto& n : told) n = 0;
  insert_all_keys();
  for (auto const& n : told) EXPECT_EQ(n, 0U);
}

/// Lookups in batches while others insert: a key inserted before is found, whoever asks and however; and when nobody inserts
/// any more, batches say what single keys say. Small, where threads meet in every word, and not in the cache, where memory is
/// asked ahead.
TYPED_TEST(concurrent_inserts, are_seen_by_batches) {
  for (std::uint64_t const planned : {2'000U, 4'000'000U}) {
    constexpr std::uint64_t each = 3'000;
    concurrent shared(planned_filter<TypeParam>(planned));
    auto const first = keys<random_keys>(0, each);
    shared.insert(first);
    {
      std::vector<std::jthread> running;
      for (unsigned t = 0; t < 3; ++t)
        running.emplace_back([&, t] {
          auto const mine = keys<random_keys>((t + 1) * each, each);
          std::vector<std::uint64_t> words(mask_words(each));
          std::vector<std::uint32_t> positions(each);
          for (std::size_t i = 0; i < each; i += 500) {
            shared.insert(std::vector(mine.begin() + static_cast<std::ptrdiff_t>(i),
                                      mine.begin() + static_cast<std::ptrdiff_t>(i) + 500));
            ASSERT_EQ(shared.may_contain(first).count(), each);
            ASSERT_EQ(shared.select(first, positions), each);
            shared.may_contain(mine, words);
            for (std::size_t k = 0; k < i + 500; ++k) ASSERT_TRUE((words[k / 64] >> (k % 64) & 1) != 0) << k;
          }
        });
    }
    auto const asked = keys<random_keys>(2 * each, 10 * each);
    auto const hits = shared.may_contain(asked);
    std::vector<std::uint64_t> words(mask_words(asked.size()));
    shared.may_contain(asked, words);
    EXPECT_EQ(hits.words(), words);
    std::vector<std::uint32_t> positions(asked.size());
    EXPECT_EQ(shared.select(asked, positions), hits.count());
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(hits[i], shared.may_contain(asked[i])) << i;
    EXPECT_LT(hits.count(), asked.size() + (planned < 10'000 ? 1 : 0));
    EXPECT_THROW(shared.may_contain(asked, std::span(words).first(3)), error);
    auto const done = std::move(shared).take();
    EXPECT_EQ(done.may_contain(asked), hits);
  }
}

/// Two threads side by side through the same words, each with bits of its own: whoever reads a word and writes it back later
/// undoes what the other did in between. Random keys meet in a word too seldom to show that, and on a busy machine so do two
/// threads: they go on until they have seen each other at work often enough.
TEST(concurrent_bits, of_one_word_are_not_lost) {
  constexpr std::uint64_t bits = std::uint64_t{1} << 20;
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (std::uint64_t met = 0; met < 1000 && std::chrono::steady_clock::now() < deadline;) {
    bit_array shared(bits);
    std::atomic<unsigned> ready = 0;
    std::atomic<std::uint64_t> word_of[2] = {0, 0}, fresh = 0, meetings = 0;
    auto const set_every_other = [&](unsigned t) {
      for (++ready; ready < 2;) std::this_thread::yield();
      std::uint64_t mine = 0, seen = 0, last = 0;
      for (std::uint64_t i = t; i < bits; i += 2) {
        if (i % 64 == t) {
          word_of[t].store(i / 64, std::memory_order_relaxed);
          auto const other = word_of[1 - t].load(std::memory_order_relaxed);
          seen += other != last && other + 1 >= i / 64 && other <= i / 64 + 1 ? 1U : 0U;  // it moves, and is near
          last = other;
        }
        mine += shared.set_shared(i) ? 1U : 0U;
      }
      fresh += mine;
      meetings += seen;
    };
    {
      std::jthread const one(set_every_other, 0U);
      std::jthread const another(set_every_other, 1U);
    }
    ASSERT_EQ(shared.ones(), bits);
    ASSERT_EQ(fresh, bits);
    met += meetings;
  }
}

TEST(concurrent, takes_keys_of_every_kind_and_says_which) {
  concurrent shared(blocked_filter({.items = 100, .fpr = 0.01}));
  EXPECT_TRUE(shared.insert("ada"));
  EXPECT_FALSE(shared.insert(std::string("ada")));
  EXPECT_TRUE(shared.may_contain("ada"));
  shared.insert(std::vector<int>{1, 2, 3});
  auto const done = std::move(shared).take();
  EXPECT_EQ(done.about().items_inserted, 5U);
  EXPECT_EQ(done.about().kinds, key_kind::bytes | key_kind::integers);
  EXPECT_EQ(done.about().items_planned, 100U);
  EXPECT_TRUE(done.may_contain(2));
}

}  // namespace
}  // namespace hortus::testing
