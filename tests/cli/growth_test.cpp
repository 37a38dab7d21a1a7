#include "cli/growth.hpp"

#include <gtest/gtest.h>

#include <set>

#include <hortus/any/catalogue.hpp>

namespace hortus::cli {
namespace {

using sizes = std::vector<std::uint64_t>;

TEST(growth, has_one_family_of_each_room) {
  std::set<std::string_view> rooms;
  for (auto const& family : catalogue()) rooms.insert(family.room);
  std::set<std::string_view> shown;
  for (auto const name : growth_families) EXPECT_TRUE(shown.insert(family_named(name).room).second) << name;
  EXPECT_EQ(shown, rooms);
}

TEST(growth, goes_to_ten_times_the_keys_while_that_is_quick) {
  EXPECT_EQ(growth_sizes(0), sizes({1000}));
  EXPECT_EQ(growth_sizes(100), sizes({1000}));
  EXPECT_EQ(growth_sizes(101), sizes({1000, 10'000}));
  EXPECT_EQ(growth_sizes(100'000).back(), 1'000'000u);
  EXPECT_EQ(growth_sizes(200'000).back(), 10'000'000u);
  EXPECT_EQ(growth_sizes(10'000'000).back(), 10'000'000u);
  EXPECT_EQ(growth_sizes(99'999'999).back(), 10'000'000u) << "not more than there are";
  EXPECT_EQ(growth_sizes(100'000'000).back(), 100'000'000u);
}

TEST(growth, is_a_table_of_families_and_sizes) {
  bench::row small{.family = "blocked", .items = 1000, .batch_miss_ns = 2.26};
  bench::row large{.family = "blocked", .items = 10'000, .batch_miss_ns = 3};
  bench::row sketch{.family = "hyperloglog", .items = 1000};
  std::vector<bench::row> const all{small, sketch, large};
  EXPECT_EQ(growth_of("blocked", all).size(), 2u);
  auto const text = growth_table(all).text(false, 80);
  EXPECT_NE(text.find("blocked            2.3   3.0"), std::string::npos) << text;
  EXPECT_TRUE(growth_json(growth_of("cuckoo", all)).is_null());
}

}  // namespace
}  // namespace hortus::cli
