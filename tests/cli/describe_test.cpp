#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/describe/description.hpp"

/// Characters that the formats read as their own. What the real command's pages and completions do is tested in man_test.sh and
/// completion_*_test.sh.
namespace hortus::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

described_program sample() {
  described_command make;
  make.name = "make";
  make.summary = "it's made of `-x`";
  make.remarks = {".begins with a dot"};
  make.options = {
      {.names = {"-s", "--set"}, .value = "A:B", .help = R"(what's [it]: a\b ~ ^, twenty-one "x")", .default_value = ""},
      {.names = {"--at"}, .value = "FILE", .help = "xxh3 stays small", .default_value = "x-y", .kind = value_kind::file}};
  make.arguments = {{.name = "WORD", .help = "a word", .required = true, .kind = value_kind::verb}};
  make.examples = {".hidden 'quoted' -n\\n", "'starts with a quote"};
  described_program all;
  all.whole.name = "hortus";
  all.whole.summary = "hortus: what it is. More of it.";
  all.version = "1.2.3";
  all.date = "2001-02-03";
  all.commands = {make};
  all.words[value_kind::command] = {{"make", "it's made"}};
  all.words[value_kind::verb] = {{"in:sert", "it's: in"}};
  all.statuses = {{"0", "done", ""}, {"1", "nothing made", "make"}, {"3", "not here", "other"}};
  return all;
}

TEST(man_page, escapes_what_roff_would_read) {
  auto const page = man_page(sample(), sample().commands.front());
  EXPECT_THAT(page, HasSubstr(".TH HORTUS\\-MAKE 1 2001-02-03 \"hortus 1.2.3\""));
  EXPECT_THAT(page, HasSubstr("hortus\\-make \\- it\\(aqs made of \\(ga\\-x\\(ga\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.begins with a dot\n"));
  EXPECT_THAT(page, HasSubstr("\n\\fB\\-s\\fR, \\fB\\-\\-set\\fR \\fIA:B\\fR\n"));
  EXPECT_THAT(page, HasSubstr("a\\eb \\(ti \\(ha, twenty-one \\(dqx\\(dq.\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden \\(aqquoted\\(aq \\-n\\en\n\\(aqstarts with a quote\n"));
}

TEST(man_page, makes_sentences_of_help_texts) {
  auto const page = man_page(sample(), sample().commands.front());
  EXPECT_THAT(page, HasSubstr("\nA word.\n"));
  EXPECT_THAT(page, HasSubstr("\nxxh3 stays small. Default: x\\-y.\n"));
  auto const whole = man_page(sample());
  EXPECT_THAT(whole, HasSubstr("hortus \\- what it is\n"));
  EXPECT_THAT(whole, HasSubstr("\nMore of it.\n"));
}

TEST(man_page, names_the_statuses_that_a_command_has) {
  auto const page = man_page(sample(), sample().commands.front());
  EXPECT_THAT(page, HasSubstr("Nothing made."));
  EXPECT_THAT(page, Not(HasSubstr("not here")));
  EXPECT_THAT(man_page(sample()), HasSubstr("For make: nothing made."));
}

TEST(zsh_completion, escapes_what_zsh_would_read) {
  auto const script = zsh_completion(sample());
  EXPECT_THAT(script, HasSubstr(R"('(-s --set)--set=[what'\''s \[it\]\: a\\b ~ ^, twenty-one "x"]:A\:B: ')"));
  EXPECT_THAT(script, HasSubstr(R"('in\:sert:it'\''s\: in')"));
  EXPECT_THAT(script, HasSubstr("'1:WORD:_hortus_verbs'"));
  EXPECT_THAT(script, HasSubstr("'(--at)--at=[xxh3 stays small]:FILE:_files'"));
}

TEST(fish_completion, escapes_what_fish_would_read) {
  auto const script = fish_completion(sample());
  EXPECT_THAT(script, HasSubstr(R"( -s s -l set -x -d 'what\'s [it]: a\\b ~ ^, twenty-one "x"')"));
  EXPECT_THAT(script, HasSubstr("complete -c hortus -n '__hortus_at make 1' -a in:sert"));
  EXPECT_THAT(script, HasSubstr(" -l at -r -F -d "));
}

TEST(bash_completion, has_the_words_and_the_places) {
  auto const script = bash_completion(sample());
  EXPECT_THAT(script, HasSubstr("local verbs='in:sert'"));
  EXPECT_THAT(script, HasSubstr("    make:1) words=$verbs ;;\n"));
  EXPECT_THAT(script, HasSubstr("    make:--at) files=yes ;;\n"));
  EXPECT_THAT(script, Not(HasSubstr("make:-s")));  // a number or a name: nothing to offer
}

}  // namespace
}  // namespace hortus::cli
