#include <hortus/map/exact_set.hpp>

#include <gtest/gtest.h>

#include <hortus/io/store.hpp>
#include <hortus/part_threads.hpp>

namespace hortus {
namespace {

std::vector<digest> some_digests(std::uint64_t count, std::uint64_t from = 0) {
  std::vector<digest> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(digest::of_hash(from + i));
  return all;
}

void expect_exact(exact_set const& set, std::vector<digest> const& members, std::vector<digest> const& others) {
  std::vector<std::uint64_t> hits(mask_words(std::max(members.size(), others.size())));
  may_contain_all(set, members, hits.data());
  for (std::size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(hits[i / 64] >> (i % 64) & 1, 1U) << i << " of " << members.size();
    ASSERT_TRUE(set.may_contain(members[i])) << i << " of " << members.size();
  }
  may_contain_all(set, others, hits.data());
  for (std::size_t i = 0; i < others.size(); ++i) {
    ASSERT_EQ(hits[i / 64] >> (i % 64) & 1, 0U) << i << " of " << others.size() << " others";
    ASSERT_FALSE(set.may_contain(others[i])) << i << " of " << others.size() << " others";
  }
}

TEST(exact_set, is_right_for_all_keys_of_both_lists) {
  for (std::uint64_t const members : {0U, 1U, 2U, 10U, 64U, 1000U, 30'000U})
    for (std::uint64_t const others : {0U, 1U, 2U, 7U, 100U, 5000U, 200'000U}) {
      auto const in = some_digests(members), out = some_digests(others, 1'000'000);
      for (double const fpr : {1.0, 0.01}) {
        auto const set = exact_set::build(in, out, {.fpr = fpr});
        expect_exact(set, in, out);
        EXPECT_EQ(set.shape().items, members);
        EXPECT_EQ(set.shape().absent, others);
        auto const again = from_bytes<exact_set_filter>(to_bytes(exact_set_filter(set)));
        EXPECT_EQ(again.family(), set);
      }
    }
}

/// The order and duplicates of the keys do not change a byte, nor do threads.
TEST(exact_set, is_the_same_however_it_is_built) {
  auto in = some_digests(20'000), out = some_digests(90'000, 1'000'000);
  auto const set = exact_set::build(in, out, {});
  std::reverse(in.begin(), in.end());
  in.insert(in.end(), in.begin(), in.begin() + 500);
  std::reverse(out.begin(), out.end());
  EXPECT_EQ(exact_set::build(in, out, {}), set);
  EXPECT_EQ(exact_set::build(words_in_memory(distinct_words(in)), words_in_memory(distinct_words(out)), {}, in_threads(2)),
            set);
}

TEST(exact_set, is_at_most_15_percent_above_the_least_space) {
  struct lists {
    std::uint64_t members, others;
  };
  for (auto const& [members, others] : {lists{10'000, 1'000'000}, lists{20'000, 200'000}, lists{50'000, 150'000},
                                        lists{100'000, 100'000}, lists{150'000, 50'000}, lists{200'000, 20'000}}) {
    auto const set = exact_set::build(some_digests(members), some_digests(others, 1'000'000), {});
    double const least = plan::exact_set_bound(members, others) / 8;
    EXPECT_LT(static_cast<double>(set.size_bytes()), 1.15 * least) << members << " of " << members + others;
    EXPECT_NEAR(static_cast<double>(exact_set::planned_bytes(set.shape())), static_cast<double>(set.size_bytes()),
                0.02 * static_cast<double>(set.size_bytes()))
        << members;
  }
}

/// Fails by chance once in 10^9 runs.
TEST(exact_set, finds_keys_of_neither_list_at_the_stated_rate) {
  for (double const fpr : {1.0, 0.01})
    for (std::uint64_t const others : {0U, 3000U, 300'000U}) {
      auto const set = exact_set::build(some_digests(20'000), some_digests(others, 1'000'000), {.fpr = fpr});
      std::uint64_t found = 0;
      for (auto const x : some_digests(200'000, 5'000'000)) found += std::uint64_t{set.may_contain(x)};
      double const expected = 200'000 * set.fpr();
      EXPECT_NEAR(static_cast<double>(found), expected, 6 * std::sqrt(expected + 1) + 0.01 * expected) << fpr << " " << others;
      EXPECT_LE(set.fpr(), fpr * 1.001);
    }
}

TEST(exact_set, refuses_a_key_that_is_in_both_lists) {
  auto const in = some_digests(1000);
  auto out = some_digests(50'000, 1'000'000);
  out.push_back(in[77]);
  try {
    (void)exact_set::build(in, out, {});
    FAIL() << "accepted";
  } catch (conflicting_values const& e) {
    EXPECT_EQ(e.word(), in[77].bits());
  }
}

TEST(exact_set, cleared_holds_nothing) {
  auto set = exact_set::build(some_digests(1000), some_digests(10, 1'000'000), {});
  set.clear();
  for (auto const x : some_digests(1000)) EXPECT_FALSE(set.may_contain(x));
}

TEST(exact_set, is_built_of_two_lists_of_keys) {
  std::vector<std::string> const in{"ada", "grace", "linus"};
  std::vector<std::string> out{"bob", "eve"};
  for (int i = 0; i < 1000; ++i) out.push_back("other " + std::to_string(i));
  auto const f = exact_set_filter::build(in, out);
  EXPECT_EQ(f.may_contain(in).count(), in.size());
  EXPECT_EQ(f.may_contain(out).count(), 0U);
  EXPECT_EQ(f.about().items_inserted, in.size());
  EXPECT_EQ(from_bytes<exact_set_filter>(to_bytes(f)), f);
  auto const inverted = exact_set_filter::build(out, in);  // the three that are not in are stored
  ASSERT_EQ(inverted.family().shape().inverted, 1U);
  EXPECT_EQ(inverted.may_contain(in).count(), 0U);
  EXPECT_EQ(inverted.may_contain(out).count(), out.size()) << "no bit is set past the last key of a batch";
  out.push_back("ada");
  EXPECT_THROW((void)exact_set_filter::build(in, out), conflicting_values);
}

}  // namespace
}  // namespace hortus
