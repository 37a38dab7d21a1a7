#include <sys/file.h>
#include <sys/stat.h>

#include <optional>

#include <hortus/io/locked_file.hpp>

#include "src/descriptor.hpp"

namespace hortus {
namespace {

void unlock(int fd) noexcept {
  ::flock(fd, LOCK_UN);  // close() is not enough after a fork: the child's copy of the descriptor would keep the lock
  ::close(fd);
}

}  // namespace

file_lock::file_lock(fs::path const& path) : file_lock(path, {}) {}

file_lock::file_lock(fs::path const& path, std::function<void()> const& wait) {
  for (;;) {
    auto fd = open_to_read(path);  // the file that has this path now
    while (::flock(fd.get(), wait ? LOCK_EX | LOCK_NB : LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) fail("lock", path);
      wait();
    }
    // The previous holder of the lock may have renamed a new file into place. Then this descriptor locks only the old file.
    struct stat held {};
    struct stat now {};
    if (::fstat(fd.get(), &held) == 0 && ::stat(path.c_str(), &now) == 0 && held.st_ino == now.st_ino &&
        held.st_dev == now.st_dev) {
      fd_ = fd.release();
      return;
    }
  }
}

file_lock::~file_lock() { unlock(fd_); }

locked_file::locked_file(fs::path path, std::function<void()> const& wait)
    : path_(std::move(path)), first_(std::make_unique<file_lock>(path_, wait)) {}

locked_file::~locked_file() {
  if (fd_ >= 0) unlock(fd_);
}

void locked_file::replace(image const& what) {
  std::optional<descriptor> next;
  auto const lock = [&](int fd) {  // a copy of the descriptor shares the lock, and outlives the temporary file's own
    next.emplace(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!next->ok() || ::flock(fd, LOCK_EX | LOCK_NB) != 0) fail("lock", path_);
  };
  hortus::replace(
      path_, [&](byte_sink const& sink) { write_image(what, sink); }, lock);
  first_.reset();  // who waits for the old file finds that it was replaced, and waits for the new one
  if (fd_ >= 0) unlock(fd_);
  fd_ = next->release();
}

}  // namespace hortus
