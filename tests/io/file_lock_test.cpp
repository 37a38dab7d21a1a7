#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <hortus/any/any_filter.hpp>

#include "io/scratch_folder.hpp"

namespace hortus::testing {
namespace {

using namespace std::chrono_literals;

any_filter sample() { return make_filter("bloom", {.items = 1000, .fpr = 1e-9, .settings = {}}); }

constexpr std::chrono::seconds patience(20);

/// How the child ended; one that does not, because it waits for a lock that is never released, is killed and is a failure.
int ended(pid_t child) {
  int status = 0;
  for (auto const start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < patience;) {
    if (auto const who = ::waitpid(child, &status, WNOHANG); who != 0) return who == child ? status : -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  ADD_FAILURE() << "it waits for a lock that nobody holds";
  return status;
}

/// Reads, changes, writes, `times` times; each under the lock.
void add_keys(std::filesystem::path const& path, std::string const& who, int times) {
  for (int i = 0; i < times; ++i) {
    file_lock const lock(path);
    auto filter = load(path);
    (void)filter.insert(who + std::to_string(i));
    save(filter, path);
  }
}

/// Every save puts a new file in the place of the one that is locked, so this is also about locks on files that are gone.
TEST(file_lock, of_keys_added_by_several_processes_none_is_lost) {
  constexpr int processes = 3;
  constexpr int times = 25;
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  std::vector<pid_t> children;
  for (int who = 0; who < processes; ++who) {
    auto const child = ::fork();
    if (child == 0) {
      try {
        add_keys(path, std::to_string(who) + " ", times);
        ::_exit(0);
      } catch (...) {
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  for (auto const child : children) EXPECT_EQ(ended(child), 0);
  auto const filter = load(path);
  EXPECT_EQ(filter.about().items_inserted, static_cast<std::uint64_t>(processes * times));
  for (int who = 0; who < processes; ++who)
    for (int i = 0; i < times; ++i) EXPECT_TRUE(filter.may_contain(std::to_string(who) + " " + std::to_string(i)));
}

/// Sleeps a little and goes on.
void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// A process that waits for the lock and then writes a byte into a pipe.
class waiter {
 public:
  explicit waiter(std::filesystem::path const& path, std::function<void()> const& wait = {}) {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    child_ = ::fork();
    if (child_ == 0) {
      try {
        file_lock const lock(path, wait);
        ::_exit(::write(ends_[1], "x", 1) == 1 ? 0 : 2);
      } catch (...) {
        ::_exit(1);
      }
    }
  }
  ~waiter() {
    EXPECT_EQ(ended(child_), 0);
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  waiter(waiter const&) = delete;
  waiter& operator=(waiter const&) = delete;
  [[nodiscard]] bool has_it_within(std::chrono::milliseconds limit) const {
    pollfd ready{ends_[0], POLLIN, 0};
    return ::poll(&ready, 1, static_cast<int>(limit.count())) == 1;
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

TEST(file_lock, holds_others_off_until_it_is_destroyed) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  auto lock = std::make_unique<file_lock>(path);
  waiter const other(path);
  waiter const asking(path, nap);
  EXPECT_FALSE(other.has_it_within(200ms));
  EXPECT_FALSE(asking.has_it_within(0ms));
  lock.reset();
  EXPECT_TRUE(other.has_it_within(patience));
  EXPECT_TRUE(asking.has_it_within(patience));
}

/// Who waited for a file that was replaced meanwhile, and then by somebody else locked, waits for the new one.
TEST(file_lock, is_of_the_path_and_not_of_a_file_that_is_gone) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  auto first = std::make_unique<file_lock>(path);
  waiter const other(path);
  waiter const asking(path, nap);
  EXPECT_FALSE(other.has_it_within(100ms));
  save(sample(), path);
  auto second = std::make_unique<file_lock>(path);  // of the new file, which nobody has locked yet
  first.reset();
  EXPECT_FALSE(other.has_it_within(200ms)) << "it holds the old file at most";
  EXPECT_FALSE(asking.has_it_within(0ms)) << "it holds the old file at most";
  second.reset();
  EXPECT_TRUE(other.has_it_within(patience));
  EXPECT_TRUE(asking.has_it_within(patience));
}

struct had_enough {};

TEST(file_lock, is_asked_for_again_until_the_caller_has_had_enough) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  int naps = 0;
  auto const three_naps = [&] {
    if (++naps > 3) throw had_enough();
  };
  {
    file_lock const lock(path);
    EXPECT_THROW(file_lock(path, three_naps), had_enough);  // another descriptor is another owner, in this process too
    EXPECT_EQ(naps, 4);
  }
  file_lock const lock(path, three_naps);
  EXPECT_EQ(naps, 4) << "nobody holds it: no reason to wait";
}

TEST(file_lock, of_a_file_that_is_gone_while_it_is_waited_for_is_an_io_error) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  auto lock = std::make_unique<file_lock>(path);
  auto const remove_and_release = [&] {
    if (!lock) throw had_enough();  // it was released: nobody is left to wait for
    std::filesystem::remove(path);
    lock.reset();
  };
  EXPECT_THROW(file_lock(path, remove_and_release), error);
}

TEST(file_lock, of_what_is_not_there_is_an_io_error) {
  scratch_folder const folder;
  try {
    file_lock const lock(folder / "missing");
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::io);
    EXPECT_NE(std::string(e.what()).find("missing"), std::string::npos);
  }
}

TEST(file_lock, does_not_hinder_readers) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  file_lock const lock(path);
  EXPECT_EQ(load(path), sample());
  EXPECT_EQ(open(path), sample());
}

}  // namespace
}  // namespace hortus::testing
