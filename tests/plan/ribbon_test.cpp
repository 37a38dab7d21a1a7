#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include <hortus/frozen/ribbon.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus {
namespace {

TEST(plan_ribbon, layers_hold_the_keys_and_little_more) {
  for (std::uint64_t items = 1; items < 5'000'000'000; items += items / 7 + 1)
    for (bool const long_rows : {false, true}) {
      auto const layers = plan::ribbon_layers(items, 0, long_rows);
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

/// The same of rows of 128 slots, in layers of few buckets, too, which have more or fewer keys for each slot.
TEST(plan_ribbon, layers_of_long_rows_leave_over_as_many_keys_as_planned) {
  namespace loss = plan::ribbon_long_loss;
  std::mt19937_64 random(5);
  for (std::uint64_t const items : {10'000U, 12'500U, 13'900U, 100'000U}) {
    auto const layers = plan::ribbon_layers(items, 0, true);
    ASSERT_EQ(layers.size(), 2U);
    auto const slots = 64 * layers.front();
    double left = 0;
    int const rounds = items < 100'000 ? 40 : 10;
    for (int i = 0; i < rounds; ++i) {
      std::vector<std::uint64_t> words(items);
      for (auto& word : words) word = random();
      words.resize(sort_distinct(words));
      std::uint64_t const ends[] = {slots / 64};
      ribbon_cells cells(1, 0, 1, ends, 2);
      ribbon_left over;
      ribbon_strip const strip{cells.strip(0), 0, {words}};
      solve_strips(cells, {&strip, 1}, ribbon_overflow::by_threshold, over);
      left += static_cast<double>(over.words.size()) - static_cast<double>(items - slots);
    }
    auto const all = static_cast<double>(slots);
    double const expected = all * loss::of_slots(static_cast<double>(items) / all) + loss::of_strip;
    double const variance = all * loss::variance_of_slots + loss::variance_of_strip;
    EXPECT_NEAR(left / rounds, expected, 6 * std::sqrt(variance / rounds) + 4) << items;
  }
}

/// A last layer of long rows has room for nearly as many keys as slots.
TEST(plan_ribbon, last_layers_of_long_rows_hold_their_keys) {
  std::mt19937_64 random(6);
  double left = 0;
  int rounds = 0;
  for (std::uint64_t keys = 100; keys <= 6000; keys += 59, ++rounds) {
    std::vector<std::uint64_t> words(keys);
    for (auto& word : words) word = random();
    words.resize(sort_distinct(words));
    auto const blocks = plan::ribbon_layers(keys, 1, true);
    ASSERT_EQ(blocks.size(), 1U);
    ribbon_cells cells(1, 0, 1, blocks, 2);
    ribbon_left over;
    ribbon_strip const strip{cells.strip(0), 0, {words}};
    solve_strips(cells, {&strip, 1}, ribbon_overflow::one_by_one, over);
    left += static_cast<double>(over.words.size());
  }
  EXPECT_LE(left / rounds, 1) << "a key that is left over takes 64 bits";
}

TEST(plan_ribbon, has_long_rows_where_columns_are_few) {
  for (int bits = 1; bits <= 8; ++bits)
    for (std::uint64_t const items : {999U, 1000U, 100'000U}) {
      auto const s = plan::ribbon({items, std::ldexp(1.0, -bits)});
      EXPECT_EQ(s.long_rows(), bits <= 3 && items >= 1000) << bits;
      EXPECT_EQ(s.threshold_bytes(), (s.blocks + (s.long_rows() ? 31 : 7)) / (s.long_rows() ? 32 : 8));
    }
  EXPECT_TRUE(plan::ribbon({100'000, 0.07}).long_rows());
  EXPECT_FALSE(plan::ribbon({100'000, 0.0625}).long_rows());
}

TEST(plan_ribbon, refuses_what_does_not_fit) {
  EXPECT_THROW((void)plan::ribbon({std::uint64_t{1} << 45, 0.5}), error);
  EXPECT_THROW((void)plan::ribbon({1000, 0}), error);
  EXPECT_THROW((void)plan::ribbon({1000, 1}), error);
}

}  // namespace
}  // namespace hortus
