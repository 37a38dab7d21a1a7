#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include <hortus/error.hpp>
#include <hortus/io/envelope.hpp>

/// What the sources about files share.
namespace hortus {

namespace fs = std::filesystem;

[[noreturn]] inline void fail(char const* doing, fs::path const& path, int reason = errno) {
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

inline descriptor open_to_read(fs::path const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("open", path);
  return descriptor(fd);
}

/// replace_file(). before_publishing(descriptor) is called when the new file is complete and does not have its name yet.
void replace(fs::path const& path, std::function<void(byte_sink const&)> const& write,
             std::function<void(int)> const& before_publishing);

}  // namespace hortus
