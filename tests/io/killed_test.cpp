#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include <hortus/any/any_filter.hpp>

#include "io/scratch_folder.hpp"

/// save() killed with SIGKILL before and after each of its system calls.
namespace hortus::testing {
namespace {

any_filter sample(int keys) {
  auto filter = make_filter("bloom", {.items = 300'000, .fpr = 0.01, .settings = {}});  // some hundred KiB
  for (int i = 0; i < keys; ++i) (void)filter.insert(i);
  return filter;
}

enum class ending { killed, finished, untraceable };

/// Runs save() in a child and kills it at its stop number `when`: it stops at the entry and at the exit of every system call.
ending save_killed_at(any_filter const& filter, std::filesystem::path const& path, int when) {
  auto const child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(3);
    ::raise(SIGSTOP);
    try {
      save(filter, path);
    } catch (...) {
      ::_exit(4);
    }
    ::_exit(0);
  }
  int status = 0;
  auto const wait = [&] { return ::waitpid(child, &status, 0) == child && WIFSTOPPED(status); };
  if (!wait()) return ending::untraceable;
  for (int stop = 0; stop < when; ++stop) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    if (!wait()) {
      EXPECT_EQ(status, 0) << "a save that nobody disturbs works";
      return ending::finished;
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return ending::killed;
}

/// `before`: the file that is there already, or none. Returns how many of the killed saves left a second file.
int kill_everywhere(std::optional<any_filter> const& before) {
  auto const after = sample(7);
  std::vector<std::byte> const old_bytes = before ? to_bytes(*before) : std::vector<std::byte>{};
  auto const new_bytes = to_bytes(after);
  int leftovers = 0;
  int stops = 0;
  int new_seen = 0;
  for (;; ++stops) {
    scratch_folder const folder;
    auto const path = folder / "filter";
    if (before) save(*before, path);
    auto const how = save_killed_at(after, path, stops);
    if (how == ending::untraceable) return -1;
    if (std::filesystem::exists(path)) {
      auto const now = contents(path);
      EXPECT_TRUE(now == new_bytes || (before && now == old_bytes)) << "torn at stop " << stops;
      new_seen += now == new_bytes ? 1 : 0;
    } else {
      EXPECT_FALSE(before) << "lost at stop " << stops;
    }
    for (auto const& name : folder.names())
      if (name != "filter") {
        EXPECT_EQ(name.find(".hortus-"), 0U) << name;
        EXPECT_EQ(contents(folder / name), new_bytes) << "what is left over is whole and synced";
        ++leftovers;
      }
    save(sample(1), path);  // and the next save is not disturbed by it
    EXPECT_EQ(contents(path), to_bytes(sample(1)));
    if (how == ending::finished) break;
  }
  EXPECT_GT(stops, 15) << "system calls were seen";
  EXPECT_GT(new_seen, 1) << "killed while the folder is synced: the new file is there already";
  return leftovers;
}

TEST(killed, a_save_over_an_old_file_leaves_the_old_or_the_new_one) {
  int const leftovers = kill_everywhere(sample(3));
  if (leftovers < 0) GTEST_SKIP() << "ptrace is not allowed here";
  // Linux cannot put a nameless file in another's place in one step: there are two calls, so three stops, with a name between.
  EXPECT_LE(leftovers, 3);
}

TEST(killed, a_save_of_a_new_file_leaves_nothing_or_all_of_it) {
  int const leftovers = kill_everywhere(std::nullopt);
  if (leftovers < 0) GTEST_SKIP() << "ptrace is not allowed here";
  EXPECT_EQ(leftovers, 0);
}

}  // namespace
}  // namespace hortus::testing
