#include "cli/table.hpp"

#include <gtest/gtest.h>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

table sample() {
  table t({{"family"}, {"bits", align::right}, {"note"}});
  t.row({"bloom", "9.6", "the first"});
  t.row({"split_block", "10.85", ""});
  return t;
}

TEST(table, aligns_columns_and_leaves_no_blanks_at_the_end) {
  EXPECT_EQ(sample().text(),
            "family        bits  note\n"
            "bloom          9.6  the first\n"
            "split_block  10.85\n");
}

TEST(table, the_header_is_bold_only_with_colour) {
  auto const coloured = sample().text(true);
  EXPECT_TRUE(coloured.starts_with("\x1b[1mfamily        bits  note\x1b[0m\n"));
  EXPECT_EQ(coloured.find('\x1b', coloured.find('\n')), std::string::npos);
  EXPECT_EQ(sample().text(false).find('\x1b'), std::string::npos);
}

TEST(table, indents_every_line) { EXPECT_TRUE(sample().text(false, 2).starts_with("  family        bits  note\n  bloom ")); }

TEST(table, characters_are_counted_not_bytes) {
  table t({{"name"}, {"n", align::right}});
  t.row({"Größe", "1"});
  t.row({"ab", "22"});
  EXPECT_EQ(t.text(), "name    n\nGröße   1\nab     22\n");
}

TEST(table, missing_cells_are_empty_and_too_many_refused) {
  table t({{"a"}, {"b"}});
  t.row({"x"});
  EXPECT_EQ(t.text(), "a  b\nx\n");
  EXPECT_THROW(t.row({"1", "2", "3"}), error);
}

TEST(table, control_characters_do_not_reach_the_terminal) {
  table t({{"key"}});
  t.row({"a\x1b[2Jb\nc\x7f"});
  EXPECT_EQ(t.text(), "key\na?[2Jb?c?\n");
}

TEST(table, long_text_is_wrapped_at_blanks_and_indented) {
  EXPECT_EQ(wrapped("a few words"), "a few words\n");
  std::string const half(49, 'x');
  EXPECT_EQ(wrapped(half + " " + half + " more"), half + " " + half + "\n  more\n");
  EXPECT_EQ(wrapped(std::string(200, 'x') + " y"), std::string(200, 'x') + "\n  y\n");
  EXPECT_EQ(wrapped("    " + half + " " + half, 4), "    " + half + "\n    " + half + "\n");
}

TEST(table, without_rows_is_its_header) { EXPECT_EQ(table({{"a"}, {"b"}}).text(), "a  b\n"); }

}  // namespace
}  // namespace hortus::cli
