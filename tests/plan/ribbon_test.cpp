#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include <hortus/frozen/ribbon.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus {
namespace {

TEST(plan_ribbon, layers_hold_the_keys_and_little_more) {
  for (std::uint64_t items = 1; items < 5'000'000'000; items += items / 7 + 1) {
    auto const layers = plan::ribbon_layers(items);
    EXPECT_LE(layers.size(), 9U) << items;
    auto const slots = 64 * std::accumulate(layers.begin(), layers.end(), std::uint64_t{0});
    EXPECT_GE(slots + 2, items) << items;
    EXPECT_LE(static_cast<double>(slots),
              static_cast<double>(items) * 1.0008 + 20 * std::sqrt(static_cast<double>(items)) + 128)
        << items;
  }
  EXPECT_TRUE(plan::ribbon_layers(0).empty());
}

TEST(plan_ribbon, rates_of_whole_columns_are_exact) {
  for (int bits = 1; bits <= 60; ++bits) {
    auto const s = plan::ribbon({1000, std::ldexp(1.0, -bits)});
    EXPECT_EQ(s.columns, static_cast<unsigned>(bits));
    EXPECT_EQ(s.wide_blocks, 0U);
    EXPECT_DOUBLE_EQ(plan::ribbon_fpr(s), std::ldexp(1.0, -bits));
  }
}

TEST(plan_ribbon, other_rates_mix_widths) {
  for (double fpr = 0.95; fpr > 1e-9; fpr *= 0.93) {
    auto const s = plan::ribbon({1'000'000, fpr});
    EXPECT_LE(plan::ribbon_fpr(s), fpr);
    EXPECT_LE(8 * static_cast<double>(s.column_bytes()) / 1e6, (-std::log2(fpr) + 0.09) * 1.001 + 0.012) << fpr;
  }
}

/// The numbers in ribbon_loss: what the first layer of real keys leaves over is what the plan expects.
TEST(plan_ribbon, layers_leave_over_as_many_keys_as_planned) {
  std::mt19937_64 random(5);
  for (std::uint64_t const items : {10'000U, 100'000U}) {
    auto const slots = 64 * plan::ribbon_layers(items).front();
    double left = 0;
    int const rounds = items == 10'000 ? 40 : 10;
    for (int i = 0; i < rounds; ++i) {
      std::vector<std::uint64_t> words(items);
      for (auto& word : words) word = random();
      words.resize(sort_distinct(words));
      std::uint64_t const ends[] = {slots / 64};
      ribbon_cells cells(1, 0, 1, ends);
      ribbon_left over;
      ribbon_strip const strip{cells.strip(0), 0, {words}};
      solve_strips(cells, {&strip, 1}, ribbon_overflow::by_threshold, over);
      left += static_cast<double>(over.words.size()) - static_cast<double>(items - slots);
    }
    namespace loss = plan::ribbon_loss;
    double const expected = static_cast<double>(slots) * loss::of_slots + loss::of_strip;
    double const variance = static_cast<double>(slots) * loss::variance_of_slots + loss::variance_of_strip;
    EXPECT_NEAR(left / rounds, expected, 6 * std::sqrt(variance / rounds)) << items;
  }
}

TEST(plan_ribbon, refuses_what_does_not_fit) {
  EXPECT_THROW((void)plan::ribbon({std::uint64_t{1} << 45, 0.5}), error);
  EXPECT_THROW((void)plan::ribbon({1000, 0}), error);
  EXPECT_THROW((void)plan::ribbon({1000, 1}), error);
}

}  // namespace
}  // namespace hortus
