#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/counting/blocked_counting.hpp>
#include <hortus/counting/counting.hpp>
#include <hortus/fingerprint/quotient.hpp>
#include <hortus/sketch/count_min.hpp>
#include <hortus/sketch/exaloglog.hpp>
#include <hortus/sketch/hyperloglog.hpp>

/// What two filters say about their common keys, over many pairs of filters: no bias, and intervals that hold as often as they
/// say.
namespace {

using namespace hortus;

struct sets {
  std::uint64_t only_a, only_b, both;
};

/// Two filters with fresh keys in every run.
template <class F>
std::pair<of_keys<F>, of_keys<F>> filled(typename F::params shape, sets keys, std::uint64_t run) {
  of_keys<F> a{F(shape)}, b{F(shape)};
  auto const put = [](of_keys<F>& to, std::uint64_t key) { (void)to.insert(key); };  // no filter here gets full
  std::uint64_t next = run << 32;
  for (std::uint64_t i = 0; i < keys.both; ++i, ++next) put(a, next), put(b, next);
  for (std::uint64_t i = 0; i < keys.only_a; ++i) put(a, next++);
  for (std::uint64_t i = 0; i < keys.only_b; ++i) put(b, next++);
  return {std::move(a), std::move(b)};
}

struct figure {
  std::string what;
  double truth;
  double sum = 0, squares = 0, sd = 0;
  int held = 0;

