// How many distinct keys an input has, in little memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <hortus/hash/mix64.hpp>

#include "cli/distinct_keys.hpp"

namespace hortus::cli {
namespace {

std::uint64_t distinct_of(std::uint64_t keys, std::uint64_t times) {
  distinct_keys distinct;
  std::vector<digest> block;
  for (std::uint64_t i = 0; i < keys * times; ++i) {
    block.emplace_back(mix64(i % keys + golden_ratio64));
    if (block.size() == 1000) distinct.add(block), block.clear();
  }
  distinct.add(block);
  return distinct.at_most();
}

TEST(distinct_keys, up_to_a_million_exactly) {
  for (std::uint64_t const keys : {0U, 1U, 2U, 999U, 16'384U, 100'000U, 1'048'575U}) {
    EXPECT_EQ(distinct_of(keys, 1), keys);
    EXPECT_EQ(distinct_of(keys, 3), keys);
  }
}

/// The answer is four standard errors of at most 0.138 % above the estimate; the estimate is off by more than six with chance
/// 2e-9.
/// Digests here are fixed, so the test does the same every time.
TEST(distinct_keys, past_that_nearly_and_rather_too_many) {
  EXPECT_EQ(distinct_of(3'000'000, 1), 3'000'000U) << "not more than keys";
  auto const twice = static_cast<double>(distinct_of(3'000'000, 2));
  EXPECT_GT(twice, 3e6 * (1 - 0.00276));  // 4 - 6 of them
  EXPECT_LT(twice, 3e6 * (1 + 0.0138));   // 4 + 6
  EXPECT_NE(twice, 3e6) << "from a sample: memory for all of them would not be bounded";
}

TEST(distinct_keys, depend_on_the_keys_and_not_on_their_order) {
  distinct_keys forward;
  distinct_keys backward;
  for (std::uint64_t i = 0; i < 2'500'000; ++i) {
    digest const a(mix64(i));  // mix64(0) is 0, which is a digest like any other
    digest const b(mix64(2'499'999 - i));
    forward.add({&a, 1});
    backward.add({&b, 1});
    backward.add({&b, 1});  // so that the number of keys does not cap the answer
  }
  digest const again(mix64(7));
  for (int i = 0; i < 2'500'000; ++i) forward.add({&again, 1});
  EXPECT_EQ(forward.at_most(), backward.at_most());
  distinct_keys zero;
  zero.add(std::vector<digest>(3));
  EXPECT_EQ(zero.at_most(), 1u);
}

}  // namespace
}  // namespace hortus::cli
