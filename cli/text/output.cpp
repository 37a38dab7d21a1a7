#include "cli/text/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include <hortus/error.hpp>

#include "cli/text/progress.hpp"

namespace hortus::cli {

void ignore_broken_pipes() noexcept {
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);
}

void occupy_standard_descriptors() noexcept {
  for (int const wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() returns the lowest free number, which is `wanted`, because those below it are in use.
    if (::fcntl(wanted, F_GETFD) == -1) (void)::open("/dev/null", wanted == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

output::output(int descriptor, flushing policy, std::string name)
    : descriptor_(descriptor),
      terminal_(::isatty(descriptor) == 1),
      policy_(policy),
      name_(std::move(name)),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity)) {}

output::~output() {
  try {
    flush();
  } catch (...) {  // a destructor cannot report the error
  }
}

void output::flush() {
  // Emptied first: after a failure the same bytes must not be written again, because some of them may be out already.
  auto const bytes = std::exchange(used_, 0);
  write_out({buffer_.get(), bytes});
}

void output::write_slowly(std::string_view bytes) {
  flush();
  if (bytes.size() > capacity) return write_out(bytes);
  append(bytes);
}

void output::write_out(std::string_view bytes) {
  if (terminal_ && !bytes.empty()) hide_progress();
  while (!bytes.empty()) {
    auto const done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {  // another program made a shared descriptor non-blocking
      pollfd ready{descriptor_, POLLOUT, 0};
      (void)::poll(&ready, 1, -1);
    } else if (errno == EPIPE) {
      throw closed_pipe();
    } else if (errno != EINTR) {
      throw error(errc::io, fmt::format("cannot write {}: {}", name_, std::generic_category().message(errno)));
    }
  }
}

}  // namespace hortus::cli
