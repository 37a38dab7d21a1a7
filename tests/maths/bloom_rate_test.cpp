#include <hortus/maths/bloom_rate.hpp>

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

TEST(BloomRate, TableOfRates) {
  struct {
    std::uint64_t bits, items;
    unsigned probes;
    char const *asymptotic, *textbook, *exact, *distinct, *percent;
  } const rows[] = {
      {8, 1, 2, ".048929", ".054932", ".056641", ".035714", "3.1"},
      {16, 2, 3, ".030579", ".033097", ".035189", ".026202", "6.3"},
      {32, 4, 4, ".023969", ".025165", ".026768", ".023072", "6.4"},
      {64, 8, 5, ".021679", ".022301", ".023416", ".021921", "5.0"},
      {128, 16, 6, ".021577", ".021920", ".022677", ".022118", "3.5"},
      {512, 64, 6, ".021577", ".021662", ".021849", ".021708", ".86"},
      {1024, 100, 7, ".0073024", ".0073198", ".0073663", nullptr, ".63"},
  };
  for (auto const& row : rows) {
    bloom_shape const shape{row.bits, row.probes};
    EXPECT_TRUE(printed(bloom_fpr_asymptotic(shape, row.items), row.asymptotic));
    EXPECT_TRUE(printed(bloom_fpr_textbook(shape, row.items), row.textbook));
    EXPECT_TRUE(printed(bloom_fpr_exact(shape, row.items), row.exact));
    EXPECT_TRUE(printed(oracle::fpr_by_occupancy(row.bits, row.items, row.probes), row.exact));
    if (row.distinct) {
      EXPECT_TRUE(printed(bloom_fpr_distinct(shape, row.items), row.distinct));
    }
    EXPECT_TRUE(printed(100 * (bloom_fpr_exact(shape, row.items) / bloom_fpr_textbook(shape, row.items) - 1), row.percent));
    double const second = bloom_fpr_second_order(shape, row.items) / bloom_fpr_exact(shape, row.items) - 1;
    if (row.bits >= 32) {
      EXPECT_LT(std::abs(second), row.bits >= 64 ? 0.0004 : 0.003) << row.bits;
    }
  }
}

TEST(BloomRate, ByHand) {
  EXPECT_DOUBLE_EQ(bloom_fpr_exact({8, 2}, 1), (1.0 / 64 + 7 * 4.0 / 64) / 8);  // 1 one with chance 1/8, else 2
  EXPECT_DOUBLE_EQ(bloom_fpr_exact({2, 2}, 1), 0.5 / 4 + 0.5);
  EXPECT_DOUBLE_EQ(bloom_fpr_distinct({8, 2}, 1), 1.0 / 28);  // the same pair out of C(8, 2)
  EXPECT_DOUBLE_EQ(bloom_fpr_distinct({4, 4}, 1), 1);
}

// Every outcome of every hash of the inserts and of the query, counted.
TEST(BloomRate, ByCountingAllOutcomes) {
  for (auto const& [bits, items, probes] : {std::array{2U, 2U, 3U}, {3U, 2U, 2U}, {4U, 1U, 4U}, {5U, 2U, 2U}, {7U, 1U, 3U}}) {
    unsigned const throws = probes * (items + 1);
    double all = 1, hits = 0;
    for (unsigned i = 0; i < throws; ++i) all *= bits;
    for (std::uint64_t outcome = 0; outcome < static_cast<std::uint64_t>(all); ++outcome) {
      auto rest = outcome;
      unsigned set = 0;
      bool hit = true;
      for (unsigned i = 0; i < throws; ++i, rest /= bits) {
        unsigned const bit = 1U << (rest % bits);
        if (i < probes * items) set |= bit;
        if (i >= probes * items && !(set & bit)) hit = false;
      }
      hits += hit;
    }
    EXPECT_TRUE(close(bloom_fpr_exact({bits, probes}, items), hits / all, 1e-14)) << bits << ' ' << items << ' ' << probes;
  }
}

TEST(BloomRate, ExactAgreesWithTheOccupancyRecurrence) {
  for (std::uint64_t bits : sizes{1, 2, 3, 5, 16, 63, 64, 100, 333})
    for (std::uint64_t items : sizes{1, 2, 3, 10, 40})
      for (unsigned probes : {1U, 2U, 3U, 7U, 20U, 64U})
        EXPECT_TRUE(close(bloom_fpr_exact({bits, probes}, items), oracle::fpr_by_occupancy(bits, items, probes), 1e-11))
            << bits << ' ' << items << ' ' << probes;
}

