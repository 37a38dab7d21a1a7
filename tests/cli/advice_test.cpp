#include <gtest/gtest.h>

#include <algorithm>

#include "cli/advice.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

std::vector<std::uint64_t> keys(std::uint64_t from, std::uint64_t count) {
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = from + i;
  return all;
}

any_filter made(std::string_view family, std::uint64_t items, std::vector<std::pair<std::string, std::string>> settings = {}) {
  return make_filter(family, {.items = items, .fpr = 0.01, .settings = std::move(settings)});
}

std::string text_of(std::optional<std::string> const& advice) { return advice.value_or("none"); }

/// A file folded by a version in which folding did not change the plan: it states more keys than its shape holds.
TEST(advice, a_filter_is_for_what_its_shape_holds) {
  for (auto const& family : catalogue()) {
    if (!family.has(verb::fold) || !family.has(verb::fpr) || !family.has(verb::insert)) continue;
    auto filter = made(family.name, 40'000);
    auto const planned = filter.about();
    auto const ways = plan::divisors(filter.family().fold_width());
    auto const by = *std::ranges::lower_bound(ways, 4U);
    auto const holds = 40'000 / by;
    filter.fold(by);
    (void)filter.insert(keys(0, holds * 9 / 10));
    auto const as_it_was = [&] {
      auto about = filter.about();
      about.items_planned = planned.items_planned;
      return any_filter(filter.family(), filter.hash(), about);
    };
    EXPECT_EQ(text_of(overfull(as_it_was())), "none") << family.name;
    (void)filter.insert(keys(holds, holds / 2));
    auto const advice = text_of(overfull(as_it_was()));
    EXPECT_NE(advice.find("over capacity: about "), std::string::npos) << advice;
    EXPECT_NE(text_of(overfull(filter)).find("over capacity: about "), std::string::npos) << advice;
    auto const shape_holds = plan::most_items([&](std::uint64_t n) { return filter.planned_fpr(n); }, 0.01);
    EXPECT_NE(advice.find(" for " + human_count(shape_holds) + "; now "), std::string::npos) << advice;
    EXPECT_NEAR(static_cast<double>(shape_holds), static_cast<double>(holds), 3 + 0.01 * static_cast<double>(holds))
        << family.name;
  }
}

TEST(advice, what_would_have_helped_depends_on_what_was_done) {
  auto filter = made("bloom", 1000);
  (void)filter.insert(keys(0, 2000));
  auto const ends = [&](after what, std::string const& end) {
    auto const advice = text_of(overfull(filter, what));
    EXPECT_TRUE(advice.ends_with(end)) << advice;
  };
  ends(after::filling, "00 keys, or use scalable");
  ends(after::nobody_knows, "00 keys, or use scalable, which does not merge");
  ends(after::folding, "; fold less: --to-fpr instead of --by keeps a rate");
  auto const merging = text_of(overfull(filter, after::merging));
  EXPECT_NE(merging.find("; build each part with -n 2"), std::string::npos) << merging;
}

/// The opposite: filters that are as full as planned get no warning. A window is never too full, however long the stream.
TEST(advice, filters_as_full_as_planned_are_well) {
  for (auto const& family : catalogue()) {
    if (!family.has(verb::insert) || !family.has(verb::fpr)) continue;
    bool const forgets = !family.has(verb::estimate);
    for (std::uint64_t const items : {1U, 10U, 100U, 3000U})
      for (double const fpr : {0.3, 0.01, 1e-4}) {
        auto filter = make_filter(family.name, {.items = items, .fpr = fpr, .settings = {}});
        (void)filter.insert(keys(items * 100, forgets ? 4 * items : items));
        EXPECT_EQ(text_of(overfull(filter)), "none") << family.name << ' ' << items << ' ' << fpr;
      }
  }
}

/// A filter that ages by time forgets nothing while its time is not advanced.
TEST(advice, a_window_may_be_too_full_when_time_ends_it) {
  auto filter = made("age_partitioned", 1000, {{"ticks", "100"}});
  (void)filter.insert(keys(0, 100));
  EXPECT_EQ(text_of(overfull(filter)), "none");
  (void)filter.insert(keys(1000, 50'000));
  EXPECT_EQ(
      text_of(overfull(filter)),
      "over capacity: keys came faster than an age_partitioned filter for windows of 1000 can forget; now 100 %, planned 1 "
      "%; rebuild for more");
}

TEST(advice, stuck_counters_and_what_counts_further) {
  auto const often = std::vector<std::uint64_t>(300, 7);
  auto const advice = [&](std::string_view family, std::vector<std::pair<std::string, std::string>> settings = {}) {
    auto filter = made(family, 1000, std::move(settings));
    (void)filter.insert(often);
    return text_of(stuck(filter));
  };
  EXPECT_TRUE(advice("counting").ends_with("; rebuild with larger ones (--set cell_bits=8)")) << advice("counting");
  EXPECT_TRUE(advice("counting", {{"cell_bits", "2"}}).ends_with("(--set cell_bits=8)"));
  EXPECT_TRUE(advice("counting", {{"cell_bits", "8"}}).ends_with("(--set cell_bits=16)"));
  EXPECT_EQ(advice("counting", {{"cell_bits", "9"}}), "none");
  EXPECT_TRUE(advice("d_left").ends_with("; blocked_counting counts further")) << advice("d_left");
  for (auto const* const family : {"blocked_counting", "spectral_selection", "spectral_increase", "spectral_recurring",
                                   "count_min", "count_min_conservative", "dynamic", "bitwise", "fast_ams", "bloom"})
    EXPECT_EQ(advice(family), "none") << family;
}

}  // namespace
}  // namespace hortus::cli
