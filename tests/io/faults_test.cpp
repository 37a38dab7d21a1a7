#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <map>
#include <optional>

#include <hortus/any/any_filter.hpp>

#include "io/scratch_folder.hpp"

/// Every system call and every allocation of save, load and open fails once, or from then on always; and where calls may do
/// less than asked they do.
namespace hortus::testing {
namespace {

/// A call that worked: what it was, the file it was about, and the name that it gave that file.
struct call {
  std::string what;
  ino_t file = 0;
  std::string name = {};
};

/// What the replaced functions below do when it is their turn.
struct fault_plan {
  bool armed = false;
  int calls = 0;                       ///< seen so far
  int first = -1;                      ///< the call that fails
  bool for_ever = false;               ///< and all after it
  int code = EIO;                      ///< with this errno
  bool nameless = true;                ///< O_TMPFILE works here
  std::size_t most = ~std::size_t{0};  ///< bytes that one read or write moves at most
  bool interrupted = false;            ///< every other read or write is interrupted first
  std::string cut = {};                ///< this file loses its second half after the first read of it
  std::map<std::string, int> seen = {};
  std::string failed = {};  ///< the name of the first call that did
  std::vector<call> made = {};
};
fault_plan faults;

/// Is it this call's turn? Sets errno.
bool fault(char const* name) {
  if (!faults.armed) return false;
  faults.armed = false;  // the book-keeping may call functions that call this
  ++faults.seen[name];
  faults.armed = true;
  auto const now = faults.calls++;
  if (now != faults.first && !(faults.for_ever && faults.first >= 0 && now > faults.first)) return false;
  if (faults.failed.empty()) faults.failed = name;
  errno = faults.code;
  return true;
}
/// Remembers a call that returned `result`, which is returned.
auto noted(auto result, char const* what, ino_t file, char const* name = "") {
  if (faults.armed && result >= 0) faults.made.push_back({what, file, name});
  return result;
}
ino_t file_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? status.st_ino : 0;
}
ino_t file_of(char const* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 ? status.st_ino : 0;
}
bool interruption(char const* name) {
  if (!faults.armed || !faults.interrupted || ++faults.seen[name] % 2 == 0) return false;
  errno = EINTR;
  return true;
}

/// act() under a plan; the code of its hortus::error, if it throws one.
template <class Act>
std::optional<errc> under(fault_plan plan, Act act) {
  struct disarm {
    ~disarm() { faults.armed = false; }
  } const later;
  faults = std::move(plan);
  faults.armed = true;
  try {
    act();
  } catch (error const& e) {
    return e.code();
  }
  return std::nullopt;
}

}  // namespace
}  // namespace hortus::testing

// The library's calls end up here, because a program's own definitions come before those of the C library.
using hortus::testing::fault;
using hortus::testing::faults;
using hortus::testing::file_of;
using hortus::testing::interruption;
using hortus::testing::noted;
extern "C" {
int open(char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  auto const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (faults.armed && !faults.nameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return fault("open") ? -1 : static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t read(int fd, void* into, std::size_t bytes) {
  if (interruption("interrupted read") || fault("read")) return -1;
  return ::syscall(SYS_read, fd, into, faults.armed ? std::min(bytes, faults.most) : bytes);
}
ssize_t pread(int fd, void* into, std::size_t bytes, off_t offset) {
  if (interruption("interrupted pread") || fault("pread")) return -1;
  if (faults.armed && !faults.cut.empty() && faults.seen["pread"] == 2) {
    if (::truncate(faults.cut.c_str(), static_cast<off_t>(std::filesystem::file_size(faults.cut) / 2)) != 0) return -1;
  }
  return ::syscall(SYS_pread64, fd, into, faults.armed ? std::min(bytes, faults.most) : bytes, offset);
}
ssize_t write(int fd, void const* from, std::size_t bytes) {
  if (interruption("interrupted write") || fault("write")) return -1;
  return noted(::syscall(SYS_write, fd, from, faults.armed ? std::min(bytes, faults.most) : bytes), "write", file_of(fd));
}
int fsync(int fd) { return fault("fsync") ? -1 : noted(static_cast<int>(::syscall(SYS_fsync, fd)), "fsync", file_of(fd)); }
int rename(char const* from, char const* to) noexcept {
  if (fault("rename")) return -1;
  auto const file = file_of(from);
  return noted(static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)), "rename", file, to);
}
int linkat(int from_folder, char const* from, int to_folder, char const* to, int flags) noexcept {
  if (fault("linkat")) return -1;
  auto const result = static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
  return noted(result, "linkat", file_of(from), to);
}
int fchmod(int fd, mode_t mode) noexcept { return fault("fchmod") ? -1 : static_cast<int>(::syscall(SYS_fchmod, fd, mode)); }
int fchown(int fd, uid_t owner, gid_t group) noexcept {
  return fault("fchown") ? -1 : static_cast<int>(::syscall(SYS_fchown, fd, owner, group));
}
}

