#include <gtest/gtest.h>

#include <hortus/plan/binary_fuse.hpp>

namespace hortus::plan {
namespace {

TEST(plan_binary_fuse, rates_are_rounded_down_to_powers_of_two) {
  EXPECT_EQ(binary_fuse({1000, 0.5}, 4).slot_bits, 1U);
  EXPECT_EQ(binary_fuse({1000, 0.9}, 4).slot_bits, 1U);
  EXPECT_EQ(binary_fuse({1000, 0.49}, 4).slot_bits, 2U);
  EXPECT_EQ(binary_fuse({1000, 0.01}, 4).slot_bits, 7U);
  EXPECT_EQ(binary_fuse({1000, 1 / 256.0}, 4).slot_bits, 8U);
  EXPECT_EQ(binary_fuse({1000, 0x1p-57}, 4).slot_bits, 57U);
  EXPECT_THROW((void)binary_fuse({1000, 0x1p-58}, 4), error);
  EXPECT_THROW((void)binary_fuse({1000, 0.01}, 5), error);
}

TEST(plan_binary_fuse, arity_of_zero_takes_less_space) {
  EXPECT_EQ(binary_fuse({1000, 0.01}, 0).arity, 3U);
  EXPECT_EQ(binary_fuse({2048, 0.01}, 0).arity, 4U);
  EXPECT_EQ(binary_fuse({2048, 0.01}, 3).arity, 3U);
}

TEST(plan_binary_fuse, parts_have_at_most_four_million_keys) {
  EXPECT_EQ(binary_fuse_part_bits(0), 0U);
  EXPECT_EQ(binary_fuse_part_bits(std::uint64_t{1} << 22), 0U);
  EXPECT_EQ(binary_fuse_part_bits((std::uint64_t{1} << 22) + 1), 1U);
  EXPECT_EQ(binary_fuse_part_bits(100'000'000), 5U);
}

/// The number of slots never falls when there are more keys, but where the segments change; and it holds the keys.
TEST(plan_binary_fuse, slots_rise_with_keys) {
  for (unsigned const arity : {3U, 4U})
    for (std::uint64_t items = 1; items < 3'000'000; items += items / 50 + 1) {
      auto const shape = binary_fuse_shape_of(items, 8, arity), more = binary_fuse_shape_of(items + items / 50 + 1, 8, arity);
      ASSERT_GE(binary_fuse_slots(shape), items);
      if (shape.segment_bits == more.segment_bits) {
        EXPECT_GE(binary_fuse_slots(more), binary_fuse_slots(shape)) << items;
      }
      if (items >= 1000) {
        EXPECT_LE(static_cast<double>(binary_fuse_slots(shape)), (arity == 3 ? 1.26 : 1.36) * static_cast<double>(items));
      }
    }
}

TEST(plan_binary_fuse, length_is_bounded_for_any_number_of_words) {
  auto const shape = binary_fuse_shape_of(100, 8, 4);
  EXPECT_EQ(binary_fuse_length(shape, 0), 1U);
  EXPECT_EQ(binary_fuse_length(shape, ~std::uint64_t{0}), binary_fuse_shape::max_length);
  EXPECT_EQ(binary_fuse_length(shape, std::uint64_t{1} << 33), binary_fuse_shape::max_length);
}

}  // namespace
}  // namespace hortus::plan
