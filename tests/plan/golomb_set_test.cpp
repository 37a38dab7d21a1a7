#include <hortus/plan/golomb_set.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <hortus/frozen/golomb_set.hpp>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using hortus::digest;
using hortus::mix64;
using oracle::close;
using oracle::printed;
using oracle::thrown;

/// Bits of a gap, summed over all gaps.
double summed_bits(double density, std::uint64_t divisor) {
  hortus::golomb_code const code(divisor);
  double sum = 0, part = density;
  for (std::uint64_t gap = 0; static_cast<double>(gap) < 60 / density; ++gap, part *= 1 - density)
    sum += part * static_cast<double>(code.bits(gap));
  return sum;
}

/// Gaps of mean M: entropy, best Rice code and best Golomb code. (The literature's mean is M, so the density is 1 / M.)
TEST(GolombSet, TableOfTheLiterature) {
  struct row {
    double mean;
    char const* entropy;
    int rice_bits;
    char const* rice;
    char const* golomb;
  };
  for (auto const& [mean, entropy, rice_bits, rice, golomb] :
       {row{128, "8.437", 6, "8.534", "8.466"}, row{100, "8.079", 6, "8.108", "8.105"},
        row{1024, "11.442", 9, "11.541", "11.471"}, row{1000, "11.408", 9, "11.495", "11.436"},
        row{1e4, "14.730", 13, "14.788", "14.763"}, row{784931, "21.025", 19, "21.052", "21.052"}}) {
    // Printed figures come from e^(-x) for (1 - 1/M)^(M x) and from rounding: two units of the last digit.
    EXPECT_TRUE(printed(gap_entropy(1 / mean), entropy, 2)) << mean;
    EXPECT_TRUE(printed(golomb_bits(1 / mean, std::exp2(rice_bits)), rice, 4)) << mean;
    EXPECT_TRUE(printed(golomb_bits(1 / mean, golomb_divisor(1 / mean)), golomb, 2)) << mean;
    EXPECT_NEAR(golomb_divisor(1 / mean), mean * std::log(2.0), 1) << mean;
  }
}

TEST(GolombSet, BitsAreTheSumOverAllGaps) {
  for (double const density : {.9, .5, .3, .1, .01, 1 / 256.0, 1e-3})
    for (std::uint64_t const divisor : {1U, 2U, 3U, 5U, 8U, 69U, 177U, 693U, 1024U})
      EXPECT_TRUE(close(golomb_bits(density, static_cast<double>(divisor)), summed_bits(density, divisor), 1e-9))
          << density << ", " << divisor;
}

TEST(GolombSet, DivisorIsTheBest) {
  for (double density = .95; density > 1e-5; density *= .9) {
    auto const best = golomb_divisor(density);
    double const bits = golomb_bits(density, best);
    EXPECT_LE(bits, golomb_bits(density, best + 1) + 1e-12) << density;
    if (best > 1) {
      EXPECT_LE(bits, golomb_bits(density, best - 1) + 1e-12) << density;
    }
    EXPECT_GE(bits, gap_entropy(density));
    if (density < .3) {
      EXPECT_LT(bits, gap_entropy(density) + .05) << density;
    }
  }
}

