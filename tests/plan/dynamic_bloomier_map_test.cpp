#include <hortus/plan/dynamic_bloomier_map.hpp>

#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using oracle::close;
using oracle::printed;
using oracle::thrown;

// By the exact distribution of the number of different signatures.
TEST(DynamicBloomier, CollisionsAreKeysMinusSignatures) {
  for (unsigned const bits : {3U, 5U, 8U})
    for (std::uint64_t const items : {0U, 1U, 2U, 5U, 30U, 100U}) {
      auto const p = oracle::occupancy(std::uint64_t{1} << bits, items);
      double different = 0;
      for (std::size_t x = 0; x < p.size(); ++x) different += static_cast<double>(x) * p[x];
      EXPECT_NEAR(expected_collisions(items, bits), static_cast<double>(items) - different, 1e-9) << bits << " " << items;
    }
  EXPECT_TRUE(close(expected_collisions(1'000'000, 30), 465.5, 1e-3)) << "n^2 / 2^(p+1)";
  EXPECT_TRUE(close(expected_collisions(1073, 20), expected_collisions(1048, 20) * 1073.0 * 1072 / 1048 / 1047, 1e-4))
      << "both formulas, on both sides of the limit";
}

// The tables of the sheet, for signatures in a range of n / eps: after a build n eps / 2 keys collide. If keys stay among the
// collisions when the owner of their signature is erased, they become n eps / (1 + eps) by and by; if the first of them takes
// the owner's place, they stay n eps / 2.
TEST(DynamicBloomier, CollisionsOfTheSheet) {
  struct line {
    double eps, built, churned;
  };
  constexpr std::uint64_t items = 100'000;
  for (line const& at : {line{.01, 500, 1000}, line{.001, 50, 100}})
    for (bool const takes_place : {false, true}) {
      oracle::dice random(4);
      auto const range = static_cast<std::uint64_t>(static_cast<double>(items) / at.eps);
      std::unordered_map<std::uint64_t, std::uint64_t> owner;                    // of a signature: a key
      std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> collisions;  // of a signature: other keys
      std::uint64_t colliding = 0;
      std::vector<std::uint64_t> signature_of;
      auto const put = [&](std::uint64_t key) {
        auto const s = signature_of[key];
        if (owner.try_emplace(s, key).second) return;
        collisions[s].push_back(key);
        ++colliding;
      };
      auto const erase = [&](std::uint64_t key) {
        auto const s = signature_of[key];
        auto& others = collisions[s];
        auto const it = owner.find(s);
        if (it == owner.end() || it->second != key) {
          others.erase(std::find(others.begin(), others.end(), key));
          --colliding;
        } else if (takes_place && !others.empty()) {
          it->second = others.back();
          others.pop_back();
          --colliding;
        } else {
          owner.erase(it);
        }
        if (others.empty()) collisions.erase(s);
      };
      std::vector<std::uint64_t> live;
      for (std::uint64_t i = 0; i < items; ++i) {
        signature_of.push_back(random.below(range));
        live.push_back(i);
        put(i);
      }
      EXPECT_NEAR(static_cast<double>(colliding), at.built, oracle::z_1e9 * std::sqrt(at.built) + 1) << at.eps;
      for (std::uint64_t t = 0; t < 6 * items; ++t) {
        auto& one = live[random.below(items)];
        erase(one);
        one = signature_of.size();
        signature_of.push_back(random.below(range));
        put(one);
      }
      double const late = takes_place ? at.built : at.churned / (1 + at.eps);
      EXPECT_NEAR(static_cast<double>(colliding), late, oracle::z_1e9 * std::sqrt(late) + .005 * late + 1) << at.eps;
    }
}

