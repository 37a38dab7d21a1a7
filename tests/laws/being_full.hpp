#pragma once
#include "laws/support.hpp"

/// Families that refuse keys when they are full: not before they have those that they were planned for, and nothing is lost.
namespace hortus::testing {

template <class F>
concept filling_up = insertable<F> && membership<F> && plannable<F> && can_be_full<F>;

/// Do keys make room by moving others? Then they are not back in their places when it is erased.
template <filling_up F>
constexpr bool moves_keys() {
  if constexpr (erasable<F>)
    return !erase_restores<F>;
  else
    return false;
}

/// Also when all of them were replaced by others, four times. In the limit no key is ever refused; small filters and short
/// fingerprints are far from the limit. Where keys move, a search that gives up decides, and there are more trials.
template <class F>
requires filling_up<F>
void planned_keys_always_find_room() {
  constexpr std::uint64_t trials = moves_keys<F>() ? 100'000 : 60'000;
  for (double const fpr : {.9, .5, .1, .03, .01, 1e-5})
    for (std::uint64_t const items :
         {1U, 2U, 3U, 5U, 7U, 8U, 13U, 24U, 25U, 30U, 49U, 64U, 100U, 500U, 1000U, 5000U, 30'000U}) {
      auto const shape = F::plan(goal_for<F>(items, fpr));
      for (std::uint64_t seed = 0; seed < trials / (items + 100); ++seed) {
        auto const key = [&](std::uint64_t i) { return digest::of_hash(mix64(seed) + i); };
        F f(shape);
        std::uint64_t first = 0;  // of the members
        for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(f.insert(key(i))) << items << " items at " << fpr << ", " << seed;
        if constexpr (erasable<F>)
          for (; first < 4 * items; ++first) {
            ASSERT_TRUE(f.erase(key(first)));
            ASSERT_TRUE(f.insert(key(first + items))) << items << " items at " << fpr << ", " << seed;
          }
        for (std::uint64_t i = first; i < first + items; ++i) ASSERT_TRUE(f.may_contain(key(i)));
      }
    }
}

/// Keys that agree in the top or in the low bits of their digests, as those of one shard do.
template <class F>
requires filling_up<F>
void keys_selected_by_their_digest_keep_rate_and_room() {
  for (unsigned const fixed : {0U, 8U, 16U, 24U})
    for (bool const top : {true, false}) {
      auto const selected = [&](std::uint64_t i) {
        auto const random = mix64(i * golden_ratio64);
        return digest(top ? random >> fixed : random << fixed | 1);
      };
      F f(F::plan(goal_for<F>(20'000, .01)));
      for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(f.insert(selected(i)));
      double hits = 0;
      for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.may_contain(selected(absent + i)) ? 1 : 0;
      EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << (top ? "top " : "low ") << fixed << ": " << hits;
      EXPECT_LT(f.fpr(), .0101) << (top ? "top " : "low ") << fixed;
    }
}

/// A key that does not fit is refused: insert says so, nothing changes, and every key that went in is still found. Overfilled
/// one by one and in batches, with the front's books right. Where no key is taken for another, another copy of a member needs
/// no room, and when all are erased nothing stays behind.
template <class F>
requires filling_up<F>
void a_full_filter_refuses_keys_and_loses_none() {
  for (bool const exact : {false, true})
    for (std::uint64_t const planned : {1U, 10U, 30U, 1000U, 20'000U}) {
      if (planned > 1000 && !exact) continue;
      auto const goal = goal_for<F>(planned, exact ? 1e-9 : 0.01);
      of_keys<F> f(goal);
      auto const offered = keys<random_keys>(0, 100 + (exact ? planned + planned / 2 : 10 * planned));
      std::vector<std::uint64_t> members, others;
      for (auto const key : offered) {
        bool const watched = planned <= 1000 && others.size() < 50;
        auto const before = watched ? to_bytes(f) : std::vector<std::byte>();
        if (f.insert(key)) {
          members.push_back(key);
        } else {
          if (watched) {
            ASSERT_EQ(to_bytes(f), before) << "what is refused changes nothing";
          }
          others.push_back(key);
        }
      }
      EXPECT_GE(members.size(), planned);
      EXPECT_FALSE(others.empty()) << planned;
      EXPECT_EQ(f.about().items_inserted, members.size());
      EXPECT_EQ(f.may_contain(members).count(), members.size());

      of_keys<F> together(goal);
      EXPECT_EQ(together.insert(offered), members.size());
      EXPECT_EQ(to_bytes(together), to_bytes(f)) << planned;
      EXPECT_EQ(to_bytes(from_bytes<of_keys<F>>(to_bytes(f))), to_bytes(f));

      if (exact) {
        EXPECT_EQ(f.may_contain(others).count(), 0U);
      }
      if constexpr (countable<F> && erasable<F>)
        if (exact) {
          auto const full = own_bytes(f);
          for (std::size_t i = 0; i < members.size(); i += 1 + members.size() / 20) {
            ASSERT_TRUE(f.insert(members[i])) << "another copy needs no room";
            ASSERT_EQ(f.count(members[i]), 2);
            ASSERT_TRUE(f.erase(members[i]));
          }
          for (auto const key : members) ASSERT_EQ(f.count(key), 1);
          for (auto const key : others) ASSERT_EQ(f.count(key), 0);
          if (erase_restores<F>) {
            EXPECT_EQ(own_bytes(f), full);
          }
        }
      if constexpr (erasable<F>) {
        ASSERT_TRUE(f.erase(members[0]));
        ASSERT_TRUE(f.insert(members[0])) << "one that was erased has left its room";
        for (std::size_t i = 0; i < members.size(); i += 2) ASSERT_TRUE(f.erase(members[i]));
        for (std::size_t i = 1; i < members.size(); i += 2) ASSERT_TRUE(f.may_contain(members[i])) << i;
        for (std::size_t i = 0; i < members.size() / 4; ++i)  // there is room again
          ASSERT_TRUE(f.insert(random_keys::make(absent + i))) << i << " of " << planned;
        if (!exact) continue;
        for (std::size_t i = 1; i < members.size(); i += 2) ASSERT_TRUE(f.erase(members[i]));
        for (std::size_t i = 0; i < members.size() / 4; ++i) ASSERT_TRUE(f.erase(random_keys::make(absent + i)));
        EXPECT_EQ(own_bytes(f), own_bytes(of_keys<F>(goal))) << planned;
      }
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
void register_being_full_laws() {
  HORTUS_LAW(planned_keys_always_find_room);
  HORTUS_LAW(keys_selected_by_their_digest_keep_rate_and_room);
  HORTUS_LAW(a_full_filter_refuses_keys_and_loses_none);
  HORTUS_LAW(insert_if_new_throws_when_it_is_full);
}

}  // namespace hortus::testing