namespace hortus::testing {
namespace {

using names = std::vector<std::string>;

any_filter sample(int keys) {
  auto filter = make_filter("partitioned", {.items = 100'000, .fpr = 0.01, .settings = {}});
  for (int i = 0; i < keys; ++i) (void)filter.insert(i);
  return filter;
}

class faulty : public ::testing::Test {
 protected:
  /// Fails each call of a save in turn; the file is then the old or the new one, and alone.
  void fail_each_call_of_save(bool over_old, fault_plan plan) {
    auto const old_bytes = to_bytes(sample(3));
    auto const fresh = sample(7);
    auto const new_bytes = to_bytes(fresh);
    int refused = 0;
    for (plan.first = 0;; ++plan.first) {
      scratch_folder const folder;
      auto const path = folder / "filter";
      if (over_old) write_contents(path, old_bytes);
      auto const outcome = under(plan, [&] { save(fresh, path); });
      bool const tried_all = faults.calls <= plan.first;
      if (outcome) {
        EXPECT_EQ(*outcome, errc::io);
        ++refused;
      } else {
        EXPECT_EQ(contents(path), new_bytes);
        EXPECT_TRUE(tried_all || faults.failed == "fchown") << faults.failed << " failed and nobody was told";
      }
      auto const left = folder.names();
      EXPECT_TRUE(left == names{"filter"} || (!over_old && left.empty())) << "call " << plan.first;
      if (std::find(left.begin(), left.end(), "filter") != left.end()) {
        auto const now = contents(path);
        EXPECT_TRUE(now == new_bytes || (over_old && now == old_bytes)) << "call " << plan.first;
      }
      if (tried_all) break;
    }
    EXPECT_GE(refused, 5);
  }
};

TEST_F(faulty, every_call_of_save_fails_once) {
  for (int const code : {EIO, ENOSPC, EACCES})
    for (bool const over_old : {false, true})
      for (bool const nameless : {false, true}) fail_each_call_of_save(over_old, {.code = code, .nameless = nameless});
}

TEST_F(faulty, every_call_of_save_fails_from_then_on) {
  for (bool const over_old : {false, true})
    for (bool const nameless : {false, true}) fail_each_call_of_save(over_old, {.for_ever = true, .nameless = nameless});
}

TEST_F(faulty, the_calls_are_really_replaced) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1), path);
  EXPECT_EQ(under({}, [&] { save(sample(2), path); }), std::nullopt);
  for (auto const* name : {"open", "write", "fsync", "rename", "linkat", "fchmod", "fchown"})
    EXPECT_GT(faults.seen[name], 0) << name;
  EXPECT_EQ(under({}, [&] { (void)load(path); }), std::nullopt);
  EXPECT_GT(faults.seen["pread"], 1);
}

/// What a power cut leaves, and no test can show: a name may reach the disk before the bytes do. So the bytes are synced before
/// the file gets its name, and the folder after.
TEST_F(faulty, a_save_syncs_the_file_then_names_it_then_syncs_the_folder) {
  for (bool const over_old : {false, true})
    for (bool const nameless : {false, true}) {
      SCOPED_TRACE(std::string(over_old ? "over an old file" : "a new file") + (nameless ? ", nameless" : ", named"));
      scratch_folder const folder;
      auto const path = folder / "filter";
      if (over_old) save(sample(3), path);
      EXPECT_EQ(under({.nameless = nameless, .most = 50'000}, [&] { save(sample(7), path); }), std::nullopt);

      auto const file = file_of(path.c_str());
      auto const last = [&](auto which) {
        auto const found = std::find_if(faults.made.rbegin(), faults.made.rend(), which);
        return faults.made.rend() - found;  // 0: there is none
      };
      auto const written = last([&](call const& c) { return c.what == "write" && c.file == file; });
      auto const synced = last([&](call const& c) { return c.what == "fsync" && c.file == file; });
      auto const named = last([&](call const& c) { return c.name == path && c.file == file; });
      auto const folder_synced =
          last([&](call const& c) { return c.what == "fsync" && c.file == file_of(folder.path().c_str()); });
      EXPECT_GT(written, 2) << "in several pieces";
      EXPECT_GT(synced, written) << "the file is synced when all of it is written";
      EXPECT_GT(named, synced) << "it gets its name when it is synced";
      EXPECT_GT(folder_synced, named) << "the folder is synced when it has the name";
    }
}

TEST_F(faulty, where_nameless_files_do_not_exist_save_works_all_the_same) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  for (int keys = 1; keys < 3; ++keys) {
    EXPECT_EQ(under({.nameless = false}, [&] { save(sample(keys), path); }), std::nullopt);
    EXPECT_EQ(faults.seen["linkat"], 0);
    EXPECT_EQ(contents(path), to_bytes(sample(keys)));
    EXPECT_EQ(folder.names(), names{"filter"});
  }
  auto const mask = ::umask(0);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0666 & ~mask);
}

TEST_F(faulty, little_at_a_time_and_often_interrupted) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  auto const filter = sample(7);
  for (std::size_t const most : {1000U, 4096U, 4097U}) {
    fault_plan const slow{.most = most, .interrupted = true};
    EXPECT_EQ(under(slow, [&] { save(filter, path); }), std::nullopt);
    EXPECT_EQ(contents(path), to_bytes(filter));
    std::vector<std::byte> loaded;
    EXPECT_EQ(under(slow, [&] { loaded = to_bytes(load(path)); }), std::nullopt);
    EXPECT_EQ(loaded, to_bytes(filter));
  }
}

TEST_F(faulty, every_read_fails) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(7), path);
  int refused = 0;
  for (fault_plan plan{.first = 0};; ++plan.first) {
    std::vector<std::byte> loaded;
    auto const outcome = under(plan, [&] { loaded = to_bytes(load(path)); });
    if (faults.calls <= plan.first) break;
    EXPECT_EQ(outcome, errc::io);
    ++refused;
  }
  EXPECT_GE(refused, 4) << "open, header, table, payload";
}

TEST_F(faulty, a_file_cut_short_while_it_is_read_is_corrupt) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(7), path);
  EXPECT_EQ(under({.cut = path}, [&] { (void)load(path); }), errc::corrupt);
}

}  // namespace
}  // namespace hortus::testing
