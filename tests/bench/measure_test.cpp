#include "bench/measure.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <hortus/bloom/blocked.hpp>
#include <hortus/counting/bitwise_frozen.hpp>
#include <hortus/counting/d_left.hpp>

#include "bench/packed_texts.hpp"
#include "bench/peak_memory.hpp"
#include "bench/subject_of.hpp"
#include "sanitizers.hpp"

namespace hortus::bench {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = i;
  return keys;
}

TEST(packed_texts, lie_one_behind_the_other_in_the_order_given) {
  std::vector<std::string> const somewhere{"a text too long to be kept inside of a string", "", "b", "a\0c", "b"};
  std::vector<std::string_view> const texts(somewhere.rbegin(), somewhere.rend());
  packed_texts const packed(texts);
  ASSERT_EQ(packed.texts().size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(packed.texts()[i], texts[i]);
    if (i > 0) {
      EXPECT_EQ(packed.texts()[i].data(), packed.texts()[i - 1].data() + packed.texts()[i - 1].size());
    }
  }
  EXPECT_TRUE(packed_texts({}).texts().empty());
}

TEST(filled, counts_the_keys_that_did_not_fit) {
  auto const keys = numbers(1000);
  std::span<std::uint64_t const> const all(keys);
  auto const full = filled<d_left>(all, {.items = 10});
  EXPECT_GT(full.refused, 500u);
  EXPECT_GE(full.filter.may_contain(keys).count(), keys.size() - full.refused);
  EXPECT_EQ(filled<d_left>(all, {.items = 1000}).refused, 0u);
  EXPECT_EQ(filled<blocked>(all, {.items = 10}).refused, 0u) << "takes every key";
  EXPECT_EQ(filled<bitwise_frozen<>>(all, {.items = 10}).refused, 0u) << "is built of all keys";
}

TEST(measure, has_no_refused_keys_when_the_filter_is_planned_for_all) {
  auto const keys = numbers(2000);
  std::span<std::uint64_t const> const all(keys);
  subject_of<d_left, std::uint64_t> it({all.first(1000), all.first(1000), all.last(1000)}, 0.01);
  auto const r = measure(it, {.repetitions = 1});
  EXPECT_EQ(r.refused, 0u);
  EXPECT_GT(r.hit_ns, 0);
  EXPECT_GT(r.miss_ns, 0);
}

TEST(measure, tells_the_load) {
  auto const keys = numbers(2000);
  std::span<std::uint64_t const> const all(keys);
  key_sets<std::uint64_t> const sets{all.first(1000), all.first(1000), all.last(1000)};
  subject_of<d_left, std::uint64_t> it(sets, 0.01);
  auto const r = measure(it, {.repetitions = 1});
  EXPECT_NEAR(r.load, 1000 / (8.0 * 4 * static_cast<double>(d_left::plan({.items = 1000}).buckets)), 0.01);
  subject_of<bitwise_frozen<>, std::uint64_t> other(sets, 0.01);
  EXPECT_LT(measure(other, {.repetitions = 1}).load, 0) << "has no slots that stay empty";
}

/// Whatever it came from: the heap, a memory of the library, a mapped block, used again later or not.
TEST(peak_memory, is_the_most_at_once) {
  if (hortus::testing::sanitized) GTEST_SKIP() << "sanitizers keep freed memory";
  constexpr std::uint64_t size = std::uint64_t{32} << 20;
  auto const used = [](std::size_t bytes) {
    std::vector<char> const some(bytes, 1);
    keep(some.data());
  };
  if (peak_memory const any; used(size), !any.growth()) GTEST_SKIP() << "the system does not tell";
  for (int i = 0; i < 3; ++i) {
    peak_memory const peak;
    used(size);
    used(size / 2);
    {
      memory cells(size / 4);
      std::memset(cells.data(), 1, cells.size());
    }
    EXPECT_NEAR(static_cast<double>(peak.growth().value_or(0)), size, size / 16.0) << "one after the other";
  }
  peak_memory const peak;
  std::vector<std::vector<char>> many;
  for (std::uint64_t bytes = 0; bytes < size; bytes += 1000) many.emplace_back(1000, 'x');
  used(size);
  many.clear();
  EXPECT_NEAR(static_cast<double>(peak.growth().value_or(0)), 2 * size, size / 8.0) << "together";
  peak_memory const little;
  used(10'000);
  EXPECT_FALSE(little.growth()) << "too little to be measured";
}

}  // namespace
}  // namespace hortus::bench
