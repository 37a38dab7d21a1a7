// Batches whose answers go into memory of the caller, and hashes of the caller's own taken as digests.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/counting/bitwise_frozen.hpp>
#include <hortus/counting/counting.hpp>
#include <hortus/growing/scalable.hpp>

#include "io/allocations.hpp"
#include "key_sets.hpp"

namespace hortus::testing {
namespace {

constexpr std::uint64_t untouched = 0xabcdef0123456789U;

/// Half of these are members.
std::vector<std::uint64_t> asked(std::size_t count) {
  std::vector<std::uint64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i % 2 == 0 ? i / 2 : 1'000'000 + i;
  return all;
}
template <class Filter>
void fill(Filter& f) {
  std::vector<std::uint64_t> members(3000);
  std::iota(members.begin(), members.end(), 0);
  ASSERT_EQ(f.insert(members), members.size());
}

template <class Filter>
void answers_are_those_of_single_keys(Filter const& f) {
  for (std::size_t const count : {0U, 1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 1023U, 1024U, 1025U, 5000U}) {
    auto const keys = asked(count);
    std::vector<std::uint64_t> words(mask_words(count) + 2, untouched);
    f.may_contain(keys, words);
    std::vector<std::uint32_t> expected, positions(count + 1, 77);
    for (std::size_t i = 0; i < count; ++i) {
      bool const found = f.may_contain(keys[i]);
      ASSERT_EQ((words[i / 64] >> (i % 64) & 1) != 0, found) << i << " of " << count;
      if (found) expected.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = count; i < 64 * mask_words(count); ++i) EXPECT_EQ(words[i / 64] >> (i % 64) & 1, 0U);
    EXPECT_EQ(words[mask_words(count)], untouched);
    EXPECT_EQ(words[mask_words(count) + 1], untouched);
    EXPECT_EQ(f.may_contain(keys).words(), std::vector(words.begin(), words.end() - 2));
    auto const found = f.select(keys, positions);
    EXPECT_EQ(std::vector(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(found)), expected);
    EXPECT_EQ(positions[count], 77U) << "no more than a position a key is written";
  }
}

TEST(buffers, get_the_answers_of_single_keys) {
  bloom_filter classic({.items = 3000, .fpr = 0.01});
  blocked_filter large({.items = 10'000'000, .fpr = 0.01});  // not in the cache: memory is asked ahead
  scalable_filter grown({.items = 100, .fpr = 0.01});
  auto any = make_filter("split_block", {.items = 3000, .fpr = 0.01, .settings = {}});
  fill(classic), fill(large), fill(grown), fill(any);
  answers_are_those_of_single_keys(classic);
  answers_are_those_of_single_keys(large);
  answers_are_those_of_single_keys(grown);
  answers_are_those_of_single_keys(any);
}

TEST(buffers, of_text_and_of_ranges_that_are_not_contiguous) {
  bloom_filter f({.items = 100, .fpr = 1e-6});
  f.insert(std::vector<std::string>{"a", "c", "d"});
  std::list<std::string> const keys{"a", "b", "c", "x"};
  std::array<std::uint32_t, 4> positions{};
  EXPECT_EQ(f.select(keys, positions), 2U);
  EXPECT_EQ(positions[0], 0U);
  EXPECT_EQ(positions[1], 2U);
  std::array<std::uint64_t, 1> word{};
  f.may_contain(keys, word);
  EXPECT_EQ(word[0], 0b101U);
}

/// What act() complains of.
template <class Act>
std::string complaint(Act act) {
  try {
    act();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_params);
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(buffers, that_are_too_short_are_refused_with_what_is_needed) {
  bloom_filter f({.items = 100, .fpr = 0.01});
  counting_filter c({.items = 100, .fpr = 0.01});
  auto any = make_filter("counting", {.items = 100, .fpr = 0.01, .settings = {}});
  auto const keys = asked(1000);
  std::vector<std::uint64_t> words(15), counts(999);
  std::vector<std::int64_t> signed_counts(999);
  std::vector<std::uint32_t> positions(999);
  EXPECT_NE(complaint([&] { f.may_contain(keys, words); }).find("1000 keys take 16 words of 64 bits"), std::string::npos);
  EXPECT_NE(complaint([&] { any.may_contain(keys, words); }).find("16 words"), std::string::npos);
  EXPECT_NE(complaint([&] { (void)f.select(keys, positions); }).find("1000 positions"), std::string::npos);
  EXPECT_NE(complaint([&] { c.count(keys, counts); }).find("1000 counts, and there is room for 999"), std::string::npos);
  EXPECT_NE(complaint([&] { any.count(keys, signed_counts); }).find("1000 counts"), std::string::npos);
  auto const before = to_bytes(f);
  EXPECT_NE(complaint([&] { f.insert_if_new(keys, words); }).find("16 words"), std::string::npos);
  EXPECT_EQ(to_bytes(f), before) << "and nothing was inserted";
}

TEST(buffers, of_counts_and_of_what_is_new) {
  counting_filter f({.items = 1000, .fpr = 0.01});
  auto any = make_filter("counting", {.items = 1000, .fpr = 0.01, .settings = {}});
  auto const keys = asked(700);
  std::vector<std::uint64_t> fresh(mask_words(keys.size()), untouched), again(fresh), counts(701, untouched);
  f.insert_if_new(keys, fresh);
  auto const one_by_one = any.insert_if_new(keys);
  EXPECT_EQ(one_by_one.words(), fresh);
  f.insert_if_new(keys, again);
  (void)any.insert_if_new(keys);
  EXPECT_EQ(std::ranges::count(again, 0U), static_cast<std::ptrdiff_t>(again.size()));
  EXPECT_EQ(f.about(), any.about());
  EXPECT_EQ(f.about().items_inserted, 1400U);
  f.count(keys, counts);
  std::vector<std::int64_t> signed_counts(700);
  any.count(keys, signed_counts);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(counts[i], f.count(keys[i])) << i;
    ASSERT_EQ(signed_counts[i], static_cast<std::int64_t>(counts[i])) << i;
  }
  EXPECT_EQ(counts[700], untouched);
}

TEST(buffers, are_all_the_memory_it_takes) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  blocked_filter typed({.items = 3000, .fpr = 0.01});
  auto any = make_filter("counting", {.items = 3000, .fpr = 0.01, .settings = {}});
  fill(typed), fill(any);
  auto const keys = asked(5000);
  std::vector<std::string> texts;
  for (auto const key : keys) texts.push_back("a key that is longer than a short string " + std::to_string(key));
  std::vector<std::uint64_t> words(mask_words(5000));
  std::vector<std::uint32_t> positions(5000);
  std::vector<std::int64_t> counts(5000);
  auto const peak = peak_of([&] {
    typed.may_contain(keys, words);
    typed.may_contain(texts, words);
    any.may_contain(texts, words);
    (void)typed.select(as_digests(keys), positions);
    (void)any.select(keys, positions);
    any.count(texts, counts);
  });
  EXPECT_EQ(peak, 0U);
}

TEST(as_digests, are_the_same_numbers_where_they_lie) {
  std::vector<std::uint64_t> hashes(1000);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = mix64(i + 1);
  auto const digests = as_digests(hashes);
  ASSERT_EQ(digests.size(), hashes.size());
  EXPECT_EQ(static_cast<void const*>(digests.data()), static_cast<void const*>(hashes.data()));
  for (std::size_t i = 0; i < hashes.size(); ++i) EXPECT_EQ(digests[i], digest(hashes[i]));
  hashes[7] = 42;  // seen through the span: the compiler knows that they are the same bytes
  EXPECT_EQ(digests[7].bits(), 42U);
  EXPECT_TRUE(as_digests({}).empty());
}

TEST(as_digests, go_into_every_verb_without_being_hashed_again) {
  std::vector<std::uint64_t> hashes(3000);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = mix64(i + 1);
  auto const digests = as_digests(hashes);
  counting_filter f({.items = 3000, .fpr = 0.001}), singly({.items = 3000, .fpr = 0.001});
  EXPECT_EQ(f.insert(digests), 3000U);
  for (auto const hash : hashes) singly.insert(digest(hash));
  EXPECT_EQ(to_bytes(f), to_bytes(singly));
  EXPECT_EQ(f.about().kinds, key_kind::digests);
  EXPECT_EQ(f.may_contain(digests).count(), 3000U);
  EXPECT_EQ(f.erase(digests), 3000U);
  EXPECT_EQ(bitwise_frozen_filter::build(digests, {.fpr = 0.01}).may_contain(digests).count(), 3000U);
  EXPECT_EQ(build_filter("d_left", digests, {.items = 0, .fpr = 0.01, .settings = {}}).may_contain(digests).count(), 3000U);
}

TEST(positions_of, bits_that_are_set) {
  std::array<std::uint64_t, 2> const words{std::uint64_t{1} << 63 | 1, 0b10};
  std::array<std::uint32_t, 66> positions{};
  EXPECT_EQ(positions_of(words.data(), 66, 100, positions.data()), 3U);
  EXPECT_EQ(positions[0], 100U);
  EXPECT_EQ(positions[1], 163U);
  EXPECT_EQ(positions[2], 165U);
  EXPECT_EQ(positions_of(words.data(), 65, 0, positions.data()), 2U);
  EXPECT_EQ(positions_of(words.data(), 0, 0, positions.data()), 0U);
}

TEST(digest_of, names_what_the_call_operator_does) {
  bloom_filter f({.items = 10, .fpr = 0.01});
  EXPECT_EQ(f.digest_of("ada"), f("ada"));
  EXPECT_EQ(f.digest_of(7), f(7U));
  f.insert(f.digest_of("ada"));
  EXPECT_TRUE(f.may_contain("ada"));
}

}  // namespace
}  // namespace hortus::testing
