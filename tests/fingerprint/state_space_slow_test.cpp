#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include <hortus/bloom/bloom.hpp>
#include <hortus/fingerprint/hash_compaction.hpp>

/// The visited set of a search through ten million states, at 20 bits a state: docs/building.md has the table.
namespace hortus::testing {
namespace {

constexpr std::uint64_t states = 10'000'000;

/// The share of distinct keys that are mistaken for earlier ones.
template <class F>
double omissions(char const* name, F& visited, double final_rate) {
  auto const start = std::chrono::steady_clock::now();
  std::uint64_t omitted = 0;
  for (std::uint64_t i = 0; i < states; ++i) omitted += visited.insert_if_new(digest::of_hash(i)) ? 0U : 1U;
  std::chrono::duration<double, std::nano> const time = std::chrono::steady_clock::now() - start;
  std::printf("%-24s %.2f bits a state, %6llu omitted, rate at the end %.3g, %.0f ns a state\n", name,
              8.0 * static_cast<double>(visited.size_bytes()) / states, static_cast<unsigned long long>(omitted), final_rate,
              time.count() / states);
  return static_cast<double>(omitted) / states;
}

TEST(state_space, ten_million_states_at_20_bits) {
  std::uint64_t const lines = states * 20 / 512;
  hash_compaction compact({lines, 18});  // a load of .91
  auto const shape = compact.table().shape();
  double const expected = plan::hash_compaction_omissions(shape, states);
  EXPECT_NEAR(omissions("hash_compaction, 18 bits", compact, plan::hash_compaction_fpr(shape, states)), expected,
              6 * std::sqrt(expected / states));
  EXPECT_NEAR(compact.fpr() / plan::hash_compaction_fpr(shape, states), 1, .02);

  for (unsigned const probes : {14U, 3U}) {
    bloom<> bits({20 * states, probes});
    double const rate = plan::bloom_fpr({20 * states, probes}, states);
    EXPECT_NEAR(rate, probes == 14 ? 6.7e-5 : .0027, probes == 14 ? 1e-6 : 5e-5);
    double const omitted = omissions(probes == 14 ? "bloom, 14 probes" : "bloom, 3 probes", bits, rate);
    EXPECT_LT(omitted, rate / 3);
    EXPECT_GT(omitted, (probes == 3 ? 20 : .3) * expected);
  }
}

/// Half as many states again as planned: it says so, and nothing is lost.
TEST(state_space, more_states_than_planned_are_an_error) {
  hash_compaction compact(hash_compaction::plan({.items = states, .fpr = 1e-4}));
  std::uint64_t i = 0;
  try {
    for (; i < states * 3 / 2; ++i) compact.insert_if_new(digest::of_hash(i));
    FAIL() << "it took them all";
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::full);
  }
  EXPECT_GT(i, states);
  EXPECT_FALSE(compact.insert(digest::of_hash(i)));
  for (std::uint64_t j = 0; j < i; ++j) ASSERT_TRUE(compact.may_contain(digest::of_hash(j)));
}

}  // namespace
}  // namespace hortus::testing