  void add(plan::estimate const& e) {
    sum += e.value;
    squares += (e.value - truth) * (e.value - truth);
    sd += (e.high - e.low) / 2 / plan::z95;
    held += e.low <= truth && truth <= e.high ? 1 : 0;
  }
  /// Mean: 6.2 standard deviations (6e-10) and a bias of 0.7 %. Coverage: 6.2 of a binomial and 2 %.
  void check(int runs) const {
    double const mean = sum / runs, typical = sd / runs;
    EXPECT_NEAR(mean, truth, 6.2 * typical / std::sqrt(runs) + 0.007 * truth) << what;
    EXPECT_NEAR(double(held) / runs, 0.95, 6.2 * std::sqrt(0.95 * 0.05 / runs) + 0.02) << what;
    double const rms = std::sqrt(squares / runs);  // the intervals are not wide for nothing
    EXPECT_LT(std::abs(rms / typical - 1), 6.2 / std::sqrt(2.0 * runs) + 0.1) << what << ": " << rms << " and " << typical;
  }
};

template <class F>
void expect_honest(typename F::params shape, sets keys, int runs = 400) {
  auto const [only_a, only_b, both] = std::array{double(keys.only_a), double(keys.only_b), double(keys.both)};
  std::array<figure, 7> all{{{"a", only_a + both},
                             {"b", only_b + both},
                             {"union", only_a + only_b + both},
                             {"intersection", both},
                             {"only a", only_a},
                             {"only b", only_b},
                             {"jaccard", both / (only_a + only_b + both)}}};
  std::array<figure, 2> counted{{{"only a, by counters", only_a}, {"only b, by counters", only_b}}};
  int with_counters = 0;
  for (int run = 0; run < runs; ++run) {
    auto const [a, b] = filled<F>(shape, keys, static_cast<std::uint64_t>(run));
    auto const o = a.compare(b);
    std::array const found{o.a, o.b, o.either, o.both, o.only_a, o.only_b, o.jaccard};
    for (std::size_t i = 0; i < found.size(); ++i) all[i].add(found[i]);
    if (!o.by_counters) continue;
    ++with_counters;
    counted[0].add(o.by_counters->only_a);
    counted[1].add(o.by_counters->only_b);
  }
  SCOPED_TRACE(std::string(F::name));
  for (auto const& one : all) one.check(runs);
  if (with_counters == 0) return;
  ASSERT_EQ(with_counters, runs);
  for (auto const& one : counted) one.check(runs);
}

TEST(Compare, IntervalsOfBits) {
  sets const keys{800, 500, 200};
  expect_honest<bloom<>>({8000, 6}, keys);
  expect_honest<partitioned<>>({1600, 5}, keys);
  expect_honest<blocked>({32, 6}, keys);
  expect_honest<split_block>({64, 8}, keys);
  expect_honest<bloom<>>({8000, 6}, {1400, 60, 200});  // the two differences have very different errors
}
TEST(Compare, IntervalsOfCounters) {
  expect_honest<counting<>>({8192, 4, 8}, {1000, 1000, 500});
  expect_honest<blocked_counting>({32, 4}, {600, 400, 500});
  expect_honest<count_min<>>({3000, 3}, {800, 500, 200});
}
TEST(Compare, IntervalsOfSketches) {
  expect_honest<hyperloglog>({10}, {3000, 2000, 4000});
  expect_honest<exaloglog>({6}, {3000, 2000, 4000});
}
TEST(Compare, IntervalsOfFingerprints) { expect_honest<quotient>({4000, 16}, {1000, 700, 2000}); }

/// The table of the signed difference estimate: 8192 cells, 4 probes; the mean, and the standard deviation over many runs.
TEST(Compare, SignedDifference) {
  struct row {
    sets keys;
    double mean, sd;
  };
  for (auto const& [keys, mean, sd] : {row{{100, 100, 900}, 199.4, 2.9}, row{{500, 100, 900}, 598, 11}}) {
    double sum = 0, squares = 0;
    constexpr int runs = 300;
    for (std::uint64_t run = 0; run < runs; ++run) {
      auto const [a, b] = filled<counting<>>({8192, 4, 8}, keys, run);
      auto const found = a.compare(b).by_counters.value();
      double const differing = found.only_a.value + found.only_b.value;
      sum += differing;
      squares += differing * differing;
    }
    double const got = sum / runs, spread = std::sqrt(squares / runs - got * got);
    EXPECT_NEAR(got, mean, 6.2 * sd / std::sqrt(runs) + .006 * mean);
    EXPECT_NEAR(spread, sd, .35 * sd);  // 300 runs give it within 4 %, the table's own within 7 to 20 %
  }
}

/// It stays accurate where the bits say nothing: two large sets that differ in ten keys.
TEST(Compare, CountersFindFewDifferencesOfLargeSets) {
  auto const [a, b] = filled<counting<>>({100'000, 5, 8}, {7, 3, 20'000}, 1);
  auto const found = a.compare(b);
  EXPECT_NEAR(found.by_counters.value().only_a.value, 7, 1);
  EXPECT_NEAR(found.by_counters.value().only_b.value, 3, 1);
  EXPECT_LT(found.by_counters->only_a.high - found.by_counters->only_a.low, 2);
  EXPECT_GT(found.only_a.high - found.only_a.low, 2);
}

TEST(Compare, StuckCountersSayNothing) {
  auto [a, b] = filled<counting<>>({1000, 4, 2}, {10, 10, 10}, 1);
  ASSERT_TRUE(a.compare(b).by_counters);
  for (int i = 0; i < 4; ++i) b.insert(77);
  EXPECT_FALSE(a.compare(b).by_counters);
  EXPECT_FALSE(b.compare(a).by_counters);
}

TEST(Compare, SketchesOfDifferentPrecision) {
  auto const [a, fine] = filled<hyperloglog>({12}, {3000, 2000, 4000}, 1);
  auto coarse = fine;
  coarse.fold(4);
  auto const found = a.compare(coarse), turned = coarse.compare(a);
  EXPECT_EQ(found.either, turned.either);
  EXPECT_NEAR(found.both.value, 4000, 1200);  // 0.0325 of 9000 is a standard deviation of the union
}

TEST(Compare, OneCellTellsOnlyHowManyKeysThereAre) {
  counting<> a(counting<>::params{1, 1, 8});
  EXPECT_TRUE(a.compare(a).by_counters.value().only_a.saturated);
}

}  // namespace
