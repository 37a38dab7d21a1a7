#include <hortus/plan/stable.hpp>

#include <array>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

stable_shape of_max(std::uint64_t cells, unsigned probes, unsigned max, std::uint64_t decrements) {
  return {cells, max == 1 ? 1U : max == 3 ? 2U : 3U, probes, decrements};
}

/// Deng and Rafiei's form of the stable point, with K/m for the chance of a reset.
double zeros_of_the_paper(stable_shape shape) {
  double const p = static_cast<double>(shape.decrements);
  return std::pow(1 / (1 + 1 / (p * (1.0 / shape.probes - 1 / static_cast<double>(shape.cells)))), shape.max());
}

TEST(Stable, TableOfStablePoints) {
  struct {
    double fpr;
    unsigned probes, max;
    char const* real;
    std::uint64_t decrements;
    char const* zeros;
    char const* rate;
    char const* of_the_seed;
  } const rows[] = {
      {.1, 3, 1, "3.463", 4, ".5714", ".0787", ".429"},       {.1, 3, 3, "12.977", 13, ".5364", ".0997", ".188"},
      {.01, 1, 1, "99.00", 100, ".9901", ".0099", ".0099"},   {.01, 3, 1, "10.925", 11, ".7857", ".00984", ".214"},
      {.01, 3, 3, "35.614", 36, ".7865", ".00973", ".077"},   {.01, 6, 3, "25.955", 26, ".5364", ".00993", ".188"},
      {.001, 6, 1, "12.974", 13, ".6842", "9.92e-4", ".316"}, {.001, 6, 7, "107.52", 108, ".6849", "9.79e-4", ".053"}};
  constexpr std::uint64_t cells = 100'000;
  for (auto const& row : rows) {
    auto const shape = of_max(cells, row.probes, row.max, row.decrements);
    EXPECT_TRUE(printed(stable_decrements_real(cells, shape.cell_bits, row.probes, row.fpr), row.real, 1.0));  // theirs has K/m
    EXPECT_EQ(stable_decrements(cells, shape.cell_bits, row.probes, row.fpr), row.decrements);
    EXPECT_TRUE(printed(stable_zeros(shape), row.zeros));
    EXPECT_TRUE(printed(stable_fpr(shape), row.rate));
    EXPECT_LE(stable_fpr(shape), row.fpr);
    EXPECT_TRUE(close(stable_zeros(shape), zeros_of_the_paper(shape), 1e-4));
    // The founding document leaves out the powers of Max and of K: 1 - q.
    double const seed = 1 - stable_events_of(shape).decrement;
    EXPECT_TRUE(printed(seed, row.of_the_seed));
    EXPECT_EQ(close(seed, stable_fpr(shape), 1e-4), row.probes == 1 && row.max == 1);
  }
}

/// One cell after `gap` inserts, step by step: lowered with chance P/m, then reset.
double missed_step_by_step(stable_shape shape, unsigned gap) {
  double const lowered = static_cast<double>(shape.decrements) / static_cast<double>(shape.cells);
  double const reset = 1 - std::pow(1 - 1 / static_cast<double>(shape.cells), shape.probes);
  std::vector<double> chance(shape.max() + 1);
  chance[shape.max()] = 1;
  for (unsigned step = 0; step < gap; ++step) {
    for (unsigned v = 0; v < shape.max(); ++v) chance[v] += chance[v + 1] * lowered, chance[v + 1] *= 1 - lowered;
    for (auto& one : chance) one *= 1 - reset;
    chance[shape.max()] += reset;
  }
  return 1 - std::pow(1 - chance[0], shape.probes);
}

