#include <hortus/plan/bloom.hpp>

#include <limits>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

/// Checks every plan: it is a valid filter, and its figures are those of that filter.
void expect_true(bloom_plan const& plan) {
  EXPECT_GE(plan.items, 1U);
  EXPECT_DOUBLE_EQ(plan.fpr, bloom_fpr({plan.bits, plan.probes}, plan.items));
  EXPECT_DOUBLE_EQ(plan.bits_per_item, static_cast<double>(plan.bits) / static_cast<double>(plan.items));
  EXPECT_NEAR(plan.fill, std::pow(bloom_fpr_textbook({plan.bits, plan.probes}, plan.items), 1.0 / plan.probes), 1e-9);
}

TEST(BloomSolve, ItemsAndFpr) {
  auto const plan = solve({.items = 1'000'000, .fpr = 0.01});
  auto const shape = bloom({1'000'000, 0.01});
  expect_true(plan);
  EXPECT_EQ((bloom_shape{plan.bits, plan.probes}), shape);
  EXPECT_LE(plan.fpr, 0.01);
  EXPECT_GT(plan.fpr, 0.0099);
}

TEST(BloomSolve, BitsAndItems) {
  auto const plan = solve({.items = 1000, .bits = 10'000});
  expect_true(plan);
  EXPECT_EQ(plan.probes, 7U);
  EXPECT_TRUE(oracle::close(plan.fpr, 0.0081937, 0.001));
}

TEST(BloomSolve, BitsItemsAndProbes) {
  auto const plan = solve({.items = 64, .bits = 512, .probes = 6});
  expect_true(plan);
  EXPECT_TRUE(oracle::printed(plan.fpr, ".021849"));
  EXPECT_EQ(solve({.items = huge, .bits = 1, .probes = 64}).fpr, 1);
}

TEST(BloomSolve, BitsProbesAndFpr) {
  for (double fpr : {0.9, 0.1, 0.01, 1e-6})
    for (unsigned probes : {1U, 5U, 12U}) {
      auto const plan = solve({.bits = 4'000'000, .fpr = fpr, .probes = probes});
      expect_true(plan);
      EXPECT_LE(plan.fpr, fpr);
      EXPECT_GT(bloom_fpr({plan.bits, plan.probes}, plan.items + 1), fpr);
      double const formula = -(4e6 / probes) * std::log(1 - std::pow(fpr, 1.0 / probes));  // as the sheet has it
      EXPECT_NEAR(static_cast<double>(plan.items), formula, 2 + probes / 2.0);
    }
}

TEST(BloomSolve, BitsAndFpr) {
  for (double fpr : {0.9, 0.3, 0.01, 1e-9})
    for (std::uint64_t bits : {60ULL, 200ULL, 1500ULL, 100'000ULL, 1ULL << 36}) {
      auto const plan = solve({.bits = bits, .fpr = fpr});
      expect_true(plan);
      EXPECT_LE(plan.fpr, fpr);
      for (unsigned k = 1; k <= max_probes; ++k)
        EXPECT_LE(bloom_items({bits, k}, fpr), plan.items + plan.items / 1'000'000'000) << bits << ' ' << fpr << ' ' << k;
      EXPECT_EQ(plan.probes, best_probes(bits, plan.items));
    }
}

TEST(BloomSolve, ItemsProbesAndFpr) {
  for (unsigned probes : {1U, 3U, 7U, 20U}) {
    auto const plan = solve({.items = 100'000, .fpr = 0.01, .probes = probes});
    expect_true(plan);
    EXPECT_EQ(plan.probes, probes);
    EXPECT_LE(plan.fpr, 0.01);
    EXPECT_TRUE(oracle::close(plan.bits_per_item, bloom_bits_per_item(0.01, probes), 0.003));
  }
}

TEST(BloomSolve, ThreeAndFourAreCheckedAgainstEachOther) {
  auto const three = solve({.items = 1000, .bits = 10'000, .fpr = 0.01});
  expect_true(three);
  EXPECT_EQ(three.probes, 7U);
  EXPECT_LT(three.fpr, 0.009);  // the rate obtained, not the rate asked for
  auto const four = solve({.items = 1000, .bits = 10'000, .fpr = 0.01, .probes = 5});
  expect_true(four);
  EXPECT_EQ(four.probes, 5U);
  EXPECT_EQ(thrown([] { return solve({.items = 1000, .bits = 9'500, .fpr = 0.01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.items = 1000, .bits = 10'000, .fpr = 0.01, .probes = 3}); }), oracle::bad_goal);
  try {
    (void)solve({.items = 1000, .bits = 10'000, .fpr = 0.01, .probes = 1});
    FAIL();
  } catch (hortus::error const& e) {
    EXPECT_STREQ(
        e.what(),
        "10000 bits with 1 probes hold 1000 items at fpr 0.09517, not 0.01: leave out the bits or the fpr to see what fits");
  }
}

// If a number is left out of a plan's wish, solve() finds it again: the other numbers are kept, and nothing gets worse.
TEST(BloomSolve, RoundTrips) {
  for (std::uint64_t items : {1ULL, 2ULL, 7ULL, 100ULL, 12'345ULL, 1'000'000ULL, 5'000'000'000ULL})
    for (double fpr : {0.99, 0.5, 0.02, 1e-3, 1e-7, 1e-12}) {
      auto const plan = solve({.items = items, .fpr = fpr});
      expect_true(plan);
      EXPECT_LE(plan.fpr, fpr);
      EXPECT_EQ(solve({.items = plan.items, .bits = plan.bits, .probes = plan.probes}), plan);
      EXPECT_EQ(solve({.items = plan.items, .bits = plan.bits, .fpr = fpr, .probes = plan.probes}), plan);
      EXPECT_LE(solve({.items = plan.items, .bits = plan.bits}).fpr, plan.fpr);
      EXPECT_LE(solve({.items = plan.items, .bits = plan.bits, .fpr = fpr}).fpr, plan.fpr);
      EXPECT_GE(solve({.bits = plan.bits, .fpr = fpr, .probes = plan.probes}).items, items);
      EXPECT_GE(solve({.bits = plan.bits, .fpr = fpr}).items, items);
      EXPECT_EQ(solve({.items = items, .fpr = fpr, .probes = plan.probes}).bits, plan.bits);
    }
}

TEST(BloomSolve, TooLittleIsRefused) {
  EXPECT_EQ(thrown([] { return solve({}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.items = 10}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.bits = 10}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.fpr = 0.1}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.items = 10, .probes = 3}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.bits = 10, .probes = 3}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.fpr = 0.1, .probes = 3}); }), oracle::bad_goal);
}

TEST(BloomSolve, NonsenseIsRefused) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (double fpr : {0.0, 1.0, -1.0, 2.0, nan})
    EXPECT_EQ(thrown([&] { return solve({.items = 10, .fpr = fpr}); }), oracle::bad_goal);
  for (std::uint64_t bits : {std::uint64_t{0}, max_bits + 1, huge})
    EXPECT_EQ(thrown([&] { return solve({.items = 10, .bits = bits}); }), oracle::bad_goal);
  for (unsigned probes : {0U, 65U, ~0U})
    EXPECT_EQ(thrown([&] { return solve({.items = 10, .bits = 100, .probes = probes}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.items = huge, .fpr = 0.01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.items = huge, .fpr = 0.01, .probes = 64}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.bits = 5, .fpr = 1e-9}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return solve({.bits = 1, .fpr = 0.5, .probes = 1}); }), oracle::bad_goal);
}

TEST(BloomSolve, NoItemsArePlannedAsOne) {
  EXPECT_EQ(solve({.items = 0, .fpr = 0.01}), solve({.items = 1, .fpr = 0.01}));
  EXPECT_EQ(solve({.items = 0, .bits = 100}), solve({.items = 1, .bits = 100}));
}

}  // namespace
