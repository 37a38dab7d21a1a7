#pragma once
#include "laws/support.hpp"

/// fold, and the rate predicted for it.
namespace hortus::testing {

template <class F>
requires foldable<F> && membership<F>
void fold_keeps_the_keys_and_has_the_rate_it_foretold() {
  auto const original = filled<F>(10'000);
  auto const ways = plan::divisors(original.family().fold_width());
  if constexpr (makeable<F>) {
    auto const planned = F(F::plan(goal_for<F>(10'000'000))).fold_width();
    EXPECT_GE(plan::divisors(planned).size(), 20U) << "sizes are planned with divisors to spare: " << planned;
  }
  for (auto const by : ways) {
    if (by > 200) break;
    auto f = original;
    double const foretold = f.family().fpr_folded(by);
    f.fold(by);
    EXPECT_DOUBLE_EQ(f.fpr(), foretold);
    // As planned: counters that were added up may need more bits than each did before.
    // A built family may keep what says where its keys are.
    auto const more = buildable<F> ? F::planned_bytes(original.family().shape()) / 50 : 0;
    EXPECT_LE(F::planned_bytes(f.family().shape()), F::planned_bytes(original.family().shape()) / by + 8 + more);
    EXPECT_EQ(f.may_contain(keys<random_keys>(0, 10'000)).count(), 10'000U) << "folded by " << by;
    if constexpr (erasable<F>) {
      EXPECT_EQ(f.erase(keys<random_keys>(0, 5000)), 5000U);
      EXPECT_EQ(f.may_contain(keys<random_keys>(5000, 5000)).count(), 5000U) << "folded by " << by << ", then erased";
    }
  }
  auto f = original;
  for (std::uint64_t const by : {std::uint64_t{0}, original.family().fold_width() + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(code_of([&] { f.fold(by); }), errc::bad_params) << by;
    EXPECT_EQ(code_of([&] { (void)f.family().fpr_folded(by); }), errc::bad_params) << by;
  }
  EXPECT_EQ(f, original);
}

/// A filter that can be folded for the rates below.
template <foldable F>
of_keys<F> roomy_filter() {
  if constexpr (buildable<F>) {
    return filled<F>(5000, 0, 0x1p-12);
  } else {
    of_keys<F> roomy(goal_for<F>(100'000, 1e-4));
    fill(roomy, keys<random_keys>(0, 5000));
    return roomy;
  }
}

template <class F>
requires foldable<F> && membership<F>
void fold_to_a_rate_goes_as_far_as_it_may() {
  auto const roomy = roomy_filter<F>();
  for (double const target : {0.3, 0.05, 0.001}) {
    auto f = roomy;
    auto const by = f.fold_to_fpr(target);
    EXPECT_TRUE(by > 1 || buildable<F>);
    EXPECT_LE(f.fpr(), target);
    auto const ways = plan::divisors(roomy.family().fold_width());
    auto const next = std::ranges::upper_bound(ways, by);
    ASSERT_NE(next, ways.end());
    EXPECT_GT(roomy.family().fpr_folded(*next), target) << "it could have been smaller";
  }
  auto full = filled<F>(1000);
  auto const before = to_bytes(full);
  EXPECT_EQ(full.fold_to_fpr(full.fpr() / 2), 1U) << "it is above that rate already";
  EXPECT_EQ(to_bytes(full), before);
}

template <class F>
void register_folding_laws() {
  HORTUS_LAW(fold_keeps_the_keys_and_has_the_rate_it_foretold);
  HORTUS_LAW(fold_to_a_rate_goes_as_far_as_it_may);
}

}  // namespace hortus::testing
