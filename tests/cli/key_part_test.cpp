// Fields, columns of CSV, integers: which bytes of a line are the key.
#include <gtest/gtest.h>

#include <string>

#include <hortus/error.hpp>

#include "cli/text/key_part.hpp"
#include "cli/text/records.hpp"
#include "tests/cli/scratch_lines.hpp"

namespace hortus::cli {
namespace {

using std::string_view;

std::optional<std::string> csv(string_view line, std::uint64_t number, char delimiter = ',') {
  std::string space(line.size(), '?');
  auto const value = csv_column(line, number, delimiter, space.data());
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

TEST(field_of, between_delimiters_as_cut_has_it) {
  EXPECT_EQ(field_of("a:b:c", 1, ':'), "a");
  EXPECT_EQ(field_of("a:b:c", 3, ':'), "c");
  EXPECT_EQ(field_of("a::c", 2, ':'), "");
  EXPECT_EQ(field_of("a:", 2, ':'), "");
  EXPECT_EQ(field_of("", 1, ':'), "");
  EXPECT_EQ(field_of("whole", 1, ':'), "whole");
  EXPECT_EQ(field_of("a:b", 3, ':'), std::nullopt);
  EXPECT_EQ(field_of("a b", 2, ':'), std::nullopt);
  EXPECT_EQ(field_of("a:b", ~std::uint64_t{0}, ':'), std::nullopt);
}

TEST(field_of, between_blanks_as_awk_has_it) {
  EXPECT_EQ(field_of("a b c", 2, {}), "b");
  EXPECT_EQ(field_of("  a \t b", 1, {}), "a");
  EXPECT_EQ(field_of("  a \t b", 2, {}), "b");
  EXPECT_EQ(field_of("a b  ", 3, {}), std::nullopt);
  EXPECT_EQ(field_of("   ", 1, {}), std::nullopt);
  EXPECT_EQ(field_of("", 1, {}), std::nullopt);
}

TEST(csv_column, quotes_delimiters_and_line_ends) {
  EXPECT_EQ(csv("a,b,c", 2), "b");
  EXPECT_EQ(csv("a,,c", 2), "");
  EXPECT_EQ(csv("a,b,", 3), "");
  EXPECT_EQ(csv("", 1), "");
  EXPECT_EQ(csv("a,b", 3), std::nullopt);
  EXPECT_EQ(csv(R"("a,b",c)", 1), "a,b");
  EXPECT_EQ(csv(R"("a,b",c)", 2), "c");
  EXPECT_EQ(csv(R"(x,"say ""hi""",z)", 2), R"(say "hi")");
  EXPECT_EQ(csv(R"("""",z)", 1), R"(")");
  EXPECT_EQ(csv(R"("",z)", 1), "");
  EXPECT_EQ(csv(R"(5" disk,z)", 1), R"(5" disk)") << "a quote inside a value is a byte like any other";
  EXPECT_EQ(csv(R"("a"b"c,z)", 1), R"(ab"c)") << "what follows the quotes is kept";
  EXPECT_EQ(csv("a,b\r", 2), "b");
  EXPECT_EQ(csv("a,\"b\"\r", 2), "b");
  EXPECT_EQ(csv("a;b,c", 2, ';'), "b,c");
  for (auto const* const open : {R"("a)", R"(x,"a""b)", R"(")", R"("a"")"}) EXPECT_THROW((void)csv(open, 2), error) << open;
}

TEST(column_number, by_name_or_number) {
  EXPECT_EQ(column_number("name", "id,name,city", ',', false), 2u);
  EXPECT_EQ(column_number("the, name", "id,\"the, name\"\r", ',', false), 2u);
  EXPECT_EQ(column_number("3", "id,name,city", ',', false), 3u);
  EXPECT_EQ(column_number("CITY", "id,name,City", ',', true), 3u);
  for (auto const* const none : {"CITY", "4", "0", "-1", "", "99999999999999999999"})
    EXPECT_THROW((void)column_number(none, "id,name,City", ',', false), error) << none;
}

TEST(integer_of, the_whole_range_and_nothing_else) {
  EXPECT_EQ(integer_of("0"), 0u);
  EXPECT_EQ(integer_of("007"), 7u);
  EXPECT_EQ(integer_of("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(integer_of("-1"), ~std::uint64_t{0});
  EXPECT_EQ(integer_of("-9223372036854775808"), std::uint64_t{1} << 63);
  for (auto const* const none :
       {"", "-", "+1", " 1", "1 ", "1.5", "0x10", "1e3", "18446744073709551616", "-9223372036854775809"})
    EXPECT_EQ(integer_of(none), std::nullopt) << none;
}

TEST(fold_case, ascii_letters_only) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  auto folded = all;
  fold_case(folded.data(), folded.size());
  for (std::size_t c = 0; c < 256; ++c) EXPECT_EQ(folded[c], c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : all[c]) << c;
}

struct seen {
  std::string kinds;  // k, n, h
  std::vector<std::string> keys;
  std::vector<std::string> warnings;
};

seen read(std::vector<std::string> const& paths, key_part const& part, std::vector<std::string> const& given = {}) {
  seen all;
  record_reader in(given, paths, {}, part, [&](std::string const& text) { all.warnings.push_back(text); });
  for (record_block block; in.next(block);) {
    EXPECT_EQ(block.keys.size(), block.what == record_block::kind::keys ? block.lines.size() : 0);
    for (std::size_t i = 0; i < block.lines.size(); ++i)
      all.kinds += block.what == record_block::kind::keys ? 'k' : block.what == record_block::kind::no_key ? 'n' : 'h';
    all.keys.insert(all.keys.end(), block.keys.begin(), block.keys.end());
  }
  return all;
}

TEST(records, of_one_kind_a_block_in_the_order_of_lines) {
  scratch_file const file("a 1\nb\nc 2\nd 3\ne\nf\n");
  auto const all = read({file.path}, {.field = 2});
  EXPECT_EQ(all.kinds, "knkknn");
  EXPECT_EQ(all.keys, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(all.warnings, (std::vector<std::string>{"3 of 6 lines have no field 2, and so no key"}));
}

TEST(records, headers_of_every_input_but_not_of_the_command_line) {
  scratch_file const a("x,y\n1,2\n");
  scratch_file const b("y\n\"\"\"3\"\"\"\n");
  auto const all = read({a.path, b.path}, {.column = "y", .ignore_case = true}, {"Y"});
  EXPECT_EQ(all.kinds, "khkhk");
  EXPECT_EQ(all.keys, (std::vector<std::string>{"y", "2", "\"3\""}));
  EXPECT_TRUE(all.warnings.empty());
}

/// Folded keys are copies. In a block of 1024 lines no copy may overwrite another.
TEST(records, many_changed_keys_do_not_disturb_each_other) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    text += "\"KEY \"\"" + std::to_string(i) + "\",rest\n";
    expected.push_back("key \"" + std::to_string(i));
  }
  scratch_file const file(text);
  EXPECT_EQ(read({file.path}, {.column = "1", .header = false, .ignore_case = true}).keys, expected);
}

TEST(records, more_keys_on_the_command_line_than_a_block) {
  std::vector<std::string> given;
  for (int i = 0; i < 2500; ++i) given.push_back(std::to_string(i));
  EXPECT_EQ(read({}, {}, given).keys, given);
}

}  // namespace
}  // namespace hortus::cli
