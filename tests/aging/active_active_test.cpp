#include <hortus/aging/active_active.hpp>

#include <gtest/gtest.h>

#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using over_bloom = active_active<bloom<>>;

// The sheet's filter: two halves of 10 000 bits, 8 probes, 906 keys each. The rate when full is .00999, and .00575 on average.
// A swap is seen by the rate falling; keys that are taken for some that are there delay it a little. Each of 200 fills is 3 %
// off or so; their average 0.2 %, and by the steps of the looks 1 %.
TEST(active_active_filter, rates_of_the_sheet) {
  of_keys<over_bloom> f(over_bloom(over_bloom::params{906, {10'000, 8}}));
  f.insert(keys<random_keys>(absent, 2 * 906));
  double sum = 0, looks = 0, full = 0, swaps = 0, last = 0;
  for (std::uint64_t next = 0; next < 200 * 906; next += 10) {
    f.insert(keys<random_keys>(next, 10));
    double const rate = f.fpr();
    if (rate < 0.8 * last) {
      full += last;
      ++swaps;
    }
    sum += last = rate;
    ++looks;
  }
  EXPECT_NEAR(swaps, 199, 3);
  EXPECT_NEAR(full / swaps, .00999, .0003);
  EXPECT_NEAR(sum / looks, .00575, .0001);
}

TEST(active_active_filter, a_swap_comes_with_the_first_key_that_does_not_fit) {
  of_keys<over_bloom> f({.items = 100, .fpr = 1e-9});
  auto const part = [&](std::uint64_t from, std::uint64_t count) {
    return f.may_contain(keys<random_keys>(from, count)).count();
  };
  auto const add = [&](std::uint64_t from, std::uint64_t count) { return f.insert(keys<random_keys>(from, count)); };
  add(0, 100);
  double const one_full = f.fpr();
  add(0, 100);
  EXPECT_EQ(f.fpr(), one_full) << "repeats take no room";
  add(100, 1);
  EXPECT_GT(f.fpr(), 0.99 * one_full);
  EXPECT_EQ(part(0, 101), 101U);
  add(101, 99);
  EXPECT_EQ(part(0, 200), 200U) << "both halves full, nothing forgotten";
  EXPECT_FALSE(f.has_forgotten());
  add(50, 1);  // of the passive half: refreshed, and with that the other ones are forgotten
  EXPECT_TRUE(f.has_forgotten());
  EXPECT_EQ(part(50, 1), 1U);
  EXPECT_EQ(part(100, 100), 100U);
  EXPECT_EQ(part(0, 50) + part(51, 49), 0U);
}

TEST(active_active_filter, a_half_never_takes_more_than_its_share) {
  for (std::uint64_t const items : {1U, 2U, 1000U}) {
    of_keys<over_bloom> f({.items = items, .fpr = 0.01});
    double const worst = over_bloom::planned_fpr(f.family().shape(), items);
    EXPECT_LE(worst, 0.01);
    double sum = 0;
    for (std::uint64_t i = 0; i < 50 * items; ++i) {
      f.insert(random_keys::make(i));
      if (items == 1) sum += f.fpr() / 50;
    }
    if (items == 1) {
      EXPECT_LE(sum, 1.5 * worst) << "fifty tiny filters, on average";
    } else {
      EXPECT_LE(f.fpr(), items == 2 ? 1.0 : 1.2 * worst);
    }
  }
}

// Given both halves, and their overlap: keys that were refreshed are in both, and their bits count once.
TEST(active_active_filter, rate_with_refreshed_keys_is_that_of_the_fill) {
  for (unsigned const refreshed : {0U, 5000U, 10'000U}) {
    active_active_filter f({.items = 10'000, .fpr = 0.05});
    f.insert(keys<random_keys>(0, 10'000));
    f.insert(keys<random_keys>(10'000, 1));
    f.insert(keys<random_keys>(0, refreshed));
    std::uint64_t constexpr asked = 2'000'000;
    double hits = 0;
    for (std::uint64_t from = 0; from < asked; from += 100'000)
      hits += static_cast<double>(f.may_contain(keys<random_keys>(absent + from, 100'000)).count());
    EXPECT_TRUE(binomial_band(asked, f.fpr()).holds(hits)) << hits << " at " << f.fpr() << ", " << refreshed;
  }
}

TEST(active_active_filter, space_of_the_card) {
  auto const bits = []<class F>() {
    return 8 * static_cast<double>(F::planned_bytes(F::plan({.items = 1'000'000, .fpr = 0.01}))) / 1e6;
  };
  EXPECT_NEAR((bits.operator()<over_bloom>()), 22.1, 0.1);
  EXPECT_NEAR((bits.operator()<active_active<>>()), 23.1, 0.1);
}

TEST(active_active_filter, halves_of_another_kind_are_refused) {
  of_keys<active_active<partitioned<>>> f({.items = 10, .fpr = 0.01});
  f.insert(keys<random_keys>(0, 25));
  auto const bytes = to_bytes(f);
  EXPECT_EQ(from_bytes<decltype(f)>(bytes), f);
  EXPECT_THROW((void)from_bytes<of_keys<over_bloom>>(bytes), error);
  EXPECT_THROW((void)from_bytes<active_active_filter>(bytes), error);
}

}  // namespace
}  // namespace hortus::testing
