#include <hortus/map/bloomier_map.hpp>

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include <hortus/io/store.hpp>
#include <hortus/io/stored_records.hpp>
#include <hortus/part_threads.hpp>

#include "key_sets.hpp"
#include "with_target.hpp"

namespace hortus {
namespace {

std::vector<digest> some_digests(std::uint64_t count, std::uint64_t from = 0) {
  std::vector<digest> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(digest::of_hash(from + i));
  return all;
}

std::vector<std::uint64_t> values_below(std::uint64_t count, std::uint64_t range) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(mix64(i) % range);
  return all;
}

void expect_all(bloomier const& map, std::vector<digest> const& keys, std::vector<std::uint64_t> const& values) {
  std::vector<std::uint64_t> found(keys.size());
  std::vector<std::uint64_t> hits(mask_words(keys.size()));
  find_all(map, keys, found.data(), hits.data());
  EXPECT_EQ(found, values);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(hits[i / 64] >> (i % 64) & 1, 1U) << i;
    ASSERT_EQ(map.find(keys[i]), values[i]) << i;
  }
}

/// Both grounds, at every width that they have.
TEST(bloomier_map, holds_values_of_any_width) {
  for (unsigned const arity : {0U, 3U, 4U})
    for (unsigned bits = 1; bits <= 64; bits += arity == 0 ? 1 : 7) {
      if (arity != 0 && bits > 50) break;
      auto const keys = some_digests(500);
      std::vector<std::uint64_t> values;
      for (std::uint64_t i = 0; i < keys.size(); ++i) values.push_back(mix64(i) >> (64 - bits));
      values[7] = ~std::uint64_t{0} >> (64 - bits);
      auto const map = bloomier::build(keys, values, {.fpr = 0.01, .arity = arity});
      EXPECT_EQ(map.value_bits(), bits);
      expect_all(map, keys, values);
    }
}

TEST(bloomier_map, takes_value_bits_and_check_bits_and_one_percent) {
  for (auto const& [bits, fpr] :
       std::map<unsigned, double>{{1, 1.0 / 256}, {8, 1.0 / 256}, {16, 1.0 / 65536}, {64, 1.0 / 16}}) {
    std::uint64_t const items = 100'000;
    auto const keys = some_digests(items);
    std::vector<std::uint64_t> values(items, ~std::uint64_t{0} >> (64 - bits));
    auto const map = bloomier::build(keys, values, {.fpr = fpr});
    auto const least = static_cast<double>(items) * (bits - std::log2(fpr)) / 8;
    EXPECT_LT(static_cast<double>(map.size_bytes()), least * 1.01) << bits << " bits";
    EXPECT_EQ(bloomier::planned_bytes(map.shape()), map.size_bytes());
  }
}

