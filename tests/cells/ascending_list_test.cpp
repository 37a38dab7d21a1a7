#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <hortus/cells/ascending_list.hpp>

namespace hortus {
namespace {

void expect_list(std::vector<std::uint64_t> const& numbers) {
  ascending_list const list(numbers);
  ASSERT_TRUE(list.valid());
  ASSERT_EQ(list.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(list[i], numbers[i]) << i;
}

TEST(ascending_list, holds_every_number) {
  std::mt19937_64 random(1);
  for (unsigned bits = 1; bits <= 42; ++bits)
    for (std::size_t const count : {0U, 1U, 31U, 32U, 33U, 1000U}) {
      std::vector<std::uint64_t> numbers(count);
      for (auto& number : numbers) number = random() >> (64 - bits);
      std::sort(numbers.begin(), numbers.end());
      expect_list(numbers);
    }
}

TEST(ascending_list, numbers_may_be_equal_or_far_apart) {
  expect_list(std::vector<std::uint64_t>(100));
  expect_list(std::vector<std::uint64_t>(100, (std::uint64_t{1} << 42) - 1));
  std::vector<std::uint64_t> steps(100);
  for (std::size_t i = 50; i < 100; ++i) steps[i] = std::uint64_t{1} << 41;
  expect_list(steps);
}

TEST(ascending_list, even_numbers_take_few_bits) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(100'000);
  for (auto& number : numbers) number = random() % 10'000'000;
  std::sort(numbers.begin(), numbers.end());
  EXPECT_LE(static_cast<double>(ascending_list(numbers).size_bytes()) * 8e-5, 11);  // log2(100) = 6.6
}

}  // namespace
}  // namespace hortus
