#include <hortus/maths/occupancy.hpp>

#include "../plan/oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::sizes;

TEST(Occupancy, ExcessHasAllItsDigits) {
  // To 40 digits elsewhere; the plain form has none left at 1e-9.
  EXPECT_TRUE(close(exp_excess(1e-9), 5.0000000016666666671e-19, 1e-15));
  EXPECT_TRUE(close(exp_excess(0.01), 5.016708416805754216545e-5, 1e-15));
  EXPECT_TRUE(close(exp_excess(0.5), 0.148721270700128146848651, 1e-15));
  EXPECT_TRUE(close(exp_excess(std::nextafter(0.5, 1)), 0.148721270700128146848651, 2e-15));
  EXPECT_TRUE(close(exp_excess(1), 0.718281828459045235360287, 1e-15));
  EXPECT_TRUE(close(exp_excess(20), 485165174.409790277969107, 1e-15));
  EXPECT_EQ(exp_excess(0), 0);
}

TEST(Occupancy, AgreesWithTheDistribution) {
  for (std::uint64_t cells : sizes{100, 400})
    for (std::uint64_t throws : sizes{1, 20, 100, 300, 900}) {
      auto const p = oracle::occupancy(cells, throws);
      double mean = 0, square = 0;
      for (std::size_t x = 0; x < p.size(); ++x) {
        mean += p[x] * static_cast<double>(x);
        square += p[x] * static_cast<double>(x) * static_cast<double>(x);
      }
      auto const expected = occupied(static_cast<double>(cells), static_cast<double>(throws));
      EXPECT_TRUE(close(expected.mean, mean, 1e-12));
      if (throws > 1) {
        EXPECT_TRUE(close(expected.sd, std::sqrt(square - mean * mean), 3.0 / static_cast<double>(cells) + 0.03));
      }
    }
}

// A million keys, ten million bits, seven probes: the band an insert loop must hit.
TEST(Occupancy, OfAMillionKeys) {
  auto const ones = occupied(1e7, 7e6);
  EXPECT_TRUE(oracle::printed(ones.mean, "5034147"));
  EXPECT_TRUE(oracle::printed(ones.sd, "879.6"));
}

TEST(Occupancy, Edges) {
  EXPECT_EQ(occupied(1000, 0).mean, 0);
  EXPECT_EQ(occupied(1000, 0).sd, 0);
  EXPECT_DOUBLE_EQ(occupied(1000, 1).mean, 1);
  EXPECT_EQ(occupied(1, 1).mean, 1);
  EXPECT_EQ(occupied(1000, 1e19).mean, 1000);
  EXPECT_EQ(occupied(1000, 1e19).sd, 0);
  EXPECT_DOUBLE_EQ(occupied(0x1p42, 1).mean, 1);
}

}  // namespace
