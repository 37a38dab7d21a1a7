#pragma once
#include "laws/support.hpp"

/// Families that are built of all keys at once.
namespace hortus::testing {

/// What a built family was given, in any order and whatever the goal said of their number, is what it holds.
template <class F>
requires buildable<F>
void a_built_filter_depends_on_its_keys_alone() {
  for (std::uint64_t const items : {0U, 1U, 2U, 7U, 1000U, 30'000U}) {
    auto members = keys<random_keys>(0, items);
    auto const f = of_keys<F>::build(members, goal_for<F>(items));
    EXPECT_EQ(f.about().items_inserted, items);
    EXPECT_EQ(f.about().kinds, items == 0 ? key_kind::none : key_kind::integers);
    std::ranges::reverse(members);
    for (std::uint64_t const hint : {std::uint64_t{0}, items / 2, 10 * items + 1, ~std::uint64_t{0}})
      EXPECT_EQ(of_keys<F>::build(members, goal_for<F>(hint)), f) << items << " keys, told " << hint;
    auto const listed = std::list<std::uint64_t>(members.begin(), members.end());  // a range that is read once
    EXPECT_EQ(of_keys<F>::build(listed, goal_for<F>(items)), f);
    std::vector<digest> digests;
    for (auto const key : members) digests.push_back(f(key));
    EXPECT_EQ(of_keys<F>::build(digests, goal_for<F>(items)), f);

    for (auto const key : keys<random_keys>(0, items / 2)) members.insert(members.end(), 2, key);  // some thrice
    auto const repeated = of_keys<F>::build(members, goal_for<F>(items));
    if constexpr (membership<F>) {
      EXPECT_EQ(repeated.may_contain(members).count(), members.size());
    }
    if constexpr (countable<F>)
      for (std::uint64_t i = 0; i < items && never_undercounts<F>; ++i) {
        ASSERT_GE(repeated.count(random_keys::make(i)), static_cast<count_type<F>>(i < items / 2 ? 3 : 1)) << i;
      }
  }
}

/// As a map of all sorts of counts says; at a rate so low that no count is wrong by chance: a thousand keys at 1e-12.
template <class F>
requires buildable<F> && countable<F>
void a_built_filter_counts_what_it_was_built_of() {
  for_each_key_set([&]<class Keys>() {
    std::vector<std::remove_cvref_t<decltype(Keys::make(0))>> all;
    auto const times = [](std::uint64_t i) { return i % 10 == 0 ? 1 + i * i % 1000 : 1 + i % 3; };
    for (std::uint64_t i = 0; i < 1000; ++i) all.insert(all.end(), times(i), Keys::make(i));
    auto const f = of_keys<F>::build(all, goal_for<F>(1000, 1e-12));
    for (std::uint64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(f.count(Keys::make(i)), static_cast<count_type<F>>(times(i))) << Keys::name << i;
    EXPECT_EQ(f.count(Keys::make(absent)), 0) << Keys::name;
  });
}

template <class F>
void register_building_laws() {
  HORTUS_LAW(a_built_filter_depends_on_its_keys_alone);
  HORTUS_LAW(a_built_filter_counts_what_it_was_built_of);
}

}  // namespace hortus::testing
