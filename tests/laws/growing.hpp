#pragma once
#include "laws/support.hpp"

/// Families that make room for more keys than planned.
namespace hortus::testing {

/// How far a growing family is taken from a first stage of `first` keys: ten doublings, or where the rate grows with the keys
/// ten stages.
template <growing F>
std::uint64_t grown_from(std::uint64_t first) {
  return keeps_fpr<F> ? 1024 * first : 10 * first;
}

/// At every step and just before and after a stage is opened, as the sizes of steps have it: about a fourth of what is there.
template <class F>
requires growing<F> && membership<F>
void growing_it_misses_no_key() {
  for (std::uint64_t const first : {1U, 7U, 100U})
    for_each_key_set([&]<class Keys>() {
      of_keys<F> f(goal_for<F>(first));
      auto const members = keys<Keys>(0, grown_from<F>(first));
      for (std::uint64_t inserted = 0, stages = 1; inserted < members.size();) {
        auto const step = std::min<std::uint64_t>(inserted / 4 + 1, members.size() - inserted);
        fill(f, std::span(members).subspan(inserted, step));
        inserted += step;
        ASSERT_EQ(f.may_contain(std::span(members).first(inserted)).count(), inserted) << Keys::name << " from " << first;
        ASSERT_GE(f.family().stages(), stages);
        stages = f.family().stages();
      }
      EXPECT_GE(f.family().stages(), 7U) << first;
      for (auto const& key : members) ASSERT_TRUE(f.may_contain(key)) << Keys::name << " from " << first;
    });
}

/// A first stage of 1000 keys has some hundred blocks, and then its rate is 10 % off its plan or so, those of later stages
/// less: that of all of them 3 % or so, and six times that is less than what is left of the goal. Keys that are taken for
/// others take no room, so that a filter has a little less of everything than its plan for all keys says: by its rate.
template <class F>
requires growing<F> && membership<F>
void growing_it_has_the_rate_foretold() {
  for (double const fpr : {keeps_fpr<F> ? 0.1 : 0.02, 0.01}) {
    std::uint64_t const first = 1000;
    of_keys<F> f(goal_for<F>(first, fpr));
    auto const all = grown_from<F>(first) / (sanitized ? 8 : 1);
    std::uint64_t looks = 0;
    for (std::uint64_t inserted = 0; inserted < all;) {
      auto const step = std::min(std::max(inserted / 4, first / 4), all - inserted);
      fill(f, keys<random_keys>(inserted, step));
      inserted += step;
      double const rate = f.fpr();
      if (keeps_fpr<F>) {
        EXPECT_LE(rate, fpr) << inserted;
      }
      double const foretold = F::planned_fpr(f.family().shape(), inserted);
      EXPECT_LE(rate, 1.25 * foretold + 0.02 * fpr) << inserted;
      EXPECT_GE(rate, 0.75 * foretold * (1 - foretold) - 0.02 * fpr) << inserted;
      if (looks++ % 8 != 7 && inserted != all) continue;
      auto const asked = static_cast<std::uint64_t>(std::min(hits_for_ten_percent / rate, 2e6));
      auto const hits = static_cast<double>(f.may_contain(keys<random_keys>(absent, asked)).count());
      auto const expected = binomial_band(static_cast<double>(asked), rate);
      EXPECT_TRUE(expected.holds(hits)) << hits << " of " << asked << " at " << rate << " with " << inserted << " keys";
    }
    if constexpr (estimating<F>) {
      auto const e = f.estimate();
      double const widened = z_two_sided / plan::z95;
      EXPECT_LE(static_cast<double>(all), e.value + widened * (e.high - e.value));
      EXPECT_GE(static_cast<double>(all), e.value - widened * (e.value - e.low));
    }
  }
}

/// With keys that come again, in blocks in which several stages are opened.
template <class F>
requires growing<F>
void growing_in_batches_is_growing_one_by_one() {
  for (std::uint64_t const first : {1U, 7U, 100U, 700U}) {
    auto const range = std::min<std::uint64_t>(grown_from<F>(first), 20'000);
    numbers draw(first);
    std::vector<std::uint64_t> all;
    while (all.size() < range) all.push_back(random_keys::make(draw(range)));
    of_keys<F> singly(goal_for<F>(first));
    auto together = singly;
    for (auto const key : all) (void)singly.insert(key);
    fill(together, all);
    ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
    EXPECT_GE(singly.family().stages(), 4U) << first;
    for (auto& key : all) key = random_keys::make(draw(2 * range));
    if constexpr (membership<F>) {
      auto const hits = together.may_contain(all);
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(hits[i], singly.may_contain(all[i])) << i << " from " << first;
    }
    if constexpr (noticing<F>) {
      auto const fresh = together.insert_if_new(all);
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(fresh[i], singly.insert_if_new(all[i])) << i << " from " << first;
      ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
    }
    if constexpr (countable<F>) {
      auto const counts = together.count(all);
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(counts[i], singly.count(all[i])) << i << " from " << first;
    }
    if constexpr (erasable<F>)
      for (int round = 0; round < 3; ++round) {  // the last ones of stages, and what is not there any more
        for (auto& key : all) key = random_keys::make(draw(2 * range));
        std::size_t erased = 0;
        for (auto const key : all) erased += singly.erase(key) ? 1U : 0U;
        EXPECT_EQ(together.erase(all), erased);
        ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
      }
  }
}

template <class F>
requires growing<F>
void repeats_open_no_stage() {
  for (std::uint64_t const first : {1U, 7U, 100U}) {
    of_keys<F> f(goal_for<F>(first));
    auto const members = keys<random_keys>(0, grown_from<F>(first));
    fill(f, members);
    auto const before = own_bytes(f);
    auto const stages = f.family().stages();
    fill(f, members);
    for (auto const key : members) (void)f.insert(key);
    EXPECT_EQ(f.family().stages(), stages);
    if constexpr (erasable<F>) {
      EXPECT_EQ(f.erase(members), members.size());
      for (auto const key : members) ASSERT_TRUE(f.erase(key));
    }
    if constexpr (!erasable<F>) {
      EXPECT_EQ(own_bytes(f), before) << first;
    } else if constexpr (erase_restores<F>) {
      EXPECT_EQ(own_bytes(f), before) << first;
      EXPECT_EQ(f.erase(members), members.size());
      EXPECT_EQ(f.family().stages(), 1U) << "stages go with their last key";
      EXPECT_EQ(f.fpr(), 0);
    }
    f.clear();
    EXPECT_EQ(to_bytes(f), to_bytes(of_keys<F>(goal_for<F>(first))));
  }
}

template <class F>
requires growing<F>
void reloaded_while_it_grows_it_goes_on_as_if_never_saved() {
  for (std::uint64_t const first : {1U, 7U, 100U}) {
    of_keys<F> never_saved(goal_for<F>(first));
    auto reloaded = never_saved;
    auto const all = grown_from<F>(first);
    for (std::uint64_t from = 0; from < all;) {
      auto const some = keys<random_keys>(from, from / 3 + 1);
      fill(never_saved, some);
      fill(reloaded, some);
      if constexpr (erasable<F>) {
        auto const gone = keys<random_keys>(from / 2, from / 6);
        EXPECT_EQ(never_saved.erase(gone), reloaded.erase(gone));
      }
      reloaded = from_bytes<of_keys<F>>(to_bytes(reloaded));
      from += some.size();
      ASSERT_EQ(to_bytes(reloaded), to_bytes(never_saved)) << "after " << from << " keys from " << first;
    }
    auto const bytes = to_bytes(reloaded);
    of_keys<F> copy = *view<of_keys<F>>(bytes);
    copy.clear();
    EXPECT_EQ(to_bytes(copy), to_bytes(of_keys<F>(goal_for<F>(first)))) << "clear starts anew";
  }
}

/// Without the keys, before and after the filter is full. The plan is that of the larger filter.
template <class F>
requires growable<F> && membership<F>
void grow_makes_room_for_twice_the_keys_and_changes_no_answer() {
  std::uint64_t const items = 5000;
  of_keys<F> f(goal_for<F>(items, 1e-4));
  auto const members = keys<random_keys>(0, 4 * items);
  auto const others = keys<random_keys>(absent, 200'000);
  for (std::uint64_t planned = items; planned <= 2 * items; planned *= 2) {
    auto const there = planned - items;
    fill(f, std::span(members).subspan(there, planned - there));
    auto const before = f;
    f.grow();
    EXPECT_EQ(f.about().items_planned, 2 * planned);
    EXPECT_DOUBLE_EQ(f.about().fpr_planned, std::max(1e-4, f.planned_fpr(2 * planned)));
    EXPECT_EQ(f.about().items_inserted, before.about().items_inserted);
    EXPECT_EQ(f.fpr(), before.fpr());
    ASSERT_EQ(f.may_contain(members), before.may_contain(members));
    ASSERT_EQ(f.may_contain(others), before.may_contain(others));
    if constexpr (countable<F>) {
      ASSERT_EQ(f.count(members), before.count(members));
    }
    EXPECT_EQ(f, from_bytes<of_keys<F>>(to_bytes(f)));
    auto more = f;
    EXPECT_EQ(more.insert(std::span(members).subspan(planned, planned)), planned) << "there is room now";
    EXPECT_EQ(more.may_contain(std::span(members).first(2 * planned)).count(), 2 * planned);
    auto late = before;  // a filter without room grows too
    (void)late.insert(std::span(members).subspan(planned, planned));
    late.grow();
    fill(late, std::span(members).subspan(planned, planned));
    EXPECT_EQ(late.may_contain(std::span(members).first(2 * planned)).count(), 2 * planned);
    if constexpr (erasable<F>) {
      EXPECT_EQ(f.erase(std::span(members).first(100)), 100U);
      fill(f, std::span(members).first(100));
    }
  }
}

/// The filter of any size, until it cannot.
template <class F>
requires growable<F> && membership<F>
void a_filter_that_cannot_grow_says_so_and_stays_as_it_was() {
  for (std::uint64_t const items : {1U, 7U, 100U}) {
    auto f = filled<F>(items);
    auto const members = keys<random_keys>(0, items);
    auto const bytes_at_first = f.size_bytes();
    bool grows = true;
    while (grows && f.size_bytes() < 10'000 * (bytes_at_first + 1)) {
      auto const before = to_bytes(f);
      try {
        f.grow();
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::full) << e.what();
        EXPECT_EQ(to_bytes(f), before);
        grows = false;
      }
      ASSERT_EQ(f.may_contain(members).count(), items);
    }
    EXPECT_FALSE(grows) << "of " << items << " keys";
  }
}

template <class F>
void register_growing_laws() {
  HORTUS_LAW(grow_makes_room_for_twice_the_keys_and_changes_no_answer);
  HORTUS_LAW(a_filter_that_cannot_grow_says_so_and_stays_as_it_was);
  HORTUS_LAW(growing_it_misses_no_key);
  HORTUS_LAW(growing_it_has_the_rate_foretold);
  HORTUS_LAW(growing_in_batches_is_growing_one_by_one);
  HORTUS_LAW(repeats_open_no_stage);
  HORTUS_LAW(reloaded_while_it_grows_it_goes_on_as_if_never_saved);
}

}  // namespace hortus::testing
