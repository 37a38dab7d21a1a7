#include <hortus/plan/compact_approximator.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

// The table of the sheet: 20,000 keys with values 1 to 4, 5000 each, 10 cells per key, 7 probes. By the limit formula, and
// exactly.
TEST(CompactApproximator, TableOfTheSheet) {
  approximator_shape const shape{200'000, 7, 3};
  auto const limit = [](double larger) { return std::pow(1 - std::exp(-7 * larger / 200'000), 7); };
  EXPECT_TRUE(printed(limit(15'000), ".001896"));
  EXPECT_TRUE(printed(limit(10'000), ".000196"));
  EXPECT_TRUE(printed(limit(5000), "3e-6"));
  EXPECT_TRUE(printed(limit(20'000), ".00819"));
  for (std::uint64_t const larger : {5000U, 10'000U, 15'000U, 20'000U})
    EXPECT_TRUE(close(approximator_error(shape, larger), limit(static_cast<double>(larger)), 5e-4)) << larger;
  EXPECT_EQ(approximator_error(shape, 0), 0) << "the largest value is never wrong";
  EXPECT_EQ(approximator_fpr(shape, 20'000), approximator_error(shape, 20'000)) << "an absent key is below all";
}

// Two cells, two probes, one key with a larger value: all 2^4 outcomes of the positions of both.
TEST(CompactApproximator, ErrorByCountingAllOutcomes) {
  int wrong = 0;
  for (unsigned outcome = 0; outcome < 16; ++outcome) {
    std::array<int, 2> cell{};
    for (unsigned const of_key : {outcome & 1, outcome >> 1 & 1}) cell[of_key] = std::max(cell[of_key], 1);
    for (unsigned const of_larger : {outcome >> 2 & 1, outcome >> 3 & 1}) cell[of_larger] = 2;
    wrong += std::min(cell[outcome & 1], cell[outcome >> 1 & 1]) != 1 ? 1 : 0;
  }
  EXPECT_TRUE(close(approximator_error({2, 2, 2}, 1), wrong / 16.0, 1e-13));
}

TEST(CompactApproximator, ShareOfWrongValues) {
  approximator_shape const shape{200'000, 7, 3};
  std::vector<std::uint64_t> const alike(4, 5000);
  double const mean =
      (approximator_error(shape, 15'000) + approximator_error(shape, 10'000) + approximator_error(shape, 5000)) / 4;
  EXPECT_TRUE(close(approximator_wrong(shape, alike), mean, 1e-12));
  // Frequent values should be the small ones: a key is mistaken only because of keys with larger values. The same 20,000 keys,
  // most of them with the largest value, or most of them with the smallest.
  std::vector<std::uint64_t> const top{100, 100, 100, 19'700}, bottom{19'700, 100, 100, 100};
  EXPECT_TRUE(printed(approximator_wrong(shape, top), ".0001", 1)) << "300 keys, each at nearly the rate of absent keys";
  EXPECT_LT(approximator_wrong(shape, bottom), 1e-10) << "19,700 keys, below 300";
  EXPECT_EQ(approximator_wrong(shape, {}), 0);
  EXPECT_EQ(approximator_wrong(shape, std::vector<std::uint64_t>{7}), 0);
}

TEST(CompactApproximator, MoreProbesForLargerValues) {
  EXPECT_EQ(approximator_probes(200'000, 20'000), 7U) << "10 ln 2";
  EXPECT_EQ(approximator_probes(200'000, 10'000), 14U);
  for (std::uint64_t const larger : {5000U, 10'000U, 15'000U, 20'000U}) {
    auto const best = approximator_probes(200'000, larger);
    double const least = approximator_error({200'000, best, 3}, larger);
    for (unsigned probes = 1; probes <= 64; ++probes) EXPECT_GE(approximator_error({200'000, probes, 3}, larger), least);
  }
}

TEST(CompactApproximator, CellsAreThoseOfABloomFilter) {
  for (std::uint64_t const items : {0U, 1U, 2U, 100U, 1'000'000U})
    for (double const fpr : {.9, .5, .01, 1e-6})
      for (unsigned const value_bits : {1U, 8U, 64U}) {
        auto const shape = compact_approximator({items, fpr}, 0, value_bits);
        EXPECT_EQ(shape.projection(), bloom({items, fpr}));
        EXPECT_EQ(shape.value_bits, value_bits);
        EXPECT_LE(approximator_fpr(shape, items), fpr);
        EXPECT_LE(approximator_fpr(compact_approximator({items, fpr}, 5, value_bits), items), fpr);
      }
}

TEST(CompactApproximator, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return compact_approximator({10, wrong}, 0, 8); }), oracle::bad_goal) << wrong;
  for (unsigned const bits : {0U, 65U})
    EXPECT_EQ(thrown([&] { return compact_approximator({10, .01}, 0, bits); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return compact_approximator({10, .01}, 65, 8); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] {
              return compact_approximator({std::numeric_limits<std::uint64_t>::max(), .01}, 0, 8);
            }),
            oracle::bad_goal);
  EXPECT_EQ(thrown([] { return compact_approximator({400'000'000'000, .1}, 0, 64); }), oracle::bad_goal);
  for (auto const s : {approximator_shape{0, 1, 1}, approximator_shape{1, 0, 1}, approximator_shape{1, 65, 1},
                       approximator_shape{1, 1, 0}, approximator_shape{1, 1, 65}, approximator_shape{max_bits, 1, 2}})
    EXPECT_EQ(thrown([&] { return approximator_fpr(s, 1); }), oracle::bad_params);
}

}  // namespace
