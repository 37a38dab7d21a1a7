#include "cli/did_you_mean.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hortus::cli {
namespace {

std::vector<std::string> const commands{"build", "query", "uniq", "remove"};
std::vector<std::string> const options{"items", "output", "no-verify", "json"};

TEST(unknown_command, names_the_nearest) {
  EXPECT_EQ(unknown_command("biuld", commands), "there is no command 'biuld'; did you mean 'build'? hortus --help names all");
  EXPECT_EQ(unknown_command("rose", commands), "there is no command 'rose'; hortus --help names all");
  EXPECT_EQ(unknown_command("", commands), "there is no command ''; hortus --help names all");
}

TEST(unknown_command, knows_what_others_call_it) {
  EXPECT_EQ(unknown_command("check", commands), "there is no command 'check'; did you mean 'query'? hortus --help names all");
  EXPECT_EQ(unknown_command("rm", commands), "there is no command 'rm'; did you mean 'remove'? hortus --help names all");
}

TEST(unknown_command, offers_no_command_that_does_not_exist) {
  EXPECT_EQ(unknown_command("halve", commands), "there is no command 'halve'; hortus --help names all");
  EXPECT_EQ(unknown_command("unio", commands), "there is no command 'unio'; did you mean 'uniq'? hortus --help names all");
}

TEST(meant_option, is_the_nearest) {
  EXPECT_EQ(meant_option("--itmes", options), "--items");
  EXPECT_EQ(meant_option("--itmes=5", options), "--items");
  EXPECT_EQ(meant_option("-items", options), "--items");
  EXPECT_EQ(meant_option("--noverify", options), "--no-verify");
  EXPECT_EQ(meant_option("--out", options), "--output");
}

TEST(meant_option, is_nothing_where_all_are_far) {
  for (auto const* const typed : {"--rose", "-i", "-", "--", "---", "items", "itmes", "--=items", ""})
    EXPECT_EQ(meant_option(typed, options), "") << typed;
}

}  // namespace
}  // namespace hortus::cli
