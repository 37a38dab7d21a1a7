// The plan of a cuckoo filter: rate, space, limits.
#include <hortus/plan/cuckoo.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace hortus::plan {
namespace {

double bits_per_key(goal g) {
  auto const shape = cuckoo(g);
  return static_cast<double>(shape.slots()) * shape.slot_bits / static_cast<double>(g.items);
}

TEST(plan_cuckoo, keeps_every_goal_with_no_slot_to_spare) {
  for (std::uint64_t const items : {1ULL, 2ULL, 9ULL, 100ULL, 4097ULL, 1'000'000ULL, 100'000'000ULL, 30'000'000'000ULL})
    for (double const fpr : {.9, .5, .03, .01, 1.0 / 256, 1e-3, 1e-6, 1e-9}) {
      if (static_cast<double>(items) / fpr > 0x1p62) continue;
      auto const shape = cuckoo({items, fpr});
      EXPECT_TRUE(shape.possible());
      EXPECT_LE(cuckoo_fpr(shape, items), fpr) << items << " at " << fpr;
      EXPECT_GE(static_cast<double>(shape.windows), cuckoo_windows(static_cast<double>(items)));
      // One window less would be too few for the keys or for the rate.
      auto fewer = shape;
      if (--fewer.windows > 0 && static_cast<double>(fewer.windows) >= cuckoo_windows(static_cast<double>(items))) {
        EXPECT_GT(cuckoo_fpr(fewer, items), fpr);
      }
    }
}

/// The spare slots of a small filter are a smaller part of a large one. Peers with buckets of four slots take 1.44 and 1.28.
TEST(plan_cuckoo, space_over_the_lower_bound) {
  auto const overhead = [](goal g) { return bits_per_key(g) / -std::log2(cuckoo_fpr(cuckoo(g), g.items)); };
  for (auto const items : {1'000'000ULL, 10'000'000ULL, 100'000'000ULL, 1'000'000'000ULL}) {
    EXPECT_LT(overhead({items, 0x1p-8}), 1.36) << items;
    EXPECT_LT(overhead({items, 0x1p-16}), 1.235) << items;
  }
  EXPECT_LT(bits_per_key({100'000'000, 0x1p-8}), 8 * 1.38);
  EXPECT_LT(bits_per_key({100'000'000, 0x1p-16}), 16 * 1.24);
  EXPECT_NEAR(bits_per_key({100'000'000, 0x1p-8}), 10.99, .01);
  EXPECT_NEAR(bits_per_key({100'000'000, 0x1p-16}), 19.78, .01);
  EXPECT_LT(bits_per_key({1000, 0x1p-8}), 14.2);
}

TEST(plan_cuckoo, rate_is_exact) {
  cuckoo_shape const shape{1000, 10};
  EXPECT_EQ(shape.tags(), 255U);
  EXPECT_DOUBLE_EQ(shape.fingerprints(), 255000);
  EXPECT_EQ(cuckoo_fpr(shape, 0), 0);
  EXPECT_DOUBLE_EQ(cuckoo_fpr(shape, 1), 1 / 255000.0);
  EXPECT_NEAR(cuckoo_fpr(shape, 900), 1 - std::pow(1 - 1 / 255000.0, 900), 1e-12);
}

TEST(plan_cuckoo, the_second_window_is_near) {
  EXPECT_EQ(cuckoo_shape({1, 10}).reach_bits(), 4U);
  EXPECT_EQ(cuckoo_shape({16, 10}).reach_bits(), 4U);
  EXPECT_EQ(cuckoo_shape({17, 10}).reach_bits(), 5U);
  EXPECT_EQ(cuckoo_shape({1'000'000, 10}).reach_bits(), 12U);
  EXPECT_EQ(cuckoo_shape({1ULL << 38, 10}).reach_bits(), 12U);
  EXPECT_EQ(cuckoo_shape({1'000'000, 10}).slots(), 1'004'098U);
}

TEST(plan_cuckoo, refuses_the_impossible) {
  EXPECT_THROW((void)cuckoo({std::uint64_t{1} << 60, .01}), error);
  EXPECT_THROW((void)cuckoo({1'000'000'000'000, .01}), error);  // more than 2^42 bits
  EXPECT_THROW((void)cuckoo({1'000'000'000, 1e-12}), error);    // more fingerprints than digests
  EXPECT_THROW((void)cuckoo({10, 0}), error);
  EXPECT_THROW((void)cuckoo({10, 1}), error);
  for (auto const& bad : {cuckoo_shape{0, 10}, cuckoo_shape{100, 6}, cuckoo_shape{100, 58}, cuckoo_shape{1ULL << 41, 10},
                          cuckoo_shape{~0ULL, 10}, cuckoo_shape{1ULL << 10, 57}})
    EXPECT_THROW((void)checked(bad), error) << bad.windows << " " << bad.slot_bits;
}

TEST(plan_cuckoo, estimates) {
  EXPECT_EQ(cuckoo_cardinality({1000, 10}, 0), estimate{});
  auto const some = cuckoo_cardinality({1000, 10}, 900);
  EXPECT_NEAR(some.value, 901.6, .1);  // 900 different fingerprints of 255000
  EXPECT_LE(some.low, 900);
  EXPECT_GE(some.high, 902);
}

}  // namespace
}  // namespace hortus::plan
