#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <vector>

#include <hortus/cells/bit_array.hpp>
#include <hortus/error.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/maths/divisors.hpp>

namespace hortus {
namespace {

/// The same cases in every run, unless somebody asks for others.
[[maybe_unused]] bool const seeded = ::setenv("RC_PARAMS", "seed=1970", 0) == 0;

using model = std::vector<bool>;

bit_array array_of(model const& bits) {
  bit_array array(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) array.set(i);
  return array;
}

std::uint64_t ones_in(model const& bits, std::size_t first, std::size_t last) {
  std::uint64_t n = 0;
  for (auto i = first; i < last; ++i) n += bits[i] ? 1U : 0U;
  return n;
}

model folded(model const& bits, std::size_t by) {
  model small(bits.size() / by);
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) small[i / by] = true;
  return small;
}

void expect_equal(bit_array const& array, model const& bits) {
  ASSERT_EQ(array.size(), bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(array.test(i), bits[i]) << "bit " << i << " of " << bits.size();
  EXPECT_TRUE(array.valid()) << "bits past the end stay zero";
}

/// About one in `rarity` set; which ones depends on the size too.
model pattern(std::size_t size, std::uint64_t rarity) {
  model bits(size);
  for (std::size_t i = 0; i < size; ++i) bits[i] = mix64(i * golden_ratio64 + size) % rarity == 0;
  return bits;
}

TEST(bit_array, sets_and_tests_single_bits) {
  for (std::uint64_t const size : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U})
    for (std::uint64_t i = 0; i < size; ++i) {
      bit_array array(size);
      array.set(i);
      array.set(i);
      for (std::uint64_t j = 0; j < size; ++j) ASSERT_EQ(array.test(j), i == j);
      EXPECT_EQ(array.ones(), 1U);
      EXPECT_TRUE(array.valid());
    }
}

TEST(bit_array, has_whole_words) {
  EXPECT_EQ(bit_array(0).size_bytes(), 0U);
  EXPECT_EQ(bit_array(1).size_bytes(), 8U);
  EXPECT_EQ(bit_array(64).size_bytes(), 8U);
  EXPECT_EQ(bit_array(65).size_bytes(), 16U);
}

/// The layout is that of files: bit i is bit i % 8 of byte i / 8.
TEST(bit_array, lies_in_bytes_as_files_have_it) {
  bit_array array(200);
  for (std::uint64_t const i : {0U, 9U, 63U, 64U, 199U}) array.set(i);
  auto const bytes = array.cells().bytes();
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ((std::to_integer<unsigned>(bytes[i / 8]) >> i % 8 & 1) != 0, array.test(i));
}

RC_GTEST_PROP(bit_array, counts_ones_in_any_range, ()) {
  auto const size = *rc::gen::inRange<std::size_t>(1, 700);
  auto const bits = pattern(size, *rc::gen::inRange<std::uint64_t>(1, 9));
  auto const array = array_of(bits);
  auto const first = *rc::gen::inRange<std::size_t>(0, size + 1);
  auto const last = *rc::gen::inRange<std::size_t>(first, size + 1);
  RC_ASSERT(array.ones(first, last) == ones_in(bits, first, last));
  RC_ASSERT(array.ones() == ones_in(bits, 0, size));
}

TEST(bit_array, counts_ones_in_every_range_of_three_words) {
  auto const bits = pattern(192, 2);
  auto const array = array_of(bits);
  for (std::size_t first = 0; first <= 192; ++first)
    for (std::size_t last = first; last <= 192; ++last) ASSERT_EQ(array.ones(first, last), ones_in(bits, first, last));
  EXPECT_EQ(array.ones(5, 5), 0U);
  EXPECT_EQ(array.ones(6, 5), 0U) << "an empty range";
}

TEST(bit_array, counts_ones_of_large_arrays) {
  for (std::size_t const size : {100'003U, 1'000'000U}) {
    auto const bits = pattern(size, 3);
    EXPECT_EQ(array_of(bits).ones(), ones_in(bits, 0, size));
    EXPECT_EQ(array_of(model(size, true)).ones(), size);
  }
}

RC_GTEST_PROP(bit_array, combines_as_its_model_does, ()) {
  auto const size = *rc::gen::inRange<std::size_t>(1, 400);
  auto const a = pattern(size, 2);
  auto const b = pattern(size, *rc::gen::inRange<std::uint64_t>(1, 5));
  model either(size);
  model both(size);
  for (std::size_t i = 0; i < size; ++i) {
    either[i] = a[i] || b[i];
    both[i] = a[i] && b[i];
  }
  auto ored = array_of(a);
  ored |= array_of(b);
  auto anded = array_of(a);
  anded &= array_of(b);
  RC_ASSERT(ored == array_of(either));
  RC_ASSERT(anded == array_of(both));
}

/// Every size up to 260 and every divisor of it, sparse and dense.
TEST(bit_array, folds_as_its_model_does) {
  for (std::size_t size = 1; size <= 260; ++size)
    for (auto const by : plan::divisors(size))
      for (std::uint64_t const rarity : {1U, 2U, 5U, 40U}) {
        auto const bits = pattern(size, rarity);
        ASSERT_NO_FATAL_FAILURE(expect_equal(array_of(bits).folded(by), folded(bits, by))) << size << " by " << by;
      }
}

RC_GTEST_PROP(bit_array, folds_large_ones_as_its_model_does, ()) {
  auto const small = *rc::gen::inRange<std::size_t>(1, 300);
  auto const by = *rc::gen::inRange<std::size_t>(1, 300);
  auto const bits = pattern(small * by, *rc::gen::inRange<std::uint64_t>(1, 600));
  RC_ASSERT(array_of(bits).folded(by) == array_of(folded(bits, by)));
}

TEST(bit_array, folds_step_by_step_as_at_once) {
  auto const array = array_of(pattern(20'160, 100));
  for (auto const by : plan::divisors(20'160))
    for (auto const first : plan::divisors(by)) EXPECT_EQ(array.folded(first).folded(by / first), array.folded(by));
}

TEST(bit_array, is_equal_by_size_and_bits) {
  EXPECT_EQ(bit_array(65), bit_array(65));
  EXPECT_NE(bit_array(65), bit_array(66)) << "the same bytes, another size";
  auto a = bit_array(65);
  a.set(64);
  EXPECT_NE(a, bit_array(65));
  a.clear();
  EXPECT_EQ(a, bit_array(65));
}

TEST(bit_array, clears_a_range) {
  for (std::uint64_t first = 0; first <= 200; first += first < 70 ? 1 : 13)
    for (std::uint64_t last = 0; last <= 200; ++last) {
      bit_array array(200);
      for (std::uint64_t i = 0; i < 200; ++i) array.set(i);
      array.clear(first, last);
      for (std::uint64_t i = 0; i < 200; ++i) ASSERT_EQ(array.test(i), i < first || i >= last) << first << " to " << last;
      ASSERT_TRUE(array.valid());
    }
}

TEST(bit_array, refuses_more_than_2_to_the_42_bits) {
  for (auto const bits : {bit_array::max_bits + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    try {
      bit_array const array(bits);
      FAIL() << bits;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::bad_params);
    }
  }
}

}  // namespace
}  // namespace hortus
