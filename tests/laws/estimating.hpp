#pragma once
#include "laws/support.hpp"

/// estimate: how many distinct keys.
namespace hortus::testing {

/// The interval is one of 95 %; six standard deviations hold but for 1e-9, and one key for the smallest.
template <class F>
requires estimating<F>
void estimate_is_near_the_number_of_distinct_keys() {
  for (auto const items : sizes())
    for_each_key_set([&]<class Keys>() {
      auto f = filled<F, Keys>(items);
      if constexpr (insertable<F>)
        if (items < 1000) fill(f, keys<Keys>(0, items));  // again: duplicates are no new keys
      auto const e = f.estimate();
      EXPECT_LE(e.low, e.value);
      EXPECT_LE(e.value, e.high);
      if (e.saturated) return;  // a few keys may fill a tiny filter
      double const n = static_cast<double>(items);
      double const widened = z_two_sided / plan::z95;
      EXPECT_LE(n, e.value + widened * (e.high - e.value) + 1) << Keys::name;
      EXPECT_GE(n, e.value - widened * (e.value - e.low) - 1) << Keys::name;
    });
}

template <class F>
void register_estimating_laws() {
  HORTUS_LAW(estimate_is_near_the_number_of_distinct_keys);
}

}  // namespace hortus::testing
