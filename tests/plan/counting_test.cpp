#include <hortus/plan/counting.hpp>

#include <cmath>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

double const ln2 = std::numbers::ln2;

/// The sum by its definition, term by term from the top, in long double.
double plain_poisson_tail(long double mean, unsigned at_least) {
  std::vector<long double> terms;
  long double term = std::exp(-mean);
  for (unsigned i = 1; i <= at_least; ++i) term *= mean / i;
  for (unsigned i = at_least; i < at_least + 2000; ++i) terms.push_back(term), term *= mean / (i + 1);
  long double sum = 0;
  for (auto at = terms.rbegin(); at != terms.rend(); ++at) sum += *at;
  return static_cast<double>(sum);
}

double plain_binomial_tail(unsigned trials, long double chance, unsigned at_least) {
  std::vector<long double> row{1};  // chances of 0, 1, ... hits, a try at a time
  for (unsigned t = 0; t < trials; ++t) {
    row.push_back(0);
    for (auto i = row.size() - 1; i > 0; --i) row[i] = row[i] * (1 - chance) + row[i - 1] * chance;
    row[0] *= 1 - chance;
  }
  long double sum = 0;
  for (auto i = row.size(); i-- > at_least;) sum += row[i];
  return static_cast<double>(sum);
}

TEST(Tails, PoissonIsItsSum) {
  for (double const mean : {1e-6, 0.1, ln2, 1.0, 2.0, 7.5, 30.0, 200.0})
    for (unsigned const at_least : {1U, 2U, 3U, 7U, 8U, 15U, 16U, 30U, 31U, 64U, 200U, 250U})
      EXPECT_TRUE(close(poisson_tail(mean, at_least), plain_poisson_tail(mean, at_least), 1e-11)) << mean << ' ' << at_least;
  EXPECT_EQ(poisson_tail(3, 0), 1);
  EXPECT_EQ(poisson_tail(0, 1), 0);
  EXPECT_EQ(poisson_tail(0.7, 0x1p64), 0);
}

TEST(Tails, BinomialIsItsSum) {
  for (unsigned const trials : {1U, 5U, 40U, 300U})
    for (double const chance : {1e-4, 0.01, 0.3, 0.5, 0.9, 1.0})
      for (unsigned const at_least : {0U, 1U, 2U, 3U, 4U, 15U, 16U, 31U, 40U, 120U, 300U, 301U}) {
        auto const expected = plain_binomial_tail(trials, chance, at_least);
        if (expected < 1e-290) continue;  // the plain row itself runs out of exponents
        EXPECT_NEAR(binomial_tail(trials, chance, at_least) / expected, 1, 1e-9) << trials << ' ' << chance << ' ' << at_least;
      }
  EXPECT_EQ(binomial_tail(300, 0.1, 301), 0);
  EXPECT_EQ(binomial_tail(300, 1, 300), 1);
  EXPECT_EQ(binomial_tail(0, 0.5, 1), 0);
  EXPECT_EQ(binomial_tail(10, 0, 1), 0);
}

/// Long sums are replaced by the normal approximation, and must agree with it at that point.
TEST(Tails, AreNormalWhereTheyAreLarge) {
  for (double const sds : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
    double const mean = 0x1p39;
    double const at_least = std::round(mean + sds * std::sqrt(mean));
    EXPECT_TRUE(close(poisson_tail(mean, at_least), normal_tail(mean, mean, at_least), 1e-4)) << sds;
    double const hits = std::round(0x1p19 + sds * std::sqrt(0x1p19));
    EXPECT_TRUE(close(binomial_tail(0x1p39, 0x1p-20, hits), poisson_tail(0x1p19, hits), 1e-4)) << sds;
    EXPECT_TRUE(close(binomial_tail(0x1p39, 0x1p-20, hits), normal_tail(0x1p19, 0x1p19, hits), 0.03)) << sds;
  }
  EXPECT_EQ(poisson_tail(0x1p50, 0x1p49), 1);
  EXPECT_EQ(poisson_tail(0x1p50, 0x1p51), 0);
}

TEST(Tails, EntropyOfACounter) {
  EXPECT_TRUE(printed(poisson_entropy(ln2), "1.586"));
  EXPECT_EQ(poisson_entropy(0), 0);
  EXPECT_NEAR(poisson_entropy(1e6), 0.5 * std::log2(2 * std::numbers::pi * std::numbers::e * 1e6), 1e-6) << "as a normal one's";
}

TEST(Counting, TableOfOverflows) {
  struct {
    unsigned cell_bits;
    char const *at_ln2, *bound, *at_1, *at_2;
  } const rows[] = {{2, "5.561e-3", "4.92e-2", "1.90e-2", ".143"},
                    {3, "7.154e-7", "9.47e-6", "1.03e-5", "1.10e-3"},
                    {4, "7.073e-17", "1.3677e-15", "1.87e-14", "4.8e-10"},
                    {5, "1.565e-41", "4.36e-40", "1.4e-36", "2.4e-27"},
                    {6, "2.59e-100", "1.03e-98", nullptr, nullptr}};
  for (auto const& row : rows) {
    EXPECT_TRUE(printed(counter_overflow_limit(ln2, row.cell_bits), row.at_ln2)) << row.cell_bits;
    EXPECT_TRUE(printed(counter_overflow_bound(ln2, row.cell_bits), row.bound)) << row.cell_bits;
    if (row.at_1 == nullptr) continue;
    EXPECT_TRUE(printed(counter_overflow_limit(1, row.cell_bits), row.at_1, 0.6)) << row.cell_bits;  // 1.0249e-5, rounded twice
    EXPECT_TRUE(printed(counter_overflow_limit(2, row.cell_bits), row.at_2)) << row.cell_bits;
  }
  EXPECT_TRUE(printed(counter_overflow_bound(ln2, 4), "1.37e-15")) << "the figure of the founding documents";
}

