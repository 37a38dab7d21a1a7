// Approximate reconciliation trees: what is reported is missing, the table of found shares, and how little is visited.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include <hortus/sets/reconciliation_tree.hpp>

#include "statistics.hpp"

namespace hortus::testing {
namespace {

using namespace hortus::sets;

std::vector<digest> digests(std::uint64_t from, std::uint64_t count) {
  std::vector<digest> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(digest::of_hash(from + i));
  return all;
}

struct row {
  double leaf_bits;
  double inner_bits;
  std::array<double, 6> found;  // by corrections
};
// Bits for each of 10000 keys; computed with 13 inner nodes above a leaf.
constexpr std::array<row, 4> table{{{3, 5, {.218, .695, .757, .763, .763, .763}},
                                    {4, 4, {.108, .675, .828, .850, .853, .853}},
                                    {5, 3, {.027, .505, .807, .886, .903, .907}},
                                    {6, 2, {.001, .193, .579, .801, .892, .926}}}};

TEST(reconciliation_tree, is_expected_to_find_the_shares_of_the_table) {
  for (auto const& [leaf_bits, inner_bits, found] : table)
    for (unsigned corrections = 0; corrections < found.size(); ++corrections)
      EXPECT_NEAR(expected_found(10000, leaf_bits, inner_bits, corrections), found[corrections], 0.0015)
          << leaf_bits << "/" << inner_bits << ", " << corrections;
}

// 200 trees of 10000 keys, of which 100 are missing on the other side; seeds are fixed. Shares are up to 2 % below the table:
// a leaf has 13.6 inner nodes above it on average, not 13. Keys of one tree share nodes, so their number bounds no deviation;
// with other seeds shares differ by less than 1 %.
TEST(reconciliation_tree, finds_the_shares_of_the_table_and_nothing_else) {
  constexpr std::uint64_t items = 10000;
  constexpr std::uint64_t missing = 100;
  constexpr std::uint64_t trees = 200;
  for (auto const& [leaf_bits, inner_bits, found] : table) {
    std::array<std::uint64_t, 6> hits{};
    for (std::uint64_t seed = 0; seed < trees; ++seed) {
      auto const from = seed * 1'000'000;
      auto const theirs = reconciliation_tree(digests(from, items), seed).summary(leaf_bits, inner_bits);
      reconciliation_tree const mine(digests(from + missing, items), seed);
      auto const lacking = digests(from + items, missing);
      std::set<std::uint64_t> expected;
      for (auto const x : lacking) expected.insert(x.bits());
      for (unsigned corrections = 0; corrections < found.size(); ++corrections) {
        auto const result = mine.missing_in(theirs, corrections);
        hits[corrections] += result.missing.size();
        for (auto const x : result.missing) ASSERT_EQ(expected.count(x.bits()), 1U) << "a key that is not missing";
        EXPECT_LT(static_cast<double>(result.visited), 5 * missing * std::log2(items) * (corrections + 1));
      }
    }
    for (unsigned corrections = 0; corrections < found.size(); ++corrections)
      EXPECT_NEAR(static_cast<double>(hits[corrections]) / (missing * trees), found[corrections], 0.03)
          << leaf_bits << "/" << inner_bits << ", " << corrections;
  }
}

TEST(reconciliation_tree, knows_small_and_equal_sets) {
  reconciliation_tree const none({});
  reconciliation_tree const one(digests(0, 1));
  reconciliation_tree const many(digests(0, 5000));
  auto const roomy = [](reconciliation_tree const& tree) { return tree.summary(40, 40); };
  EXPECT_EQ(none.missing_in(roomy(many), 2).visited, 0U);
  EXPECT_EQ(one.missing_in(roomy(none), 0).missing, digests(0, 1));
  EXPECT_EQ(one.missing_in(roomy(one), 0).missing.size(), 0U);
  EXPECT_EQ(many.missing_in(roomy(none), 0).missing.size(), 5000U);
  for (unsigned corrections = 0; corrections < 4; ++corrections) {
    auto const result = many.missing_in(roomy(many), corrections);
    EXPECT_TRUE(result.missing.empty());
    EXPECT_LE(result.visited, (2U << corrections) - 1);  // corrections + 1 levels
  }
  auto twice = digests(0, 100);
  for (auto const x : digests(0, 100)) twice.push_back(x);
  EXPECT_EQ(reconciliation_tree(twice).size(), 100U);
  EXPECT_THROW((void)many.missing_in(reconciliation_tree(digests(0, 10), 1).summary(8, 8), 0), error);
}

TEST(reconciliation_tree, sends_its_summary) {
  reconciliation_tree const theirs(digests(0, 1000), 300);
  reconciliation_tree const mine(digests(10, 1000), 300);
  auto const bytes = theirs.summary(5, 3).to_bytes();
  EXPECT_LT(bytes.size(), 1000 + 400U);
  auto const there = tree_summary::from_bytes(bytes);
  EXPECT_EQ(mine.missing_in(there, 3).missing, mine.missing_in(theirs.summary(5, 3), 3).missing);
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW((void)tree_summary::from_bytes(std::span(bytes).first(size)), error);
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW((void)tree_summary::from_bytes(longer), error);
}

}  // namespace
}  // namespace hortus::testing
