#include <hortus/io/file.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <hortus/error.hpp>
#include <hortus/io/locked_file.hpp>

namespace hortus {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(char const* doing, fs::path const& path, int reason = errno) {
  throw error(errc::io,
              std::string("cannot ") + doing + " '" + path.string() + "': " + std::generic_category().message(reason));
}

class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(descriptor&& other) noexcept : fd_(other.release()) {}
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool ok() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

struct stat status_of(descriptor const& fd, fs::path const& path) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail("look at", path);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  return status;
}

/// Reads until the span is full or the input ends, because read() may return fewer bytes and may be interrupted.
std::size_t read_some(int fd, std::span<std::byte> into, fs::path const& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    auto const n = ::read(fd, into.data() + done, into.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void read_at(int fd, std::uint64_t offset, std::span<std::byte> into, fs::path const& path) {
  while (!into.empty()) {
    auto const n = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path);
    if (n == 0) throw error(errc::corrupt, "the file became shorter while it was read");
    offset += static_cast<std::uint64_t>(n);
    into = into.subspan(static_cast<std::size_t>(n));
  }
}

void write_all(int fd, std::span<std::byte const> bytes, fs::path const& path) {
  while (!bytes.empty()) {
    auto const n = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

descriptor open_to_read(fs::path const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("open", path);
  return descriptor(fd);
}

/// The path after following symbolic links: the file that a write to `path` would change.
fs::path behind_links(fs::path path) {
  std::error_code failed;
  for (int hops = 0; fs::is_symlink(fs::symlink_status(path, failed)); ++hops) {
    if (hops == 40) fail("write", path, ELOOP);
    auto const target = fs::read_symlink(path, failed);
    if (failed) fail("follow", path, failed.value());
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

/// Blocks, in this thread, the signals that end a process by default, while a temporary file has a visible name. A signal that
/// comes meanwhile takes effect when this object is destroyed, after that file is gone.
class held_signals {
 public:
  void hold() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (int const signal : endings) sigaddset(&ending, signal);
    holding_ = holding_ || ::pthread_sigmask(SIG_BLOCK, &ending, &before_) == 0;
  }
  held_signals() = default;
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;
  ~held_signals() {
    if (holding_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  /// Has a signal come that will end the process, so that further work is pointless?
  [[nodiscard]] bool doomed() const noexcept {
    sigset_t came;
    if (!holding_ || ::sigpending(&came) != 0) return false;
    return std::any_of(endings.begin(), endings.end(), [&](int signal) {
      struct sigaction now {};
      bool const kills = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
      return kills && sigismember(&before_, signal) == 0 && sigismember(&came, signal) == 1;
    });
  }

 private:
  static constexpr std::array endings{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  bool holding_ = false;
  sigset_t before_{};
};

/// A temporary file in `folder`. If the system supports it, the file has no name until publish(), so that even a killed process
/// leaves nothing behind; otherwise the destructor removes it. Its name is short, so that it is valid wherever the target's is.
class temporary_file {
 public:
  explicit temporary_file(fs::path const& folder)
      : stem_((folder / ".hortus-").string() + std::to_string(::getpid()) + "-"), fd_(create(folder)) {}
  ~temporary_file() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

  void write(std::span<std::byte const> bytes, fs::path const& target) {
    constexpr std::size_t piece = std::size_t{16} << 20;  // a blocked signal waits for one piece at most
    while (!bytes.empty()) {
      if (held_.doomed()) fail("write", target, EINTR);
      auto const now = bytes.first(std::min(bytes.size(), piece));
      write_all(fd(), now, target);
      bytes = bytes.subspan(now.size());
    }
  }

  void publish(fs::path const& target) {
    if (name_.empty()) {
      auto const self = "/proc/self/fd/" + std::to_string(fd());
      auto const link = [&](char const* name) { return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW); };
      if (link(target.c_str()) == 0) return;
      if (errno != EEXIST) fail("create", target);
      (void)under_a_free_name(link);  // linkat() cannot replace a file, rename() can: needs a name for an instant
    }
    if (::rename(name_.c_str(), target.c_str()) != 0) fail("replace", target);
    name_.clear();
  }

 private:
  int create(fs::path const& folder) {
    if (::access("/proc/self/fd", F_OK) == 0) {  // publish() needs it to name the file
      int const fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) fail("create a file in", folder);
    }
    return under_a_free_name([](char const* name) { return ::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666); });
  }

  /// The result of act(name) for the first name that is not in use.
  int under_a_free_name(auto act) {
    held_.hold();
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      auto name = stem_ + std::to_string(attempt);
      if (int const result = act(name.c_str()); result >= 0) {
        name_ = std::move(name);
        return result;
      }
      if (errno != EEXIST) break;
    }
    fail("create", stem_);
  }

  held_signals held_;  // first, so that it is destroyed last, after the file's name is removed
  std::string stem_;
  std::string name_;  // empty if the file has no name
  descriptor fd_;
};

/// A buffer for a stream of bytes. Its address space can grow, but only the bytes that came take memory.
class arrivals {
 public:
  explicit arrivals(std::size_t size)
      : start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)), size_(size) {
    if (start_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~arrivals() { ::munmap(start_, size_); }
  arrivals(arrivals const&) = delete;
  arrivals& operator=(arrivals const&) = delete;
  void grow(std::size_t size) {
    void* const moved = ::mremap(start_, size_, size, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) throw std::bad_alloc();
    start_ = moved;
    size_ = size;
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {static_cast<std::byte*>(start_), size_}; }

 private:
  void* start_;
  std::size_t size_;
};

/// Reads a file from a pipe into one buffer and uses its sections in place. The header is read first. It says when to stop, but
/// only bytes that really come take memory.
stored_parts parts_from_pipe(descriptor const& fd, fs::path const& path) {
  std::vector<std::byte> prefix(max_header_bytes);
  prefix.resize(read_some(fd.get(), prefix, path));
  auto head = read_header(prefix, prefix.size() < max_header_bytes ? prefix.size() : unknown_size);
  auto const size = head.file_bytes;
  auto const room = std::make_shared<arrivals>(std::min<std::uint64_t>(size, chunk_bytes));
  auto got = std::min<std::size_t>(prefix.size(), size);
  bool longer = got < prefix.size();
  std::copy_n(prefix.begin(), got, room->bytes().begin());
  std::vector<std::byte>().swap(prefix);
  for (std::size_t more = 1; got < size && more != 0; got += more) {
    if (got == room->bytes().size()) room->grow(std::min(size, 2 * got));
    more = read_some(fd.get(), room->bytes().subspan(got), path);
  }
  if (got < size)
    throw error(errc::corrupt, "the file has " + std::to_string(got) + " bytes where its header says " + std::to_string(size));
  std::byte past{};
  longer = longer || read_some(fd.get(), {&past, 1}, path) != 0;
  if (longer) throw error(errc::corrupt, "the file goes on after the " + std::to_string(size) + " bytes its header says");
  auto sections = borrow_sections(head, room->bytes(), room, true);
  return {std::move(head), std::move(sections)};
}

/// replace_file(). before_publishing(descriptor) is called when the new file is complete and does not have its name yet.
void replace(fs::path const& path, std::function<void(byte_sink const&)> const& write,
             std::function<void(int)> const& before_publishing) {
  auto const target = behind_links(path);
  auto const folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  struct stat old {};
  bool const exists = ::stat(target.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail("write", path);
  if (exists && !S_ISREG(old.st_mode))
    throw error(errc::io, "cannot replace '" + path.string() + "': it is not a regular file");

  temporary_file fresh(folder);
  if (exists) {
    // A user who may not change the owner keeps at least the group. Otherwise the permissions below would apply to another
    // group.
    if (::fchown(fresh.fd(), old.st_uid, old.st_gid) != 0) (void)!::fchown(fresh.fd(), static_cast<uid_t>(-1), old.st_gid);
    struct stat now {};
    if (::fstat(fresh.fd(), &now) != 0) fail("look at", path);
    if (now.st_uid != old.st_uid && now.st_gid != old.st_gid)
      throw error(errc::io, "cannot replace '" + path.string() +
                                "': it belongs to another user and group, and this one may not give files away");
    if (::fchmod(fresh.fd(), old.st_mode & 07777) != 0) fail("set the permissions of", target);
  }
  write([&](std::span<std::byte const> bytes) { fresh.write(bytes, target); });
  if (::fsync(fresh.fd()) != 0) fail("sync", target);
  before_publishing(fresh.fd());
  fresh.publish(target);
  descriptor const dir(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.ok() || ::fsync(dir.get()) != 0) fail("sync the folder of", target);
}

}  // namespace

void replace_file(fs::path const& path, std::function<void(byte_sink const&)> const& write) {
  replace(path, write, [](int) {});
}

void write_file(fs::path const& path, image const& what) {
  replace_file(path, [&](byte_sink const& sink) { write_image(what, sink); });
}

stored_parts read_file(fs::path const& path) {
  auto const fd = open_to_read(path);
  auto const status = status_of(fd, path);
  if (!S_ISREG(status.st_mode)) return parts_from_pipe(fd, path);
  auto const size = static_cast<std::uint64_t>(status.st_size);
  auto head = [&] {
    std::vector<std::byte> prefix(std::min(size, max_header_bytes));
    read_at(fd.get(), 0, prefix, path);
    return read_header(prefix, size);
  }();
  auto sections =
      copy_sections(head, [&](std::uint64_t offset, std::span<std::byte> into) { read_at(fd.get(), offset, into, path); });
  return {std::move(head), std::move(sections)};
}

stored_parts map_file(fs::path const& path, bool verify_payload) {
  auto const fd = open_to_read(path);
  auto const status = status_of(fd, path);
  if (!S_ISREG(status.st_mode)) throw error(errc::io, "cannot map '" + path.string() + "': it is not a regular file");
  auto const size = static_cast<std::size_t>(status.st_size);
  if (size == 0) (void)read_header({}, 0);  // throws; mmap would refuse an empty file with a worse message
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd.get(), 0);
  if (start == MAP_FAILED) fail("map", path);
  std::shared_ptr<void const> owner(start, [size](void* p) { ::munmap(p, size); });
  std::span<std::byte const> const bytes(static_cast<std::byte const*>(start), size);
  auto head = read_header(bytes, size);
  auto sections = borrow_sections(head, bytes, owner, verify_payload);
  return {std::move(head), std::move(sections)};
}

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

namespace {

void unlock(int fd) noexcept {
  ::flock(fd, LOCK_UN);  // close() is not enough after a fork: the child's copy of the descriptor would keep the lock
  ::close(fd);
}

}  // namespace

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
