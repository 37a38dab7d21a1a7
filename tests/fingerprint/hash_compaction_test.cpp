#include <hortus/fingerprint/hash_compaction.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "statistics.hpp"

/// What is peculiar to hash_compaction: signatures in descending order on every path, bytes that do not depend on the order of
/// inserts, a merge that is a union, and a filter that is full.
namespace hortus::testing {
namespace {

constexpr std::uint64_t absent = std::uint64_t{1} << 40;

digest key(std::uint64_t i) { return digest::of_hash(i); }

std::uint64_t distinct_homes(hash_compaction const& f, std::uint64_t keys) {
  std::set<std::tuple<std::uint64_t, unsigned, std::uint64_t>> homes;
  for (std::uint64_t i = 0; i < keys; ++i) {
    auto const home = f.table().home(key(i));
    homes.emplace(home.line, home.slot, home.signature);
  }
  return homes.size();
}

/// Small and odd shapes, each filled to its last slot and beyond.
TEST(hash_compaction, every_shape_keeps_all_keys_until_it_is_full_and_after) {
  for (unsigned bits = 4; bits <= 57; ++bits)
    for (std::uint64_t const lines : {1U, 2U, 3U, 4U, 6U, 7U, 30U}) {
      hash_compaction f({lines, bits});
      auto const capacity = f.table().shape().capacity();
      std::vector<std::uint64_t> in;
      std::uint64_t refused = 0;
      for (std::uint64_t i = 0; refused < 30 && i < 40 * capacity; ++i) {
        bool const before = f.may_contain(key(i));
        auto const old = f.table().used();
        bool const went_in = f.insert(key(i));
        ASSERT_EQ(went_in, f.may_contain(key(i)));
        ASSERT_TRUE(went_in || !before);
        ASSERT_TRUE(went_in || old == capacity) << bits << " bits, " << lines << " lines: refused with room";
        if (went_in) in.push_back(i);
        refused += went_in ? 0 : 1;
      }
      ASSERT_EQ(f.table().used(), f.table().slots().used());
      ASSERT_LE(f.table().used(), capacity);
      ASSERT_GE(in.size(), capacity);
      for (auto const i : in) ASSERT_TRUE(f.may_contain(key(i))) << bits << " bits, " << lines << " lines";
      ASSERT_LE(f.fpr(), 1);
    }
}

/// insert_if_new beside a set: "new" only of keys that were not members; all members are found.
TEST(hash_compaction, against_a_set) {
  for (unsigned const bits : {4U, 7U, 12U, 33U}) {
    hash_compaction f({30, bits});
    std::set<std::uint64_t> model;
    for (std::uint64_t t = 0; model.size() < f.table().shape().slots() * 9 / 10; ++t) {
      auto const i = mix64(t) % 5000;
      bool const member = model.contains(i);
      bool const found = f.may_contain(key(i));
      ASSERT_TRUE(found || !member);
      ASSERT_EQ(f.insert_if_new(key(i)), !found);
      model.insert(i);
      ASSERT_TRUE(f.may_contain(key(mix64(t + 7) % 5000)) || !model.contains(mix64(t + 7) % 5000));
    }
    for (auto const i : model) ASSERT_TRUE(f.may_contain(key(i)));
    EXPECT_LE(f.table().used(), model.size());
  }
}

TEST(hash_compaction, bytes_do_not_depend_on_the_order_of_inserts) {
  for (unsigned const bits : {4U, 8U, 13U, 57U})
    for (std::uint64_t const lines : {1U, 5U, 64U}) {
      hash_compaction forwards({lines, bits}), backwards({lines, bits}), twice({lines, bits});
      auto const keys = forwards.table().shape().slots() * 93 / 100;
      for (std::uint64_t i = 0; i < keys; ++i) {
        ASSERT_TRUE(forwards.insert(key(i)));
        ASSERT_TRUE(backwards.insert(key(keys - 1 - i)));
        ASSERT_TRUE(twice.insert(key(mix64(i) % keys)));
      }
      for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(twice.insert(key(i)));
      EXPECT_EQ(forwards, backwards) << bits << " " << lines;
      EXPECT_EQ(forwards, twice) << bits << " " << lines;
    }
}

TEST(hash_compaction, merge_is_the_filter_of_all_keys) {
  for (unsigned const bits : {4U, 8U, 13U, 57U})
    for (std::uint64_t const lines : {1U, 5U, 64U, 1000U}) {
      hash_compaction a({lines, bits}), b({lines, bits}), both({lines, bits});
      auto const keys = a.table().shape().slots() * 93 / 100;
      for (std::uint64_t i = 0; i < keys; ++i) {
        ASSERT_TRUE(i % 3 == 0 || a.insert(key(i)));
        ASSERT_TRUE(i % 3 == 1 || b.insert(key(i)));
        ASSERT_TRUE(both.insert(key(i)));
      }
      a.merge(b);
      EXPECT_EQ(a, both) << bits << " " << lines;
      a.merge(a);
      EXPECT_EQ(a, both);
    }
}

TEST(hash_compaction, a_merge_that_does_not_fit_changes_nothing) {
  hash_compaction a({10, 12}), b({10, 12});
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(a.insert(key(i)));
    ASSERT_TRUE(b.insert(key(1000 + i)));
  }
  auto const before = a;
  try {
    a.merge(b);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::full);
  }
  EXPECT_EQ(a, before);
}

