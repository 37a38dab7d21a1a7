#include <hortus/maths/combine.hpp>

#include <array>
#include <limits>

#include "../plan/oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::sizes;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
constexpr bloom_shape shape{8000, 6};

TEST(Combine, TableOfAndAndOr) {
  struct {
    std::uint64_t common;
    char const *intersected, *direct, *merged;
  } const rows[] = {{0, "4.658e-04", "0.000e+00", "2.199e-01"},
                    {200, "9.682e-04", "7.306e-06", "1.652e-01"},
                    {500, "3.008e-03", "9.354e-04", "9.490e-02"},
                    {800, "9.706e-03", "8.439e-03", "4.368e-02"},
                    {1000, "2.158e-02", "2.158e-02", "2.158e-02"}};
  for (auto const& row : rows) {
    EXPECT_TRUE(printed(intersected_fpr(shape, 1000, 1000, row.common), row.intersected));
    EXPECT_TRUE(printed(bloom_fpr_textbook(shape, row.common), row.direct));
    EXPECT_TRUE(printed(bloom_fpr_textbook(shape, 2000 - row.common), row.merged));
    EXPECT_EQ(merged_fpr(shape, 1000, 1000, row.common), bloom_fpr(shape, 2000 - row.common));
    EXPECT_TRUE(close(merged_fpr(shape, 1000, 1000, row.common), bloom_fpr_textbook(shape, 2000 - row.common), 0.0015));
  }
}

TEST(Combine, FoldingChain) {
  double const fill = -std::expm1(-11.0 / 16);  // 16 bits an item, 11 probes
  EXPECT_TRUE(printed(std::pow(fill, 11), "4.5871e-4"));
  EXPECT_TRUE(printed(std::pow(folded_fill(fill, 2), 11), ".0405"));
  EXPECT_TRUE(printed(std::pow(folded_fill(fill, 4), 11), ".484"));
  EXPECT_TRUE(printed(bloom_fpr_limit(8, 6), ".0216"));                                // what the best probes would have
  EXPECT_TRUE(printed(std::pow(folded_fill(-std::expm1(-6.0 / 16), 2), 6), ".0216"));  // and have, planned for the smaller size
  auto const ones = static_cast<std::uint64_t>(std::lround(fill * 1'600'000));
  EXPECT_TRUE(printed(folded_fpr({1'600'000, 11}, ones, 2), ".0405"));
  EXPECT_TRUE(printed(folded_fpr({1'600'000, 11}, ones, 4), ".484"));
  EXPECT_DOUBLE_EQ(folded_fpr({1'600'000, 11}, ones, 1), fill_fpr({1'600'000, 11}, ones));
}

