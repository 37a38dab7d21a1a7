#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "redis/redisbloom/decay.hpp"
#include "statistics.hpp"

namespace hortus::redisbloom {
namespace {

using testing::binomial_band;

TEST(decay, powers_are_those_of_the_decay) {
  for (double const decay : {1e-300, 0.5, 0.9, 0.999999, 1.0}) {
    decay_powers const powers(decay);
    for (std::uint32_t const count : {0U, 1U, 2U, 15U, 16U, 17U, 255U, 256U, 4095U, 65536U, 1'000'000U, 4'294'967'295U}) {
      double const expected = std::pow(decay, count);
      EXPECT_NEAR(powers(count), expected, expected * count * 1e-15) << decay << "^" << count;
    }
  }
}

/// Draws of one fingerprint one after the other, and of many fingerprints with the same number: both are uniform.
TEST(decay, draws_are_uniform) {
  constexpr int draws = 400'000;
  constexpr std::size_t bins = 20;
  std::vector<double> by_number(bins);
  std::vector<double> by_fingerprint(bins);
  std::vector<double> pairs(bins);  // of draws that follow each other
  auto const bin = [](double draw) { return std::min(bins - 1, static_cast<std::size_t>(draw * bins)); };
  for (std::uint32_t i = 0; i < draws; ++i) {
    double const draw = uniform_draw(0x9d1c4d0f, i);
    EXPECT_TRUE(draw > 0 && draw <= 1);
    ++by_number[bin(draw)];
    ++by_fingerprint[bin(uniform_draw(i, 7))];
    ++pairs[bin(std::fmod(draw + uniform_draw(0x9d1c4d0f, i + 1), 1.0))];
  }
  auto const band = binomial_band(draws, 1.0 / bins);
  for (std::size_t i = 0; i < bins; ++i) {
    EXPECT_TRUE(band.holds(by_number[i])) << by_number[i];
    EXPECT_TRUE(band.holds(by_fingerprint[i])) << by_fingerprint[i];
    EXPECT_TRUE(band.holds(pairs[i])) << pairs[i];
  }
}

TEST(decay, the_first_success_is_found_by_products) {
  EXPECT_EQ(first_success(0.5, 0, 0.7), 0U);
  EXPECT_EQ(first_success(1, 1, 0x1p-53), 1U);
  EXPECT_EQ(first_success(0, 100'000, 1), 0U);
  EXPECT_EQ(first_success(1e-18, 4'294'967'295U, 1), 0U);  // 1 - chance is 1
  for (std::uint32_t tries = 1; tries < 40; ++tries)
    for (double const chance : {0.02, 0.3, 0.77})
      for (int i = 0; i < 997; ++i) {
        double const draw = (i + 0.5) / 997;
        std::uint32_t expected = 1;  // the smallest n with (1 - chance)^n < draw
        for (double failures = 1 - chance; failures >= draw; failures *= 1 - chance) ++expected;
        ASSERT_EQ(first_success(chance, tries, draw), expected <= tries ? expected : 0)
            << chance << " " << tries << " " << draw;
      }
}

}  // namespace
}  // namespace hortus::redisbloom
