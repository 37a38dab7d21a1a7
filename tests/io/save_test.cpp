#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include <hortus/any/any_filter.hpp>

#include "io/scratch_folder.hpp"

/// save(): at every moment the path holds the old file or the complete new one, and a failure leaves nothing else behind.
namespace hortus::testing {
namespace {

namespace fs = std::filesystem;
using names = std::vector<std::string>;

any_filter sample(int keys, std::uint64_t items = 1000) {
  auto filter = make_filter("bloom", {.items = items, .fpr = 0.01, .settings = {}});
  for (int i = 0; i < keys; ++i) (void)filter.insert(i);
  return filter;
}

/// The error of a save that must fail.
error failure(fs::path const& path, any_filter const& filter = sample(3)) {
  try {
    save(filter, path);
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::io) << e.what();
    return e;
  }
  ADD_FAILURE() << "saved to " << path;
  return {errc::io, ""};
}

mode_t mode_of(fs::path const& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

/// act() in a process of its own, which may be limited and killed; its exit status, or minus the signal that ended it. Exit
/// status 100 stands for an exception that got out.
int in_a_child(std::function<int()> const& act) {
  auto const child = ::fork();
  if (child == 0) {
    try {
      ::_exit(act());
    } catch (...) {
      ::_exit(100);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// In a child: 0 if the save failed with errc::io, 1 if it worked.
int fails_with_io(fs::path const& path, any_filter const& filter) {
  try {
    save(filter, path);
    return 1;
  } catch (error const& e) {
    return e.code() == errc::io ? 0 : 2;
  }
}

/// /dev/null and /dev/full, or doubles of them: root could replace the real ones by a file if the code under test were wrong.
std::pair<fs::path, fs::path> devices(scratch_folder const& folder) {
  if (::geteuid() != 0) return {"/dev/null", "/dev/full"};
  for (auto const& [name, minor] : {std::pair("null", 3U), std::pair("full", 7U)}) {
    bool const made = ::mknod((folder / name).c_str(), S_IFCHR | 0666, makedev(1, minor)) == 0;
    EXPECT_TRUE(made || ::mkfifo((folder / name).c_str(), 0666) == 0);  // a sandbox without devices: at least no regular file
  }
  return {folder / "null", folder / "full"};
}

TEST(save, replaces_and_creates) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  for (int keys = 0; keys < 3; ++keys) {
    save(sample(keys), path);
    EXPECT_EQ(contents(path), to_bytes(sample(keys)));
    EXPECT_EQ(folder.names(), names{"filter"});
  }
}

TEST(save, into_the_current_folder) {
  scratch_folder const folder;
  auto const filter = sample(3);
  EXPECT_EQ(in_a_child([&] {
              if (::chdir(folder.path().c_str()) != 0) return 3;
              save(filter, "bare_name");
              return 0;
            }),
            0);
  EXPECT_EQ(folder.names(), names{"bare_name"});
}

TEST(save, takes_every_name_the_system_takes) {
  scratch_folder const folder;
  for (std::string const& name :
       {std::string(255, 'x'), std::string("line\nbreak"), std::string(".hidden"), std::string("-o")}) {
    save(sample(1), folder / name);
    save(sample(2), folder / name);
    EXPECT_EQ(contents(folder / name), to_bytes(sample(2)));
  }
  EXPECT_EQ(folder.names().size(), 4U);
  EXPECT_NE(std::string(failure(folder / std::string(256, 'x')).what()).find("File name too long"), std::string::npos);
  failure("");
}

TEST(save, refuses_what_is_no_regular_file) {
  scratch_folder const folder;
  fs::create_directory(folder / "directory");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0666), 0);
  auto const [null, full] = devices(folder);
  for (auto const& path : {folder / "directory", folder / "fifo", null, full, folder / "directory/", folder / "directory/."}) {
    auto const e = failure(path);
    EXPECT_NE(std::string(e.what()).find("not a regular file"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
  }
  for (auto const& device : {null, full}) EXPECT_TRUE(fs::is_other(device) && !fs::is_regular_file(device)) << device;
  EXPECT_TRUE(fs::is_fifo(folder / "fifo"));
  EXPECT_EQ(folder.names().front(), "directory") << "nothing hidden was left";
}

TEST(save, into_a_folder_that_is_not_there) {
  scratch_folder const folder;
  write_contents(folder / "file", {});
  EXPECT_NE(std::string(failure(folder / "missing/filter").what()).find("No such file or directory"), std::string::npos);
  EXPECT_NE(std::string(failure(folder / "file/filter").what()).find("Not a directory"), std::string::npos);
  failure(folder / "missing/");
  EXPECT_EQ(folder.names(), names{"file"});
}

TEST(save, into_a_folder_that_may_not_be_written) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1), path);
  auto const filter = sample(2);
  fs::permissions(folder.path(), fs::perms(0555));
  EXPECT_EQ(in_a_child([&] {
              if (::geteuid() == 0 && ::setresuid(65'534, 65'534, 65'534) != 0) return 3;  // root may write anywhere
              return fails_with_io(path, filter);
            }),
            0);
  fs::permissions(folder.path(), fs::perms(0755));
  EXPECT_EQ(contents(path), to_bytes(sample(1)));
  EXPECT_EQ(folder.names(), names{"filter"});
}

TEST(save, follows_links) {
  scratch_folder const folder;
  fs::create_directory(folder / "elsewhere");
  fs::create_symlink("elsewhere/target", folder / "link");
  fs::create_symlink(folder / "link", folder / "link_to_link");
  save(sample(1), folder / "link_to_link");  // dangling: made
  EXPECT_EQ(contents(folder / "elsewhere/target"), to_bytes(sample(1)));
  save(sample(2), folder / "link");
  EXPECT_EQ(contents(folder / "elsewhere/target"), to_bytes(sample(2)));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(folder.names(), (names{"elsewhere", "link", "link_to_link"}));

  fs::create_symlink("round", folder / "round");
  EXPECT_NE(std::string(failure(folder / "round").what()).find("symbolic links"), std::string::npos);
  fs::create_symlink("gone/away", folder / "nowhere");
  failure(folder / "nowhere");
}

TEST(save, keeps_the_permissions_of_the_file_it_replaces) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  for (mode_t const mode : {0600U, 0640U, 0444U, 0777U}) {
    save(sample(1), path);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    save(sample(2), path);
    EXPECT_EQ(mode_of(path), mode);
  }
}

TEST(save, gives_a_new_file_what_the_umask_leaves) {
  for (mode_t const mask : {0022U, 0077U, 0000U}) {
    scratch_folder const folder;
    auto const filter = sample(1);
    EXPECT_EQ(in_a_child([&] {
                ::umask(mask);
                save(filter, folder / "filter");
                return ::umask(mask) == mask ? 0 : 1;  // and it is what it was
              }),
              0);
    EXPECT_EQ(mode_of(folder / "filter"), 0666 & ~mask);
  }
}

TEST(save, keeps_the_owner_of_the_file_it_replaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1), path);
  ASSERT_EQ(::chown(path.c_str(), 12'345, 23'456), 0);
  save(sample(2), path);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12'345U);
  EXPECT_EQ(status.st_gid, 23'456U);
}

/// A genuine short write, then EFBIG: the file may grow to so many bytes and no further.
TEST(save, stops_at_a_file_size_limit_and_leaves_the_old_file) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1), path);
  auto const big = sample(3, 100'000);
  auto const size = stored_size(big);
  for (auto const limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{200}, std::uint64_t{70'000}, size - 1, size}) {
    EXPECT_EQ(in_a_child([&] {
                std::signal(SIGXFSZ, SIG_IGN);
                rlimit const bytes{limit, limit};
                if (::setrlimit(RLIMIT_FSIZE, &bytes) != 0) return 3;
                return fails_with_io(path, big);
              }),
              limit == size ? 1 : 0)
        << limit;
    EXPECT_EQ(contents(path), to_bytes(limit == size ? big : sample(1))) << limit;
    EXPECT_EQ(folder.names(), names{"filter"});
  }
}

/// With the signal's default the process dies in the middle of a write; even that leaves nothing.
TEST(save, dying_in_a_write_leaves_the_old_file) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1), path);
  auto const big = sample(3, 100'000);
  EXPECT_EQ(in_a_child([&] {
              rlimit const bytes{70'000, 70'000};
              rlimit const no_core{0, 0};
              if (::setrlimit(RLIMIT_CORE, &no_core) != 0 || ::setrlimit(RLIMIT_FSIZE, &bytes) != 0) return 3;
              return fails_with_io(path, big);
            }),
            -SIGXFSZ);
  EXPECT_EQ(contents(path), to_bytes(sample(1)));
  EXPECT_EQ(folder.names(), names{"filter"});
}

