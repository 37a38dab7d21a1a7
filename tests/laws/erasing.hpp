#pragma once
#include "laws/support.hpp"

/// erase undoes insert.
namespace hortus::testing {

template <class F>
requires erasable<F> && insertable<F>
void as_many_erases_as_inserts_restore_the_bytes() {
  if constexpr (erase_restores<F>)
    for (std::uint64_t const items : {0U, 1U, 500U})
      for (std::uint64_t const added : {1U, 7U, 500U})
        for (unsigned const times : {1U, 2U}) {   // far from the maximum of any cell
          of_keys<F> f(goal_for<F>(2000, 1e-6));  // no two keys are taken for one: 2-bit counters have room for 3
          fill(f, keys<random_keys>(0, items));
          auto const before = own_bytes(f);
          auto const more = keys<random_keys>(items / 2, added);  // of them some that are there already
          for (unsigned i = 0; i < times; ++i) (void)f.insert(more);
          EXPECT_NE(own_bytes(f), before);
          for (unsigned i = 0; i < times; ++i) EXPECT_EQ(f.erase(more), added);
          EXPECT_EQ(own_bytes(f), before) << items << " items, " << added << " more, " << times << " times";
        }
  of_keys<F> f(goal_for<F>(100));
  for (auto const key : keys<random_keys>(0, 100)) {
    if (!insert_key(f, key)) continue;  // taken for a key that was erased, where those do not come back
    EXPECT_TRUE(f.erase(key));
    if constexpr (membership<F>) {
      EXPECT_FALSE(f.may_contain(key));
    }
    if constexpr (countable<F>) {
      EXPECT_EQ(f.count(key), 0);
    }
  }
}

/// A count of 0 is certain only where counts are never too low; fast_ams, say, erases anything.
template <class F>
constexpr bool knows_what_is_absent() {
  if constexpr (countable<F> && !membership<F>)
    return never_undercounts<F>;
  else
    return membership<F>;
}
template <class F>
requires erasable<F> &&(knows_what_is_absent<F>()) void erasing_what_is_certainly_absent_changes_nothing_and_says_so() {
  for (std::uint64_t const items : {0U, 1U, 1000U}) {
    auto f = filled<F>(items);
    auto const before = to_bytes(f);
    std::uint64_t refused = 0;
    for (auto const key : keys<random_keys>(absent, 1000)) {
      if (perhaps_there(f, key)) continue;  // would be misuse
      ASSERT_FALSE(f.erase(key)) << items;
      ++refused;
    }
    if constexpr (membership<F>) {
      EXPECT_GT(refused, 500U);
    }
    EXPECT_EQ(to_bytes(f), before) << items;
  }
}

template <class F>
void register_erasing_laws() {
  HORTUS_LAW(as_many_erases_as_inserts_restore_the_bytes);
  HORTUS_LAW(erasing_what_is_certainly_absent_changes_nothing_and_says_so);
}

}  // namespace hortus::testing
