#include <hortus/maths/stages.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/partitioned_rate.hpp>

namespace hortus::plan {
namespace {

// Guo et al.: m = 1280, k = 7, 133 keys a stage; one filter of the same m beside it.
TEST(Growing, DynamicTable) {
  bloom_shape const stage{1280, 7};
  double const full = bloom_fpr_asymptotic(stage, 133);
  EXPECT_NEAR(full, .00985, .000005);
  struct row {
    std::uint64_t items;
    double dynamic, alone;
  };
  for (auto const& r : {row{133, .00985, .00985}, row{266, .01960, .1555}, row{665, .04828, .8296}, row{1330, .09422, .9952},
                        row{2660, .17956, 1.0000}}) {
    auto const rest = r.items % 133;
    EXPECT_NEAR(dynamic_fpr(full, r.items / 133, bloom_fpr_asymptotic(stage, rest)), r.dynamic, .000005) << r.items;
    EXPECT_NEAR(bloom_fpr_asymptotic(stage, r.items), r.alone, .00005) << r.items;
  }
}

// About in proportion to the keys, from below.
TEST(Growing, DynamicRateIsLinear) {
  for (std::uint64_t const stages : {1U, 2U, 10U, 50U}) {
    EXPECT_LE(dynamic_fpr(1e-4, stages, 0), static_cast<double>(stages) * 1e-4);
    EXPECT_GE(dynamic_fpr(1e-4, stages, 0), static_cast<double>(stages) * 1e-4 * .995);
  }
  EXPECT_EQ(dynamic_fpr(1, 0, 0.5), 0.5);
  EXPECT_EQ(dynamic_fpr(1, 1, 0.5), 1);
  EXPECT_EQ(dynamic_fpr(0.5, 0, 0), 0);
}

// For any number of stages, full or not, the goal is kept, with little margin.
TEST(Growing, EqualStagesKeepTheGoalTogether) {
  for (double const fpr : {0.5, 0.01, 1e-6})
    for (std::uint64_t const items : {1000U, 1001U, 999U})
      for (std::uint64_t const a_stage : {1000U, 500U, 333U, 70U}) {
        double const stage = equal_stage_fpr(fpr, a_stage, items);
        double const last = stage * static_cast<double>(items % a_stage) / static_cast<double>(a_stage);  // or less: convex
        double const all = dynamic_fpr(stage, items / a_stage, last);
        EXPECT_LE(all, fpr * (1 + 1e-12)) << a_stage;
        EXPECT_GE(all, 0.8 * fpr * std::min(1.0, static_cast<double>(items) / static_cast<double>(a_stage))) << a_stage;
      }
  EXPECT_EQ(equal_stage_fpr(0.01, 5000, 10), 0.01);
  EXPECT_EQ(equal_stage_fpr(1e-19, 1, 1000), min_fpr);
}

/// A scalable filter as the paper has it: ceil(log2(1/rate)) slices a stage, each half full when the stage is.
struct paper_filter {
  std::vector<unsigned> probes;
  double fpr = 0;
  double bits_per_key = 0;
  double bits_per_key_opened = 0;  ///< when the last stage has just been opened
};
paper_filter grown(double first_fpr, double tightening, std::uint64_t growth, unsigned stages) {
  paper_filter f;
  double bits = 0, keys = 0, before = 0;
  compound_fpr all;
  std::uint64_t items = 1000;
  for (unsigned i = 0; i < stages; ++i, items = next_stage_items(items, growth)) {
    auto const probes = static_cast<unsigned>(std::ceil(-std::log2(first_fpr * std::pow(tightening, i)) - 1e-12));
    auto const slice = static_cast<std::uint64_t>(std::ceil(static_cast<double>(items) / std::numbers::ln2));
    f.probes.push_back(probes);
    all.add(partitioned_fpr({slice, probes}, items));
    bits += static_cast<double>(slice * probes);
    before = keys;
    keys += static_cast<double>(items);
  }
  f.fpr = all.value();
  f.bits_per_key = bits / keys;
  f.bits_per_key_opened = bits / before;
  return f;
}

TEST(Growing, ScalableTableOfThePaper) {
  struct row {
    double fpr, tightening;
    std::uint64_t growth;
    unsigned stages, first, last;
    double all, bits, opened;
  };
  for (auto const& r : {row{.01, .5, 2, 10, 8, 17, .00779, 23.1, 46.2}, row{.01, .8, 2, 10, 9, 12, .00706, 17.1, 34.3},
                        row{.01, .9, 2, 10, 10, 12, .00463, 17.1, 34.3}, row{.01, .5, 4, 6, 8, 13, .00767, 18.3, 73.2},
                        row{.01, .85, 4, 6, 10, 11, .00439, 15.9, 63.4}, row{.001, .85, 2, 10, 13, 15, .00061, 21.6, 43.1}}) {
    auto const f = grown(stage_fpr(r.fpr, r.tightening, 0), r.tightening, r.growth, r.stages);
    EXPECT_EQ(f.probes.front(), r.first) << r.tightening;
    EXPECT_EQ(f.probes.back(), r.last) << r.tightening;
    EXPECT_NEAR(f.fpr, r.all, .000006) << r.tightening;
    EXPECT_NEAR(f.bits_per_key, r.bits, .06) << r.tightening;
    EXPECT_NEAR(f.bits_per_key_opened, r.opened, .1) << r.tightening;
  }
  EXPECT_EQ(grown(stage_fpr(.01, .85, 0), .85, 4, 6).probes, (std::vector<unsigned>{10, 10, 10, 11, 11, 11}));
  EXPECT_NEAR(grown(stage_fpr(.01, .8, 0), .8, 2, 8).fpr, .00657, .000006) << "255 000 keys";
}

// With the first stage at the rate of the goal, all stages together exceed it by a factor of up to 1 / (1 - r).
TEST(Growing, AFirstStageAtTheWholeRateBreaksThePromise) {
  EXPECT_GT(grown(.01, .8, 2, 10).fpr, 3 * .01);
  compound_fpr wrong, right;
  for (unsigned i = 0; i < 200; ++i) {
    wrong.add(.01 * std::pow(.8, i));
    right.add(stage_fpr(.01, .8, i));
    EXPECT_LE(right.value(), .01);
  }
  EXPECT_NEAR(wrong.value(), .05, .002);
  EXPECT_NEAR(right.value(), .01, .0001);
}

TEST(Growing, StageRatesAndSizes) {
  EXPECT_DOUBLE_EQ(stage_fpr(.01, .85, 0), .0015);
  EXPECT_DOUBLE_EQ(stage_fpr(.01, .85, 3), .0015 * .85 * .85 * .85);
  EXPECT_EQ(stage_fpr(1e-18, .5, 4000), min_fpr);
  EXPECT_THROW((void)stage_fpr(0, .5, 1), error);
  EXPECT_THROW((void)stage_fpr(std::nan(""), .5, 1), error);
  EXPECT_EQ(next_stage_items(3, 2), 6U);
  EXPECT_EQ(next_stage_items(std::uint64_t{1} << 63, 2), ~std::uint64_t{0});
  EXPECT_EQ(next_stage_items(~std::uint64_t{0}, 64), ~std::uint64_t{0});
}

TEST(Growing, RatesOfDisjointStagesAddUp) {
  disjoint_fpr all;
  EXPECT_EQ(all.value(), 0);
  all.add(.25, 2);
  all.add(.125);
  EXPECT_DOUBLE_EQ(all.value(), .625);
  EXPECT_DOUBLE_EQ(all.missed(), .375);
  all.add(.5);
  EXPECT_EQ(all.value(), 1);
}

TEST(Growing, EstimatesAddUp) {
  std::vector<stage_content> stages{{{100, 90, 110, false}, 0.5}, {{50, 40, 70, false}, 0.2}, {{0, 0, 0, false}, 0}};
  auto const e = stages_cardinality(stages);
  EXPECT_DOUBLE_EQ(e.value, 100 + 50 / 0.5);
  double const kept_out = z95 * std::sqrt(50 * .5) / .5;  // how many of 100 keys were not found before is binomial
  EXPECT_DOUBLE_EQ(e.low, 200 - std::hypot(10, 20, kept_out));
  EXPECT_DOUBLE_EQ(e.high, 200 + std::hypot(10, 40, kept_out));
  EXPECT_DOUBLE_EQ(stages_cardinality<disjoint_fpr>(stages).value, 100 + 50 / 0.5);
  EXPECT_FALSE(e.saturated);
  EXPECT_EQ(stages_cardinality({}), estimate{});
  stages[0].fpr = 1;  // then nothing is known about the keys after it
  auto const all = stages_cardinality(stages);
  EXPECT_TRUE(all.saturated && all.low <= all.value && all.high == HUGE_VAL);
}

}  // namespace
}  // namespace hortus::plan
