#pragma once
#include <hortus/declared_verbs.hpp>

#include "laws/support.hpp"

/// What a plan promises.
namespace hortus::testing {

template <class F>
requires plannable<F>
void a_plan_keeps_the_rate_it_was_asked_for() {
  for (std::uint64_t const items : {0ULL, 1ULL, 2ULL, 7ULL, 1000ULL, 100'000ULL, 1'000'000ULL, 5'000'000'000ULL})
    for (double const fpr : {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6}) {
      typename F::params params;
      try {
        params = F::plan(goal_for<F>(items, fpr));
      } catch (error const& e) {
        // Billions of keys at a low rate may be more than a family with wide cells can hold. An estimate that is a hundred
        // times as precise needs ten thousand times the space.
        bool const too_many = items > 1'000'000'000 && fpr < 0.1;
        bool const too_precise = question_of(verbs_of<F>()) == question::how_many && fpr < 1e-3;
        EXPECT_TRUE((too_many || too_precise) && e.code() == errc::bad_goal) << items << " at " << fpr << e.what();
        continue;
      }
      EXPECT_LE(F::planned_fpr(params, items), fpr * (1 + 1e-9)) << items << " items at " << fpr;
      if (items > 100'000) continue;
      if constexpr (makeable<F> && starts_small<F>) {
        EXPECT_LE(F(params).size_bytes(), F::planned_bytes(params));
      } else if constexpr (makeable<F>) {
        EXPECT_EQ(F(params).size_bytes(), F::planned_bytes(params));
      } else if (items != 0) {
        auto const f = of_keys<F>::build(keys<random_keys>(0, items), goal_for<F>(0, fpr));
        if constexpr (plans_exactly<F>) {
          EXPECT_EQ(f.size_bytes(), F::planned_bytes(params)) << items << " items at " << fpr;
        } else {
          double const planned = static_cast<double>(F::planned_bytes(params));
          EXPECT_NEAR(static_cast<double>(f.size_bytes()), planned, .05 * planned + 64) << items << " items at " << fpr;
        }
        EXPECT_EQ(f.family().shape(), params) << items << " items at " << fpr;
      }
    }
}

template <class F>
requires plannable<F>
void an_impossible_goal_is_refused() {
  double const usual = decltype(goal_for<F>(10)){}.fpr;  // 1 where a rate is not asked for by default, as of exact sets
  for (double const fpr : {0.0, 1.0, -0.5, 2.0, std::nan(""), HUGE_VAL})
    if (fpr != usual) {
      EXPECT_EQ(code_of([&] { (void)F::plan(goal_for<F>(10, fpr)); }), errc::bad_goal) << fpr;
    }
  EXPECT_EQ(code_of([] { (void)F::plan(goal_for<F>(~std::uint64_t{0})); }), errc::bad_goal);
  if constexpr (makeable<F>) {
    EXPECT_EQ(code_of([] { F f{typename F::params{}}; }), errc::bad_params);
  } else {
    std::vector<digest> const keys{digest(1), digest(2)};
    EXPECT_EQ(code_of([&] { (void)F::build(keys, goal_for<F>(2, 0.0)); }), errc::bad_goal);
    EXPECT_NO_THROW((void)F::build(keys, goal_for<F>(~std::uint64_t{0}))) << "the keys say how many they are";
  }
}

template <class F>
void register_planning_laws() {
  HORTUS_LAW(a_plan_keeps_the_rate_it_was_asked_for);
  HORTUS_LAW(an_impossible_goal_is_refused);
}

}  // namespace hortus::testing