TEST(Combine, BestFoldIsTheGreatestThatKeepsTheRate) {
  bloom_shape const wide{960'000, 7};
  std::uint64_t const ones = 7000;
  for (double fpr : {1e-12, 1e-6, 1e-3, 0.01, 0.5, 1 - 0x1p-53}) {
    auto const by = best_fold(wide, ones, fpr);
    EXPECT_EQ(wide.bits % by, 0U);
    EXPECT_LE(folded_fpr(wide, ones, by), fpr);
    for (auto const other : divisors(wide.bits))
      if (other > by) {
        EXPECT_GT(folded_fpr(wide, ones, other), fpr);
      }
  }
  EXPECT_GT(best_fold(wide, ones, 0.01), 90U);  // 1000 items in 960,000 bits: 100 times too many
  EXPECT_EQ(best_fold(wide, 0, 0.01), wide.bits);
  EXPECT_EQ(best_fold({max_bits - 11, 7}, 1000, 0.01), 1U);  // a prime size
  EXPECT_EQ(thrown([&] { return best_fold(wide, 900'000, 0.01); }), oracle::bad_goal);
  EXPECT_EQ(thrown([&] { return best_fold(wide, ones, 0); }), oracle::bad_goal);

  std::array<std::uint64_t, 3> const slices{1000, 1100, 900};
  partitioned_shape const sliced{96'000, 3};
  auto const by = best_fold(sliced, slices, 0.1);
  EXPECT_LE(folded_fpr(sliced, slices, by), 0.1);
  for (auto const other : divisors(sliced.slice_bits))
    if (other > by) {
      EXPECT_GT(folded_fpr(sliced, slices, other), 0.1);
    }
  EXPECT_DOUBLE_EQ(folded_fpr(sliced, slices, 1), fill_fpr(sliced, slices));
}

TEST(Combine, IntersectedFillByTheSumAsWritten) {
  for (std::uint64_t a : sizes{1, 100, 5000})
    for (std::uint64_t b : sizes{1, 300, 2000})
      for (std::uint64_t common : {std::uint64_t{0}, std::uint64_t{1}, std::min(a, b)}) {
        auto const q = [](std::uint64_t n) { return std::pow(1 - 1.0 / 8000, 6.0 * static_cast<double>(n)); };
        EXPECT_NEAR(intersected_fill(shape, a, b, common), 1 - q(a) - q(b) + q(a + b - common), 1e-12);
      }
  // The sum as written keeps four digits of this, 6e-13.
  EXPECT_TRUE(close(intersected_fill(bloom_shape{1'000'000'000, 6}, 1, 1, 0), 36e-18, 1e-8));
  EXPECT_DOUBLE_EQ(intersected_fill(partitioned_shape{1000, 5}, 1, 1, 1), 1e-3);
  EXPECT_NEAR(intersected_fpr(partitioned_shape{1000, 2}, 500, 500, 500), partitioned_fpr({1000, 2}, 500), 1e-12);
}

TEST(Combine, Edges) {
  EXPECT_EQ(merged_fpr(shape, 0, 0), 0);
  EXPECT_EQ(merged_fpr(shape, huge, huge), 1);
  EXPECT_EQ(merged_fpr(shape, huge, huge, huge), 1);
  EXPECT_EQ(merged_fpr(partitioned_shape{100, 3}, huge, 1), 1);
  EXPECT_DOUBLE_EQ(merged_fpr(partitioned_shape{100, 3}, 10, 20, 5), partitioned_fpr({100, 3}, 25));
  EXPECT_EQ(intersected_fpr(shape, 0, 1000, 0), 0);
  EXPECT_EQ(intersected_fpr(shape, huge, huge, 0), 1);
  EXPECT_EQ(intersected_fpr(bloom_shape{1, 3}, 1, 1, 1), 1);
  EXPECT_EQ(intersected_fpr(bloom_shape{1, 3}, 1, 1, 0), 1);
  EXPECT_EQ(intersected_fpr(bloom_shape{1, 3}, 1, 0, 0), 0);
  EXPECT_EQ(merged_fill(0.25, 0.5), 0.625);
  EXPECT_EQ(merged_fill(1, 1), 1);
  EXPECT_EQ(folded_fill(0, 10), 0);
  EXPECT_EQ(folded_fill(1, 10), 1);
  EXPECT_TRUE(close(folded_fill(1e-18, 2), 2e-18, 1e-14));
  EXPECT_EQ(thrown([] { return merged_fpr(shape, 5, 3, 4); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return intersected_fpr(shape, 5, 3, 4); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return folded_fpr(shape, 10, 3); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return folded_fpr(shape, 10, 0); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return folded_fpr(shape, 8001, 2); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return intersected_fpr(bloom_shape{0, 3}, 1, 1, 1); }), oracle::bad_params);
}

// Fill of A & B and of A folded, over 400 pairs of filters of 1000 keys, 200 common. The fill of one filter spreads by at most
// 0.5 / sqrt(8000); the mean of 400 must lie within 6.2 standard deviations (6e-10) of what is predicted. A fold by 4 is
// predicted from each filter's own ones, and groups of 4 spread by at most 0.5 / sqrt(2000).
TEST(Combine, MonteCarlo) {
  oracle::dice dice(6);
  oracle::sample both, fold_error;
  for (int run = 0; run < 400; ++run) {
    oracle::thrown_bits a(shape.bits), b(shape.bits);
    for (int i = 0; i < 1200; ++i) {
      auto const at = dice.below(shape.bits);
      a.set(at);
      b.set(at);
    }
    a.throw_at(dice, 4800);
    b.throw_at(dice, 4800);
    double ones_and = 0, ones_folded = 0;
    for (std::uint64_t i = 0; i < shape.bits; ++i) ones_and += a.test(i) && b.test(i);
    for (std::uint64_t i = 0; i < shape.bits; i += 4)
      ones_folded += a.test(i) || a.test(i + 1) || a.test(i + 2) || a.test(i + 3);
    both.add(ones_and / 8000);
    fold_error.add(ones_folded / 2000 - std::pow(folded_fpr(shape, a.ones(), 4), 1.0 / 6));
  }
  EXPECT_NEAR(both.mean(), intersected_fill(shape, 1000, 1000, 200), oracle::z_1e9 * 0.5 / std::sqrt(8000.0 * 400));
  EXPECT_NEAR(fold_error.mean(), 0, oracle::z_1e9 * 0.5 / std::sqrt(2000.0 * 400));
}

}  // namespace