TEST(Stable, TableOfMissesByGap) {
  constexpr std::array gaps{50U, 100U, 200U, 500U, 1000U, 2000U};
  struct {
    unsigned probes, max;
    std::uint64_t decrements;
    std::array<char const*, 6> missed;
  } const rows[] = {{3, 1, 11, {".151", ".278", ".472", ".779", ".932", ".982"}},
                    {3, 3, 36, {".0024", ".0170", ".1008", ".567", ".930", ".988"}},
                    {3, 7, 86, {"0", "8e-5", ".0054", ".335", ".944", ".990"}},
                    {6, 3, 26, {".0018", ".0134", ".0837", ".523", ".912", ".986"}}};
  for (auto const& row : rows) {
    auto const shape = of_max(10'000, row.probes, row.max, row.decrements);
    EXPECT_EQ(stable_decrements(10'000, shape.cell_bits, row.probes, .01), row.decrements);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      double const missed = stable_fnr(shape, gaps[i]);
      if (row.missed[i] != std::string("0")) {
        EXPECT_TRUE(printed(missed, row.missed[i], row.max == 7 && i == 1 ? 1.0 : 0.5)) << gaps[i];
      }
      EXPECT_TRUE(close(missed, missed_step_by_step(shape, gaps[i]), 1e-9)) << gaps[i] << ": " << missed;
    }
    EXPECT_EQ(stable_fnr(shape, 0), 0);
    EXPECT_TRUE(close(stable_fnr(shape, std::uint64_t{1} << 50), 1 - stable_fpr(shape), 0.02));  // as an absent key
  }
}

TEST(Stable, StepByStepAlsoForTinyFilters) {
  for (stable_shape const shape : {stable_shape{2, 1, 1, 1}, {2, 1, 1, 2}, {3, 2, 2, 3}, {10, 4, 3, 7}, {7, 8, 6, 7}})
    for (unsigned const gap : {0U, 1U, 2U, 7U, 100U, 1000U})
      EXPECT_NEAR(stable_fnr(shape, gap), missed_step_by_step(shape, gap), 1e-9) << shape.cells << " at " << gap;
}

// In 30000 bits at 1 %, misses at gap 500 and 2000: wider cells forget more sharply.
TEST(Stable, WiderCellsForgetMoreSharply) {
  struct {
    unsigned width, probes;
    char const *at_500, *at_2000;
  } const rows[] = {{1, 3, ".415", ".857"}, {2, 4, ".261", ".966"}, {3, 6, ".202", ".990"}};
  for (auto const& row : rows) {
    auto const cells = 30'000 / row.width;
    stable_shape const shape{cells, row.width, row.probes, stable_decrements(cells, row.width, row.probes, .01)};
    EXPECT_TRUE(printed(stable_fnr(shape, 500), row.at_500));
    EXPECT_TRUE(printed(stable_fnr(shape, 2000), row.at_2000));
  }
}

TEST(Stable, PlanKeepsBothRatesAndIsTheLeast) {
  for (std::uint64_t const items : {1U, 2U, 7U, 1000U, 1'000'000U})
    for (double const fpr : {0.5, 0.01, 1e-4})
      for (double const fnr : {0.5, 0.1, 0.01}) {
        auto const shape = stable({items, fpr}, fnr);
        EXPECT_LE(stable_fpr(shape), fpr * (1 + 1e-9));
        EXPECT_LE(stable_fnr(shape, items), fnr);
        for (auto const width : {1U, 2U, 4U})
          for (unsigned probes = 1; probes <= 20; ++probes) {
            auto const cells = (shape.cells * shape.cell_bits - 1) / width;  // at least one bit less
            if (cells <= probes) continue;
            stable_shape const other{cells, width, probes, stable_decrements(cells, width, probes, fpr)};
            if (other.decrements > cells || stable_fpr(other) > fpr) continue;
            EXPECT_GT(stable_fnr(other, items), fnr)
                << items << ", " << fpr << ", " << fnr << ": " << width << " bits, " << probes;
          }
        auto const bits = shape.cells * shape.cell_bits;
        if (bits > 200) {
          EXPECT_LE(stable_fnr(stable_within(bits, fpr, items), items), fnr);
        }
      }
}

TEST(Limits, LeastBitsWithAndWithoutMisses) {
  EXPECT_DOUBLE_EQ(least_bits_per_item(1.0 / 128), 7);
  EXPECT_NEAR(least_bits_per_item(0.01, 0.1), 5.5119, 1e-4);  // 0.9 log2(90) + 0.1 log2(0.1 / 0.99)
  for (double const fnr : {0.1, 0.5, 0.9}) EXPECT_NEAR(least_bits_per_item(1 - fnr, fnr), 0, 1e-12);  // answers at random
  EXPECT_LT(least_bits_per_item(0.01, 0.1), least_bits_per_item(0.01, 0.01));
  EXPECT_LT(least_bits_per_item(0.01, 0.01), least_bits_per_item(0.01));
}

TEST(Stable, WhatTheCardSays) {
  auto const shape = stable({1'000'000, 0.01}, 0.1);
  EXPECT_NEAR(static_cast<double>(shape.cells) * shape.cell_bits / 1e6, 68, 0.5);
}

TEST(Stable, RefusesWhatCannotBe) {
  for (stable_shape const shape : {stable_shape{},
                                   {3, 1, 3, 1},
                                   {10, 0, 1, 1},
                                   {10, 9, 1, 1},
                                   {10, 1, 0, 1},
                                   {10, 1, 1, 0},
                                   {10, 1, 1, 11},
                                   {max_bits, 2, 1, 1},
                                   {100, 1, 65, 1}})
    EXPECT_EQ(thrown([&] { (void)checked(shape); }), oracle::bad_params);
  for (double const fnr : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_EQ(thrown([&] { (void)stable({10, 0.01}, fnr); }), oracle::bad_goal);
  EXPECT_EQ(thrown([&] { (void)stable({10, 0.01}, 0.1, 9); }), oracle::bad_goal);
  EXPECT_EQ(thrown([&] { (void)stable({10, 0.01}, 0.1, 0, 65); }), oracle::bad_goal);
  EXPECT_EQ(thrown([&] { (void)stable({std::uint64_t{1} << 60, 0.01}, 0.1); }), oracle::bad_goal);
  EXPECT_EQ(thrown([&] { (void)stable_within(3, 1e-9, 10); }), oracle::bad_goal);
  EXPECT_EQ(stable({10, 0.01}, 0.1, 3).cell_bits, 3U);
  EXPECT_EQ(stable({10, 0.01}, 0.1, 0, 5).probes, 5U);
}

}  // namespace