TEST(save, on_a_full_disk) {
  scratch_folder const folder;
  auto const disk = folder / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "cannot mount a small tmpfs here: " << std::generic_category().message(errno);
  struct unmount {
    fs::path where;
    ~unmount() { ::umount2(where.c_str(), MNT_DETACH); }
  } const later{disk};
  auto const path = disk / "filter";
  save(sample(1), path);
  auto const old = contents(path);
  for (std::uint64_t const items : {215'000U, 220'000U, 1'000'000U}) {  // from just too large to much too large
    auto const e = failure(path, sample(1, items));
    EXPECT_NE(std::string(e.what()).find("No space left on device"), std::string::npos) << e.what();
    EXPECT_EQ(contents(path), old);
    EXPECT_EQ(std::distance(fs::directory_iterator(disk), {}), 1);
  }
  save(sample(1, 150'000), path);  // the failures did not keep the space
  EXPECT_EQ(contents(path), to_bytes(sample(1, 150'000)));
}

TEST(save, by_several_processes_at_once_gives_one_of_their_files) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  std::vector<any_filter> filters;
  for (int i = 0; i < 4; ++i) filters.push_back(sample(i, 50'000));
  std::vector<pid_t> children;
  for (auto const& filter : filters) {
    auto const child = ::fork();
    if (child == 0) {
      try {
        for (int round = 0; round < 10; ++round) {
          save(filter, path);
          if (contents(path).size() != stored_size(filter)) ::_exit(1);
          (void)load(path);  // always a whole file
        }
      } catch (...) {
        ::_exit(2);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (auto const child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto const last = contents(path);
  EXPECT_TRUE(std::any_of(filters.begin(), filters.end(), [&](any_filter const& f) { return to_bytes(f) == last; }));
  EXPECT_EQ(folder.names(), names{"filter"});
}

TEST(save, over_the_file_that_is_mapped_at_the_moment) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(1000), path);
  auto opened = open(path);
  (void)opened.insert("new");
  save(opened, path);  // the mapping still shows the old file; reading it while writing is no harm
  EXPECT_TRUE(load(path).may_contain("new"));
  EXPECT_TRUE(opened.may_contain(999));
}

}  // namespace
}  // namespace hortus::testing