/// By sums with 40 digits. The load is .7, where Poisson's tail is 8.27e-17; 7000 throws of their own would make 8.10e-17.
TEST(Counting, ExactOverflowIsBinomial) {
  EXPECT_TRUE(printed(binomial_tail(7000, 1e-4, 16), "8.0974564e-17"));
  EXPECT_TRUE(printed(counter_overflow({10'000, 7, 4}, 1000), "7.3324263e-17")) << "a key's seven probes count once";
  EXPECT_LT(binomial_tail(7000, 1e-4, 16), poisson_tail(0.7, 16));
  // At load ln 2 the limit is exact to three digits once there are a million cells.
  auto const items = static_cast<std::uint64_t>(std::lround(ln2 * 100'000'000 / 7));
  EXPECT_TRUE(close(counter_overflow({100'000'000, 7, 4}, items), counter_overflow_limit(ln2, 4), 1e-3));
  EXPECT_TRUE(close(counter_overflow({100'000'000, 7, 2}, items), counter_overflow_limit(ln2, 2), 1e-3));
  EXPECT_LT(counter_overflow_limit(ln2, 4), counter_overflow_bound(ln2, 4));
}

TEST(Counting, SaturatedAreThoseAtTheMaximum) {
  EXPECT_TRUE(close(expected_saturated({100'000'000, 7, 4}, 9'902'103), 1e8 * poisson_tail(ln2, 15), 1e-3));
  EXPECT_TRUE(close(expected_saturated({1'000'000, 7, 1}, 99'021), 5e5, 1e-3)) << "one bit: those that are set";
  EXPECT_EQ(expected_saturated({1000, 7, 4}, 14), 0) << "fourteen keys cannot count to 15";
  EXPECT_EQ(expected_saturated({1000, 7, 64}, 1000), 0);
}

TEST(Counting, DamageOfAWrongErase) {
  EXPECT_TRUE(printed(lost_per_wrong_erase(ln2, 1), ".693"));
  EXPECT_TRUE(printed(lost_per_wrong_erase(0.7, 7), "4.83"));
  EXPECT_TRUE(close(lost_per_wrong_erase(1e-9, 7), 7, 1e-8)) << "in an empty filter every cell is some key's only one";
  EXPECT_EQ(lost_per_wrong_erase(0, 7), 7);
}

TEST(Counting, SpaceForOnePercentAndOnePerMille) {
  auto const bits_per_item = [](double fpr) {
    auto const shape = counting({10'000'000, fpr}, 0, 4);
    return 4 * static_cast<double>(shape.cells) / 1e7;
  };
  EXPECT_NEAR(bits_per_item(0.01), 38.4, 0.1);
  EXPECT_NEAR(bits_per_item(0.001), 57.5, 0.15);
  auto const at_one_percent = bloom_bits_per_item(0.01, 7);
  EXPECT_NEAR(poisson_entropy(7 / at_one_percent) * at_one_percent, 15.6, 0.6) << "what no coding of the cells goes below";
}

TEST(Counting, PlansAreThoseOfABloomFilter) {
  for (std::uint64_t const items : {0ULL, 1ULL, 1000ULL, 123'456'789ULL})
    for (double const fpr : {0.5, 0.01, 1e-6}) {
      auto const shape = counting({items, fpr}, 0, 4);
      EXPECT_EQ(shape.projection(), bloom({items, fpr}));
      EXPECT_EQ(shape.cell_bits, 4U);
      EXPECT_EQ(counting({items, fpr}, 5, 3).probes, 5U);
      EXPECT_LE(bloom_fpr(counting({items, fpr}, 5, 3).projection(), items), fpr);
    }
}

TEST(Counting, RefusesWhatNoFilterHas) {
  EXPECT_EQ(thrown([] { return counting({100, 0.01}, 0, 0); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return counting({100, 0.01}, 0, 65); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return counting({100, 1.0}, 0, 4); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return counting({400'000'000'000, 0.01}, 0, 4); }), oracle::bad_goal) << "it fits one bit a cell only";
  EXPECT_EQ(thrown([] { return counting({400'000'000'000, 0.01}, 0, 1); }), -1);
  for (auto const shape : {counting_shape{0, 1, 4}, {10, 0, 4}, {10, 65, 4}, {10, 1, 0}, {10, 1, 65}, {max_bits, 1, 2}})
    EXPECT_EQ(thrown([&] { return checked(shape).cells; }), oracle::bad_params);
}

}  // namespace
