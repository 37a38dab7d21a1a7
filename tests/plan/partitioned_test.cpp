#include <hortus/plan/partitioned.hpp>

#include <limits>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::sizes;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

TEST(Partitioned, RatesOfTheSheet) {
  EXPECT_TRUE(printed(partitioned_fpr({32 / 4, 4}, 4), ".029325"));
  EXPECT_TRUE(printed(partitioned_fpr({512 / 6, 6}, 64), ".022447"));
  EXPECT_TRUE(printed(partitioned_fpr({1024 / 7, 7}, 100), "7.496742e-03"));
}

// Two slices of three bits, two keys, one query: all 3^6 outcomes.
TEST(Partitioned, ByCountingAllOutcomes) {
  int hits = 0;
  for (int outcome = 0; outcome < 729; ++outcome) {
    int digit[6], rest = outcome;
    for (int& d : digit) {
      d = rest % 3;
      rest /= 3;
    }
    hits += (digit[4] == digit[0] || digit[4] == digit[2]) && (digit[5] == digit[1] || digit[5] == digit[3]);
  }
  EXPECT_DOUBLE_EQ(partitioned_fpr({3, 2}, 2), hits / 729.0);
}

TEST(Partitioned, IsALittleWorseThanFlat) {
  for (std::uint64_t slice : sizes{100, 1000, 100'000})
    for (unsigned probes : {2U, 5U, 10U}) {
      auto const items = slice * 7 / 10;
      EXPECT_GT(partitioned_fpr({slice, probes}, items), bloom_fpr({slice * probes, probes}, items));
      EXPECT_TRUE(close(partitioned_fpr({slice, probes}, items), bloom_fpr({slice * probes, probes}, items),
                        5.0 * probes / static_cast<double>(slice)));
    }
}

TEST(Partitioned, RateOfTheFillIsAProduct) {
  std::uint64_t const ones[] = {10, 50, 100};
  EXPECT_DOUBLE_EQ(fill_fpr({100, 3}, ones), 0.1 * 0.5 * 1.0);
  EXPECT_EQ(thrown([&] { return fill_fpr({99, 3}, ones); }), oracle::bad_params);
  EXPECT_EQ(thrown([&] { return fill_fpr({100, 2}, ones); }), oracle::bad_params);
}

// As for the bloom filter: every goal is kept, by a formula that is exact at every size.
TEST(Partitioned, EveryGoalIsKeptWithFewBits) {
  int goals = 0;
  for (double items = 1; items < 0x1p34; items = std::ceil(items * 2.3))
    for (double fpr = 0.93; fpr >= min_fpr; fpr *= 0.36) {
      auto const n = static_cast<std::uint64_t>(items);
      auto const shape = partitioned({n, fpr});
      double ideal = bloom_bits_per_item(fpr, 1);
      for (unsigned k = 2; k <= max_probes; ++k) ideal = std::min(ideal, bloom_bits_per_item(fpr, k));
      EXPECT_LE(partitioned_fpr(shape, n), fpr) << n << ' ' << fpr;
      EXPECT_LE(static_cast<double>(shape.bits()), 1.003 * ideal * items + 1.5 * shape.probes + 1) << n << ' ' << fpr;
      ++goals;
    }
  EXPECT_GE(goals, 1000);
}

TEST(Partitioned, SmallPlansAreTheSmallestPossible) {
  for (std::uint64_t items : sizes{1, 2, 3, 7, 20})
    for (double fpr : {0.7, 0.1, 0.01, 1e-3, 1e-6}) {
      auto const shape = partitioned({items, fpr});
      for (unsigned k = 1; k <= 40; ++k)
        for (std::uint64_t slice = 1; slice * k < shape.bits(); ++slice) EXPECT_GT(partitioned_fpr({slice, k}, items), fpr);
    }
}

TEST(Partitioned, WithinASpace) {
  for (std::uint64_t bits : sizes{1, 2, 7, 100, 1000, 99'999})
    for (std::uint64_t items : sizes{0, 1, 10, 12'345}) {
      auto const shape = partitioned_within(bits, items);
      EXPECT_LE(shape.bits(), bits);
      for (unsigned k = 1; k <= std::min<std::uint64_t>(64, bits); ++k)
        EXPECT_LE(partitioned_fpr(shape, std::max<std::uint64_t>(items, 1)),
                  partitioned_fpr({bits / k, k}, std::max<std::uint64_t>(items, 1)));
    }
  EXPECT_EQ(thrown([] { return partitioned_within(0, 1); }), oracle::bad_params);
}

TEST(Partitioned, Edges) {
  EXPECT_EQ(partitioned_fpr({1, 3}, 0), 0);
  EXPECT_EQ(partitioned_fpr({1, 3}, 1), 1);
  EXPECT_EQ(partitioned_fpr({1000, 3}, huge), 1);
  EXPECT_DOUBLE_EQ(partitioned_fpr({max_bits, 1}, 1), 0x1p-42);
  EXPECT_EQ(partitioned({0, 0.01}), partitioned({1, 0.01}));
  for (double fpr : {1 - 0x1p-53, 1e-19, min_fpr})
    for (std::uint64_t items : {1ULL, 2ULL, 1000ULL, 1ULL << 33})
      EXPECT_LE(partitioned_fpr(partitioned({items, fpr}), items), fpr);
  for (double fpr : {0.0, 1.0, -0.5, 1e-20, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(thrown([&] { return partitioned({10, fpr}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return partitioned({huge, 0.01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return partitioned_fpr({max_bits, 2}, 1); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_fpr({huge, 64}, 1); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_fpr({0, 1}, 1); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_fpr({1, 0}, 1); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_slice_bits(10, 0.1, 65); }), oracle::bad_params);
}

TEST(Partitioned, PlansFold) {
  for (std::uint64_t items = 30'000; items < 100'000'000'000; items = items * 5 / 3)
    EXPECT_EQ(partitioned({items, 0.01}).slice_bits % 64, 0U) << items;
}

// A fresh filter of 4 slices of 8 bits with 4 keys for every query: 6.2 standard deviations, false alarm 6e-10.
TEST(Partitioned, MonteCarlo) {
  oracle::dice dice(3);
  constexpr int queries = 2'000'000;
  int hits = 0;
  for (int q = 0; q < queries; ++q) {
    int slice = 0;
    for (bool hit = true; hit; slice += hit) {
      unsigned set = 0;
      for (int item = 0; item < 4; ++item) set |= 1U << dice.below(8);
      hit = slice < 4 && (set >> dice.below(8) & 1);
    }
    hits += slice == 4;
  }
  double const rate = partitioned_fpr({8, 4}, 4);
  EXPECT_LT(std::abs(hits - queries * rate), oracle::z_1e9 * std::sqrt(queries * rate * (1 - rate)));
}

}  // namespace
