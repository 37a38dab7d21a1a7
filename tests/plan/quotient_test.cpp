#include <hortus/plan/quotient.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

// Eight fingerprints, two keys, one query: all 8^3 outcomes.
TEST(Quotient, ByCountingAllOutcomes) {
  int hits = 0;
  for (int outcome = 0; outcome < 512; ++outcome) hits += outcome % 8 == outcome / 8 % 8 || outcome % 8 == outcome / 64 ? 1 : 0;
  for (std::uint64_t const slots : {1U, 3U, 7U}) EXPECT_TRUE(close(quotient_fpr({slots, 3}, 2), hits / 512.0, 1e-13));
  EXPECT_EQ(quotient_fpr({1, 1}, 0), 0);
  EXPECT_EQ(quotient_fpr({1, 1}, 1), .5);
  EXPECT_EQ(quotient_fpr({256, 64}, 1), 0x1p-64);
}

// Enough bits for all fingerprints of a slot, and with one bit less there are too few.
TEST(Quotient, RemaindersTellTheFingerprintsOfASlotApart) {
  for (std::uint64_t slots = 1; slots < 300; ++slots)
    for (unsigned bits = static_cast<unsigned>(std::bit_width(slots)); bits <= 12; ++bits) {
      quotient_shape const shape{slots, bits};
      ASSERT_TRUE(shape.possible());
      auto const of_a_slot = ((1U << bits) + slots - 1) / slots;
      EXPECT_GE(1U << shape.remainder_bits(), of_a_slot);
      EXPECT_LT(1U << (shape.remainder_bits() - 1), of_a_slot);
      EXPECT_EQ((quotient_shape{2 * slots, bits + 1}.remainder_bits()), shape.remainder_bits());
    }
}

TEST(Quotient, SpaceOfTheSheet) {
  auto const a_key = [](std::uint64_t items, double fpr) {
    auto const shape = quotient({items, fpr});
    return 8 * shape.cell_bytes() / static_cast<double>(items);
  };
  EXPECT_TRUE(printed(a_key(1'000'000, .01), "9.74")) << "7 bits and 2.25, at 95 %";
  EXPECT_TRUE(printed(a_key(100'000'000, .01), "10.79")) << "8 bits";
  EXPECT_TRUE(printed(quotient_fpr(quotient({1'000'000, .01}), 1'000'000), ".00742"));
  EXPECT_TRUE(printed(quotient_fpr(quotient({100'000'000, .01}), 100'000'000), ".00580"));
  // At most 42 % above the lower bound at the rate that is reached, wherever n lies between two powers of two.
  for (double items = 1e5; items < 1e9; items *= 1.19) {
    auto const n = static_cast<std::uint64_t>(items);
    auto const shape = quotient({n, 0x1p-8});
    EXPECT_LT(a_key(n, 0x1p-8) / least_bits_per_item(quotient_fpr(shape, n)), 1.42) << n;
  }
}

