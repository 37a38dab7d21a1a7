#include <hortus/plan/count_min.hpp>
#include <hortus/plan/fast_ams.hpp>

#include <cmath>
#include <limits>
#include <map>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::sizes;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

TEST(Sketch, SizeOfTheSheet) {
  EXPECT_EQ(count_min_within(.001, .01), (sketch_shape{2719, 5}));
  EXPECT_EQ(count_min_within(.5, .9), (sketch_shape{6, 1}));
  EXPECT_EQ(count_min_within(1e-9, 0x1p-64).depth, 45U);
}

TEST(Sketch, CountMinIsAPartitionedFilter) {
  EXPECT_TRUE(close(count_min_wrong({100, 3}, 50), std::pow(1 - std::pow(0.99, 50), 3), 1e-13));
  EXPECT_EQ(count_min_wrong({1, 1}, 0), 0);
  EXPECT_EQ(count_min_wrong({1, 64}, 1), 1);
}

// Every row is too low, right or too high: all 3^d outcomes, sorted.
TEST(Sketch, MedianByCountingAllOutcomes) {
  for (unsigned depth = 1; depth <= 9; ++depth)
    for (double const p : {1e-3, 0.1, 0.5, 0.9, 1.0}) {
      double wrong = 0;
      auto const outcomes = static_cast<unsigned>(std::lround(std::pow(3, depth)));
      for (unsigned outcome = 0; outcome < outcomes; ++outcome) {
        std::vector<int> error;
        double chance = 1;
        for (unsigned i = 0, rest = outcome; i < depth; ++i, rest /= 3) {
          error.push_back(static_cast<int>(rest % 3) - 1);
          chance *= error.back() == 0 ? 1 - p : p / 2;
        }
        std::sort(error.begin(), error.end());
        bool const is_wrong = depth % 2 != 0 ? error[depth / 2] != 0 : error[depth / 2 - 1] != 0 || error[depth / 2] != 0;
        wrong += is_wrong ? chance : 0;
      }
      if (depth % 2 != 0)
        EXPECT_TRUE(close(median_wrong(p, depth), wrong, 1e-12)) << depth << " rows, " << p;
      else
        EXPECT_GE(median_wrong(p, depth), wrong * (1 - 1e-12)) << depth << " rows, " << p;
    }
  EXPECT_EQ(median_wrong(0, 5), 0);
}

// Three rows, two others with counts 1 and 2, which never cancel out: a row's error by counting, then all triples of them.
TEST(Sketch, FastAmsByCountingAllOutcomes) {
  for (int const width : {1, 2, 3, 7}) {
    std::map<int, double> row;
    for (int a = 0; a < 2 * width; ++a)
      for (int b = 0; b < 2 * width; ++b)  // the key asked for has column 0
        row[(a / 2 == 0 ? (a % 2 != 0 ? -1 : 1) : 0) + (b / 2 == 0 ? (b % 2 != 0 ? -2 : 2) : 0)] += 0.25 / (width * width);
    double wrong = 0;
    for (auto const& [x, px] : row)
      for (auto const& [y, py] : row)
        for (auto const& [z, pz] : row) {
          int three[] = {x, y, z};
          std::sort(three, three + 3);
          wrong += three[1] != 0 ? px * py * pz : 0;
        }
    EXPECT_TRUE(close(fast_ams_wrong({static_cast<std::uint64_t>(width), 3}, 2), wrong, 1e-12)) << width;
  }
}

TEST(Sketch, TheInverseOfTheMedian) {
  for (unsigned const depth : {1U, 3U, 7U, 31U, 63U})
    for (double const chance : {0x1p-64, 1e-9, .01, .5, .99})
      EXPECT_TRUE(close(median_wrong(median_allows(chance, depth), depth), chance, 1e-9)) << depth << " " << chance;
}

