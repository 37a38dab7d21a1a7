// The mathematics of sketches that count distinct keys: sizes, errors, and the two estimators against sums and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <hortus/plan/exaloglog.hpp>
#include <hortus/plan/hyperloglog.hpp>

#include "statistics.hpp"

namespace hortus::plan {
namespace {

TEST(distinct_plan, the_least_precision_with_the_error) {
  for (auto const& kind : {rank_registers, history_registers})
    for (unsigned p = kind.least; p <= kind.most; ++p) {
      EXPECT_EQ(kind.precision_for(0, kind.error(p)), p) << kind.title;
      EXPECT_EQ(kind.precision_for(1'000'000, kind.error(p) * 1.3), p) << kind.title;
      EXPECT_EQ(kind.precision_for(0, 0.5, p), p) << "as asked";
    }
  EXPECT_NEAR(rank_registers.error(14), 1.04 / 128, 1e-4);  // the figures of the papers
  EXPECT_EQ(rank_registers.bytes(14), 12'288U);
  EXPECT_EQ(rank_registers.bytes(4), 12U);
  EXPECT_EQ(history_registers.bytes(11), 7'168U);
  EXPECT_NEAR(history_registers.variance * history_registers.bits, 3.67, 0.005);
  EXPECT_EQ(rank_registers.precision_for(0, 0.01), 14U);
  EXPECT_EQ(history_registers.precision_for(0, 0.01), 11U);
}

TEST(distinct_plan, what_cannot_be_is_refused) {
  auto const code = [](auto act) {
    try {
      act();
    } catch (error const& e) {
      return e.code();
    }
    return errc::io;
  };
  for (auto const& kind : {rank_registers, history_registers}) {
    for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), 1e-6})
      EXPECT_EQ(code([&] { (void)kind.precision_for(0, wrong); }), errc::bad_goal) << wrong;
    EXPECT_EQ(code([&] { (void)kind.precision_for(~std::uint64_t{0}, 0.01); }), errc::bad_goal);
    for (unsigned const wrong : {1U, kind.least - 1, kind.most + 1, 64U}) {
      EXPECT_EQ(code([&] { (void)kind.precision_for(0, 0.01, wrong); }), errc::bad_goal) << wrong;
      EXPECT_EQ(code([&] { (void)kind.checked(wrong); }), errc::bad_params) << wrong;
    }
  }
}

/// The probabilities of all values add up to 1, as they are drawn from 64 - precision bits; the constants are their sums.
TEST(exaloglog_plan, values_have_the_probabilities_they_are_said_to_have) {
  for (unsigned p = history_registers.least; p <= history_registers.most; ++p) {
    double above = 0;
    for (unsigned value = largest_value(p); value >= 1; --value) {
      EXPECT_DOUBLE_EQ(chance_above(value, p), above) << value << " at " << p;
      above += std::ldexp(1.0, -static_cast<int>(exponent_of(value, p)));
    }
    EXPECT_DOUBLE_EQ(above, 1);
    EXPECT_EQ(chance_above(0, p), 1);
    EXPECT_LT(largest_value(p), 256U);
  }
}

/// Hurwitz' zeta function, by summing and the first terms of the Euler-Maclaurin formula.
double zeta(double power, double from) {
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += std::pow(from + i, -power);
  double const rest = from + 1000;
  return sum + std::pow(rest, 1 - power) / (power - 1) + std::pow(rest, -power) / 2;
}
TEST(exaloglog_plan, the_constants_are_those_of_the_paper) {
  double const b = std::pow(2, 0.25), s = std::pow(b, -20) / (b - 1);
  EXPECT_NEAR(history_registers.variance, std::log(b) / zeta(2, 1 + s), 1e-9);
  EXPECT_NEAR(history_bias, std::log(b) * (1 + 2 * s) * zeta(3, 1 + s) / std::pow(zeta(2, 1 + s), 2), 1e-9);
  EXPECT_NEAR(rank_registers.variance, 3 * std::log(2.0) - 1, 1e-15);
}

/// The derivative of ln likelihood is 0 there, and the load that gave expected counts comes back.
TEST(distinct_likelihood, finds_the_load_of_expected_counts) {
  for (double const load : {1e-6, 1e-3, 0.1, 1.0, 30.0, 1e4, 1e9, 1e15}) {
    met_values values;
    double const registers = 1e12;  // so many that rounding the counts does not matter
    for (unsigned e = 1; e <= 60; ++e) {
      double const met = -std::expm1(-load * std::ldexp(1.0, -static_cast<int>(e)));
      values.met[e] = static_cast<std::uint64_t>(std::llround(registers * met));
      values.missed += registers * (1 - met) * std::ldexp(1.0, -static_cast<int>(e));
    }
    EXPECT_NEAR(likeliest_load(values) / load, 1, 2e-5) << load;
  }
}

TEST(distinct_likelihood, nothing_met_is_nothing_and_nothing_missed_is_infinite) {
  met_values values;
  values.missed = 64;
  EXPECT_EQ(likeliest_load(values), 0);
  EXPECT_EQ(distinct_interval(values, 64, 0, 0), estimate());
  EXPECT_EQ(token_cardinality({}, 64), estimate());
  values.missed = 0;
  values.met[60] = 64;
  EXPECT_EQ(likeliest_load(values), HUGE_VAL);
  auto const full = distinct_interval(values, 64, likeliest_load(values), 64);
  EXPECT_TRUE(full.saturated);
  EXPECT_EQ(full.low, 64);
  EXPECT_EQ(full.high, HUGE_VAL);
}

/// Whatever a file says, the search ends, and its result is a number.
TEST(distinct_likelihood, ends_for_any_counts) {
  std::uint64_t state = 1;
  auto const draw = [&] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (int i = 0; i < 20'000; ++i) {
    met_values values;
    for (unsigned n = 0; n < 1 + draw() % 5; ++n) values.met[draw() % 65] = draw() >> draw() % 64;
    values.missed = std::ldexp(static_cast<double>(draw() >> 11), -static_cast<int>(draw() % 120));
    double const load = likeliest_load(values);
    EXPECT_FALSE(std::isnan(load));
    EXPECT_GE(load, 0);
    auto const e = distinct_interval(values, 1024, 1024 * load, 0);
    EXPECT_TRUE(e.low <= e.value && e.value <= e.high) << e.low << " " << e.value << " " << e.high;
  }
}

/// Expected ranks of n keys in 2^p registers.
rank_histogram expected_ranks(double keys, unsigned p) {
  rank_histogram ranks{};
  double const registers = std::ldexp(1.0, static_cast<int>(p));
  double below = std::exp(-keys / registers);
  ranks[0] = static_cast<std::uint64_t>(std::llround(registers * below));
  for (unsigned rank = 1; rank <= 65 - p; ++rank) {
    double const to = rank > 64 - p ? 1 : std::exp(-keys / registers * std::ldexp(1.0, -static_cast<int>(rank)));
    ranks[rank] = static_cast<std::uint64_t>(std::llround(registers * (to - below)));
    below = to;
  }
  return ranks;
}

/// From a key to nearly all digests, without a hump where classic estimators change their formula.
TEST(hyperloglog_plan, estimates_any_number_and_agrees_with_the_likelihood) {
  unsigned const p = 20;
  double const registers = 1 << p;
  for (double keys = 1000; keys < 1e19; keys *= 1.7) {
    auto const ranks = expected_ranks(keys, p);
    auto const e = hyperloglog_cardinality(ranks, p);
    EXPECT_NEAR(e.value / keys, 1, 2e-3) << keys;
    EXPECT_LT(e.low, e.value);
    EXPECT_GT(e.high, e.value);
    if (keys > 100 * registers && keys < 1e17) {
      EXPECT_NEAR((e.high - e.low) / 2 / z95 / keys, rank_registers.error(p), 0.02 * rank_registers.error(p)) << keys;
    }
    met_values values;
    for (unsigned rank = 0; rank <= 65 - p; ++rank) {
      if (rank > 0) values.met[std::min(rank, 64 - p)] += ranks[rank];
      if (rank <= 64 - p) values.missed += std::ldexp(static_cast<double>(ranks[rank]), -static_cast<int>(rank));
    }
    EXPECT_NEAR(registers * likeliest_load(values) / e.value, 1, 1e-3) << keys;
  }
}

TEST(hyperloglog_plan, all_registers_at_their_maximum_are_saturated) {
  for (unsigned p = rank_registers.least; p <= rank_registers.most; ++p) {
    rank_histogram ranks{};
    ranks[65 - p] = std::uint64_t{1} << p;
    EXPECT_TRUE(hyperloglog_cardinality(ranks, p).saturated) << p;
    ranks[65 - p] = 0;
    ranks[0] = std::uint64_t{1} << p;
    EXPECT_EQ(hyperloglog_cardinality(ranks, p), estimate()) << p;
  }
}

/// n keys among 2^26 registers: how many tokens are equal, and what is made of it.
TEST(token_plan, few_keys_are_counted_exactly_and_many_nearly_so) {
  for (std::uint64_t const keys : {1U, 2U, 100U, 10'000U, 100'000U, 1'000'000U}) {
    double const registers = 0x1p26;
    met_values values;
    for (unsigned e = 1; e <= 38; ++e) {
      double const met = -std::expm1(-static_cast<double>(keys) / registers * std::ldexp(1.0, -static_cast<int>(e)));
      values.met[e] = static_cast<std::uint64_t>(std::llround(registers * met));
    }
    std::uint64_t tokens = 0;
    for (auto const met : values.met) tokens += met;
    values.met[1] += keys < 1000 ? keys - tokens : 0;  // rounding
    auto const e = token_cardinality(values, registers);
    EXPECT_NEAR(e.value, static_cast<double>(keys), 3 + 1e-5 * static_cast<double>(keys));
    EXPECT_EQ(e.value, std::round(e.value));
    if (keys <= 100) {
      EXPECT_EQ(e, (estimate{static_cast<double>(keys), static_cast<double>(keys), static_cast<double>(keys), false}));
    }
    EXPECT_LE(e.low, e.value);
    EXPECT_GE(e.high, e.value);
    EXPECT_LT(e.high - e.low, 1 + 1e-3 * static_cast<double>(keys));
  }
}

}  // namespace
}  // namespace hortus::plan
