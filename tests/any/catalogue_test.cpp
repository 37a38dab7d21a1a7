// The list of families at run time, and the filter whose family is known only at run time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include <hortus/hortus.hpp>

namespace hortus::testing {
namespace {

TEST(catalogue, has_every_family_once) {
  EXPECT_EQ(catalogue().size(), families::size);
  for (auto const& family : catalogue()) {
    EXPECT_EQ(std::ranges::count(catalogue(), family.name, &family_info::name), 1);
    EXPECT_EQ(&family_named(family.name), &family);
    EXPECT_FALSE(family.summary.empty());
    EXPECT_TRUE(family.has(verb::size_bytes));
  }
}

TEST(catalogue, an_unknown_name_is_answered_with_the_known_ones) {
  try {
    (void)family_named("blom");
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::unsupported);
    EXPECT_NE(std::string(e.what()).find("bloom, partitioned, blocked"), std::string::npos) << e.what();
  }
}

TEST(catalogue, what_is_planned_is_what_is_made) {
  for (auto const& family : catalogue()) {
    request const wish{.items = 12'345, .fpr = 0.002, .settings = {}};
    auto const offer = family.plan(wish);
    std::vector<digest> keys;
    for (std::uint64_t i = 0; i < wish.items; ++i) keys.push_back(digest(mix64(i)));
    auto const made = family.has(verb::build) ? family.build(keys, wish) : family.make(wish);
    // Of a family that is built, the size may depend on the keys a little: plans_exactly. Its law says which.
    double const planned = static_cast<double>(offer.size_bytes);
    if (family.answers() == question::how_many)  // it takes more space as keys come
      EXPECT_LE(static_cast<double>(made.size_bytes()), planned) << family.name;
    else
      EXPECT_NEAR(static_cast<double>(made.size_bytes()), planned, family.has(verb::build) ? .05 * planned : 0) << family.name;
    EXPECT_LE(offer.fpr, 0.002);
    EXPECT_EQ(made.kind(), family.name);
    ASSERT_EQ(made.params().size(), offer.params.size());
    for (std::size_t i = 0; i < offer.params.size(); ++i) EXPECT_EQ(made.params()[i].value, offer.params[i].value);
  }
}

TEST(catalogue, settings_reach_the_family_and_wrong_ones_are_refused) {
  auto const probes_of = [](char const* text) {
    return std::get<std::uint64_t>(
        family_named("bloom").plan({.items = 100, .fpr = 0.01, .settings = {{"probes", text}}}).params[1].value);
  };
  EXPECT_EQ(probes_of("3"), 3U);
  for (auto const* const wrong : {"", "x", "3x", "-1", "65", "99999999999999999999"})
    EXPECT_THROW((void)probes_of(wrong), error) << wrong;
  EXPECT_THROW((void)family_named("bloom").plan({.items = 100, .fpr = 0.01, .settings = {{"probe", "3"}}}), error);
}

/// tests/cli/settings_test.sh checks that exactly the stated values are accepted.
TEST(catalogue, every_setting_is_explained_and_its_example_is_accepted) {
  for (auto const& family : catalogue())
    for (auto const& setting : family.settings) {
      SCOPED_TRACE(std::string(family.name) + ", " + std::string(setting.name));
      EXPECT_FALSE(setting.note.meaning.empty());
      EXPECT_FALSE(setting.note.values.empty());
      request const wish{
          .items = 1'000'000, .fpr = 0.01, .settings = {{std::string(setting.name), std::string(setting.note.example)}}};
      EXPECT_NO_THROW((void)family.plan(wish));
    }
}

TEST(catalogue, the_best_rate_in_a_space_uses_the_space) {
  for (auto const& family : catalogue()) {
    for (std::uint64_t const bytes : {200U, 1250U, 4000U}) {  // 1.6, 10 and 32 bits an item
      request wish{.items = 1000, .fpr = 0.5, .settings = {}};
      bool const bits = family.room == "bloom";  // others have cells of several bits: 1.6 an item may be too few
      try {
        wish.fpr = best_fpr_in(family, wish, bytes);
      } catch (error const& e) {
        bool const levels = family.name == "bitwise";  // of which there are several for any number of items
        EXPECT_TRUE(!bits && (bytes < 4000 || levels) && e.code() == errc::bad_goal) << family.name << ": " << e.what();
        continue;
      }
      auto const used = family.plan(wish).size_bytes;
      EXPECT_LE(used, bytes) << family.name;  // whole blocks, the largest of 128 bytes
      EXPECT_GE(used + 128, bytes * (bits ? 95 : 40) / 100) << family.name;
    }
    EXPECT_THROW((void)best_fpr_in(family, {.items = 1'000'000, .fpr = 0.01, .settings = {}}, 1), error);
  }
}

// A family that may miss keys of the window must not win by answering at random: then every key is found with probability
// 1 - fnr, whether it is a member or not.
TEST(catalogue, an_offer_finds_strangers_at_most_half_as_often_as_keys_of_the_window) {
  auto const& stable = family_named("stable");
  for (std::uint64_t const bytes : {10U, 1000U, 100'000U, 1'000'000U, 2'000'000U, 10'000'000U}) {
    request wish{.items = 1'000'000, .fpr = 0.01, .settings = {}};
    try {
      wish.fpr = best_fpr_in(stable, wish, bytes);
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::bad_goal);
      EXPECT_LE(bytes, 1'000'000U) << "bits enough for all of them";
      continue;
    }
    EXPECT_GE(bytes, 1'000'000U);
    auto const offer = stable.plan(wish);
    EXPECT_LE(offer.size_bytes, bytes);
    EXPECT_GT(offer.fnr, 0);
    EXPECT_LE(offer.fnr, 0.1);
    EXPECT_LE(offer.fpr, 0.451);
    EXPECT_TRUE(tells_keys_apart(offer));
  }
  request const at_random{.items = 1'000'000, .fpr = 0.9, .settings = {}};
  EXPECT_FALSE(tells_keys_apart(stable.plan(at_random)));
  for (auto const& family : catalogue())
    if (family.has(verb::insert)) {
      auto const offer = family.plan(at_random);
      EXPECT_EQ(tells_keys_apart(offer), offer.fnr == 0) << family.name;
    }
}

TEST(catalogue, the_most_items_in_a_space_are_the_most) {
  for (auto const& family : catalogue()) {
    if (family.keeps_fpr && !family.grows) continue;  // takes any number in any space
    for (double const fpr : {0.1, 0.001}) {
      request wish{.items = 0, .fpr = fpr, .settings = {}};
      std::uint64_t constexpr bytes = 100'000;
      wish.items = most_items_in(family, wish, bytes);
      EXPECT_LE(family.plan(wish).size_bytes, bytes) << family.name;
      ++wish.items;
      EXPECT_GT(family.plan(wish).size_bytes, bytes) << family.name;
      EXPECT_THROW((void)most_items_in(family, wish, 0), error);
      wish.fpr = 2;
      EXPECT_THROW((void)most_items_in(family, wish, bytes), error);
    }
  }
}

TEST(any_filter, notices_new_keys_in_a_batch_and_tells_when_it_has_forgotten) {
  std::vector<std::string> const lines{"a", "b", "a", "c", "b", "d"};
  auto any = make_filter("active_active", {.items = 3, .fpr = 1e-6, .settings = {}});
  auto const fresh = any.insert_if_new(lines);
  ASSERT_EQ(fresh.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(fresh[i], i == 0 || i == 1 || i == 3 || i == 5) << i;
  EXPECT_EQ(any.about().items_inserted, 6U);
  EXPECT_FALSE(any.has_forgotten());
  EXPECT_EQ(any.insert(std::vector<std::string>{"e", "f", "g"}), 3U);
  EXPECT_TRUE(any.has_forgotten());
  EXPECT_FALSE(make_filter("bloom", {.items = 3, .fpr = 0.01, .settings = {}}).has_forgotten());
  EXPECT_THROW((void)make_filter("count_min", {.items = 3, .fpr = 0.01, .settings = {}}).insert_if_new(lines), error);
}

TEST(catalogue, any_family_is_built_of_keys_and_only_some_are_made_empty) {
  std::vector<std::string> const words{"a", "rose", "is", "a", "rose"};
  for (auto const& family : catalogue()) {
    request const wish{.items = 100, .fpr = family.answers() == question::how_many ? 0.01 : 1e-6, .settings = {}};
    auto const f = build_filter(family.name, words, wish);
    EXPECT_EQ(f.about().items_planned, 100U);
    EXPECT_EQ(f.about().items_inserted, 5U);
    EXPECT_EQ(f.about().kinds, key_kind::bytes);
    if (family.has(verb::may_contain)) {
      EXPECT_EQ(f.may_contain(words).count(), 5U) << family.name;
    }
    if (family.has(verb::count)) {
      EXPECT_EQ(f.count("rose"), 2) << family.name;
    }
    EXPECT_NE(family.has(verb::insert), family.has(verb::build)) << family.name;
    if (family.has(verb::put)) continue;  // maps that take keys with values
    if (family.has(verb::build)) {
      try {
        (void)make_filter(family.name, {.items = 100, .fpr = 0.01, .settings = {}});
        ADD_FAILURE() << family.name << " was made of nothing";
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::unsupported);
        EXPECT_NE(std::string(e.what()).find("built of all its keys at once; families that have it: bloom"), std::string::npos)
            << e.what();
      }
    } else {
      auto g = make_filter(family.name, wish);
      EXPECT_EQ(g.insert(words), words.size());
      EXPECT_EQ(to_bytes(f), to_bytes(g)) << family.name;
    }
  }
}

TEST(catalogue, what_does_not_fit_is_an_error_of_build_and_a_number_of_insert) {
  std::vector<std::uint64_t> many(5000);
  for (std::uint64_t i = 0; i < many.size(); ++i) many[i] = i;
  std::size_t refusing = 0;
  for (auto const& family : catalogue()) {
    if (!family.has(verb::insert)) continue;
    request const wish{.items = 10, .fpr = 0.01, .settings = {}};
    auto f = make_filter(family.name, wish);
    auto const in = f.insert(many);
    EXPECT_EQ(f.about().items_inserted, in) << family.name;
    EXPECT_EQ(in < many.size(), family.can_be_full) << family.name;
    if (!family.can_be_full) continue;
    ++refusing;
    try {
      (void)build_filter(family.name, many, wish);
      ADD_FAILURE() << family.name << " lost keys";
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::full) << e.what();
    }
    EXPECT_EQ(build_filter(family.name, many, {.items = 0, .fpr = 0.01, .settings = {}}).may_contain(many).count(),
              many.size());
  }
  EXPECT_GE(refusing, 1U);
}

TEST(any_filter, is_told_the_time) {
  auto f = make_filter("age_partitioned", {.items = 100, .fpr = 0.01, .settings = {{"ticks", "1000"}}});
  ASSERT_TRUE(f.family().ages_by_time());
  f.advance(1'000'000);
  EXPECT_TRUE(f.insert("a"));
  f.advance(1'000'900);
  EXPECT_TRUE(f.may_contain("a"));
  EXPECT_GE(f.family().time(), 1'000'000U - 1000);
  f.advance(1'010'000);
  EXPECT_FALSE(f.may_contain("a"));

  auto by_keys = make_filter("age_partitioned", {.items = 100, .fpr = 0.01, .settings = {}});
  EXPECT_FALSE(by_keys.family().ages_by_time());
  EXPECT_THROW(by_keys.advance(7), error);
  auto never = make_filter("bloom", {.items = 100, .fpr = 0.01, .settings = {}});
  EXPECT_FALSE(never.family().ages_by_time());
  EXPECT_THROW(never.advance(7), error);
}

TEST(any_filter, does_what_the_family_does) {
  std::vector<std::uint64_t> members(3000), others(3000);
  for (std::uint64_t i = 0; i < 3000; ++i) members[i] = i, others[i] = i + 1'000'000;
  bloom_filter typed({.items = 3000, .fpr = 0.01});
  auto any = make_filter("bloom", {.items = 3000, .fpr = 0.01, .settings = {}});
  typed.insert(members);
  EXPECT_EQ(any.insert(members), 3000U);
  EXPECT_EQ(to_bytes(any), to_bytes(typed));
  EXPECT_EQ(any.may_contain(others), typed.may_contain(others));
  EXPECT_EQ(any.fpr(), typed.fpr());
  EXPECT_EQ(any.estimate(), typed.estimate());
  EXPECT_TRUE(any.may_contain(5));
  EXPECT_FALSE(any.insert_if_new(5));
  EXPECT_EQ(any.family().kind(), "bloom");
  any.fold(2), typed.fold(2);
  EXPECT_EQ(any.fpr(), typed.fpr());
  auto const copy = any;
  any.clear();
  EXPECT_FALSE(copy == any);
  EXPECT_TRUE(copy.may_contain(5));
}

/// For keys whose counters are stuck, erase() returns true, because they may be members, and changes nothing. A key one
/// below the maximum is erased.
TEST(any_filter, tells_keys_whose_counters_have_stuck) {
  std::size_t families_that_stick = 0;
  for (auto const& family : catalogue()) {
    if (!family.has(verb::erase) || !family.has(verb::count)) continue;
    auto filter = make_filter(family.name, {.items = 100, .fpr = 1e-6, .settings = {}});
    std::vector<digest> const asked{filter("often"), filter("once"), filter("never"), filter("often")};
    EXPECT_TRUE(filter.insert("once"));
    EXPECT_EQ(filter.family().saturations(), 0U) << family.name;
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter.insert("often"));
    if (filter.count("often") == 100) {
      EXPECT_EQ(filter.family().stuck(asked), 0U) << family.name;
      continue;
    }
    ++families_that_stick;
    EXPECT_GT(filter.family().saturations(), 0U) << family.name;
    EXPECT_EQ(filter.family().stuck(asked), 2U) << family.name;
    auto const bytes = to_bytes(filter);
    EXPECT_TRUE(filter.erase("often"));
    EXPECT_EQ(to_bytes(filter), bytes) << family.name;
    EXPECT_TRUE(filter.erase("once"));
    EXPECT_EQ(filter.count("once"), 0) << family.name;
    EXPECT_EQ(filter.family().stuck(asked), 2U) << family.name << ": erasing others changes nothing of that";
  }
  EXPECT_EQ(families_that_stick, 2U) << "counting and d_left; the others count past 100";
}

