#pragma once
#include "laws/support.hpp"

/// count, beside a multiset.
namespace hortus::testing {

template <class F>
requires countable<F> || erasable<F>
void a_batch_of_counts_and_erases_in_a_large_filter_does_the_same() {
  auto singly = filled<F>(1'000'000);
  auto asked = keys<random_keys>(995'000, 10'000);  // half of them members
  if constexpr (insertable<F>) {
    auto const again = repeated_keys(20'000, 9000);
    EXPECT_EQ(singly.insert(again), again.size());
    asked.insert(asked.end(), again.begin() + 5000, again.end());
  }
  if constexpr (countable<F>) {
    auto const counts = singly.count(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(counts[i], singly.count(asked[i])) << i;
  }
  if constexpr (erasable<F>) {
    auto together = singly;
    std::size_t erased = 0;
    for (auto const key : asked) erased += singly.erase(key) ? 1U : 0U;
    EXPECT_GE(erased, 5000U);
    EXPECT_EQ(together.erase(asked), erased);
    EXPECT_EQ(together, singly);
  }
}

template <class F>
requires insertable<F> && countable<F>
void a_lone_key_is_counted_exactly_as_far_as_the_family_counts() {
  auto const most = most_counted<F>();
  ASSERT_GE(most, 1U);
  for_each_key_set([&]<class Keys>() {
    of_keys<F> f(goal_for<F>(1000));
    auto const key = Keys::make(5);
    EXPECT_EQ(f.count(key), 0) << Keys::name;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      (void)f.insert(key);
      ASSERT_EQ(f.count(key), static_cast<count_type<F>>(std::min(i, most))) << Keys::name;
    }
  });
}

/// insert(x, times) is so many inserts of x in a row: the same bytes, among other keys and in a filter that is too full. And
/// far beyond what anybody inserts one by one the count is right, or the most that the family counts to.
template <class F>
requires weighted<F>
void inserting_times_is_inserting_so_often() {
  for (std::uint64_t const planned : {1U, 30U, 1000U}) {
    of_keys<F> singly(goal_for<F>(planned));
    of_keys<F> at_once(goal_for<F>(planned));
    numbers draw(planned);
    for (std::uint64_t step = 0; step < 2 * planned + 20; ++step) {
      auto const key = random_keys::make(draw(planned + 5));
      auto const times = draw(4) == 0 ? draw(300) : draw(4);
      for (std::uint64_t i = 0; i < times; ++i) singly.insert(key);
      at_once.insert(key, static_cast<times_type<F>>(times));
    }
    EXPECT_EQ(to_bytes(at_once), to_bytes(singly)) << planned;
  }
  for (std::uint64_t const times : {std::uint64_t{1} << 20, (std::uint64_t{1} << 32) + 5, (std::uint64_t{1} << 63) - 1}) {
    of_keys<F> f(goal_for<F>(100));
    f.insert("often", static_cast<times_type<F>>(times));
    auto const counted = static_cast<std::uint64_t>(f.count("often"));
    std::uint64_t most = ~std::uint64_t{0};
    if constexpr (requires { f.family().max_count(); }) most = static_cast<std::uint64_t>(f.family().max_count());
    EXPECT_EQ(counted, std::min(times, most));
  }
}

/// Given the fill, an absent key is counted above zero with chance fpr(): as may_contain finds it.
template <class F>
requires membership<F> && countable<F>
void absent_keys_are_counted_as_often_as_they_are_found() {
  for (auto const items : {0U, 7U, 1000U, 100'000U}) {
    auto const f = filled<F>(items);
    auto const asked = keys<random_keys>(absent, 100'000);
    auto const hits = f.may_contain(asked);
    auto const counts = f.count(asked);
    double counted = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!hits[i]) {
        ASSERT_EQ(counts[i], 0) << "certainly absent, and counted";
      }
      counted += counts[i] != 0 ? 1 : 0;
    }
    auto const expected = binomial_band(static_cast<double>(asked.size()), f.fpr());
    EXPECT_TRUE(expected.holds(counted)) << counted << " of " << asked.size() << " with a rate of " << f.fpr();
  }
}

/// A std::map beside it says what went in and was not taken out. Only what is there is erased, so nothing may be missed, and
/// where the family promises it nothing counted too low; counts may stop at the most it counts to.
template <class Keys, class F>
void agrees_with_a_multiset(of_keys<F> f, std::uint64_t pool, std::uint64_t steps, std::uint64_t most, numbers draw) {
  std::map<std::uint64_t, std::uint64_t> model;
  auto const check = [&](std::uint64_t number, std::uint64_t times) {
    [[maybe_unused]] auto const key = Keys::make(number);
    if constexpr (membership<F> && !forgetting<F>) {
      ASSERT_TRUE(times == 0 || f.may_contain(key)) << Keys::name << " " << number << " of " << pool;
    }
    if constexpr (countable<F>) {
      if constexpr (never_undercounts<F>) {
        ASSERT_GE(f.count(key), std::min(times, most)) << Keys::name << " " << number << " of " << pool;
      }
      if constexpr (membership<F>) {
        ASSERT_TRUE(f.count(key) == 0 || f.may_contain(key)) << Keys::name << " " << number << " of " << pool;
      }
    }
  };
  auto const check_all = [&] {
    for (auto const& [number, times] : model) check(number, times);
  };
  for (std::uint64_t step = 0; step < steps; ++step) {
    auto const number = draw(1 + draw(pool));  // small numbers often, large ones seldom
    bool erase = false;
    if constexpr (erasable<F>) erase = draw(10) < (step < steps / 2 ? 2 : 6) && model.contains(number);  // up, then down
    if (erase) {
      if constexpr (erasable<F>) {
        bool const erased = f.erase(Keys::make(number));
        if constexpr (countable<F>)
          if (!never_undercounts<F> && !erased) continue;  // its counts may be too low: then it does not know the member
        ASSERT_TRUE(erased) << "a member is certainly absent?";
      }
      if (--model[number] == 0) model.erase(number);
    } else if (insert_key(f, Keys::make(number))) {
      ++model[number];
    }
    auto const asked = draw(pool);
    auto const known = model.find(asked);
    check(asked, known == model.end() ? 0 : known->second);
    if (step == steps / 2) check_all();
  }
  check_all();
}

/// A filter is planned for fewer keys than it gets in half of the runs, and one that grows for few of them: promises do not end
/// with the plan. At high rates many keys are taken for others, and at each rate what is stored has another width.
template <class F>
requires insertable<F> &&(countable<F> || (erasable<F> && erase_restores<F>)) void a_multiset_beside_it_agrees() {
  std::uint64_t most = ~std::uint64_t{0};
  if constexpr (countable<F>)
    if (auto const found = most_counted<F>(); found < 1000) most = found;
  for (std::uint64_t const pool : {1U, 2U, 30U, 1000U, 20'000U})
    for_each_key_set([&]<class Keys>() {
      for (std::uint64_t const planned : {pool, (pool + 1) / 2, (pool + 19) / 20}) {
        if (planned < (pool + 1) / 2 && !growing<F>) continue;
        agrees_with_a_multiset<Keys>(of_keys<F>(goal_for<F>(planned)), pool, std::max<std::uint64_t>(3 * pool, 2000), most,
                                     numbers(pool + planned));
      }
    });
  for (double const fpr : {.9, .5, .1, .001, 1e-6, 1e-9, 1e-12}) {
    if (!membership<F> && fpr < 1e-6) continue;  // a sketch would need all memory there is
    for (std::uint64_t const pool : {30U, 1000U})
      agrees_with_a_multiset<random_keys>(of_keys<F>(goal_for<F>(pool, fpr)), pool, 20'000, most, numbers(pool));
  }
}

template <class F>
void register_counting_laws() {
  HORTUS_LAW(a_batch_of_counts_and_erases_in_a_large_filter_does_the_same);
  HORTUS_LAW(a_lone_key_is_counted_exactly_as_far_as_the_family_counts);
  HORTUS_LAW(inserting_times_is_inserting_so_often);
  HORTUS_LAW(absent_keys_are_counted_as_often_as_they_are_found);
  HORTUS_LAW(a_multiset_beside_it_agrees);
}

}  // namespace hortus::testing
