#include <hortus/plan/age_partitioned.hpp>

#include <numbers>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::printed;
using oracle::thrown;

/// Slices that are half full after k generations, in large filters: ceil(k g / ln 2).
age_partitioned_shape half_full(unsigned probes, unsigned generations) {
  std::uint64_t const g = 100'000'000;
  return {static_cast<std::uint64_t>(std::ceil(static_cast<double>(probes * g) / std::numbers::ln2)), probes, generations, g};
}

/// The published form: the fill of young slices is a straight line.
double published(unsigned probes, unsigned generations) {
  std::vector<double> fill;
  for (unsigned i = 0; i < probes + generations; ++i) fill.push_back(i < probes ? (i + 1.0) / (2 * probes) : 0.5);
  return row_chance(fill, probes);
}

TEST(AgePartitioned, TableOfRates) {
  struct {
    unsigned probes, generations;
    char const *published, *end, *start, *bits;
  } const rows[] = {{4, 3, ".100586", ".107402", ".070240", "13.5"},   {5, 7, ".101603", ".105806", ".090336", "12.4"},
                    {7, 5, ".011232", ".012832", ".008566", "24.2"},   {8, 8, ".010244", ".011054", ".009101", "23.1"},
                    {10, 7, ".001211", ".001474", ".000999", "35.0"},  {11, 9, ".000918", ".001055", ".000796", "35.3"},
                    {14, 11, ".000099", ".000120", ".000090", "45.9"}, {15, 15, ".000100", ".000110", ".000095", "43.3"}};
  for (auto const& r : rows) {
    auto const shape = half_full(r.probes, r.generations);
    EXPECT_TRUE(printed(published(r.probes, r.generations), r.published));
    EXPECT_TRUE(printed(age_partitioned_fpr(shape), r.end));
    EXPECT_TRUE(printed(age_partitioned_fpr(shape, 0), r.start));
    EXPECT_GT(age_partitioned_fpr(shape), 1.03 * published(r.probes, r.generations)) << "the published tables are too low";
    double const window = static_cast<double>(shape.generation_items * shape.generations);
    EXPECT_TRUE(printed(static_cast<double>(shape.slice_bits * shape.slices()) / window, r.bits));
  }
}

/// Enumerates all combinations of slices that have a key's bit or not.
double row_chance_by_counting(std::vector<double> const& fill, unsigned probes) {
  double sum = 0;
  for (unsigned outcome = 0; outcome < 1U << fill.size(); ++outcome) {
    double chance = 1;
    unsigned row = 0, longest = 0;
    for (std::size_t i = 0; i < fill.size(); ++i) {
      bool const has = (outcome >> i & 1) != 0;
      chance *= has ? fill[i] : 1 - fill[i];
      longest = std::max(longest, row = has ? row + 1 : 0);
    }
    if (longest >= probes) sum += chance;
  }
  return sum;
}

TEST(AgePartitioned, RowsByCountingAllOutcomes) {
  for (unsigned slices = 1; slices <= 12; ++slices) {
    std::vector<double> fill;
    for (unsigned i = 0; i < slices; ++i) fill.push_back(((i * 7 + slices) % 11) / 10.0);  // 0 and 1 among them
    for (unsigned probes = 1; probes <= slices; ++probes)
      EXPECT_NEAR(row_chance(fill, probes), row_chance_by_counting(fill, probes), 1e-12) << probes << " of " << slices;
  }
}

TEST(AgePartitioned, WindowOfDistinctKeysHasHalfTheGenerations) {
  for (unsigned l = 1; l < 64; ++l) {
    EXPECT_EQ(young_generations(l, window_of::inserts), 1U);
    EXPECT_EQ(window_generations(l, window_of::inserts), l);
    auto const young = young_generations(l, window_of::distinct_keys);
    EXPECT_TRUE(young >= 1 && young <= l);
    EXPECT_EQ(window_generations(l, window_of::distinct_keys), (l + 1) / 2);
    for (unsigned other = 1; other <= l; ++other)
      EXPECT_LE(std::min(other, l + 1 - other), (l + 1) / 2) << "no other number of young ones is better";
  }
}

TEST(AgePartitioned, PlanKeepsTheRateAndTheWindowInLittleSpace) {
  for (auto const what : {window_of::distinct_keys, window_of::inserts})
    for (std::uint64_t const items : {1U, 2U, 7U, 100U, 12'345U, 1'000'000'000U})
      for (double const fpr : {0.9, 0.1, 0.01, 1e-3, 1e-6}) {
        auto const shape = age_partitioned({items, fpr}, what);
        EXPECT_LE(age_partitioned_fpr(shape), fpr);
        EXPECT_GE(shape.generation_items * window_generations(shape.generations, what), items);
        if (shape.slice_bits > 1) {
          auto smaller = shape;
          --smaller.slice_bits;
          EXPECT_GT(age_partitioned_fpr(smaller), fpr);
        }
        // No considered number of generations and probes saves more than 5 %.
        for (unsigned l = 1; l <= planned_generations; l += 2)
          for (unsigned k = 1; k <= 30; k += 3) {
            age_partitioned_shape other{1, k, l, (items - 1) / window_generations(l, what) + 1};
            other.slice_bits = shape.slice_bits * shape.slices() * 93 / 100 / other.slices();
            if (other.slice_bits < 1) continue;
            EXPECT_GT(age_partitioned_fpr(other), fpr) << items << " at " << fpr << ": " << k << ", " << l;
          }
      }
}

TEST(AgePartitioned, WhatTheCardSays) {
  auto const bits = [](window_of what) {
    auto const shape = age_partitioned({1'000'000, 0.01}, what);
    return static_cast<double>(shape.slice_bits * shape.slices()) / 1e6;
  };
  EXPECT_NEAR(bits(window_of::distinct_keys), 40, 0.6);
  EXPECT_NEAR(bits(window_of::inserts), 21, 0.6);
  EXPECT_NEAR(bits(window_of::time), 27, 1);
}

TEST(AgePartitioned, RefusesWhatCannotBe) {
  for (age_partitioned_shape const shape : {age_partitioned_shape{},
                                            {0, 1, 1, 1},
                                            {1, 0, 1, 1},
                                            {1, 1, 0, 1},
                                            {1, 1, 1, 0},
                                            {1, 60, 5, 1},
                                            {1, 4'000'000'000U, 300'000'000, 1},
                                            {max_bits / 2 + 1, 1, 1, 1}})
    EXPECT_EQ(thrown([&] { (void)checked(shape); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { (void)age_partitioned({10, 0.01}, window_of::inserts, 64); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { (void)age_partitioned({~std::uint64_t{0}, 0.01}, window_of::inserts); }), oracle::bad_goal);
  EXPECT_EQ(age_partitioned({1000, 0.01}, window_of::inserts, 5).generations, 5U);
  EXPECT_EQ(age_partitioned({1000, 0.01}, window_of::distinct_keys, 4).generation_items, 500U);
  EXPECT_EQ(age_partitioned({1000, 0.01}, window_of::inserts, 63).probes, 1U);
}

}  // namespace
