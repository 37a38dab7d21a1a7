#include <hortus/plan/blocked_aging.hpp>

#include <array>
#include <bit>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::thrown;

/// The rate of a block, from which generations have a key in it: bit g is generation g.
double rate_of_block(std::uint32_t generations, unsigned keys, unsigned probes) {
  std::array<double, block_slices> fill{};
  for (unsigned slice = 0; slice < block_slices; ++slice) {
    auto const marked =
        generations >> (slice + 1 > probes ? slice + 1 - probes : 0) & ((1U << std::min(slice + 1, probes)) - 1);
    fill[slice] = 1 - std::pow(31.0 / 32, keys * static_cast<unsigned>(std::popcount(marked)));
  }
  return row_chance(fill, probes);
}

// One block has all keys: no chance in the fill. One key a generation: it is in a given block, or not, and all 2^16 histories
// can be counted.
TEST(BlockedAging, RateByCountingAllHistories) {
  for (unsigned probes = 1; probes < block_slices; ++probes) {
    for (unsigned const keys : {1U, 3U, 10U}) {
      auto const exact = rate_of_block(0xffff, keys, probes);
      auto const rate = blocked_aging_fpr({1, probes, keys});
      EXPECT_GE(rate, exact * (1 - 1e-9) - 1e-12);
      if (probes >= block_slices / 2) {
        EXPECT_NEAR(rate, exact, 1e-9 * exact + 1e-12);
      }
    }
    for (std::uint64_t const blocks : {2U, 3U, 7U}) {
      double exact = 0;
      for (std::uint32_t history = 0; history < 1U << block_slices; ++history) {
        auto const in = std::popcount(history);
        exact += std::pow(1.0 / static_cast<double>(blocks), in) *
                 std::pow(1 - 1.0 / static_cast<double>(blocks), static_cast<int>(block_slices) - in) *
                 rate_of_block(history, 1, probes);
      }
      auto const rate = blocked_aging_fpr({blocks, probes, 1});
      EXPECT_GE(rate, exact * (1 - 1e-9) - 1e-12) << blocks << " blocks, " << probes << " probes";
      EXPECT_LE(rate, (probes >= block_slices / 2 ? 1 + 1e-9
                       : probes > 2               ? 1.01
                                                  : 2) *
                              exact +
                          1e-12)
          << blocks << " blocks, " << probes << " probes";
    }
  }
}

// Blocks of different fill are worse than even ones, but not by much in full blocks.
TEST(BlockedAging, RateIsAboveThatOfLargeSlices) {
  for (unsigned probes = 3; probes < 12; ++probes) {
    std::uint64_t constexpr blocks = 1'000'000;
    std::uint64_t constexpr items = 2 * blocks;
    auto const even = age_partitioned_fpr({blocks * block_slice_bits, probes, block_slices - probes, items});
    auto const rate = blocked_aging_fpr({blocks, probes, items});
    EXPECT_GT(rate, even);
    EXPECT_LT(rate, 20 * even);
  }
}

// All keys of a window at once: one row of slices has them all. By the binomial sum over the keys of a block.
TEST(BlockedAging, BurstsStayBelowTheBound) {
  for (unsigned const probes : {1U, 4U, 8U})
    for (std::uint64_t const blocks : {1U, 5U, 40U}) {
      std::uint64_t constexpr items = 100;
      double burst = 0;
      double chance = std::pow(1 - 1.0 / static_cast<double>(blocks), items);  // that `in` keys are in the block
      if (blocks == 1) {
        burst = std::pow(1 - std::pow(31.0 / 32, items), probes);
      } else {
        for (unsigned in = 0; in <= items; ++in) {
          burst += chance * std::pow(1 - std::pow(31.0 / 32, in), probes);
          chance *= static_cast<double>(items - in) / (in + 1) / (static_cast<double>(blocks) - 1);
        }
      }
      auto const bound = blocked_aging_burst_fpr({blocks, probes, items});
      EXPECT_NEAR(bound, std::min(1.0, burst * (block_slices - probes + 1)), 1e-9);
    }
}

TEST(BlockedAging, PlanKeepsTheRateAndTheWindowInLittleSpace) {
  for (auto const what : {window_of::distinct_keys, window_of::inserts, window_of::time})
    for (std::uint64_t const items : {0U, 1U, 2U, 7U, 100U, 12'345U, 1'000'000'000U})
      for (double const fpr : {0.9, 0.1, 0.01, 1e-3, 1e-6}) {
        auto const rate = [&](blocked_aging_shape shape) {
          return what == window_of::time ? blocked_aging_burst_fpr(shape) : blocked_aging_fpr(shape);
        };
        auto const shape = blocked_aging({items, fpr}, what);
        EXPECT_LE(rate(shape), fpr);
        if (what == window_of::time) {
          EXPECT_EQ(shape.generation_items, std::max<std::uint64_t>(items, 1));
          EXPECT_LE(shape.probes, shape.generations());
        } else {
          EXPECT_GE(shape.generation_items * window_generations(shape.generations(), what), items);
        }
        if (shape.blocks == 1 || items > 1'000'000) continue;  // some probes would take more than there can be
        // No number of probes saves a block.
        for (unsigned probes = 1; probes <= (what == window_of::time ? 8U : 13U); ++probes) {
          auto const other = blocked_aging({items, fpr}, what, block_slices - probes);
          EXPECT_EQ(other.probes, probes);
          EXPECT_GE(other.blocks, shape.blocks) << items << " at " << fpr << " with " << probes << " probes";
        }
        auto smaller = shape;
        --smaller.blocks;
        EXPECT_GT(rate(smaller), fpr);
      }
}

TEST(BlockedAging, WhatTheCardSays) {
  auto const bits = [](window_of what, double fpr) {
    return static_cast<double>(blocked_aging({1'000'000, fpr}, what).blocks) * 512 / 1e6;
  };
  EXPECT_NEAR(bits(window_of::distinct_keys, 0.01), 44, 0.5);
  EXPECT_NEAR(bits(window_of::inserts, 0.01), 25, 0.6);
  EXPECT_NEAR(bits(window_of::time, 0.01), 33, 0.5);
  EXPECT_NEAR(bits(window_of::distinct_keys, 0.001), 72, 0.5);
  EXPECT_NEAR(bits(window_of::inserts, 0.001), 40, 0.5);
  EXPECT_NEAR(bits(window_of::time, 0.001), 52, 0.5);
}

TEST(BlockedAging, RefusesWhatCannotBe) {
  for (blocked_aging_shape const shape :
       {blocked_aging_shape{}, {0, 1, 1}, {1, 0, 1}, {1, 16, 1}, {1, 4'000'000'000U, 1}, {1, 1, 0}, {max_bits / 512 + 1, 1, 1}})
    EXPECT_EQ(thrown([&] { (void)checked(shape); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { (void)blocked_aging({10, 0.01}, window_of::inserts, 16); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { (void)blocked_aging({10, 0.01}, window_of::time, 7); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { (void)blocked_aging({10, 1e-10}, window_of::inserts); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { (void)blocked_aging({~std::uint64_t{0}, 0.01}, window_of::inserts); }), oracle::bad_goal);
  EXPECT_EQ(blocked_aging({1000, 0.01}, window_of::inserts, 5).probes, 11U);
  EXPECT_EQ(blocked_aging({1000, 0.01}, window_of::distinct_keys, 7).generation_items, 250U);
}

}  // namespace
