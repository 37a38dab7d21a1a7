// Filters that refuse wrong erases.
#include <hortus/owned.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <hortus/counting/blocked_counting.hpp>
#include <hortus/counting/d_left.hpp>
#include <hortus/fingerprint/cuckoo.hpp>
#include <hortus/fingerprint/quotient.hpp>
#include <hortus/growing/dynamic.hpp>
#include <hortus/growing/expandable.hpp>
#include <hortus/hash/mix64.hpp>

namespace hortus::testing {
namespace {

template <class Filter>
class owned_filter : public ::testing::Test {};
using filters =
    ::testing::Types<cuckoo_filter, quotient_filter, d_left_filter, blocked_counting_filter, dynamic_filter, expandable_filter>;
TYPED_TEST_SUITE(owned_filter, filters);

/// Random erases, most of them wrong, at so high a rate that many of those are false positives. No member is ever lost.
TYPED_TEST(owned_filter, wrong_erases_change_nothing) {
  owned safe(TypeParam({.items = 1000, .fpr = .1}));
  TypeParam plain({.items = 1000, .fpr = .1});
  std::map<std::uint64_t, std::uint64_t> model;
  std::uint64_t wrong = 0, live = 0;
  for (std::uint64_t t = 0; t < 20'000; ++t) {
    auto const i = mix64(t) % 3000;
    if (mix64(t) >> 62 != 0 && live < 900 && model[i] < 3) {
      ASSERT_TRUE(safe.insert(i));
      (void)plain.insert(i);
      ++model[i];
      ++live;
    } else {
      bool const member = model[i] != 0;
      ASSERT_EQ(safe.erase(i), member);
      wrong += !member && plain.erase(i) ? 1U : 0U;
      if (member) (void)plain.erase(i);
      model[i] -= member ? 1U : 0U;
      live -= member ? 1U : 0U;
    }
  }
  EXPECT_GT(wrong, 20U) << "wrong erases that the filter itself would have carried out";
  for (auto const& [i, copies] : model) {
    EXPECT_EQ(safe.contains(i), copies != 0);
    if (copies != 0) {
      EXPECT_TRUE(safe.filter().may_contain(i));
    }
  }
  EXPECT_GT(safe.size_bytes(), safe.filter().size_bytes());
}

TEST(owned, takes_an_empty_filter_only) {
  cuckoo_filter used({.items = 10, .fpr = .01});
  ASSERT_TRUE(used.insert(std::string("ada")));
  EXPECT_THROW(owned{used}, error);
}

TEST(owned, a_refused_key_is_not_a_member) {
  owned full(d_left_filter(d_left({1, 20})));
  std::uint64_t in = 0;
  for (std::uint64_t i = 0; i < 100; ++i) in += full.insert(i) ? 1U : 0U;
  EXPECT_EQ(in, 32U);
  std::uint64_t members = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    members += full.contains(i) ? 1U : 0U;
    if (!full.contains(i)) {
      EXPECT_FALSE(full.erase(i));
    }
  }
  EXPECT_EQ(members, 32U);
}

}  // namespace
}  // namespace hortus::testing