TEST(hash_compaction, fpr_is_the_rate_of_this_filter) {
  for (auto const& [lines, bits, keys] : {std::tuple{1U, 4U, 100U}, {3U, 6U, 240U}, {40U, 8U, 2400U}, {1000U, 9U, 53'000U}}) {
    hash_compaction f({lines, bits});
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(f.insert(key(i)));
    double hits = 0;
    for (std::uint64_t i = 0; i < 2'000'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
    EXPECT_TRUE(binomial_band(2e6, f.fpr()).holds(hits)) << bits << " bits: " << hits << " at " << f.fpr();
  }
}

/// All keys that there are: each start with each signature. fpr() counts exactly those that are found.
TEST(hash_compaction, fpr_counts_every_start_that_is_found) {
  for (auto const& [lines, bits, keys] : {std::tuple{1U, 6U, 80U}, {4U, 9U, 215U}, {7U, 5U, 690U}, {9U, 10U, 440U}}) {
    hash_compaction f({lines, bits});
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(f.insert(key(i)));
    auto const& t = f.table();
    double found = 0, all = 0;
    for (std::uint64_t line = 0; line < lines; ++line)
      for (unsigned slot = 0; slot < t.slots().slots_per_line(); ++slot)
        for (std::uint64_t signature = 1; signature <= t.slots().max(); ++signature, ++all)
          found += t.contains({line, slot, signature}) ? 1 : 0;
    EXPECT_NEAR(f.fpr(), found / all, 1e-12) << lines << " " << bits;
  }
}

TEST(hash_compaction, the_rate_of_a_sample_is_near_that_of_all_lines) {
  hash_compaction f({40'000, 10});
  for (std::uint64_t i = 0; i < 1'836'000; ++i) ASSERT_TRUE(f.insert(key(i)));
  EXPECT_NEAR(f.table().fpr(4096) / f.table().fpr(40'000), 1, .03);
}

/// Digests that all begin at one slot: an adversary who knows the hash finds them. They are refused, not lost, and soon.
TEST(hash_compaction, keys_with_equal_starts_are_kept_or_refused) {
  hash_compaction f({5000, 40});
  std::vector<digest> in;
  for (std::uint64_t i = 0, tried = 0; tried < 20'000; ++i) {
    digest const x(mix64(i));
    if (f.table().home(x).line != 0) continue;
    ++tried;
    if (f.insert(x)) in.push_back(x);
    if (tried % 1000 != 0) continue;
    for (auto const y : in) ASSERT_TRUE(f.may_contain(y));
  }
  EXPECT_GT(in.size(), 12'000U);
  EXPECT_EQ(f.table().used(), f.table().slots().used());
}

TEST(hash_compaction, estimates_distinct_keys) {
  int outside = 0, all = 0;
  for (unsigned const bits : {6U, 8U, 12U})
    for (std::uint64_t run = 0; run < 100; ++run) {
      hash_compaction f({60, bits});
      auto const keys = f.table().shape().slots() * (60 + run % 30) / 100;
      for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(f.insert(digest::of_hash(run << 32 | i)));
      auto const e = f.estimate();
      auto const n = static_cast<double>(keys);
      ASSERT_LE(e.low, e.value);
      ASSERT_GE(e.high, e.value);
      ASSERT_NEAR(e.value, n, 6 * std::max(1.0, (e.high - e.low) / 4));
      outside += n < e.low - .5 || n > e.high + .5 ? 1 : 0;
      ++all;
    }
  EXPECT_LE(outside, all / 8) << "intervals of 95 %";
  EXPECT_EQ(hash_compaction({60, 8}).estimate(), plan::estimate{});
}

TEST(hash_compaction, no_two_keys_share_what_is_stored_more_often_than_planned) {
  hash_compaction f({2000, 20});
  for (std::uint64_t i = 0; i < 45'000; ++i) ASSERT_TRUE(f.insert(key(i)));
  EXPECT_EQ(distinct_homes(f, 45'000), 45'000U);
  EXPECT_GE(f.table().used(), 44'995U);
}

/// Any content of the slots is safe: no order, no free slot, bits past the last slot of a line, a wrong number in use.
TEST(hash_compaction, slots_that_nobody_wrote_do_no_harm) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::uint64_t const lines = 1 + seed % 5 * 700;
    unsigned const bits = 4 + static_cast<unsigned>(seed % 54);
    hash_compaction const shape({lines, bits});
    field_writer out;
    hash_compaction::fields(shape, out);
    memory cells(shape.size_bytes());
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells.data()[i] = seed % 3 == 0 ? std::byte{255} : static_cast<std::byte>(mix64(seed * 1000 + i));
    auto scalars = out.scalars();
    scalars.back() = seed % 2 == 0 ? 0 : shape.table().shape().capacity();
    std::vector<memory> sections;
    sections.push_back(std::move(cells));
    field_reader in(scalars, std::move(sections), false);  // a mapped file: the slots in use are not counted
    hash_compaction f;
    hash_compaction::fields(f, in);
    ASSERT_TRUE(f.valid());
    for (std::uint64_t i = 0; i < 50; ++i) {
      bool const went_in = f.insert(key(i));
      ASSERT_EQ(f.may_contain(key(i)), went_in);
    }
    EXPECT_LE(f.fpr(), 1);
    EXPECT_GE(f.estimate().high, f.estimate().low);
    EXPECT_TRUE(f.valid());
  }
}

TEST(hash_compaction, a_header_that_does_not_fit_its_bytes_is_refused) {
  hash_compaction good({3, 6});
  ASSERT_TRUE(good.insert(key(1)));
  field_writer out;
  hash_compaction::fields(good, out);
  ASSERT_EQ(out.scalars().size(), 4U);  // derivation, signature bits, lines, slots in use
  auto const read = [&](std::uint64_t bits, std::uint64_t lines, std::uint64_t used, bool verifies = true) {
    hash_compaction f;
    std::vector<memory> sections;
    sections.push_back(good.cells());
    field_reader in({out.scalars()[0], bits, lines, used}, std::move(sections), verifies);
    try {
      hash_compaction::fields(f, in);
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      return false;
    }
    return f.valid();
  };
  EXPECT_TRUE(read(6, 3, 1));
  EXPECT_FALSE(read(6, 3, 2)) << "counted";
  EXPECT_TRUE(read(6, 3, 2, false)) << "a mapped file is not read";
  EXPECT_FALSE(read(6, 3, 255 - 7 + 1, false)) << "more than its capacity";
  for (auto const& [bits, lines] : {std::pair<std::uint64_t, std::uint64_t>{3, 3},
                                    {58, 3},
                                    {0, 3},
                                    {6, 2},
                                    {6, 4},
                                    {6, 0},
                                    {6, ~0ULL},
                                    {6, 1ULL << 58},
                                    {~0ULL, 3}})
    EXPECT_FALSE(read(bits, lines, 0, false)) << bits << " " << lines;
  EXPECT_THROW(hash_compaction(hash_compaction::params{}), error);
  EXPECT_THROW(hash_compaction({1, 58}), error);
  EXPECT_THROW(hash_compaction({1, 3}), error);
}

}  // namespace
}  // namespace hortus::testing
