#include <hortus/plan/d_left.hpp>

#include <cmath>
#include <limits>

#include <hortus/maths/bloom_size.hpp>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::sizes;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

// Three buckets, remainders 1 to 3, two keys, one query: all 9^3 outcomes.
TEST(DLeft, ByCountingAllOutcomes) {
  int hits = 0;
  for (int outcome = 0; outcome < 729; ++outcome) hits += outcome % 9 == outcome / 9 % 9 || outcome % 9 == outcome / 81 ? 1 : 0;
  EXPECT_TRUE(close(d_left_fpr({3, 2}, 2), hits / 729.0, 1e-13));
  EXPECT_EQ(d_left_fpr({1, 1}, 0), 0);
  EXPECT_EQ(d_left_fpr({1, 1}, 1), 1);
}

// 2048 buckets, 14 bits, six keys a bucket. The paper's figure is cut off, not rounded.
TEST(DLeft, RateOfTheSheet) {
  EXPECT_TRUE(printed(d_left_fpr({2048, 14}, 49152), ".001463", 1));
  EXPECT_TRUE(close(d_left_fpr({2048, 14}, 49152), 1 - std::pow(1 - 0x1p-14, 24), 1e-4)) << "remainder 0 means empty";
}

TEST(DLeft, SpaceOfTheSheet) {
  auto const a_key = [](double fpr) { return 8 * d_left({24'000'000, fpr}).cell_bytes() / 24e6; };
  EXPECT_TRUE(printed(a_key(.001465), "21.33"));
  EXPECT_TRUE(printed(a_key(.01), "18.7"));
  double const counting = 4 * bloom_bits_per_item(.001465, 9);
  EXPECT_TRUE(printed(counting, "54.4"));
  EXPECT_TRUE(printed(counting / a_key(.001465), "2.55"));
  EXPECT_TRUE(printed(bloom_fpr_limit(64 / 3.0 / 4, 4), ".0775"));
}

// The sheet's insert-only row was made with Euler's rule and steps of .002; with steps to nothing its last digits are 7 and 3,
// and the tails 1.27e-10 and 2.4e-138.
TEST(DLeft, LoadsOfTheSheet) {
  auto const fresh = d_left_loads(6);
  for (auto const& [j, part] : {std::pair{4U, .9999}, {5U, .9971}, {6U, .8747}, {7U, .1283}})
    EXPECT_NEAR(fresh.loads[j], part, 6e-5) << j;
  EXPECT_TRUE(printed(fresh.loads[8], "1.27e-10"));
  EXPECT_NEAR(std::log10(fresh.loads[9]), -137.7, .1);
  auto const churned = d_left_loads(6, 20);
  for (auto const& [j, part] :
       {std::pair{4U, ".992"}, {5U, ".9505"}, {6U, ".7669"}, {7U, ".2894"}, {8U, ".00227"}, {9U, "1.681e-27"}})
    EXPECT_TRUE(printed(churned.loads[j], part)) << j;
  for (auto const& limit : {fresh, churned}) {
    double keys = 0;
    for (unsigned j = 1; j < limit.loads.size(); ++j) keys += limit.loads[j];
    EXPECT_NEAR(keys, 6, 1e-9);
    EXPECT_EQ(limit.loads[0], 1);
  }
}

TEST(DLeft, SixKeysABucketAreSafeAndSevenAreNot) {
  EXPECT_LT(d_left_loads(d_left_mean_load).refused, 1e-100);
  EXPECT_LT(d_left_loads(d_left_mean_load, 20).refused, 1e-26);
  EXPECT_GT(d_left_loads(6.5, 20).refused, 1e-8);
  EXPECT_GT(d_left_loads(7, 20).refused, 1e-3);
}

TEST(DLeft, EveryGoalIsKeptInTheFewestBytes) {
  int goals = 0;
  for (double items = 1; items < 0x1p34; items = std::ceil(items * 4.3))
    for (double fpr = 0.93; fpr >= 1e-15; fpr *= 0.18) {
      auto const n = static_cast<std::uint64_t>(items);
      auto const shape = d_left({n, fpr});
      EXPECT_LE(d_left_fpr(shape, n), fpr) << n << " " << fpr;
      EXPECT_GE(static_cast<double>(shape.buckets), items / 24);
      for (unsigned bits = 1; bits <= d_left_shape::max_remainder_bits; ++bits) {  // no other shape with fewer bytes does
        auto const fewer = static_cast<std::uint64_t>(std::ceil(shape.cell_bytes() / 4 / (bits + 2))) - 1;
        if (fewer < 1 || static_cast<double>(fewer) < items / 24) continue;
        EXPECT_GT(d_left_fpr({fewer, bits}, n), fpr * (1 - 1e-9)) << n << " " << fpr << " " << bits;
      }
      ++goals;
    }
  EXPECT_EQ(goals, 17 * 21);
}

// Cells in use among R fingerprints are occupied cells among R: the mean gives the items back.
TEST(DLeft, ItemsFromCells) {
  for (auto const& [shape, items] :
       {std::pair{d_left_shape{42, 5}, 1000U}, {d_left_shape{2048, 14}, 49152U}, {d_left_shape{50, 62}, 1000U}}) {
    auto const mean = occupied(shape.fingerprints(), items).mean;
    auto const e = d_left_cardinality(shape, static_cast<std::uint64_t>(std::llround(mean)));
    EXPECT_NEAR(e.value, items, .7 + 1e-3 * items);
    EXPECT_LE(e.low, e.value);
    EXPECT_GE(e.high, e.value);
  }
  EXPECT_EQ(d_left_cardinality({10, 4}, 0), estimate{});
  EXPECT_TRUE(d_left_cardinality({1, 2}, 3).saturated);
  EXPECT_TRUE(d_left_cardinality({1, 2}, 32).saturated) << "more than there can be";
}

TEST(DLeft, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return d_left({10, wrong}); }), oracle::bad_goal) << wrong;
  EXPECT_EQ(thrown([] { return d_left({huge, .01}); }), oracle::bad_goal);
  for (auto const s :
       {d_left_shape{0, 5}, d_left_shape{5, 0}, d_left_shape{5, 63}, d_left_shape{huge, 5}, d_left_shape{1ULL << 40, 5}})
    EXPECT_EQ(thrown([&] { return d_left_fpr(s, 1); }), oracle::bad_params);
}

}  // namespace