// Evaluated to 120 digits as the sum over Stirling numbers and inclusion-exclusion of Bose et al., which doubles cannot do.
TEST(BloomRate, ExactAtEverySize) {
  struct {
    std::uint64_t bits, items;
    unsigned probes;
    double rate;
  } const rows[] = {
      {1024, 100, 7, 0.007366257831037838},
      {29, 1, 20, 5.6676239407801992e-6},
      {92, 1, 64, 1.7592847057577826e-17},
      {2000, 100, 14, 6.8238530318013483e-5},
      {13000, 1355, 7, 0.010000996759473413},
      {1'000'000, 100'000, 7, 0.008193794400339355},
      {1'200'000, 13'000, 64, 5.4888994871739004e-20},
      {1'000'000'000, 10'000'000, 64, 1.4925342324854222e-21},
      {std::uint64_t{1} << 33, std::uint64_t{1} << 30, 6, 0.021577141479361999},
      {std::uint64_t{1} << 40, std::uint64_t{1} << 33, 64, 1.1865810755102355e-26},
  };
  for (auto const& row : rows) {
    EXPECT_TRUE(close(bloom_fpr_exact({row.bits, row.probes}, row.items), row.rate, 1e-13)) << row.bits;
    EXPECT_TRUE(close(bloom_fpr({row.bits, row.probes}, row.items), row.rate, 1e-6)) << row.bits;
  }
}

TEST(BloomRate, DistinctAgreesWithTheCommitteeRecurrence) {
  for (std::uint64_t bits : sizes{1, 2, 3, 5, 16, 40, 100})
    for (std::uint64_t items : sizes{1, 2, 3, 10})
      for (unsigned probes : {1U, 2U, 3U, 5U, 7U, 30U})
        if (probes <= bits) {
          EXPECT_TRUE(close(bloom_fpr_distinct({bits, probes}, items), oracle::fpr_by_committee(bits, items, probes), 1e-11))
              << bits << ' ' << items << ' ' << probes;
        }
  EXPECT_TRUE(close(bloom_fpr_distinct({1'000'000'000, 6}, 125'000'000), bloom_fpr({1'000'000'000, 6}, 125'000'000), 1e-7));
}

TEST(BloomRate, BestFigureIsExactToSixDigits) {
  for (std::uint64_t bits = 1; bits < 40'000'000; bits = bits * 7 / 4 + 1)
    for (double bits_per_item : {0.02, 0.5, 2.0, 8.0, 14.4, 50.0, 1e6})
      for (unsigned probes : {1U, 2U, 5U, 10U, 33U, 64U}) {
        auto const items = static_cast<std::uint64_t>(std::ceil(static_cast<double>(bits) / bits_per_item));
        double const exact = bloom_fpr_exact({bits, probes}, items);
        EXPECT_TRUE(close(bloom_fpr({bits, probes}, items), exact, 1e-6)) << bits << ' ' << items << ' ' << probes;
        EXPECT_LE(bloom_fpr_asymptotic({bits, probes}, items), exact * (1 + 1e-12));
        EXPECT_LE(bloom_fpr_textbook({bits, probes}, items), exact * (1 + 1e-12));
        if (bits * 2 >= probes * items * 3 && bits >= probes) {
          EXPECT_LE(bloom_fpr_distinct({bits, probes}, items), exact * (1 + 1e-12));
        }
      }
}

TEST(BloomRate, SecondOrderIsNoFigureForFewItemsWithManyProbes) {
  EXPECT_GT(bloom_fpr_exact({92, 64}, 1), 20 * bloom_fpr_second_order({92, 64}, 1));  // why bloom_fpr switches
}

TEST(BloomRate, RisesWithItemsAndFallsWithBits) {
  for (unsigned probes : {1U, 4U, 7U, 20U}) {
    for (std::uint64_t items = 1; items < 3000; items += 7)  // 13,000 bits: both sides of the switch to the exact form
      EXPECT_LT(bloom_fpr({13'000, probes}, items), bloom_fpr({13'000, probes}, items + 1)) << items;
    for (std::uint64_t bits = 1; bits < 3000; bits += bits < 200 ? 1 : 9)
      EXPECT_GE(bloom_fpr({bits, probes}, 100) * (1 + 1e-14), bloom_fpr({bits + 1, probes}, 100)) << bits;
  }
}

TEST(BloomRate, Edges) {
  for (auto const rate : {bloom_fpr, bloom_fpr_exact, bloom_fpr_textbook, bloom_fpr_asymptotic, bloom_fpr_second_order}) {
    for (unsigned probes : {1U, 7U, 64U})
      for (std::uint64_t bits : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, max_bits}) {
        EXPECT_EQ(rate({bits, probes}, 0), 0);
        EXPECT_EQ(rate({bits, probes}, huge), 1);
        for (std::uint64_t items : {1ULL, 2ULL, 1000ULL, 1ULL << 32, 1ULL << 50}) {
          double const r = rate({bits, probes}, items);
          EXPECT_TRUE(r >= 0 && r <= 1) << bits << ' ' << probes << ' ' << items;
        }
      }
    EXPECT_EQ(thrown([&] { return rate({0, 1}, 1); }), oracle::bad_params);
    EXPECT_EQ(thrown([&] { return rate({1, 0}, 1); }), oracle::bad_params);
    EXPECT_EQ(thrown([&] { return rate({1, 65}, 1); }), oracle::bad_params);
    EXPECT_EQ(thrown([&] { return rate({max_bits + 1, 1}, 1); }), oracle::bad_params);
    EXPECT_EQ(thrown([&] { return rate({huge, ~0U}, 1); }), oracle::bad_params);
  }
  EXPECT_EQ(bloom_fpr({1, 3}, 1), 1);
  EXPECT_DOUBLE_EQ(bloom_fpr({max_bits, 1}, 1), 0x1p-42);  // next to 0: no digit lost to 1 - (1 - 2^-42)
  EXPECT_DOUBLE_EQ(bloom_fpr_textbook({max_bits, 2}, 1), std::pow(0x1p-41 - 0x1p-84, 2));
  EXPECT_DOUBLE_EQ(1 - bloom_fpr({1000, 1}, 20'000), 1 - (1 - std::pow(0.999, 20'000)));  // next to 1
  EXPECT_EQ(bloom_fpr_distinct({8, 8}, 1), 1);
  EXPECT_EQ(bloom_fpr_distinct({8, 3}, 0), 0);
  EXPECT_EQ(bloom_fpr_distinct({8, 3}, huge), 1);
  EXPECT_EQ(thrown([] { return bloom_fpr_distinct({7, 8}, 1); }), oracle::bad_params);
}

TEST(BloomRate, OfTheFill) {
  EXPECT_DOUBLE_EQ(fill_fpr({1000, 7}, 500), std::pow(0.5, 7));
  EXPECT_EQ(fill_fpr({1000, 7}, 0), 0);
  EXPECT_EQ(fill_fpr({1000, 7}, 1000), 1);
  EXPECT_DOUBLE_EQ(fill_fpr({max_bits, 1}, max_bits - 1), 1 - 0x1p-42);
  EXPECT_EQ(thrown([] { return fill_fpr({1000, 7}, 1001); }), oracle::bad_params);
}

// A fresh filter of 32 bits with 4 keys for every query, so that queries are independent. The exact rate, .026768, must lie
// within 6.2 standard deviations (false alarm: 6e-10); the textbook's, .025165, lies 19 away.
TEST(BloomRate, MonteCarloTellsTheExactRateFromTheTextbooks) {
  oracle::dice dice(1);
  constexpr int queries = 4'000'000;
  int hits = 0;
  for (int q = 0; q < queries; ++q) {
    std::uint32_t set = 0;
    for (int i = 0; i < 16; ++i) set |= 1U << dice.below(32);
    int probe = 0;
    while (probe < 4 && (set >> dice.below(32) & 1)) ++probe;
    hits += probe == 4;
  }
  auto const away = [&](double rate) { return std::abs(hits - queries * rate) / std::sqrt(queries * rate * (1 - rate)); };
  EXPECT_LT(away(bloom_fpr({32, 4}, 4)), oracle::z_1e9);
  EXPECT_GT(away(bloom_fpr_textbook({32, 4}, 4)), 2 * oracle::z_1e9);
}

}  // namespace
