// Sizes of blocked counting filters: shares of cells above three compared with sums, and the best number of probes.
#include <gtest/gtest.h>

#include <cmath>

#include <hortus/error.hpp>
#include <hortus/plan/blocked_counting.hpp>

namespace hortus::plan {
namespace {

TEST(blocked_counting_plan, share_past_three_is_the_tail_of_poissons_law) {
  for (double const load : {1e-6, 0.01, 0.1, 0.48, 0.7, 2.0, 20.0}) {
    double term = std::exp(-load) * std::pow(load, 4) / 24, sum = 0;
    for (int i = 5; term > 1e-30; term *= load / i++) sum += term;
    // The formula takes a difference: it is right to 1e-16 of 1.
    EXPECT_NEAR(share_past_three(load), sum, 1e-12 * sum + 4e-16) << load;
  }
}

/// The table is planned to be 0.3 full; at most 0.8 is possible.
TEST(blocked_counting_plan, the_load_that_is_allowed_leaves_room_in_the_table) {
  EXPECT_NEAR(share_past_three(most_cell_load) * static_cast<double>(cells_a_slot), 0.297, 0.001);
}

TEST(blocked_counting_plan, keeps_rate_and_load_with_the_fewest_blocks) {
  for (std::uint64_t const items : {1UL, 100UL, 10'000UL, 1'000'000UL, 1'000'000'000UL})
    for (double const fpr : {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-4}) {
      auto const best = blocked_counting({items, fpr});
      EXPECT_LE(blocked_fpr(best, items), fpr);
      EXPECT_LE(cell_load(best, items), most_cell_load);
      if (items != 1'000'000) continue;
      for (unsigned probes = 1; probes <= 20; ++probes) {
        auto const other = blocked_counting({items, fpr}, probes);
        EXPECT_EQ(other.probes, probes);
        EXPECT_LE(blocked_fpr(other, items), fpr);
        EXPECT_LE(cell_load(other, items), most_cell_load);
        // Both are rounded up to numbers with divisors, by at most a part in a thousand at this size.
        EXPECT_LE(static_cast<double>(best.blocks), 1.002 * static_cast<double>(other.blocks)) << probes << " at " << fpr;
      }
    }
  auto const usual = blocked_counting({1'000'000, 0.01});
  EXPECT_EQ(usual.probes, 4U);
  EXPECT_NEAR(256e-6 * static_cast<double>(usual.blocks), 11.05, 0.05) << "cells a key";
}

TEST(blocked_counting_plan, refuses_what_2_32_blocks_cannot_hold) {
  EXPECT_THROW((void)blocked_counting({~std::uint64_t{0}, 0.01}), error);
  EXPECT_THROW((void)blocked_counting({1'000'000'000'000, 0.01}), error);
  EXPECT_THROW((void)blocked_counting({10, 0.0}), error);
  EXPECT_THROW((void)blocked_counting({10, 0.01}, 65), error);
}

}  // namespace
}  // namespace hortus::plan