/// Reaches high counts by merging, which doubles them: a test cannot insert a key 2^63 times.
TEST(any_filter, tells_counts_past_2_to_the_63_whole_and_sticks_at_2_to_the_64) {
  for (auto const* const family : {"spectral_selection", "blocked_counting"}) {
    auto filter = make_filter(family, {.items = 100, .fpr = 1e-6, .settings = {}});
    (void)filter.insert("a");
    for (int i = 0; i < 63; ++i) filter.merge(any_filter(filter));
    std::vector<digest> const asked{filter("a"), filter("b")};
    std::array<std::uint64_t, 2> counts{};
    filter.family().whole_count(asked, counts.data());
    EXPECT_EQ(counts, (std::array{std::uint64_t{1} << 63, std::uint64_t{0}}));
    EXPECT_EQ(filter.count("a"), std::numeric_limits<std::int64_t>::max());
    EXPECT_FALSE(filter.family().counts_are_signed());
    EXPECT_EQ(filter.family().stuck(asked), 0U);
    filter.merge(any_filter(filter));
    filter.family().whole_count(asked, counts.data());
    EXPECT_EQ(counts[0], ~std::uint64_t{0});
    EXPECT_EQ(filter.family().stuck(asked), 1U);
    EXPECT_GT(filter.family().saturations(), 0U);
  }
  auto below = make_filter("fast_ams", {.items = 100, .fpr = 0.01, .settings = {}});
  below.erase("a");
  EXPECT_EQ(below.count("a"), -1);
  EXPECT_TRUE(below.family().counts_are_signed());
}

TEST(any_filter, different_families_do_not_combine) {
  auto a = make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}});
  auto const b = make_filter("partitioned", {.items = 10, .fpr = 0.01, .settings = {}});
  EXPECT_THROW(a.merge(b), error);
  EXPECT_THROW(a.intersect(b), error);
  EXPECT_FALSE(a == b);
}

TEST(any_filter, a_verb_that_is_missing_names_who_has_it) {
  try {
    lacks("bloom", verb::fold);
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::unsupported);
    EXPECT_NE(std::string(e.what()).find("families that have it: bloom"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace hortus::testing
