#include <gtest/gtest.h>

#include <hortus/any/shards.hpp>
#include <hortus/maths/divisors.hpp>

#include "code_of.hpp"
#include "key_sets.hpp"

namespace hortus::testing {
namespace {

any_filter filled(std::string_view family, std::uint64_t items, any_hash hash = {}) {
  auto filter = make_filter(family, {.items = items, .fpr = 0.01, .settings = {}}, std::move(hash));
  EXPECT_EQ(filter.insert(keys<random_keys>(0, items)), items);
  return filter;
}

/// A few, of those that divide its blocks.
shard_plan cut_of(any_filter const& whole) {
  auto const ways = plan::divisors(plan_shards(whole, 1).places);
  return plan_shards(whole, ways.at(2));
}

any_filter joined(std::vector<any_filter> const& parts, shard_plan plan) {
  shard_joiner joiner(parts.front(), plan);
  for (std::uint64_t i = parts.size(); i-- > 0;) joiner.put(i, parts[i]);  // in any order
  return std::move(joiner).finish();
}

TEST(Shards, JoinToTheFileTheyWereCutFrom) {
  std::vector<std::string_view> able;
  for (auto const& family : cards()) {
    if (!family.has_shards) continue;
    able.push_back(family.name);
    auto const whole = filled(family.name, 10'007);  // a number that shards do not share evenly
    auto const plan = cut_of(whole);
    std::vector<any_filter> parts;
    std::uint64_t inserted = 0;
    for (std::uint64_t i = 0; i < plan.shards; ++i) {
      parts.push_back(shard_of(whole, plan, i));
      inserted += parts.back().about().items_inserted;
      EXPECT_LE(parts.back().size_bytes(), whole.size_bytes() / plan.shards + 4096) << family.name;
    }
    EXPECT_EQ(inserted, 10'007U) << family.name;
    EXPECT_EQ(to_bytes(joined(parts, plan)), to_bytes(whole)) << family.name;
  }
  EXPECT_GE(able.size(), 6U);
}

TEST(Shards, AreMadeWithoutTheFilter) {
  for (auto const& family : cards()) {
    if (!family.has_shards) continue;
    request const wish{.items = 50'003, .fpr = 0.001, .settings = {}};
    auto const whole = make_filter(family.name, wish);
    auto const plan = plan_shards(family.name, wish, 7);
    EXPECT_EQ(plan.places % 7, 0U) << family.name;
    EXPECT_LT(plan.places - plan_shards(whole, 1).places, 7U) << family.name;
    std::vector<any_filter> parts;
    for (std::uint64_t i = 0; i < 7; ++i) parts.push_back(empty_shard(family.name, wish, {}, plan, i));
    auto const all = joined(parts, plan);
    EXPECT_EQ(all.about().items_planned, 50'003U) << family.name;
    EXPECT_EQ(all.about().fpr_planned, 0.001) << family.name;
    // The params are those of the plan, but for the blocks.
    auto expected = whole.family().params();
    auto got = all.family().params();
    ASSERT_EQ(expected.size(), got.size()) << family.name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i].name == "blocks") continue;
      EXPECT_EQ(got[i].value, expected[i].value) << family.name << ": " << got[i].name;
    }
  }
  request const wish{.items = 100, .fpr = 0.01, .settings = {}};
  EXPECT_EQ(code_of([&] { (void)plan_shards("bloom", wish, 2); }), errc::unsupported);
  EXPECT_EQ(code_of([&] { (void)plan_shards("blocked", wish, 0); }), errc::bad_params);
  EXPECT_EQ(code_of([&] { (void)empty_shard("blocked", wish, {}, {14, 7}, 7); }), errc::bad_params);
}

TEST(Shards, OfKeysAreToldWithoutTheFilter) {
  auto const whole = filled("blocked", 10'000, any_hash(default_hash(7)));
  auto const plan = cut_of(whole);
  shard_finder const finder("blocked", plan);
  std::vector<any_filter> parts;
  for (std::uint64_t i = 0; i < plan.shards; ++i) parts.push_back(shard_of(whole, plan, i));
  for (auto const& key : keys<random_keys>(0, 10'000)) {
    auto const x = whole.digest_of(key);
    std::uint32_t its = ~std::uint32_t{0};
    finder.shards_of({&x, 1}, &its);
    ASSERT_LT(its, plan.shards);
    ASSERT_TRUE(parts[its].may_contain(x));
  }
  EXPECT_EQ(code_of([] { (void)shard_finder("bloom", {8, 2}); }), errc::unsupported);
  EXPECT_EQ(code_of([] { (void)shard_finder("blocked", {8, 3}); }), errc::bad_params);
  EXPECT_EQ(code_of([] { (void)shard_finder("blocked", {8, 0}); }), errc::bad_params);
}

TEST(Shards, AreRefusedWithTheNumbersAndFamiliesThatWouldDo) {
  auto const whole = filled("split_block", 10'000);
  auto const places = plan_shards(whole, 1).places;
  auto const message_of = [](auto act) -> std::string {
    try {
      act();
    } catch (error const& e) {
      return e.what();
    }
    return "";
  };
  auto const odd = message_of([&] { (void)plan_shards(whole, places - 1); });
  EXPECT_NE(odd.find("does not divide: use "), std::string::npos) << odd;
  EXPECT_NE(odd.find(std::to_string(places) + " shards"), std::string::npos) << odd;
  EXPECT_EQ(code_of([&] { (void)plan_shards(whole, 0); }), errc::bad_params);
  EXPECT_EQ(code_of([&] { (void)plan_shards(whole, max_shards + 1); }), errc::bad_params);
  auto const classic = filled("bloom", 100);
  EXPECT_EQ(code_of([&] { (void)plan_shards(classic, 2); }), errc::unsupported);
  EXPECT_EQ(code_of([&] { (void)shard_of(classic, {8, 2}, 0); }), errc::unsupported);
  auto const refused = message_of([&] { (void)plan_shards(classic, 2); });
  EXPECT_NE(refused.find("blocked, blocked_pair, sectorized, split_block, register_blocked, blocked_counting"),
            std::string::npos)
      << refused;
}

TEST(Shards, OfAnotherFilterAreNotJoined) {
  auto const whole = filled("blocked", 10'000);
  auto const plan = plan_shards(whole, 2);
  shard_joiner joiner(shard_of(whole, plan, 0), plan);
  EXPECT_EQ(code_of([&] { joiner.put(0, whole); }), errc::incompatible);
  auto const seeded = filled("blocked", 10'000, any_hash(default_hash(7)));
  EXPECT_EQ(code_of([&] { joiner.put(0, shard_of(seeded, plan, 0)); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { joiner.put(0, filled("bloom", 10)); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { joiner.put(2, shard_of(whole, plan, 0)); }), errc::bad_params);
}

}  // namespace
}  // namespace hortus::testing
