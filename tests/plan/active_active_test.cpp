#include <hortus/plan/active_active.hpp>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

struct row {
  double fpr;
  char const *half, *real_probes;
  unsigned seed_probes;
  char const *seed_load, *seed_rate;
  unsigned probes;
  char const* load;
};
constexpr row rows[] = {{.1, ".051317", "4.284", 4, ".086643", ".1211", 4, ".080772"},
                        {.05, ".025321", "5.304", 5, ".069315", ".0615", 5, ".065277"},
                        {.01, ".005013", "7.640", 7, ".049511", ".0156", 8, ".045333"},
                        {.001, ".000500", "10.965", 10, ".034657", ".00195", 11, ".031606"},
                        {1e-4, ".000050", "14.288", 14, ".024755", ".000122", 14, ".024254"}};

/// Both halves full, per bit of both: (1 - e^(-2 k load))^k each.
double rate_at(double load, unsigned probes) {
  double const half = std::pow(-std::expm1(-2.0 * probes * load), probes);
  return either_fpr(half, half);
}

TEST(ActiveActive, TableOfCapacities) {
  for (auto const& r : rows) {
    EXPECT_TRUE(printed(half_fpr(r.fpr), r.half));
    EXPECT_TRUE(printed(-std::log2(half_fpr(r.fpr)), r.real_probes));
    EXPECT_EQ(active_active_probes(r.fpr), r.probes);
    EXPECT_TRUE(printed(active_active_load(r.fpr, r.probes), r.load));
    EXPECT_TRUE(close(rate_at(active_active_load(r.fpr, r.probes), r.probes), r.fpr, 1e-9)) << "just kept when full";
  }
  EXPECT_TRUE(printed(1 / active_active_load(.01, 8), "22.1"));
}

// k = floor(log2(1/half)) with kappa = m ln 2 / 2k promises a rate that it does not keep.
TEST(ActiveActive, TheSeedsCapacityIsTooHigh) {
  for (auto const& r : rows) {
    auto const probes = static_cast<unsigned>(-std::log2(half_fpr(r.fpr)));
    EXPECT_EQ(probes, r.seed_probes);
    double const load = std::numbers::ln2 / (2 * probes);
    EXPECT_TRUE(printed(load, r.seed_load));
    EXPECT_TRUE(printed(rate_at(load, probes), r.seed_rate));
    EXPECT_GT(rate_at(load, probes), 1.2 * r.fpr);
    EXPECT_GT(load, active_active_load(r.fpr, probes));
  }
}

TEST(ActiveActive, ItemsOfAFilter) {
  EXPECT_EQ(active_active_items(20'000, .01, 8), 906U);
  EXPECT_EQ(active_active_items(20'001, .01, 8), 906U);
  EXPECT_EQ(active_active_items(2, .01, 8), 1U);
  EXPECT_EQ(active_active_probes(.9), 1U);
  EXPECT_EQ(thrown([] { (void)active_active_items(0, .01, 8); }), oracle::bad_params);
  EXPECT_EQ(thrown([] { (void)half_fpr(1); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { (void)half_fpr(0); }), oracle::bad_goal);
}

TEST(ActiveActive, MeanOverACycle) {
  struct {
    double fpr;
    char const* mean;
  } const means[] = {{.1, ".0633"}, {.01, ".00575"}, {.001, ".00056"}};
  for (auto const& m : means) {
    auto const probes = active_active_probes(m.fpr);
    std::uint64_t const bits = 1'000'000'000;
    EXPECT_TRUE(printed(active_active_mean_fpr({bits / 2, probes}, active_active_items(bits, m.fpr, probes)), m.mean));
  }
}

}  // namespace
