#pragma once
#include "laws/support.hpp"

/// insert and insert_if_new, one by one and in batches.
namespace hortus::testing {

template <class F>
void a_batch_does_what_its_keys_do_one_by_one() {
  if constexpr (buildable<F>)
    for (double const fpr : {0.3, 0.01, 0x1p-8, 0x1p-12, 0x1p-16, 0x1p-30})  // kernels differ by the width of what is stored
      for (std::uint64_t const count : {0U, 1U, 2U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U, 5000U}) {
        auto const f = filled<F>(count, 0, fpr);
        auto const asked = keys<random_keys>(count / 2, count);  // half of them members
        if constexpr (membership<F>) {
          auto const hits = f.may_contain(asked);
          ASSERT_EQ(hits.size(), count);
          for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(hits[i], f.may_contain(asked[i])) << i << " of " << count << fpr;
        }
        if constexpr (countable<F>) {
          auto const counts = f.count(asked);
          ASSERT_EQ(counts.size(), count);
          for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(counts[i], f.count(asked[i])) << i << " of " << count;
        }
      }
  if constexpr (insertable<F>)
    for (std::uint64_t const count : {0U, 1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U}) {
      auto const members = keys<random_keys>(0, count);
      of_keys<F> singly(goal_for<F>(2000));
      of_keys<F> together(goal_for<F>(2000));
      for (auto const key : members) (void)singly.insert(key);
      EXPECT_EQ(together.insert(members), count);
      EXPECT_EQ(to_bytes(singly), to_bytes(together)) << count;

      auto const asked = keys<random_keys>(count / 2, count);
      if constexpr (membership<F>) {
        auto const hits = together.may_contain(asked);
        ASSERT_EQ(hits.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(hits[i], singly.may_contain(asked[i])) << i << " of " << count;
      }
      if constexpr (countable<F>) {
        fill(together, asked);  // so that there are counts of 1 and 2
        for (auto const key : asked) (void)singly.insert(key);
        auto const counts = together.count(asked);
        ASSERT_EQ(counts.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(counts[i], singly.count(asked[i])) << i << " of " << count;
      }
      if constexpr (erasable<F>) {
        auto const gone = keys<random_keys>(count / 2 + count / 4, count);  // members twice, once and not at all
        std::size_t erased = 0;
        for (auto const key : gone) erased += singly.erase(key) ? 1U : 0U;
        EXPECT_EQ(together.erase(gone), erased) << count;
        EXPECT_EQ(to_bytes(singly), to_bytes(together)) << count;
      }
    }
}

/// Beyond the cache, where batches prefetch; with keys that come again, some of them often.
template <class F>
requires insertable<F>
void a_batch_of_inserts_in_a_large_filter_does_the_same() {
  of_keys<F> singly(goal_for<F>(sanitized ? 1'000'000 : 4'000'000));
  auto together = singly;
  auto const all = repeated_keys(20'000, 9000);
  for (auto const key : all) (void)singly.insert(key);
  EXPECT_EQ(together.insert(all), all.size());
  EXPECT_EQ(together, singly);
}

template <class F>
requires noticing<F> && membership<F>
void insert_if_new_tells_new_keys_and_inserts_them() {
  of_keys<F> f(goal_for<F>(1000));
  std::uint64_t fresh = 0;
  for (auto const key : keys<random_keys>(0, 1000)) {
    bool const before = f.may_contain(key);
    bool const is_new = f.insert_if_new(key);
    EXPECT_EQ(is_new, !before);
    EXPECT_FALSE(f.insert_if_new(key));
    fresh += is_new ? 1 : 0;
  }
  EXPECT_GT(fresh, 900U);
  if constexpr (!countable<F> && !forgetting<F>) {  // a second time may count, or age the others
    EXPECT_EQ(f, filled<F>(1000));
  }
}

/// Also of keys that stand twice in a block, in a filter that is small and in one that is not in the cache.
template <class F>
requires noticing<F>
void a_batch_of_insert_if_new_does_the_same() {
  for (std::uint64_t const planned : {100U, sanitized ? 100'000U : 2'000'000U})
    for (std::uint64_t const count : {0U, 1U, 63U, 64U, 65U, 256U, 1000U, 5000U}) {
      if (can_be_full<F> && count > planned) continue;
      std::vector<std::uint64_t> all;
      for (numbers draw(count); all.size() < count;) all.push_back(random_keys::make(draw(count)));
      of_keys<F> singly(goal_for<F>(planned));
      auto together = singly;
      auto const fresh = together.insert_if_new(all);
      ASSERT_EQ(fresh.size(), count);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(fresh[i], singly.insert_if_new(all[i])) << i << " of " << count;
      EXPECT_EQ(together, singly) << count;
      EXPECT_EQ(together.about(), singly.about()) << count;
    }
}

template <class F>
void register_inserting_laws() {
  HORTUS_LAW(a_batch_does_what_its_keys_do_one_by_one);
  HORTUS_LAW(a_batch_of_inserts_in_a_large_filter_does_the_same);
  HORTUS_LAW(insert_if_new_tells_new_keys_and_inserts_them);
  HORTUS_LAW(a_batch_of_insert_if_new_does_the_same);
}

}  // namespace hortus::testing
