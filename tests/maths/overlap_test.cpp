#include <hortus/maths/overlap.hpp>

#include <array>
#include <limits>

#include "../plan/oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::thrown;

constexpr bloom_shape shape{8000, 6};

/// Two filters of 1000 keys each, 200 of them common.
struct pair_of_filters {
  explicit pair_of_filters(oracle::dice& dice) : a(shape.bits), b(shape.bits) {
    for (int i = 0; i < 200 * 6; ++i) {
      auto const at = dice.below(shape.bits);
      a.set(at);
      b.set(at);
    }
    a.throw_at(dice, 800 * 6);
    b.throw_at(dice, 800 * 6);
    for (std::uint64_t i = 0; i < shape.bits; ++i) {
      ones_and += a.test(i) && b.test(i);
      ones_or += a.test(i) || b.test(i);
    }
  }
  oracle::thrown_bits a, b;
  std::uint64_t ones_and = 0, ones_or = 0;
};

/// The sample's mean and spread are those of an unbiased estimate with that interval. Mean: 6.2 standard deviations (6e-10) and
/// a bias of 0.5 %; variance: 7 of its own, sqrt(2 / runs); coverage: 6.2 of a binomial and 1.5 %.
void expect_honest(oracle::sample const& values, double truth, estimate const& typical, int held) {
  double const sd = (typical.high - typical.low) / 2 / z95;
  EXPECT_NEAR(values.mean(), truth, oracle::z_1e9 * sd / std::sqrt(values.count()) + 0.005 * truth);
  EXPECT_NEAR(std::pow(values.sd() / sd, 2), 1, 7 * std::sqrt(2 / values.count()));
  EXPECT_NEAR(held / values.count(), 0.95, oracle::z_1e9 * std::sqrt(0.05 * 0.95 / values.count()) + 0.015);
}

TEST(Overlap, MonteCarlo) {
  oracle::dice dice(5);
  std::array<oracle::sample, 4> values;
  std::array<int, 4> held{};
  std::array<double, 4> const truth{200, 800, 800, 200.0 / 1800};
  oracle::sample from_the_and;
  for (int run = 0; run < 1000; ++run) {
    pair_of_filters const f(dice);
    auto const o = bloom_overlap(shape, {f.a.ones(), f.b.ones(), f.ones_or});
    std::array const found{o.both, o.only_a, o.only_b, o.jaccard};
    for (std::size_t i = 0; i < found.size(); ++i) {
      values[i].add(found[i].value);
      held[i] += found[i].low <= truth[i] && truth[i] <= found[i].high;
    }
    from_the_and.add(bloom_cardinality(shape, f.ones_and).value);

    // The maximum likelihood form of Papapetrou, Siberski and Nejdl (2010) is the same number.
    auto const m = static_cast<double>(shape.bits), ta = static_cast<double>(f.a.ones()), tb = static_cast<double>(f.b.ones());
    auto const tand = static_cast<double>(f.ones_and);
    double const z = (tand * m - ta * tb) / (m - ta - tb + tand);
    EXPECT_NEAR(o.both.value, std::log(1 - z / m) / (6 * std::log(1 - 1 / m)), 1e-8);
  }
  auto const expected_ones = [](double items) {
    return static_cast<std::uint64_t>(std::lround(occupied(8000, 6 * items).mean));
  };
  auto const typical = bloom_overlap(shape, {expected_ones(1000), expected_ones(1000), expected_ones(1800)});
  EXPECT_NEAR((typical.both.high - typical.both.low) / 2 / z95, 13.3, 0.1);  // measured elsewhere: 13.6 in 100 runs
  expect_honest(values[0], truth[0], typical.both, held[0]);
  expect_honest(values[1], truth[1], typical.only_a, held[1]);
  expect_honest(values[2], truth[2], typical.only_b, held[2]);
  expect_honest(values[3], truth[3], typical.jaccard, held[3]);
  EXPECT_NEAR(from_the_and.mean(), 503, 4);  // the fill of A & B says nothing about 200
}

TEST(Overlap, OfEqualDisjointAndEmpty) {
  auto const equal = bloom_overlap(shape, {4000, 4000, 4000});
  EXPECT_DOUBLE_EQ(equal.both.value, equal.a.value);
  EXPECT_EQ(equal.only_a.value, 0);
  EXPECT_DOUBLE_EQ(equal.jaccard.value, 1);
  EXPECT_NEAR(equal.jaccard.high - equal.jaccard.low, 0, 1e-6);  // no randomness is left
  EXPECT_NEAR(equal.only_a.high - equal.only_a.low, 0, 1e-3);
  auto const none = bloom_overlap(shape, {0, 0, 0});
  EXPECT_EQ(none.both, estimate{});
  EXPECT_EQ(none.jaccard, estimate{});
  auto const one_empty = bloom_overlap(shape, {4000, 0, 4000});
  EXPECT_EQ(one_empty.both.value, 0);
  EXPECT_DOUBLE_EQ(one_empty.only_a.value, one_empty.a.value);
}

TEST(Overlap, ClampsOnlyWhenPresented) {
  auto const apart = bloom_overlap(shape, {1000, 1000, 2000});  // fewer common bits than disjoint sets have by chance
  EXPECT_LT(apart.both.value, 0);
  EXPECT_LT(apart.jaccard.value, 0);
  auto const shown = presentable(apart);
  EXPECT_EQ(shown.both.value, 0);
  EXPECT_EQ(shown.both.low, 0);
  EXPECT_GE(shown.both.high, 0);
  EXPECT_EQ(shown.jaccard.value, 0);
  EXPECT_EQ(shown.only_a.value, shown.a.value);  // it was more than all of A
  EXPECT_EQ(shown.a, apart.a);
}

TEST(Overlap, OfFullFilters) {
  auto const full = bloom_overlap(shape, {8000, 4000, 8000});
  EXPECT_TRUE(full.a.saturated && full.either.saturated && full.both.saturated && full.jaccard.saturated);
  EXPECT_FALSE(full.b.saturated);
  EXPECT_EQ(full.both.high, std::numeric_limits<double>::infinity());
  auto const shown = presentable(full);
  EXPECT_EQ(shown.both.low, 0);
  EXPECT_DOUBLE_EQ(shown.both.high, full.b.value);
}

TEST(Overlap, RefusesOnesThatFitNoTwoFilters) {
  EXPECT_EQ(thrown([] { return bloom_overlap(shape, {10, 20, 19}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return bloom_overlap(shape, {10, 20, 31}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return bloom_overlap(shape, {8001, 0, 8001}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return bloom_overlap({0, 1}, {0, 0, 0}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_overlap({100, 2}, {30, 30, 29}); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { return partitioned_overlap({100, 2}, {201, 30, 201}); }), oracle::bad_params);
}

TEST(Overlap, OfSlices) {
  auto const o = partitioned_overlap({1000, 2}, {600, 600, 1020});  // 0.7 * 0.7 = 0.49 free: independent, so disjoint
  EXPECT_NEAR(o.both.value, 0, 1e-9);
  EXPECT_DOUBLE_EQ(o.a.value, std::log(0.7) / std::log(0.999));
}

}  // namespace
