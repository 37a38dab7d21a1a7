#include <hortus/io/file.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "src/descriptor.hpp"

namespace hortus {
namespace {

void write_all(int fd, std::span<std::byte const> bytes, fs::path const& path) {
  while (!bytes.empty()) {
    auto const n = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
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

}  // namespace

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

void replace_file(fs::path const& path, std::function<void(byte_sink const&)> const& write) {
  replace(path, write, [](int) {});
}

void write_file(fs::path const& path, image const& what) {
  replace_file(path, [&](byte_sink const& sink) { write_image(what, sink); });
}

}  // namespace hortus
