// Reconciliation by Bloom filters: what is returned is missing, the shares found, and rounds that are independent.
#include <gtest/gtest.h>

#include <hortus/message/message.hpp>
#include <hortus/sets/bloom_offer.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using sets::bloom_offer;
using sets::surely_missing;

// Found shares by bits a key; bands of 1e-9 about the exact rate of each filter's shape, which is within 0.001 of the table.
TEST(bloom_offer, finds_the_shares_of_the_table_and_nothing_else) {
  constexpr std::uint64_t items = 100000;
  auto const mine = keys<random_keys>(0, items);
  auto const theirs = keys<random_keys>(items / 2, items);
  auto const absent = static_cast<double>(theirs.size()) / 2;
  for (auto const& [bits, share] : {std::pair{1, .368}, std::pair{2, .607}, std::pair{4, .853}, std::pair{6, .944},
                                    std::pair{8, .978}, std::pair{10, .992}, std::pair{16, .9995}}) {
    auto const shape = sets::offer_shape(items, bits);
    auto const rate = bloom<>::planned_fpr(shape, items);
    EXPECT_NEAR(1 - rate, share, 0.001) << bits;
    auto const missing = surely_missing(bloom_offer(mine, bits, 0), theirs);
    for (auto const i : missing) ASSERT_GE(i, items / 2) << "a key that is not missing";
    EXPECT_TRUE(binomial_band(absent, 1 - rate).holds(static_cast<double>(missing.size()))) << bits << ": " << missing.size();
  }
}

TEST(bloom_offer, misses_other_keys_in_the_next_round) {
  constexpr std::uint64_t items = 100000;
  auto mine = keys<common_prefix_keys>(0, items);
  auto theirs = keys<common_prefix_keys>(items, items);
  auto const rate = bloom<>::planned_fpr(sets::offer_shape(items, 4), items);
  auto const first = bloom_offer(mine, 4, 1);
  auto const second = bloom_offer(mine, 4, 2);
  std::vector<std::string> left;
  for (auto const& key : theirs)
    if (first.may_contain(key)) left.push_back(key);
  EXPECT_TRUE(binomial_band(items, rate).holds(static_cast<double>(left.size())));
  auto const found = surely_missing(second, left).size();
  EXPECT_TRUE(binomial_band(static_cast<double>(left.size()), 1 - rate).holds(static_cast<double>(found)))
      << found << " of " << left.size();
  EXPECT_TRUE(surely_missing(first, left).empty()) << "the same seed misses the same keys";
}

TEST(bloom_offer, is_empty_of_no_keys_and_travels) {
  std::vector<std::string> const none;
  auto const some = keys<common_prefix_keys>(0, 100);
  EXPECT_EQ(surely_missing(bloom_offer(none, 8, 0), some).size(), 100U);
  EXPECT_TRUE(surely_missing(bloom_offer(some, 8, 0), none).empty());
  EXPECT_TRUE(surely_missing(bloom_offer(some, 8, 0), some).empty());
  auto const offer = bloom_offer(some, 8, 3);
  EXPECT_EQ(unpack<bloom_filter>(pack(offer)), offer);
  EXPECT_THROW((void)bloom_offer(some, 0, 0), error);
}

}  // namespace
}  // namespace hortus::testing