/// 40 sets for each size. A plan allows for 7.5 deviations, so none needs more than half of what is allowed, 3.75: chance
/// 1e-4 for each, if the deviation in the plan is right, and it is no smaller.
TEST(GolombSet, PlanHasRoomForRandomKeysAndLittleMore) {
  std::uint64_t seed = 0;
  for (double const fpr : {.5, .1, .01, 1 / 256.0, 1e-4, 1e-9})
    for (std::uint64_t const items : {1U, 30U, 1000U, 20'000U}) {
      auto const shape = golomb_set({items, fpr});
      double const n = static_cast<double>(items), density = golomb_set_fpr(shape, items);
      double const bits = golomb_bits(density, static_cast<double>(shape.divisor));
      double const allowed = golomb_set_deviations * std::sqrt(n * (.5 + density * bits * bits / 2)) + 2 * bits;
      double sum = 0;
      for (int run = 0; run < 40; ++run) {
        std::vector<digest> keys;
        for (std::uint64_t i = 0; i < items; ++i) keys.emplace_back(mix64(++seed));
        auto const set = hortus::golomb_set::build(keys, {.items = items, .fpr = fpr});
        double const room = static_cast<double>(shape.code_words) * 64 - static_cast<double>(set.blocks().code_bits());
        EXPECT_GE(room, allowed / 2) << fpr << ", " << items;
        sum += room - allowed;
        EXPECT_EQ(set.blocks().shape(), shape) << fpr << ", " << items;
      }
      // On average nothing but what is allowed for, and a word that is begun.
      if (items >= 1000) {
        EXPECT_NEAR(sum / 40, 32, 40 + .002 * n * bits) << fpr << ", " << items;
      }
    }
}

/// The bars: codes at most 1 % over the Golomb optimum, an index of at most half a bit.
TEST(GolombSet, SpaceOfLargeSets) {
  for (double const fpr : {.1, .03, .01, 1 / 128.0, 1 / 256.0, 1e-3, 1 / 65536.0, 1e-6, 1e-9})
    for (std::uint64_t const items : {100'000ULL, 1'000'000ULL, 100'000'000ULL, 10'000'000'000ULL}) {
      if (fpr < 1e-8 && items > 1'000'000'000) continue;  // more than 2^63 values
      auto const shape = golomb_set({items, fpr}, hortus::golomb_set::parts(items).count());
      auto const n = static_cast<double>(items);
      double const optimum = golomb_bits(fpr, golomb_divisor(fpr));
      EXPECT_LE(static_cast<double>(shape.code_bytes()) * 8 / n, 1.01 * optimum) << fpr << ", " << items;
      EXPECT_LE(static_cast<double>(shape.index_bytes()) * 8 / n, 0.5) << fpr << ", " << items;
      EXPECT_LE(golomb_set_fpr(shape, items), fpr * (1 + 1e-12));
      EXPECT_GE(golomb_set_fpr(shape, items), fpr * (fpr > .05 ? .98 : .99));
      EXPECT_EQ(shape.line_bytes(), 64U);
      EXPECT_EQ(shape.lines % hortus::golomb_set::parts(items).count(), 0U);
    }
}

TEST(GolombSet, RangeIsBelow63Bits) {
  EXPECT_EQ(thrown([] { return golomb_set({1, 1e-19}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return golomb_set({1'000'000, 1e-14}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return golomb_set({1'000'000'000'000, .01}); }), oracle::bad_goal) << "2^42 bits";
  for (auto const& [items, fpr] : {std::pair<std::uint64_t, double>{1, 2e-19}, {1000, 2e-16}, {1'000'000, 2e-13}}) {
    auto const shape = golomb_set({items, fpr});
    EXPECT_LT(shape.range(), std::uint64_t{1} << 63);
    EXPECT_LE(golomb_set_fpr(shape, items), fpr);
  }
  EXPECT_EQ(thrown([] { return golomb_set_fpr({}, 1); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return checked(golomb_set_shape{1, 113, 1, 1, 4, 1}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return checked(golomb_set_shape{1, 112, std::uint64_t{1} << 60, 1, 4, 1}); }), oracle::bad_params);
}

TEST(GolombSet, EstimateAllowsForSharedValues) {
  auto const shape = golomb_set({100'000, .5});
  auto const range = static_cast<double>(shape.range());
  auto const values = range * golomb_set_fpr(shape, 100'000);
  auto const e = golomb_set_cardinality(shape, static_cast<std::uint64_t>(values));
  EXPECT_NEAR(e.value, 100'000, 5);
  EXPECT_LT(e.low, e.value);
  EXPECT_EQ(golomb_set_cardinality(shape, 0).value, 0);
}

}  // namespace
