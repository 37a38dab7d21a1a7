// The filter that grows, keeps its rate and erases: rate and space through doublings, keys that come and go, erases in the
// right stage.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include <hortus/growing/expandable.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

static_assert(growing<expandable<>> && erasable<expandable<>> && countable<expandable<>> && keeps_fpr<expandable<>>);
static_assert(!can_refuse<expandable<>>);

digest key(std::uint64_t i) { return digest::of_hash(i); }

double measured_hits(expandable<> const& f, std::uint64_t asked) {
  double hits = 0;
  for (std::uint64_t i = 0; i < asked; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
  return hits;
}

TEST(expandable, keeps_its_rate_through_six_doublings) {
  expandable<> f(expandable<>::plan({.items = 1000, .fpr = .01}));
  std::uint64_t next = 0;
  for (std::uint64_t const items : {1000U, 3000U, 7000U, 15'000U, 31'000U, 63'000U, 127'000U}) {
    for (; next < items; ++next) f.insert(key(next));
    EXPECT_LE(f.fpr(), .01) << items;
    EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(measured_hits(f, 1'000'000))) << items;
  }
  EXPECT_GE(f.stages(), 7U);
  for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(f.may_contain(key(i)));
}

/// Stages find different absent keys, so their rates add up; with independent stages it would be 3 % less here. What two stages
/// find in common, because their fingerprints are not quite prefixes of each other, is at most the sum minus that.
TEST(expandable, rates_of_stages_add_up) {
  expandable<> f(expandable<>::plan({.items = 1000, .fpr = .1}));
  for (std::uint64_t i = 0; i < 500'000; ++i) f.insert(key(i));
  double const asked = 20'000'000;
  auto const hits = measured_hits(f, 20'000'000);
  EXPECT_LE(hits, binomial_band(asked, f.fpr()).high);
  EXPECT_GE(hits, binomial_band(asked, .985 * f.fpr()).low);
  EXPECT_NEAR(f.estimate().value, 500'000, 1500);
}

/// The figures of the card, in bits a key.
TEST(expandable, bits_of_the_card) {
  constexpr std::uint64_t items = 1 << 20;
  expandable<> f(expandable<>::plan({.items = items, .fpr = .01}));
  std::uint64_t next = 0, distinct = 0;
  auto const bits = [&] { return 8 * static_cast<double>(f.size_bytes()) / static_cast<double>(distinct); };
  auto const fill_to = [&](std::uint64_t keys) {
    while (distinct < keys) distinct += f.insert_if_new(key(next++)) ? 1U : 0U;
  };
  fill_to(items);
  EXPECT_NEAR(bits(), 13.2, .15);
  fill_to(7 * items);  // two doublings, all stages full
  EXPECT_EQ(f.stages(), 3U);
  EXPECT_LT(bits(), 13.8);
}

TEST(expandable, against_a_multiset) {
  expandable<> f(expandable<>::plan({.items = 50, .fpr = .2}));  // so high a rate that many stages report a key
  std::map<std::uint64_t, std::uint64_t> model;
  for (std::uint64_t t = 0; t < 60'000; ++t) {
    auto const random = mix64(t);
    auto const i = random % 5000;
    bool const grows = t / 20'000 != 1;  // grows, shrinks, grows
    if (random >> 62 != 0 ? !grows : grows) {
      auto const it = model.lower_bound(i);
      if (it == model.end()) continue;
      ASSERT_TRUE(f.erase(key(it->first)));
      if (--it->second == 0) model.erase(it);
    } else {
      f.insert(key(i));
      ++model[i];
    }
    auto const asked = mix64(random) % 5000;
    auto const it = model.find(asked);
    ASSERT_GE(f.count(key(asked)), it == model.end() ? 0 : it->second) << t;
  }
  ASSERT_GT(f.stages(), 4U);
  EXPECT_EQ(from_bytes<expandable_filter>(to_bytes(expandable_filter(f))).family(), f);
  for (auto const& [i, copies] : model)
    for (std::uint64_t c = 0; c < copies; ++c) ASSERT_TRUE(f.erase(key(i)));
  EXPECT_EQ(f.stages(), 1U) << "stages go with their last key";
  EXPECT_EQ(measured_hits(f, 100'000), 0) << "and nothing stays behind";
}

/// A million keys pass through, ten thousand at a time. The filter stays as large as these need.
TEST(expandable, keys_that_come_and_go_need_no_more_room) {
  expandable<> f(expandable<>::plan({.items = 1000, .fpr = .01}));
  std::deque<std::uint64_t> live;
  std::size_t most_bytes = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    f.insert(key(i));
    live.push_back(i);
    if (live.size() > 10'000) {
      ASSERT_TRUE(f.erase(key(live.front())));
      live.pop_front();
    }
    if (i == 100'000) most_bytes = f.size_bytes();
  }
  EXPECT_LE(f.size_bytes(), most_bytes);
  EXPECT_LT(8.0 * static_cast<double>(f.size_bytes()) / 10'000, 60);
  EXPECT_LE(f.fpr(), .01);
  for (auto const i : live) ASSERT_TRUE(f.may_contain(key(i)));
}

}  // namespace
}  // namespace hortus::testing
