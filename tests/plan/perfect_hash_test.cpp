#include <gtest/gtest.h>

#include <cmath>

#include <hortus/plan/perfect_hash.hpp>
#include <hortus/plan/perfect_hash_map.hpp>

namespace hortus::plan {
namespace {

TEST(plan_perfect_hash, parts_have_at_most_two_million_keys) {
  EXPECT_EQ(perfect_hash_log2_parts(0), 0U);
  EXPECT_EQ(perfect_hash_log2_parts(std::uint64_t{1} << 21), 0U);
  EXPECT_EQ(perfect_hash_log2_parts((std::uint64_t{1} << 21) + 1), 1U);
  EXPECT_EQ(perfect_hash_log2_parts(100'000'000), 6U);
}

TEST(plan_perfect_hash, windows_are_about_twice_the_root) {
  EXPECT_EQ(perfect_hash_log2_window(0), 1U);
  EXPECT_EQ(perfect_hash_log2_window(1000), 6U);
  EXPECT_EQ(perfect_hash_log2_window(1'000'000), 11U);
  EXPECT_EQ(perfect_hash_log2_window(std::uint64_t{1} << 40), 11U);
  for (std::uint64_t items = 1; items < 1'000'000; items = items * 3 / 2 + 1) {
    EXPECT_GE(perfect_hash_slots(items, perfect_hash_log2_window(items)), items);
    EXPECT_GE(perfect_hash_slots(items, perfect_hash_log2_window(items)), perfect_hash_reach(perfect_hash_log2_window(items)));
    EXPECT_NEAR(static_cast<double>(perfect_hash_buckets(items, 1)) * 4.25, static_cast<double>(items),
                .0001 * static_cast<double>(items) + 4.5);
  }
}

/// The next level is a fraction of a level, so levels end.
TEST(plan_perfect_hash, levels_shrink) {
  for (std::uint64_t items = 1; items < std::uint64_t{1} << 40; items = items * 3 / 2 + 1) {
    EXPECT_LT(perfect_hash_left(items) * 3, items + 1) << items;
    unsigned levels = 1;
    for (auto left = perfect_hash_left(items); left > perfect_hash_shape::few_items; left = perfect_hash_left(left)) ++levels;
    EXPECT_LE(levels, 7U) << items;
  }
}

TEST(plan_perfect_hash, bytes_are_two_bits_a_key) {
  EXPECT_NEAR(static_cast<double>(perfect_hash_bytes(100'000'000)) * 8e-8, 2.02, .02);
  EXPECT_LE(perfect_hash_bytes(1), 128U);
  for (std::uint64_t items = 1000; items < std::uint64_t{1} << 40; items = items * 3 / 2)
    EXPECT_LE(static_cast<double>(perfect_hash_bytes(items)) * 8, 4.6 * static_cast<double>(items)) << items;
}

TEST(plan_perfect_hash_map, rates_are_rounded_down_to_powers_of_two) {
  auto const bits = [](double fpr) { return perfect_hash_map({1000, fpr}, 3).signature_bits; };
  EXPECT_EQ(bits(1), 0U);
  EXPECT_EQ(bits(.9), 1U);
  EXPECT_EQ(bits(.5), 1U);
  EXPECT_EQ(bits(.49), 2U);
  EXPECT_EQ(bits(.01), 7U);
  EXPECT_EQ(bits(1 / 256.0), 8U);
  EXPECT_EQ(bits(0x1p-64), 64U);
  EXPECT_THROW((void)bits(0x1p-65), error);
  EXPECT_THROW((void)bits(0), error);
  EXPECT_THROW((void)bits(1.1), error);
  EXPECT_THROW((void)bits(std::nan("")), error);
  EXPECT_THROW((void)perfect_hash_map({1000, .01}, 65), error);
  EXPECT_THROW((void)perfect_hash_map({std::uint64_t{1} << 40, .01}, 8), error);
}

TEST(plan_perfect_hash_map, one_slot_if_a_word_holds_both) {
  EXPECT_TRUE(perfect_hash_map({10, 0x1p-32}, 32).in_one_slot());
  EXPECT_FALSE(perfect_hash_map({10, 0x1p-33}, 32).in_one_slot());
  EXPECT_EQ(perfect_hash_map_lines({10, 8, 8}), 1);
  EXPECT_EQ(perfect_hash_map_lines({10, 58, 0}), 1);
  EXPECT_EQ(perfect_hash_map_lines({10, 64, 64}), 2);
  EXPECT_EQ(perfect_hash_map_lines({10, 0, 0}), 0);
  EXPECT_GT(perfect_hash_map_lines({10, 7, 0}), 1);
}

}  // namespace
}  // namespace hortus::plan