/// Without checks every absent key has some value, and the map takes the bits of its values alone.
TEST(bloomier_map, may_leave_keys_unchecked) {
  for (unsigned const arity : {0U, 3U, 4U}) {
    auto const keys = some_digests(30'000);
    auto const values = values_below(keys.size(), 256);
    auto const map = bloomier::build(keys, values, {.unchecked = 1, .arity = arity});
    expect_all(map, keys, values);
    EXPECT_EQ(map.fpr(), 1.0);
    for (auto const x : some_digests(100, 1'000'000)) EXPECT_TRUE(map.find(x));
    EXPECT_LT(map.size_bytes(), keys.size() * (arity == 0 ? 101 : 120) / 100);
  }
  EXPECT_EQ(bloomier::build({}, {}, {.unchecked = 1}).find(digest(7)), std::nullopt);
}

/// Digests that were chosen to defeat it: sequential numbers, equal first bits, equal last bits.
TEST(bloomier_map, is_right_whatever_the_digests_are) {
  for (unsigned const arity : {0U, 3U, 4U})
    for (auto const& make :
         {+[](std::uint64_t i) { return digest(i); }, +[](std::uint64_t i) { return digest(i << 40); },
          +[](std::uint64_t i) { return digest(~i); }, +[](std::uint64_t i) { return digest(i << 52 | i); }}) {
      std::vector<digest> keys;
      for (std::uint64_t i = 0; i < 3000; ++i) keys.push_back(make(i));
      std::sort(keys.begin(), keys.end(), [](digest a, digest b) { return a.bits() < b.bits(); });
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      auto const values = values_below(keys.size(), 5);
      auto const map = bloomier::build(keys, values, {.fpr = 0.5, .arity = arity});
      expect_all(map, keys, values);
      auto const same = from_bytes<bloomier_map>(to_bytes(bloomier_map(map)));
      expect_all(same.family(), keys, values);
    }
}

/// A filter of these rates has rows of 128 slots; a map has not, and plans its wide blocks for rows of 64.
TEST(bloomier_map, has_short_rows_at_high_rates) {
  auto const keys = some_digests(20'000);
  auto const values = values_below(keys.size(), 4);
  auto const absent = some_digests(100'000, 1'000'000);
  for (double const fpr : {0.5, 0.3, 0.1, 1.0 / 16}) {
    auto const map = bloomier::build(keys, values, {.fpr = fpr});
    expect_all(map, keys, values);
    EXPECT_EQ(bloomier::planned_bytes(map.shape()), map.size_bytes());
    std::uint64_t found = 0;
    for (auto const x : absent) found += std::uint64_t{map.may_contain(x)};
    EXPECT_NEAR(static_cast<double>(found) / 1e5, map.fpr(), 0.01) << fpr;  // 6 standard deviations
    EXPECT_NEAR(map.fpr(), fpr, 0.02 * fpr);
  }
  std::uint64_t const ends[] = {2};
  for (unsigned const row_blocks : {1U, 2U}) {
    ribbon_cells const cells(2, 0, 1, ends, row_blocks);
    EXPECT_TRUE(cells.valid());
    EXPECT_EQ(ribbon_values(1, {cells, {}}).valid(), row_blocks == 1);
  }
}

/// 8, 16, 24 and 32 columns, and wide blocks, have lookups of their own; so have those of one to four vectors.
TEST(bloomier_map, says_and_stores_the_same_with_all_instruction_sets) {
  auto const keys = some_digests(20'000);
  auto asked = some_digests(3000, 1'000'000);
  asked.insert(asked.end(), keys.begin(), keys.begin() + 3000);
  for (unsigned const bits : {1U, 8U, 10U, 16U, 24U, 33U, 56U, 57U, 64U})
    for (double const fpr : {1.0, 0x1p-8, 0.01}) {
      bloomier::goal const goal{.fpr = fpr == 1 ? 0.5 : fpr, .value_bits = bits, .unchecked = fpr == 1 ? 1U : 0U};
      std::vector<std::uint64_t> values;
      for (std::uint64_t i = 0; i < keys.size(); ++i) values.push_back(mix64(i) >> (64 - bits));
      auto const map = bloomier::build(keys, values, goal);
      std::vector<std::uint64_t> found(asked.size());
      bitmask hits(asked.size());
      find_all(map, asked, found.data(), hits.data());
      for (std::size_t i = 0; i < 3000; ++i) ASSERT_TRUE(hits[i] || found[i] == 0) << bits << " bits at " << fpr;
      for (std::size_t i = 3000; i < asked.size(); ++i) ASSERT_EQ(found[i], values[i - 3000]) << bits << " bits at " << fpr;
      for (auto const name : kernels::targets()) {
        testing::with_target const use(name);
        EXPECT_EQ(bloomier::build(keys, values, goal), map) << name;
        std::vector<std::uint64_t> again(asked.size());
        bitmask hits_again(asked.size());
        find_all(map, asked, again.data(), hits_again.data());
        EXPECT_EQ(again, found) << name << ", " << bits << " bits at " << fpr;
        EXPECT_EQ(hits_again, hits) << name << ", " << bits << " bits at " << fpr;
        for (std::size_t i = 0; i < asked.size(); i += 3)
          ASSERT_EQ(map.find(asked[i]), hits[i] ? std::optional(found[i]) : std::nullopt)
              << name << ", " << bits << " at " << fpr;
      }
    }
}

/// The bytes do not depend on threads or memory.
TEST(bloomier_map, is_the_same_built_in_parts) {
  std::uint64_t const items = 2'500'000;
  auto const keys = some_digests(items);
  auto const values = values_below(items, 200);
  for (unsigned const arity : {0U, 4U}) {
    bloomier::goal const goal{.fpr = 0.01, .value_bits = 8, .arity = arity};
    auto const at_once = bloomier::build(keys, values, goal);
    stored_entries stored(std::uint64_t{4} << 20);
    std::vector<map_entry> some;
    for (std::uint64_t i = items; i-- != 0;) {
      some.push_back({values[i], keys[i].bits()});
      if (some.size() == 1000 || i == 0) stored.add(some), some.clear();
    }
    EXPECT_TRUE(stored.in_file());
    stored.sort(in_threads(2));
    EXPECT_EQ(build_from<bloomier>(stored, goal, in_threads(2)), at_once);
    EXPECT_EQ(at_once.find(keys[items - 1]), values[items - 1]);
  }
}

TEST(bloomier_map, refuses_what_it_cannot_hold) {
  auto const code = [](bloomier::goal g) {
    try {
      (void)bloomier::plan(g);
    } catch (error const& e) {
      return e.code();
    }
    return errc::io;
  };
  EXPECT_EQ(code({.items = 10, .value_bits = 65}), errc::bad_goal);
  EXPECT_EQ(code({.items = 10, .arity = 5}), errc::bad_goal);
  EXPECT_EQ(code({.items = 10, .fpr = 0.001, .value_bits = 50, .arity = 3}), errc::bad_goal);
  EXPECT_EQ(code({.items = 10, .value_bits = 58, .unchecked = 1, .arity = 3}), errc::bad_goal);
  EXPECT_EQ(code({.items = 10, .fpr = 0}), errc::bad_goal);
  EXPECT_EQ(code({.items = std::uint64_t{1} << 42, .value_bits = 64}), errc::bad_goal);
}

TEST(bloomier_map, keeps_the_texts_of_its_values) {
  std::vector<std::string_view> const texts{"", "de", "fr", "a longer one"};
  bloomier_map map = bloomier_map::build(std::vector<std::string>{"ada", "bob", "eve", "dan"},
                                         std::vector<std::uint64_t>{3, 1, 2, 0}, {.fpr = 1e-9});
  auto family = map.family();
  family.set_labels(label_table(texts));
  auto const again = from_bytes<bloomier_map>(to_bytes(bloomier_map(family)));
  EXPECT_EQ(again.family().labels()[again.at("ada")], "a longer one");
  EXPECT_EQ(again.family().labels()[again.at("dan")], "");
  EXPECT_EQ(again.family().labels()[4], "");
  EXPECT_EQ(again.family().labels().size(), 4U);
  // A value without a text is that of an absent key.
  family.set_labels(label_table(std::span(texts).first(3)));
  EXPECT_EQ(family.find(map("ada")), std::nullopt);
  EXPECT_EQ(bloomier_map(family).find(std::vector<std::string>{"ada", "eve"}).hits.count(), 1U);
}

}  // namespace
}  // namespace hortus
