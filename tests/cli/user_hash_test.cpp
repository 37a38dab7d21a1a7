// The command and a file that was hashed with a program's own hash: it describes, verifies, merges and folds it, and asks it
// nothing.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include <hortus/bloom/bloom.hpp>
#include <hortus/io/store.hpp>

#include "hash/own_hash.hpp"
#include "io/scratch_folder.hpp"

namespace hortus::testing {
namespace {

struct outcome {
  int status;
  std::string text;  ///< of both streams
};

outcome hortus_says(std::string const& arguments) {
  auto* const pipe = ::popen((std::string(HORTUS_COMMAND) + " " + arguments + " 2>&1").c_str(), "r");
  outcome got{};
  std::array<char, 4096> some;
  while (auto const bytes = std::fread(some.data(), 1, some.size(), pipe)) got.text.append(some.data(), bytes);
  got.status = WEXITSTATUS(::pclose(pipe));
  return got;
}

TEST(command, does_with_a_hash_it_does_not_know_what_needs_no_keys) {
  scratch_folder const folder;
  auto const path = (folder / "own.hortus").string();
  of_keys<bloom<>, own_hash> f({.items = 1000, .fpr = 0.001});
  f.insert("ada");
  save(f, path);

  auto const info = hortus_says("info " + path);
  EXPECT_EQ(info.status, 0);
  EXPECT_NE(info.text.find("user-defined (0x80000001)"), std::string::npos) << info.text;
  EXPECT_NE(hortus_says("info --json " + path).text.find("\"hash\": \"user-defined (0x80000001)\""), std::string::npos);
  EXPECT_EQ(hortus_says("verify " + path).status, 0);
  EXPECT_EQ(hortus_says("merge -o " + path + "2 " + path + " " + path).status, 0);
  EXPECT_EQ(hortus_says("fold -o " + path + "3 --by 2 " + path).status, 0);
  for (std::string const command : {"query ", "add "}) {
    auto const refused = hortus_says(command + path + " </dev/null");
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_NE(refused.text.find("was made with a hash that is user-defined (0x80000001)"), std::string::npos) << refused.text;
  }
  auto const again = load<of_keys<bloom<>, own_hash>>(path);
  EXPECT_TRUE(again.may_contain("ada"));
}

}  // namespace
}  // namespace hortus::testing
