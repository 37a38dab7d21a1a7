#pragma once
#include "laws/support.hpp"

/// insert and insert_if_new, one by one, in batches, and into a filter that is full.
namespace hortus::testing {

template <class F>
void a_batch_does_what_its_keys_do_one_by_one() {
  if constexpr (buildable<F>)
    for (std::uint64_t const count : {0U, 1U, 2U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U}) {
      auto const f = filled<F>(count);
      auto const asked = keys<random_keys>(count / 2, count);  // half of them members
      if constexpr (membership<F>) {
        auto const hits = f.may_contain(asked);
        ASSERT_EQ(hits.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(hits[i], f.may_contain(asked[i])) << i << " of " << count;
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

/// A key that does not fit is refused: insert says so, nothing changes, and every key that went in is still found. Overfilled
/// tenfold, one by one and in batches, with the front's books right.
template <class F>
requires insertable<F> &&(can_be_full<F>)void a_full_filter_refuses_keys_and_loses_none() {
  for (std::uint64_t const planned : {1U, 10U, 1000U}) {
    of_keys<F> f(goal_for<F>(planned));
    auto const offered = keys<random_keys>(0, 100 + 10 * planned);
    std::vector<std::uint64_t> members;
    std::uint64_t refused = 0;
    for (auto const key : offered) {
      auto const before = refused < 50 ? to_bytes(f) : std::vector<std::byte>();
      if (f.insert(key)) {
        members.push_back(key);
      } else if (refused++ < 50) {
        ASSERT_EQ(to_bytes(f), before) << "what is refused changes nothing";
      }
    }
    EXPECT_GE(members.size(), planned);
    EXPECT_GT(refused, 0U) << planned;
    EXPECT_EQ(f.about().items_inserted, members.size());
    EXPECT_EQ(f.may_contain(members).count(), members.size());

    of_keys<F> together(goal_for<F>(planned));
    EXPECT_EQ(together.insert(offered), members.size());
    EXPECT_EQ(to_bytes(together), to_bytes(f)) << planned;
    EXPECT_EQ(to_bytes(from_bytes<of_keys<F>>(to_bytes(f))), to_bytes(f));

    if constexpr (erasable<F>) {
      for (std::size_t i = 0; i < members.size(); i += 2) ASSERT_TRUE(f.erase(members[i]));
      for (std::size_t i = 1; i < members.size(); i += 2) ASSERT_TRUE(f.may_contain(members[i])) << i;
      for (std::size_t i = 0; i < members.size() / 4; ++i)  // there is room again
        ASSERT_TRUE(f.insert(random_keys::make(absent + i))) << i << " of " << planned;
    }
  }
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

/// Whether a key is new cannot be told by a key that has no room: insert_if_new throws, changes nothing, and still finds
/// members.
template <class F>
requires noticing<F> &&(can_be_full<F>)void insert_if_new_throws_when_it_is_full() {
  of_keys<F> f(goal_for<F>(100));
  auto const offered = keys<random_keys>(0, 2000);
  std::uint64_t refused = 0, members = 0;
  for (auto const key : offered) {
    auto const before = to_bytes(f);
    try {
      f.insert_if_new(key);
      ++members;
    } catch (error const& e) {
      ++refused;
      EXPECT_EQ(e.code(), errc::full);
      ASSERT_EQ(to_bytes(f), before);
    }
  }
  EXPECT_GE(members, 100U);
  EXPECT_GT(refused, 1000U);
  EXPECT_EQ(f.about().items_inserted, members);
  auto together = f;
  EXPECT_EQ(code_of([&] { (void)together.insert_if_new(offered); }), errc::full);
  EXPECT_EQ(together.family(), f.family());
  EXPECT_FALSE(f.insert_if_new(offered.front())) << "a member needs no room";
}

template <class F>
void register_inserting_laws() {
  HORTUS_LAW(a_batch_does_what_its_keys_do_one_by_one);
  HORTUS_LAW(a_full_filter_refuses_keys_and_loses_none);
  HORTUS_LAW(insert_if_new_tells_new_keys_and_inserts_them);
  HORTUS_LAW(a_batch_of_insert_if_new_does_the_same);
  HORTUS_LAW(insert_if_new_throws_when_it_is_full);
}

}  // namespace hortus::testing