TEST(Sketch, EveryGoalIsKeptAndNoNarrowerRowsDo) {
  int goals = 0;
  for (double items = 1; items < 0x1p30; items = std::ceil(items * 5.3))
    for (double fpr = 0.93; fpr >= min_fpr; fpr *= 0.09) {
      auto const n = static_cast<std::uint64_t>(items);
      auto const least = count_min({n, fpr});
      auto const middle = fast_ams({n, fpr});
      EXPECT_LE(count_min_wrong(least, n), fpr);
      EXPECT_LE(fast_ams_wrong(middle, n), fpr);
      if (least.width > 1) {
        EXPECT_GT(count_min_wrong({least.width - 1, least.depth}, n), fpr * (1 - 1e-9)) << n << " " << fpr;
      }
      if (middle.width > 1) {
        EXPECT_GT(fast_ams_wrong({middle.width - 1, middle.depth}, n), fpr * (1 - 1e-9)) << n << " " << fpr;
      }
      EXPECT_LE(least.width * least.depth, middle.width * middle.depth) << "a median needs more rows than a minimum";
      ++goals;
    }
  EXPECT_EQ(goals, 13 * 19);
}

TEST(Sketch, NoOtherDepthNeedsFewerCounters) {
  for (double const fpr : {.5, .1, .01, 1e-4}) {
    auto const least = count_min({1000, fpr});
    auto const middle = fast_ams({1000, fpr});
    for (unsigned depth = 1; depth <= max_probes; ++depth) {
      auto const fits = [&](auto wrong, sketch_shape best) {
        auto const width = (best.width * best.depth - 1) / depth;  // at least one counter less in all
        return width >= 1 && wrong(sketch_shape{width, depth}, 1000) <= fpr;
      };
      EXPECT_FALSE(fits(count_min_wrong, least)) << depth;
      EXPECT_FALSE(fits(fast_ams_wrong, middle)) << depth;
    }
  }
}

TEST(Sketch, CountersAKeyAtOnePercent) {
  auto const a_key = [](sketch_shape s) { return static_cast<double>(s.width * s.depth) / 1e6; };
  EXPECT_TRUE(printed(a_key(count_min({1'000'000, .01})), "9.593"));
  EXPECT_TRUE(printed(a_key(fast_ams({1'000'000, .01})), "26.05"));
}

TEST(Sketch, FastAmsWithinAnErrorKeepsChebyshev) {
  for (double const error : {.3, .01, 1e-4})
    for (double const chance : {.5, .01, 1e-9}) {
      auto const s = fast_ams_within(error, chance);
      EXPECT_LE(median_wrong(1 / (static_cast<double>(s.width) * error * error), s.depth), chance * (1 + 1e-9));
      EXPECT_EQ(s.depth % 2, 1U);
    }
}

TEST(Sketch, ImpossibleGoalsAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(thrown([&] { return count_min({10, wrong}); }), oracle::bad_goal) << wrong;
    EXPECT_EQ(thrown([&] { return fast_ams({10, wrong}); }), oracle::bad_goal) << wrong;
    EXPECT_EQ(thrown([&] { return count_min_within(wrong, .01); }), oracle::bad_goal) << wrong;
    EXPECT_EQ(thrown([&] { return count_min_within(.01, wrong); }), oracle::bad_goal) << wrong;
    EXPECT_EQ(thrown([&] { return fast_ams_within(wrong, .01); }), oracle::bad_goal) << wrong;
    EXPECT_EQ(thrown([&] { return fast_ams_within(.01, wrong); }), oracle::bad_goal) << wrong;
  }
  EXPECT_EQ(thrown([] { return count_min({huge, .01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return fast_ams({huge, .01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return count_min_within(1e-15, .01); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return fast_ams_within(1e-9, .01); }), oracle::bad_goal);
  for (auto const s : {sketch_shape{0, 1}, sketch_shape{1, 0}, sketch_shape{1, 65}, sketch_shape{huge, 2}})
    EXPECT_EQ(thrown([&] { return count_min_wrong(s, 1); }), oracle::bad_params);
}

}  // namespace
