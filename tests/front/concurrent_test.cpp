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
of_keys<F> planned(std::uint64_t items) {
  typename F::goal goal;
  goal.items = items;
  return of_keys<F>(goal);
}

/// So small a filter that the threads meet in every word.
TYPED_TEST(concurrent_inserts, lose_nothing_and_make_the_bytes_of_one_thread) {
  constexpr std::uint64_t each = 5'000;
  constexpr unsigned threads = 4;
  auto alone = planned<TypeParam>(2'000);
  alone.insert(keys<random_keys>(0, threads * each));
  concurrent shared(planned<TypeParam>(2'000));
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
  concurrent shared(planned<TypeParam>(100'000));
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
