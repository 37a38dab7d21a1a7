#include <hortus/nearest_name.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

#include <hortus/any/card.hpp>
#include <hortus/error.hpp>

namespace hortus {
namespace {

using namespace std::string_view_literals;

TEST(edit_distance, counts_edits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("build", "build"), 0u);
  EXPECT_EQ(edit_distance("buld", "build"), 1u);    // inserted
  EXPECT_EQ(edit_distance("buiild", "build"), 1u);  // dropped
  EXPECT_EQ(edit_distance("guild", "build"), 1u);   // replaced
  EXPECT_EQ(edit_distance("biuld", "build"), 1u);   // swapped
  EXPECT_EQ(edit_distance("ubild", "build"), 1u);   // swapped at the beginning
  EXPECT_EQ(edit_distance("buidl", "build"), 1u);   // swapped at the end
  EXPECT_EQ(edit_distance("Build", "build"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // swapped neighbours are not edited again
}

TEST(edit_distance, is_symmetric_and_no_less_than_the_difference_of_lengths) {
  for (std::string const a : {"", "a", "ab", "ba", "abc", "bca", "query", "uniq"})
    for (std::string const b : {"", "a", "ab", "ba", "abc", "bca", "query", "uniq"}) {
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
      EXPECT_GE(edit_distance(a, b) + std::min(a.size(), b.size()), std::max(a.size(), b.size())) << a << " " << b;
      EXPECT_LE(edit_distance(a, b), std::max(a.size(), b.size())) << a << " " << b;
    }
}

TEST(nearest_name, is_near) {
  std::array const names{"build"sv, "query"sv, "merge"sv, "intersect"sv, "counting"sv, "count_min"sv};
  EXPECT_EQ(nearest_name("biuld", names), "build");
  EXPECT_EQ(nearest_name("quarey", names), "query");
  EXPECT_EQ(nearest_name("merge", names), "merge");
  EXPECT_EQ(nearest_name("MERGE", names), "merge");
  EXPECT_EQ(nearest_name("intresect", names), "intersect");
}

TEST(nearest_name, is_nothing_where_all_are_far) {
  std::array const names{"build"sv, "query"sv, "add"sv, "up"sv};
  for (auto const* const typed : {"", "x", "rose", "fold", "bill", "b", "qu"})
    EXPECT_EQ(nearest_name(typed, names), "") << typed;
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'b'), names), "");  // at once
}

TEST(nearest_name, of_several_is_the_nearest_then_the_first) {
  EXPECT_EQ(nearest_name("cound", std::array{"round"sv, "count"sv}), "round");
  EXPECT_EQ(nearest_name("counts", std::array{"cubits"sv, "count"sv}), "count");
}

TEST(nearest_name, may_be_begun_if_it_is_the_only_one) {
  std::array const names{"count_min"sv, "count_min_conservative"sv, "space_saving"sv};
  EXPECT_EQ(nearest_name("space", names), "space_saving");
  EXPECT_EQ(nearest_name("sp", names), "");
  EXPECT_EQ(nearest_name("count", names), "");  // which?
}

TEST(card_of, names_the_nearest_family) {
  auto const message = [](std::string_view family) -> std::string {
    try {
      (void)card_of(family);
    } catch (error const& e) {
      return e.what();
    }
    return "found";
  };
  EXPECT_TRUE(message("blom").starts_with("there is no family 'blom'; did you mean bloom? there are: bloom, "))
      << message("blom");
  EXPECT_TRUE(message("split-block").starts_with("there is no family 'split-block'; did you mean split_block? there are: "));
  EXPECT_TRUE(message("rose").starts_with("there is no family 'rose'; there are: bloom, ")) << message("rose");
}

}  // namespace
}  // namespace hortus
