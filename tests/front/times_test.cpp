// insert(key, times): the front's part, and families chosen at run time. That it is as so many inserts is a law.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/counting/spectral_selection.hpp>
#include <hortus/sketch/count_min.hpp>
#include <hortus/sketch/fast_ams.hpp>

namespace hortus::testing {
namespace {

TEST(times, are_noted_as_so_many_inserts) {
  count_min_sketch f({.items = 100, .fpr = 0.01});
  f.insert("ada", 5);
  f.insert("bob", 0);
  EXPECT_EQ(f.count("ada"), 5U);
  EXPECT_EQ(f.count("bob"), 0U);
  EXPECT_EQ(f.about().items_inserted, 5U);
  EXPECT_EQ(f.about().kinds, key_kind::bytes);
  f.insert(7, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(f.about().items_inserted, std::numeric_limits<std::uint64_t>::max()) << "and they do not wrap around";
  auto const other = f;
  f.merge(other);
  EXPECT_EQ(f.about().items_inserted, std::numeric_limits<std::uint64_t>::max());
}

TEST(times, come_in_batches) {
  std::vector<std::string> keys;
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < 700; ++i) keys.push_back(std::to_string(i)), times.push_back(i % 9);
  spectral_selection_filter together({.items = 700, .fpr = 0.01}), singly({.items = 700, .fpr = 0.01});
  auto any = make_filter("spectral_selection", {.items = 700, .fpr = 0.01, .settings = {}});
  together.insert(keys, times);
  any.insert(keys, std::vector<std::int64_t>(times.begin(), times.end()));
  for (std::size_t i = 0; i < keys.size(); ++i) singly.insert(keys[i], times[i]);
  EXPECT_EQ(to_bytes(together), to_bytes(singly));
  EXPECT_EQ(to_bytes(any), to_bytes(singly));
  EXPECT_EQ(together.about(), singly.about());
  times.pop_back();
  try {
    together.insert(keys, times);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_params);
    EXPECT_NE(std::string(e.what()).find("700 keys want as many numbers of times, not 699"), std::string::npos) << e.what();
  }
  EXPECT_EQ(to_bytes(together), to_bytes(singly));
}

TEST(times, may_be_negative_where_counts_are_signed) {
  fast_ams_sketch typed({.items = 100, .fpr = 0.01});
  auto any = make_filter("fast_ams", {.items = 100, .fpr = 0.01, .settings = {}});
  typed.insert("ada", 10), any.insert("ada", 10);
  typed.insert("ada", -3), any.insert("ada", -3);
  EXPECT_EQ(typed.count("ada"), 7);
  EXPECT_EQ(any.count("ada"), 7);
  EXPECT_EQ(typed.about().items_inserted, 10U);
  EXPECT_EQ(any.about(), typed.about());

  auto unsigned_counts = make_filter("count_min", {.items = 100, .fpr = 0.01, .settings = {}});
  try {
    unsigned_counts.insert("ada", -3);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_params);
    EXPECT_NE(std::string(e.what()).find("0 times or more, not -3"), std::string::npos) << e.what();
  }
  EXPECT_EQ(unsigned_counts.count("ada"), 0);
  EXPECT_EQ(unsigned_counts.about().items_inserted, 0U);
}

TEST(times, are_refused_by_name_where_a_family_cannot) {
  std::size_t able = 0;
  for (auto const& family : catalogue()) {
    if (!family.has(verb::insert)) continue;
    auto f = make_filter(family.name, {.items = 100, .fpr = 0.001, .settings = {}});
    if (family.has(verb::insert_times)) {
      ++able;
      f.insert("ada", 3);
      EXPECT_EQ(f.count("ada"), 3) << family.name;
      continue;
    }
    try {
      f.insert("ada", 3);
      ADD_FAILURE() << family.name;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      EXPECT_NE(std::string(e.what()).find("has no insert_times; families that have it: counting"), std::string::npos)
          << e.what();
    }
  }
  EXPECT_EQ(able, 9U);
}

}  // namespace
}  // namespace hortus::testing
