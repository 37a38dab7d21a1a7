#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <hortus/build_by_threads.hpp>
#include <hortus/cells/vector_target.hpp>
#include <hortus/frozen/ribbon.hpp>
#include <hortus/io/store.hpp>

#include "statistics.hpp"
#include "with_target.hpp"

namespace hortus {
namespace {

std::vector<digest> random_digests(std::uint64_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<digest> all(count);
  for (auto& x : all) x = digest(random());
  return all;
}

/// Are all found, one by one and in a batch?
void expect_found(ribbon const& f, std::vector<digest> const& keys, std::string const& what) {
  bitmask hits(keys.size());
  may_contain_all(f, std::span<digest const>(keys), hits.data());
  EXPECT_EQ(hits.count(), keys.size()) << what;
  for (auto const x : keys) ASSERT_TRUE(f.may_contain(x)) << what;
  EXPECT_TRUE(f.valid()) << what;
}

TEST(ribbon, is_built_of_any_small_number_of_keys) {
  for (std::uint64_t items = 0; items <= 1000; ++items) {
    auto const keys = random_digests(items, items);
    auto const f = ribbon::build(keys, {.items = 0, .fpr = 0.02});
    expect_found(f, keys, std::to_string(items));
    std::uint64_t hits = 0;
    for (auto const x : random_digests(1000, items + 5000)) hits += f.may_contain(x);
    EXPECT_LE(hits, items == 0 ? 0U : 60U) << items;  // 20 of 1000 are expected; 60 have probability 1e-12
  }
}

/// Rows of 128 slots, from 1000 keys on.
TEST(ribbon, is_built_of_any_number_of_keys_at_high_rates) {
  for (std::uint64_t items = 0; items <= 40'000; items += items >= 950 && items < 1200 ? 1 : items / 60 + 1)
    for (double const fpr : {0.5, 0.15}) {
      auto const keys = random_digests(items, items);
      auto const f = ribbon::build(keys, {.items = 0, .fpr = fpr});
      EXPECT_EQ(f.shape().row_slots, items < 1000 ? 64U : 128U);
      expect_found(f, keys, std::to_string(items));
      std::uint64_t hits = 0;
      for (auto const x : random_digests(1000, items + 50'000)) hits += f.may_contain(x);
      EXPECT_LE(static_cast<double>(hits), items == 0 ? 0 : 1000 * fpr + 110) << items;  // 7 standard deviations
    }
}

TEST(ribbon, needs_hardly_more_than_the_bits_of_its_rate) {
  auto const over = [](std::uint64_t items, int bits) {
    auto const f = ribbon::build(random_digests(items), {.items = 0, .fpr = std::ldexp(1.0, -bits)});
    EXPECT_DOUBLE_EQ(f.fpr(), std::ldexp(1.0, -bits));
    return 8 * static_cast<double>(f.size_bytes()) / static_cast<double>(items) / bits - 1;
  };
  for (int const bits : {8, 16}) {
    EXPECT_LE(over(10'000, bits), 0.01);
    EXPECT_LE(over(100'000, bits), 0.005);
    EXPECT_LE(over(1'000'000, bits), 0.004);
    EXPECT_LE(over(3'000'000, bits), 0.004);
  }
  for (int bits = 1; bits <= 7; ++bits) EXPECT_LE(over(1'000'000, bits), 0.005) << bits;
  for (int bits = 1; bits <= 7; ++bits) EXPECT_LE(over(50'000, bits), 0.01) << bits;
  // With few bits a key 1 % is less than what does not depend on the number of keys: boundaries, and parts of blocks.
  for (int bits = 1; bits <= 3; ++bits) EXPECT_LE(over(10'000, bits), 0.012 + 0.013 / bits) << bits;
}

/// A block more or less is 0.5 % of 12,000 keys.
TEST(ribbon, of_few_thousand_keys_has_no_block_too_many) {
  double sum = 0;
  int count = 0, large = 0;
  for (std::uint64_t items = 10'000; items < 30'000; items += 157) {
    auto const f = ribbon::build(random_digests(items), {.items = 0, .fpr = 0x1p-8});
    double const over = static_cast<double>(f.size_bytes()) / static_cast<double>(items) - 1;
    EXPECT_LE(over, 0.018) << items;
    sum += over;
    ++count;
    large += over > 0.01 ? 1 : 0;
  }
  EXPECT_LE(sum / count, 0.007);  // 0.0065 on average over many sets of keys, 0.0075 with a block too many
  EXPECT_LE(large, count / 10);   // 3 %, and 11 %
}

/// Small layers must not bump all their keys again and again: that once made one filter in thirty a fifth larger.
TEST(ribbon, is_as_large_as_planned) {
  for (double const fpr : {0x1p-8, 0x1p-2}) {
    int larger = 0;
    for (std::uint64_t items = 1; items < 40'000; items += 1 + items / 50) {
      auto const f = ribbon::build(random_digests(items, items), {.items = 0, .fpr = fpr});
      auto const planned = ribbon::planned_bytes(ribbon::plan({.items = items, .fpr = fpr}));
      EXPECT_LE(f.size_bytes(), planned + 4 * 66) << items;
      if (f.size_bytes() != planned) ++larger;
    }
    EXPECT_LE(larger, 40) << fpr;  // of 441
  }
}

TEST(ribbon, has_any_rate_at_most_a_tenth_of_a_bit_above_the_limit) {
  auto const keys = random_digests(1'000'000);
  for (double const fpr : {0.7, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 3e-6}) {
    auto const f = ribbon::build(keys, {.items = 0, .fpr = fpr});
    double const bits = 8 * static_cast<double>(f.size_bytes()) / 1e6;
    EXPECT_LE(f.fpr(), fpr);
    EXPECT_LE(bits, -std::log2(fpr) * 1.005 + 0.09 + 0.02) << fpr;  // thresholds are up to 0.016 bits
    EXPECT_NEAR(f.fpr() / ribbon::planned_fpr(f.shape(), 1), 1, 0.01) << fpr;
  }
}

/// The rate of mixed widths is right: hits are binomial.
TEST(ribbon, finds_absent_keys_as_often_as_fpr_says) {
  for (double const fpr : {0.3, 0.01, 0.0015}) {
    auto const f = ribbon::build(random_digests(300'000), {.items = 0, .fpr = fpr});
    auto const asked = random_digests(4'000'000, 77);
    bitmask hits(asked.size());
    may_contain_all(f, std::span<digest const>(asked), hits.data());
    auto const expected = testing::binomial_band(4e6, f.fpr());
    EXPECT_TRUE(expected.holds(static_cast<double>(hits.count()))) << fpr << " " << hits.count();
  }
}

/// The same in small filters, where a block more or less of the wide ones makes 3 % of the rate. 20 million keys give 200,000
/// hits, and 6 standard deviations are 1.4 %.
TEST(ribbon, knows_which_rows_have_a_column_more) {
  for (auto const& [items, fpr] : {std::pair(700U, 0.01), {1100U, 0.01}, {2000U, 0.01}, {1500U, 0.4}, {8000U, 0.09}}) {
    auto const f = ribbon::build(random_digests(items), {.items = 0, .fpr = fpr});
    ASSERT_NE(f.shape().wide_blocks, 0U);
    auto asked = random_digests(2'000'000, 7);
    double hits = 0;
    for (int round = 0; round < 10; ++round) {
      for (auto& x : asked) x = x.remixed(0);
      bitmask found(asked.size());
      may_contain_all(f, std::span<digest const>(asked), found.data());
      hits += static_cast<double>(found.count());
    }
    auto const expected = testing::binomial_band(2e7, f.fpr());
    EXPECT_TRUE(expected.holds(hits)) << items << " " << hits / 2e7 << " " << f.fpr();
  }
}

/// Digests that are not mixed: they meet in few slots, or all in one, and must be found nevertheless.
TEST(ribbon, is_built_of_structured_digests) {
  for (auto const& [items, fpr] :
       {std::pair(100U, 0.01), {5000U, 0.01}, {300'000U, 0.01}, {2000U, 0.4}, {7000U, 0.1}, {300'000U, 0.25}}) {
    auto const make = [n = std::uint64_t{items}](auto digest_of) {
      std::vector<digest> keys;
      for (std::uint64_t i = 0; i < n; ++i) keys.push_back(digest(digest_of(i)));
      return keys;
    };
    expect_found(ribbon::build(make([](auto i) { return i; }), {.items = 0, .fpr = fpr}), make([](auto i) { return i; }),
                 "sequential");
    auto const top = [](auto i) { return i << 44; };
    expect_found(ribbon::build(make(top), {.items = 0, .fpr = fpr}), make(top), "equal low bits");
    auto const low = [](auto i) { return std::uint64_t{0xabcdef} << 40 | mix64(i) >> 24; };
    expect_found(ribbon::build(make(low), {.items = 0, .fpr = fpr}), make(low), "equal top bits");
    auto const ends = [](auto i) { return i % 2 == 0 ? i : ~i; };
    expect_found(ribbon::build(make(ends), {.items = 0, .fpr = fpr}), make(ends), "the lowest and the highest");
  }
}

std::uint64_t before_next_layer(std::uint64_t word) {  // the inverse of next_layer()
  auto const unshift = [](std::uint64_t x, int by) {
    auto result = x;
    for (int i = by; i < 64; i += by) result = x ^ (result >> by);
    return result;
  };
  auto const inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  word = unshift(word, 31) * inverse(mix64_second);
  word = unshift(word, 27) * inverse(mix64_first);
  return unshift(word, 30) - golden_ratio64;
}

/// Keys chosen so that they meet in one bucket of the second layer, and some also in the first.
TEST(ribbon, is_built_of_keys_chosen_to_defeat_it) {
  ASSERT_EQ(next_layer(before_next_layer(12345)), 12345U);
  for (double const fpr : {0.01, 0.3}) {
    std::vector<digest> keys;
    for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back(digest(before_next_layer(i)));
    expect_found(ribbon::build(keys, {.items = 0, .fpr = fpr}), keys, "second layer");
    std::vector<digest> both;
    for (std::uint64_t i = 0; both.size() < 2000; ++i)
      if (auto const word = before_next_layer(i); word >> 54 == 0) both.push_back(digest(word));
    auto const f = ribbon::build(both, {.items = 0, .fpr = fpr});
    expect_found(f, both, "both layers");
    EXPECT_LE(f.size_bytes(), 20 * both.size());
  }
}

TEST(ribbon, depends_on_the_set_of_keys_alone) {
  for (double const fpr : {0.01, 0.3}) {
    auto keys = random_digests(400'000);
    auto const f = ribbon::build(keys, {.items = 0, .fpr = fpr});
    std::reverse(keys.begin(), keys.end());
    keys.insert(keys.end(), keys.begin(), keys.begin() + 1000);
    EXPECT_EQ(ribbon::build(keys, {.items = 0, .fpr = fpr}), f);
  }
}

TEST(ribbon, has_the_same_bytes_whatever_the_number_of_threads) {
  for (std::uint64_t const items : {0U, 1U, 1000U, 3'000'000U}) {
    auto keys = random_digests(items);
    keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(items / 10));
    auto const f = ribbon::build(keys, {});
    for (unsigned const threads : {0U, 1U, 2U, 5U}) EXPECT_EQ(build_by_threads<ribbon>(keys, {}, threads), f) << threads;
    ribbon::goal const long_rows{.items = 0, .fpr = 0.2};
    EXPECT_EQ(build_by_threads<ribbon>(keys, long_rows, 3), ribbon::build(keys, long_rows)) << items;
  }
  EXPECT_THROW((void)build_by_threads<ribbon>(random_digests(100), {.items = 0, .fpr = 2}, 3), error);
  EXPECT_THROW(in_threads(3)(100,
                             [](std::uint64_t i) {
                               if (i == 50) throw std::bad_alloc();
                             }),
               std::bad_alloc);
}

TEST(ribbon, folds_to_the_filter_that_fewer_columns_would_have_made) {
  auto const keys = random_digests(300'000);
  auto const f = ribbon::build(keys, {.items = 0, .fpr = 0x1p-12});
  for (unsigned const by : {1U, 2U, 3U, 4U, 6U, 12U}) {
    auto folded = f;
    folded.fold(by);
    auto const built = ribbon::build(keys, {.items = 0, .fpr = std::ldexp(1.0, -12 / static_cast<int>(by))});
    EXPECT_EQ(folded == built, by <= 3) << by;  // at most 3 columns are built with longer rows
    EXPECT_DOUBLE_EQ(folded.fpr(), built.fpr()) << by;
    expect_found(folded, keys, std::to_string(by));
  }
  auto const few = ribbon::build(keys, {.items = 0, .fpr = 0x1p-3});
  auto fewer = few;
  fewer.fold(3);
  EXPECT_EQ(fewer, ribbon::build(keys, {.items = 0, .fpr = 0.5}));
  auto mixed = ribbon::build(keys, {.items = 0, .fpr = 0.0006});
  mixed.keep_columns(7);
  EXPECT_EQ(mixed, ribbon::build(keys, {.items = 0, .fpr = 0x1p-7}));
  EXPECT_THROW(mixed.keep_columns(8), error);
  EXPECT_THROW(mixed.keep_columns(0), error);
}

TEST(ribbon, says_and_stores_the_same_with_all_instruction_sets) {
  auto const keys = random_digests(20'000);
  auto const asked = random_digests(20'000, 9);
  for (double const fpr : {0.6, 0.2, 0x1p-4, 0.01, 0x1p-8, 1e-3, 0x1p-16, 1e-6, 1e-12}) {
    auto const f = ribbon::build(keys, {.items = 0, .fpr = fpr});
    bitmask found(asked.size());
    may_contain_all(f, std::span<digest const>(asked), found.data());
    for (auto const name : kernels::targets()) {
      testing::with_target const use(name);
      EXPECT_EQ(ribbon::build(keys, {.items = 0, .fpr = fpr}), f) << name << " at " << fpr;
      bitmask again(asked.size());
      may_contain_all(f, std::span<digest const>(asked), again.data());
      EXPECT_EQ(again, found) << name << " at " << fpr;
      for (std::size_t i = 0; i < asked.size(); i += 7) ASSERT_EQ(f.may_contain(asked[i]), found[i]) << name << " at " << fpr;
      expect_found(f, keys, std::string(name));
    }
  }
}

TEST(ribbon, finds_nothing_when_cleared) {
  for (auto const& [items, fpr] : {std::pair(0U, 0.01), {10U, 0.01}, {5000U, 0.01}, {5000U, 0.3}, {9000U, 0.3}}) {
    auto const keys = random_digests(items);
    auto f = ribbon::build(keys, {.items = 0, .fpr = fpr});
    auto const bytes = f.size_bytes();
    f.clear();
    EXPECT_EQ(f.fpr(), 0);
    EXPECT_LE(f.size_bytes(), bytes);
    bitmask hits(keys.size());
    may_contain_all(f, std::span<digest const>(keys), hits.data());
    EXPECT_EQ(hits.count(), 0U);
    for (auto const x : keys) EXPECT_FALSE(f.may_contain(x));
  }
}

}  // namespace
}  // namespace hortus
