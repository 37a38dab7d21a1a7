#include <hortus/maths/divisors.hpp>

#include "../plan/oracle.hpp"

namespace {

using namespace hortus::plan;

TEST(Divisors, BySearch) {
  for (std::uint64_t bits = 1; bits <= 3000; ++bits) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t d = 1; d <= bits; ++d)
      if (bits % d == 0) all.push_back(d);
    EXPECT_EQ(divisors(bits), all) << bits;
  }
}

TEST(Divisors, OfGreatSizes) {
  EXPECT_EQ(divisors(max_bits).size(), 43U);
  EXPECT_EQ(divisors(max_bits - 11), (std::vector<std::uint64_t>{1, max_bits - 11}));  // a prime
  EXPECT_EQ(divisors(2'097'143ULL * 2'097'143),
            (std::vector<std::uint64_t>{1, 2'097'143, 2'097'143ULL * 2'097'143}));  // its square
  EXPECT_EQ(divisors(2'793'510'720).size(), 1792U);
  EXPECT_EQ(oracle::thrown([] { return divisors(0); }), oracle::bad_params);
  EXPECT_EQ(oracle::thrown([] { return divisors(max_bits + 1); }), oracle::bad_params);
}

TEST(Divisors, ToSpareCostAtMostOneIn512) {
  oracle::dice dice(2);
  for (int i = 0; i < 100'000; ++i) {
    auto const bits = 1 + dice.below(max_bits >> (i % 42));
    auto const more = with_divisors(bits);
    EXPECT_GE(more, bits);
    EXPECT_LE(more - bits, bits / 512) << bits;
    EXPECT_LE(more, max_bits);
    if (bits >= 1024) {
      EXPECT_EQ(more % 2, 0U) << bits;
    }
    if (bits >= 1U << 15) {
      EXPECT_EQ(more % 64, 0U) << bits;
    }
    if (bits >= 512 * 20160ULL && bits < max_bits - 3'000'000'000) {
      EXPECT_EQ(more % 20160, 0U) << bits;
    }
  }
}

TEST(Divisors, SmallAndGreatestSizesStay) {
  for (std::uint64_t bits = 0; bits < 1024; ++bits) EXPECT_EQ(with_divisors(bits), bits);
  EXPECT_EQ(with_divisors(max_bits), max_bits);
  EXPECT_EQ(with_divisors(max_bits - 1), max_bits);  // no rounder number fits
  EXPECT_EQ(with_divisors(100'001, 100'001), 100'001U);
  EXPECT_EQ(with_divisors(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(Divisors, AreMany) {
  EXPECT_GE(divisors(with_divisors(10'007)).size(), 6U);
  EXPECT_GE(divisors(with_divisors(958'507)).size(), 28U);  // 100,000 items at 1 %: 960
  EXPECT_GE(divisors(with_divisors(95'850'589)).size(), 84U);
  EXPECT_GE(divisors(with_divisors(2'000'000'000'003)).size(), 1792U);
}

}  // namespace