// The queue of displaced fingerprints: each slot adds a Poisson number of them and takes one. In the filter the number of
// keys is fixed, which makes excesses rarer, so this is an upper bound, up to a factor of about sqrt(n).
double spare_exceeded(quotient_shape shape) {
  double const load = static_cast<double>(shape.room()) / static_cast<double>(shape.slots);
  std::vector<double> arrivals{std::exp(-load)};
  for (int i = 1; i < 40; ++i) arrivals.push_back(arrivals.back() * load / i);
  std::size_t const most = 600;
  std::vector<double> queue(most + 1);  // [k]: probability that k fingerprints reach past the slot
  queue[0] = 1;
  for (std::uint64_t slot = 0; slot < std::min<std::uint64_t>(shape.slots, 30'000); ++slot) {
    std::vector<double> next(most + 1);
    for (std::size_t k = 0; k <= most; ++k)
      for (std::size_t a = 0; a < arrivals.size() && queue[k] > 1e-40; ++a)
        next[std::min(most, k + a == 0 ? 0 : k + a - 1)] += queue[k] * arrivals[a];
    queue = next;
  }
  double above = 0;
  for (auto k = static_cast<std::size_t>(shape.spare_slots()) + 1; k <= most; ++k) above += queue[k];
  return above;
}
TEST(Quotient, SpareSlotsSuffice) {
  for (std::uint64_t const slots : {85U, 100U, 150U, 200U, 300U, 450U, 700U, 1000U, 1296U, 3000U, 10'000U, 1'000'000U}) {
    quotient_shape const shape{slots, 40};
    double const rare = spare_exceeded(shape);
    EXPECT_LT(rare, 1e-12) << slots;
  }
  for (std::uint64_t const slots : {1U, 2U, 10U, 85U})
    EXPECT_EQ((quotient_shape{slots, 40}.spare_slots()), slots) << "all keys";
  EXPECT_EQ((quotient_shape{1U << 30, 40}.spare_slots()), 288U);
}

TEST(Quotient, EveryGoalIsKeptInTheFewestBytes) {
  int goals = 0;
  for (double items = 1; items < 0x1p32; items = std::ceil(items * 4.3))
    for (double fpr = 0.93; fpr >= 1e-9; fpr *= 0.18) {
      auto const n = static_cast<std::uint64_t>(items);
      auto const shape = quotient({n, fpr});
      EXPECT_TRUE(shape.possible());
      EXPECT_LE(quotient_fpr(shape, n), fpr) << n << " " << fpr;
      EXPECT_GE(shape.room(), n);
      quotient_shape const more{shape.slots + 1, shape.fingerprint_bits};
      EXPECT_TRUE(!more.possible() || more.blocks() > shape.blocks() || more.remainder_bits() < shape.remainder_bits())
          << "slots that cost nothing";
      for (unsigned log = 0; log < 40; ++log)  // no other shape with fewer bytes does
        for (unsigned bits = 1; bits <= 64; ++bits) {
          quotient_shape const other{std::max(n + (n - 1) / 19, std::uint64_t{1} << log), bits};
          if (!other.possible() || other.cell_bytes() >= shape.cell_bytes()) continue;
          EXPECT_GT(quotient_fpr(other, n), fpr * (1 - 1e-9)) << n << " " << fpr << " " << other.slots << " " << bits;
        }
      ++goals;
    }
  EXPECT_EQ(goals, 16 * 13);
}

TEST(Quotient, ItemsFromFingerprints) {
  for (auto const& [shape, items] :
       {std::pair{quotient_shape{500, 12}, 400U}, {quotient_shape{2048, 20}, 1900U}, {quotient_shape{2048, 64}, 1000U}}) {
    auto const mean = shape.fingerprints() * -std::expm1(items * std::log1p(-1 / shape.fingerprints()));
    auto const e = quotient_cardinality(shape, static_cast<std::uint64_t>(std::llround(mean)));
    EXPECT_NEAR(e.value, items, .7 + 1e-3 * items);
    EXPECT_LE(e.low, e.value);
    EXPECT_GE(e.high, e.value);
  }
  EXPECT_EQ(quotient_cardinality({10, 4}, 0), estimate{});
  EXPECT_TRUE(quotient_cardinality({1, 2}, 4).saturated);
  EXPECT_TRUE(quotient_cardinality({1, 2}, 32).saturated) << "more than there can be";
}

TEST(Quotient, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return quotient({10, wrong}); }), oracle::bad_goal) << wrong;
  EXPECT_EQ(thrown([] { return quotient({huge, .01}); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return quotient({1000, 0x1p-60}); }), oracle::bad_goal) << "a digest has 64 bits";
  EXPECT_EQ(quotient_fpr(quotient({1, 0x1p-64}), 1), 0x1p-64);
  for (auto const s : {quotient_shape{0, 5}, quotient_shape{8, 3}, quotient_shape{5, 0}, quotient_shape{5, 65},
                       quotient_shape{255, 64}, quotient_shape{huge, 64}, quotient_shape{1ULL << 40, 45}})
    EXPECT_EQ(thrown([&] { return quotient_fpr(s, 1); }), oracle::bad_params) << s.slots << " " << s.fingerprint_bits;
}

}  // namespace
