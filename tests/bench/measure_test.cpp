#include "bench/measure.hpp"

#include <gtest/gtest.h>

#include <hortus/bloom/blocked.hpp>
#include <hortus/counting/bitwise_frozen.hpp>
#include <hortus/counting/d_left.hpp>

#include "bench/packed_texts.hpp"
#include "bench/subject_of.hpp"

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
  auto const r = measure(it, 1, 1);
  EXPECT_EQ(r.refused, 0u);
  EXPECT_GT(r.hit_ns, 0);
  EXPECT_GT(r.miss_ns, 0);
}

}  // namespace
}  // namespace hortus::bench
