#include <hortus/plan/cascade_map.hpp>

#include <cmath>
#include <limits>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

// The sum over the levels, one by one.
TEST(CascadeMap, RateOfACascade) {
  for (double const phi : {1 / 64.0, .005, .3, .6}) {
    double sum = 0, reached = 1;
    for (int level = 0; level < 200; ++level) sum += reached * 2 * phi * (1 - phi), reached *= phi * phi;
    EXPECT_TRUE(close(cascade_fpr(phi), sum, 1e-12));
  }
  EXPECT_TRUE(printed(cascade_fpr(1 / 64.0), ".0308"));
  EXPECT_TRUE(printed(cascade_fpr(1 / 64.0) / (2 * (1 / 64.0)), ".985")) << "the sheet's 2 phi is a little more";
}

TEST(CascadeMap, FiltersForARate) {
  for (double const fpr : {.5, .1, .01, 1e-6})
    for (unsigned const bits : {0U, 1U, 2U, 8U, 64U}) {
      auto const shape = cascade_map({1000, fpr}, bits);
      EXPECT_LE(cascade_map_fpr(shape), fpr * (1 + 1e-12)) << fpr << " " << bits;
      if (bits <= 8 && fpr < .1) {
        EXPECT_TRUE(close(cascade_map_fpr(shape), fpr, 1e-9));
      }
      EXPECT_LT(shape.filter_fpr, .6322) << "a higher rate takes more space";
    }
  EXPECT_EQ(cascade_map({1000, .25}, 0).filter_fpr, .25) << "one filter, without values";
  EXPECT_EQ(cascade_map({1000, .01}, 8, .2).filter_fpr, .2);
}

// The sheet: 20,000 keys at 1/64: 312 and 4.9 keys on the next levels.
TEST(CascadeMap, Levels) {
  auto const levels = cascade_levels({20'000, 1, 1 / 64.0});
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0], 20'000);
  EXPECT_EQ(levels[1], 312.5);
  EXPECT_TRUE(printed(levels[2], "4.88"));
  EXPECT_EQ(cascade_levels({16, 1, .01}).size(), 1U) << "as few are kept exactly";
  EXPECT_EQ(cascade_levels({1'000'000'000, 1, .6}).size(), 21U) << "20 levels, and what is left";
  EXPECT_EQ(cascade_levels({1000, 0, .6}).size(), 2U) << "without values no key goes on";
}

// The table of the sheet. Its rate of the filters, fpr^(1/q) / 2, leaves out that both filters may report a key; by the exact
// rate filters may report more, and take less. Bits per key of the level sum, for fractional probes.
TEST(CascadeMap, SpaceOfTheSheet) {
  auto const bits = [](double phi, unsigned q) { return q * bloom_bits_per_item(phi) / (1 - phi); };
  auto const sheet = [](double fpr, unsigned q) { return std::pow(fpr, 1.0 / q) / 2; };
  EXPECT_TRUE(printed(bits(sheet(.01, 1), 1), "11.1"));
  EXPECT_TRUE(printed(bits(sheet(.01, 8), 8), "29.4"));
  EXPECT_TRUE(printed(bits(sheet(.001, 1), 1), "15.8"));
  EXPECT_TRUE(printed(bits(sheet(.001, 8), 8), "32.8"));
  EXPECT_TRUE(printed(bits(cascade_filter_fpr(.01, 1), 1), "11.1"));
  EXPECT_TRUE(printed(bits(cascade_filter_fpr(.01, 8), 8), "25.7"));
  EXPECT_TRUE(printed(bits(cascade_filter_fpr(.001, 1), 1), "15.8"));
  EXPECT_TRUE(printed(bits(cascade_filter_fpr(.001, 8), 8), "30.0"));
  // With whole probes.
  auto const planned = [](double fpr, unsigned q) { return 8 * cascade_bytes(cascade_map({1'000'000, fpr}, q)) / 1e6; };
  EXPECT_TRUE(printed(planned(.01, 1), "11.1", 2)) << planned(.01, 1);
  EXPECT_TRUE(printed(planned(.01, 8), "26.5", 2)) << planned(.01, 8);
  EXPECT_TRUE(printed(planned(.001, 8), "30.0", 2)) << planned(.001, 8);
}

// No rate of the filters is better than the one at which they are stopped.
TEST(CascadeMap, HigherRatesTakeMoreSpace) {
  double const cap = cascade_filter_fpr(.999, 8);
  auto const bits = [](double phi) { return bloom_bits_per_item(phi, 1) / (1 - phi); };
  for (double phi = .4; phi < .99; phi += .01) EXPECT_GE(bits(phi), bits(cap));
  EXPECT_TRUE(printed(bits(cap), "2.718"));
}

TEST(CascadeMap, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return cascade_map({10, wrong}, 8); }), oracle::bad_goal) << wrong;
  for (double const wrong : {1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return cascade_map({10, .01}, 8, wrong); }), oracle::bad_goal) << wrong;
  EXPECT_EQ(thrown([] { return cascade_map({10, .01}, 65); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return cascade_map({std::numeric_limits<std::uint64_t>::max(), .01}, 1); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return cascade_map_fpr({10, 65, .1}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return cascade_levels({10, 5, 0}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return cascade_bytes({10, 5, 1}); }), oracle::bad_params);
}

}  // namespace
