// The plan of distance-sensitive filters: probabilities against a table computed apart, the search, goals that are impossible.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <hortus/plan/distance_sensitive.hpp>

namespace hortus::plan {
namespace {

struct row {
  std::uint64_t items;
  double near, far;
  unsigned samples;
  std::uint64_t ratio;
  double equal, far_bit, near_bit;  ///< to four digits
  unsigned arrays, threshold;       ///< the fewest, in steps of 2, with both rates at most 1 %; 0: none below 400
};
constexpr row table[] = {
    {1000, 0.05, 0.4, 20, 8, 0.3585, 0.1492, 0.4338, 56, 16},  {1000, 0.05, 0.4, 24, 16, 0.2920, 0.0650, 0.3348, 44, 8},
    {1000, 0.05, 0.5, 16, 8, 0.4401, 0.1309, 0.5059, 32, 10},  {1000, 0.1, 0.5, 16, 16, 0.1853, 0.0748, 0.2346, 108, 16},
    {10000, 0.05, 0.5, 20, 8, 0.3585, 0.1259, 0.4339, 44, 12}, {100000, 0.02, 0.4, 32, 8, 0.5239, 0.1245, 0.5798, 24, 8},
    {1000, 0.1, 0.4, 20, 8, 0.1216, 0.1492, 0.2247, 0, 0},
};

TEST(distance_sensitive_plan, has_the_probabilities_of_the_table) {
  for (auto const& r : table) {
    distance_sensitive_shape const s{r.ratio * r.items, 1, r.samples, 1, r.near, r.far};
    EXPECT_NEAR(equal_samples(r.near, r.samples), r.equal, 5e-5);
    EXPECT_NEAR(bit_set_far(s, r.items, r.far), r.far_bit, 5e-5);
    EXPECT_NEAR(bit_set_near(s, r.items, r.near), r.near_bit, 5e-5);
    auto const found = fewest_arrays(bit_set_near(s, r.items, r.near), bit_set_far(s, r.items, r.far), 0.01, 0.01, 398, 4, 2);
    ASSERT_EQ(found.has_value(), r.arrays != 0);
    EXPECT_EQ(found.value_or(arrays_and_threshold()), (arrays_and_threshold{r.arrays, r.threshold}));
  }
}

/// P(X >= at_least) by the sum of all terms, from the recurrence over trials.
double tail_by_trials(unsigned trials, double chance, unsigned at_least) {
  std::vector<double> is(trials + 2);
  is[0] = 1;
  for (unsigned i = 0; i < trials; ++i)
    for (auto j = i + 1; j + 1 > 0; --j) is[j] = is[j] * (1 - chance) + (j > 0 ? is[j - 1] * chance : 0);
  double sum = 0;
  for (auto j = at_least; j <= trials; ++j) sum += is[j];
  return sum;
}

TEST(distance_sensitive_plan, rates_are_exact_binomial_tails) {
  distance_sensitive_shape const s{8000, 32, 16, 10, 13 / 256.0, 0.5};
  double const near_bit = 1 - (1 - std::pow(1 - 13 / 256.0, 16)) * std::pow(1 - 1 / 8000.0, 999);
  double const far_bit = 1 - std::pow((1 - std::pow(0.5, 16)) * (1 - 1 / 8000.0), 1000);
  EXPECT_NEAR(distance_sensitive_fpr(s, 1000), tail_by_trials(32, far_bit, 10), 1e-12);
  EXPECT_NEAR(distance_sensitive_fnr(s, 1000), 1 - tail_by_trials(32, near_bit, 10), 1e-12);
  EXPECT_NEAR(distance_sensitive_fpr(s, 1000), 0.0061, 5e-5);  // the values that the table's author measured against
  EXPECT_NEAR(distance_sensitive_fnr(s, 1000), 0.0098, 5e-5);
}

TEST(distance_sensitive_plan, knows_the_edges) {
  distance_sensitive_shape const s{8000, 32, 16, 10, 0, 1};
  EXPECT_EQ(distance_sensitive_fpr(s, 0), 0);             // an empty filter accepts nothing
  EXPECT_EQ(distance_sensitive_fnr(s, 1000), 0);          // a member is never missed
  EXPECT_EQ(bit_set_far(s, 1, 1), 1 - (1 - 1 / 8000.0));  // samples of opposite keys are never equal
  distance_sensitive_shape const one_bit{1, 1, 1, 1, 0, 1};
  EXPECT_EQ(bit_set_near(one_bit, 1, 1), 0);  // no other member, and never equal
  EXPECT_EQ(bit_set_near(one_bit, 2, 1), 1);
  EXPECT_EQ(bit_set_far(one_bit, 0, 1), 0);
  EXPECT_EQ(bit_set_far(one_bit, 5, 0), 1);
}

TEST(distance_sensitive_plan, the_answer_falls_with_distance) {
  auto const s = distance_sensitive({.items = 1000, .near = 0.05, .far = 0.4});
  double before = 1;
  for (double d = 0; d <= 1; d += 0.01) {
    EXPECT_LE(near_chance(s, 1000, d), before + 1e-12) << d;
    before = near_chance(s, 1000, d);
  }
  EXPECT_EQ(near_chance(s, 1000, 0), 1);
  EXPECT_GE(near_chance(s, 1000, 0.05), 0.99);
  EXPECT_LE(near_chance(s, 1000, 0.4), 0.01);
}

TEST(distance_sensitive_plan, keeps_both_rates_and_is_no_larger_than_the_table) {
  for (auto const& r : table) {
    for (double const rate : {0.1, 0.01, 1e-4}) {
      distance_sensitive_goal g{.items = r.items, .fpr = rate, .fnr = rate, .near = r.near, .far = r.far};
      if (auto const always = find_distance_sensitive(g)) {  // kept from the first member on
        EXPECT_TRUE(is_valid(*always));
        EXPECT_LE(distance_sensitive_fpr(*always, r.items), rate);
        for (auto const members : {std::uint64_t{1}, std::uint64_t{2}, r.items / 10, r.items})
          EXPECT_LE(distance_sensitive_fnr(*always, members), rate);
      }
      g.full = true;
      auto const found = find_distance_sensitive(g);
      if (!found) continue;
      EXPECT_TRUE(is_valid(*found));
      EXPECT_LE(distance_sensitive_fpr(*found, r.items), rate);
      EXPECT_LE(distance_sensitive_fnr(*found, r.items), rate);
      EXPECT_LE(distance_sensitive_fpr(*found, r.items / 2), rate);  // fewer members: fewer accidents
      if (rate == 0.01 && r.arrays != 0) {
        EXPECT_LT(found->slice_bits * found->arrays, r.arrays * r.ratio * r.items);
      }
    }
  }
}

TEST(distance_sensitive_plan, takes_samples_and_ratio_from_the_goal) {
  auto const s = distance_sensitive({.items = 1000, .near = 0.05, .far = 0.5, .samples = 16, .slice_ratio = 8, .full = true});
  EXPECT_EQ(s.samples, 16U);
  EXPECT_EQ(s.slice_bits, 8000U);
  EXPECT_EQ(s.arrays, 32U);
  EXPECT_EQ(s.threshold, 10U);
}

// The search starts at a number of arrays that the normal approximation gives. It must never start too high.
TEST(distance_sensitive_plan, starts_its_search_low_enough) {
  for (double far_bit : {0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6})
    for (double near_bit : {0.02, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99})
      for (double rate : {0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8}) {
        if (near_bit <= far_bit + 0.05) continue;
        for (double other : {0.2, 0.01, 1e-6}) {
          auto const found = fewest_arrays(near_bit, far_bit, rate, other, 1024);
          EXPECT_LE(least_arrays(near_bit, far_bit, rate, other), found ? found->arrays : 1e9)
              << near_bit << ' ' << far_bit << ' ' << rate << ' ' << other;
        }
      }
}

std::string refusal(distance_sensitive_goal const& g) {
  try {
    (void)distance_sensitive(g);
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_goal);
    return e.what();
  }
  return "";
}

TEST(distance_sensitive_plan, refuses_what_is_no_goal) {
  distance_sensitive_goal const good{.items = 1000, .near = 0.05, .far = 0.4};
  EXPECT_EQ(refusal(good), "");
  auto const with = [&](auto change) {
    auto g = good;
    change(g);
    return refusal(g);
  };
  double const nan = std::nan("");
  for (double bad : {0.0, 1.0, -0.1, nan}) {
    EXPECT_NE(with([&](auto& g) { g.fpr = bad; }), "");
    EXPECT_NE(with([&](auto& g) { g.fnr = bad; }), "");
  }
  for (double bad : {-0.1, 0.4, 0.5, nan}) EXPECT_NE(with([&](auto& g) { g.near = bad; }), "");
  for (double bad : {0.05, 0.0, 1.1, nan}) EXPECT_NE(with([&](auto& g) { g.far = bad; }), "");
  for (double bad : {-1.0, 0.5, 65.0, nan}) EXPECT_NE(with([&](auto& g) { g.slice_ratio = bad; }), "");
  EXPECT_NE(with([](auto& g) { g.samples = 1025; }), "");
  EXPECT_NE(with([](auto& g) { g.items = ~std::uint64_t{0}; }), "");
}

TEST(distance_sensitive_plan, says_what_would_be_possible) {
  distance_sensitive_goal g{.items = 1'000'000, .near = 0.3, .far = 0.4};
  auto const text = refusal(g);
  auto const number_after = [&](char const* words) { return std::stod(text.substr(text.find(words) + std::strlen(words))); };
  ASSERT_NE(text.find("near at most "), std::string::npos) << text;
  ASSERT_NE(text.find("far at least "), std::string::npos) << text;
  g.near = number_after("near at most ");
  EXPECT_EQ(refusal(g), "");
  g.near += 0.005;  // a search in steps: a little more may be possible
  EXPECT_NE(refusal(g), "");
  g.near = 0.3;
  g.far = number_after("far at least ");
  EXPECT_EQ(refusal(g), "");
  EXPECT_NE(refusal({.items = std::uint64_t{1} << 42, .near = 0.01, .far = 0.5}).find("fewer items"), std::string::npos);
}

TEST(distance_sensitive_plan, plans_for_one_item_and_for_none) {
  for (std::uint64_t const items : {0U, 1U, 2U, 3U}) {
    auto const s = distance_sensitive({.items = items, .near = 0.1, .far = 0.5});
    EXPECT_LE(distance_sensitive_fnr(s, items), 0.01);
    EXPECT_LE(distance_sensitive_fpr(s, items), 0.01);
  }
}

}  // namespace
}  // namespace hortus::plan
