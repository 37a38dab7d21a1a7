#include "cli/plan/build_command.hpp"

#include <gtest/gtest.h>

#include <hortus/error.hpp>
#include <hortus/verbs.hpp>

#include "cli/plan/needs.hpp"

namespace {

using namespace hortus;
using namespace hortus::cli;

TEST(BuildCommand, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(build_command("blocked", {"10M", "0.1%", ""}), "hortus build blocked -n 10M -p 0.1% -o FILE KEYS");
  EXPECT_EQ(build_command("d_left", {"10M", "", "200M"}), "hortus build d_left -n 10M --memory 200M -o FILE KEYS");
  EXPECT_EQ(build_command("bloom", {"1", "1%", "", {"probes=5", "x=1"}}),
            "hortus build bloom -n 1 -p 1% --set probes=5 --set x=1 -o FILE KEYS");
  EXPECT_EQ(build_command("space_saving", {}), "hortus build space_saving -o FILE KEYS");
}

TEST(BuildCommand, QuotesWhatAShellWouldInterpret) {
  EXPECT_EQ(shell_word("300_000"), "300_000");
  EXPECT_EQ(shell_word("200 MB"), "'200 MB'");
  EXPECT_EQ(shell_word("$(a)"), "'$(a)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Needs, WordsOfTheCommandAreVerbs) {
  EXPECT_EQ(verbs_needed({"remove"}), verb_set(verb::erase));
  EXPECT_EQ(verbs_needed({"delete", "erase"}), verb_set(verb::erase));
  EXPECT_EQ(verbs_needed({"add", "query", "union"}), verb::insert | verb::may_contain | verb::merge);
  EXPECT_EQ(verbs_needed({"check", "uniq"}), verb::insert_if_new | verb::may_contain);
  EXPECT_EQ(verbs_needed({}), verb_set());
  EXPECT_THROW((void)verbs_needed({"Erase"}), error);
  EXPECT_THROW((void)verbs_needed({""}), error);
}

}  // namespace