TEST(DynamicBloomier, RoomForCollisionsSuffices) {
  for (std::uint64_t items = 1; items < 3'000'000'000; items = items * 5 + 1)
    for (unsigned bits = static_cast<unsigned>(std::bit_width(items)); bits <= 64; bits += 3) {
      auto const most = most_collisions(items, bits);
      double const mean = expected_collisions(items, bits);
      EXPECT_LT(most, items);
      if (most + 1 < items) {
        EXPECT_LT(poisson_tail(mean, static_cast<double>(most) + 1), 1.0001e-12) << items << " " << bits;
      }
      EXPECT_LT(static_cast<double>(most), mean + 12 * std::sqrt(mean) + 20) << "and is not wasted";
    }
  EXPECT_EQ(most_collisions(1, 3), 0U);
  EXPECT_EQ(most_collisions(2, 1), 1U);
  EXPECT_EQ(most_collisions(10, 47), 0U);
}

TEST(DynamicBloomier, Rate) {
  dynamic_bloomier_shape const shape{{1000, 14}, {20, 64}, 8};
  EXPECT_TRUE(close(dynamic_bloomier_fpr(shape, 900), 1 - std::pow(1 - 0x1p-14, 900), 1e-9));
  EXPECT_EQ(dynamic_bloomier_fpr(shape, 0), 0);
}

TEST(DynamicBloomier, EveryGoalIsKeptInTheFewestBytes) {
  for (double items = 1; items < 0x1p32; items = std::ceil(items * 5.3))
    for (double fpr = .93; fpr >= 1e-9; fpr *= .08)
      for (unsigned const value_bits : {0U, 8U, 64U}) {
        auto const n = static_cast<std::uint64_t>(items);
        auto const shape = dynamic_bloomier_map({n, fpr}, value_bits);
        EXPECT_TRUE(shape.possible()) << n << " " << fpr << " " << value_bits;
        EXPECT_LE(dynamic_bloomier_fpr(shape, n), fpr);
        EXPECT_GE(shape.signatures.room(), n);
        EXPECT_GE(shape.collisions.room(), most_collisions(n, shape.signatures.fingerprint_bits));
        for (unsigned log = 0; log < 40; ++log)  // no other shape with fewer bytes does
          for (unsigned bits = 1; bits <= 64; ++bits) {
            dynamic_bloomier_shape const other{
                {std::max(n + (n - 1) / 19, std::uint64_t{1} << log), bits}, {most_collisions(n, bits), 64}, value_bits};
            if (!other.possible() || other.bytes() >= shape.bytes()) continue;
            bool const fits = other.collisions.room() >= most_collisions(n, bits) || other.collisions.slots == 0;
            EXPECT_TRUE(!fits || dynamic_bloomier_fpr(other, n) > fpr * (1 - 1e-9))
                << n << " " << fpr << " " << value_bits << ": " << other.signatures.slots << " " << bits;
          }
      }
}

TEST(DynamicBloomier, Space) {
  auto const a_key = [](double fpr, unsigned value_bits) {
    return 8 * dynamic_bloomier_map({1'000'000, fpr}, value_bits).bytes() / 1e6;
  };
  EXPECT_TRUE(printed(a_key(.01, 8), "18.50", 20)) << a_key(.01, 8);
  EXPECT_TRUE(printed(a_key(.001, 8), "21.4", 5)) << a_key(.001, 8);
  EXPECT_TRUE(printed(a_key(.01, 0), "10.0", 5)) << a_key(.01, 0);
  EXPECT_LE(a_key(.5, 8), a_key(.05, 8));
}

TEST(DynamicBloomier, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return dynamic_bloomier_map({10, wrong}, 8); }), oracle::bad_goal) << wrong;
  EXPECT_EQ(thrown([] { return dynamic_bloomier_map({10, .01}, 65); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return dynamic_bloomier_map({1000, 0x1p-60}, 8); }), oracle::bad_goal);
  EXPECT_EQ(thrown([] { return dynamic_bloomier_map({std::numeric_limits<std::uint64_t>::max(), .01}, 8); }), oracle::bad_goal);
  EXPECT_EQ(dynamic_bloomier_fpr(dynamic_bloomier_map({1, 0x1p-64}, 8), 1), 0x1p-64);
  for (auto const& s :
       {dynamic_bloomier_shape{}, dynamic_bloomier_shape{{8, 3}, {0, 64}, 8}, dynamic_bloomier_shape{{8, 65}, {0, 64}, 8},
        dynamic_bloomier_shape{{8, 10}, {9, 64}, 8}, dynamic_bloomier_shape{{8, 10}, {2, 63}, 8},
        dynamic_bloomier_shape{{8, 10}, {2, 64}, 65}, dynamic_bloomier_shape{{1ULL << 38, 64}, {2, 64}, 64}})
    EXPECT_EQ(thrown([&] { return dynamic_bloomier_fpr(s, 1); }), oracle::bad_params);
}

}  // namespace
