#include "cli/text/table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

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

TEST(table, one_that_is_too_wide_goes_on_below_with_its_first_column) {
  table t({{"family"}, {"bits", align::right}, {"rate", align::right}, {"hit", align::right}, {"miss", align::right}});
  t.row({"bloom", "9.6", "1 %", "20", "8"});
  t.row({"blocked", "10", "1 %", "7", "6"});
  auto const whole = t.text();
  auto const width = whole.find('\n');
  EXPECT_EQ(t.text(false, width), whole) << "it fits";
  EXPECT_EQ(t.text(false, width - 1),
            "family   bits  rate  hit\n"
            "bloom     9.6   1 %   20\n"
            "blocked    10   1 %    7\n"
            "\n"
            "family   miss\n"
            "bloom       8\n"
            "blocked     6\n");
  auto const narrow = t.text(false, 1);
  EXPECT_EQ(std::count(narrow.begin(), narrow.end(), '\n'), 4 * 3 + 3) << "nothing is left out: " << narrow;
}

TEST(table, no_line_is_wider_than_told) {
  table t({{"family"}, {"bits", align::right}, {"rate", align::right}, {"what it is"}});
  t.row({"größer", "12345678", "0.999 %", std::string(28, 'w') + " and some more words, more than one line of them holds"});
  t.row({"b", "1", "1 %", "short"});
  for (std::size_t columns = 49; columns < 150; ++columns) {
    std::istringstream lines(t.text(false, columns));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), columns) << line;
  }
}

TEST(table, the_last_column_is_wrapped_beside_the_others) {
  table t({{"family"}, {"bits", align::right}, {"what it is"}});
  t.row({"bloom", "9.6", "the first one, of which all the others are variations"});
  t.row({"blocked", "10", "in a cache line"});
  EXPECT_EQ(t.text(false, 50),
            "family   bits  what it is\n"
            "bloom     9.6  the first one, of which all the\n"
            "               others are variations\n"
            "blocked    10  in a cache line\n");
}

TEST(table, text_in_the_middle_is_wrapped_and_what_follows_goes_on_below) {
  table t({{"family"}, {"what it is"}, {"bits", align::right}});
  t.row({"bloom", "the first one, of which all the others are variations", "9.6"});
  EXPECT_EQ(t.text(false, 40),
            "family  what it is\n"
            "bloom   the first one, of which all the\n"
            "        others are variations\n"
            "\n"
            "family  bits\n"
            "bloom    9.6\n");
}

TEST(table, without_titles_has_no_header) {
  table t({{""}, {""}});
  t.row({"family", "bloom"});
  EXPECT_EQ(t.text(true), "family  bloom\n");
}

TEST(beside, indents_by_the_width_of_the_head) {
  EXPECT_EQ(beside("größe  ", "one two three", any_width), "größe  one two three\n");
  EXPECT_EQ(beside("größe  ", "one two three", 14), "größe  one two\n       three\n");
  EXPECT_EQ(beside("größe  ", "one two", 3), "größe  one\n       two\n") << "no room at all: a word a line";
}

/// A terminal of 123 columns, or none, and COLUMNS as given.
std::size_t told(char const* columns, int descriptor) {
  columns == nullptr ? ::unsetenv("COLUMNS") : ::setenv("COLUMNS", columns, 1);
  auto const width = columns_of(descriptor);
  ::unsetenv("COLUMNS");
  return width;
}

TEST(columns_of, is_that_of_the_terminal_unless_COLUMNS_says_otherwise) {
  int const main = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(main, 0);
  winsize const size{.ws_row = 40, .ws_col = 123, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(main, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(told(nullptr, main), 123u);
  EXPECT_EQ(told("60", main), 60u);
  for (auto const* const nonsense : {"", "0", "-5", "80x", "wide", "99999999999999999999999"})
    EXPECT_EQ(told(nonsense, main), 123u) << nonsense;
  ::close(main);
  int const null = ::open("/dev/null", O_WRONLY);
  EXPECT_EQ(told(nullptr, null), any_width);
  EXPECT_EQ(told("60", null), 60u);
  ::close(null);
  EXPECT_EQ(told(nullptr, -1), any_width);
}

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
  EXPECT_EQ(wrapped("a few words", 8), "a few\n  words\n");
  EXPECT_EQ(wrapped("größe größe", 11), "größe größe\n") << "characters are counted, not bytes";
}

TEST(table, without_rows_is_its_header) { EXPECT_EQ(table({{"a"}, {"b"}}).text(), "a  b\n"); }

}  // namespace
}  // namespace hortus::cli
