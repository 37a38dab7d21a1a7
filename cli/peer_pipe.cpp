#include "cli/peer_pipe.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include <hortus/error.hpp>
#include <hortus/sets/frames.hpp>

#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

using namespace std::chrono_literals;

// When a pipe is said to be writable, that many bytes can be written without waiting.
constexpr std::size_t at_once = 4096;
static_assert(at_once <= PIPE_BUF);

/// Waits until one of them is ready, or has an error, which the next call reports. False after that time.
bool ready(std::span<pollfd> some, std::chrono::nanoseconds most) {
  auto const end = std::chrono::steady_clock::now() + most;
  for (;;) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    auto const got = ::poll(some.data(), some.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
    if (got > 0) return true;
    if (got < 0 && errno != EINTR)
      throw error(errc::io, "cannot wait for the other side: " + std::generic_category().message(errno));
    if (got == 0) return false;
  }
}
bool ready(int descriptor, short event, std::chrono::nanoseconds most) {
  pollfd one{descriptor, event, 0};
  return ready({&one, 1}, most);
}

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

peer_pipe::peer_pipe(int in, int out, duration timeout)
    : in_(in), out_(out), timeout_(std::min<duration>(timeout, 10 * 365 * 24h)), busy_([this] { say_busy(); }) {}

peer_pipe::~peer_pipe() {
  {
    std::scoped_lock const lock(writing_);
    ended_ = true;
  }
  over_.notify_all();
  busy_.join();
}

/// The thread. A pipe that is full needs no such word: the other side has something to read.
void peer_pipe::say_busy() {
  auto const word = sets::framed(sets::frame_type::busy);
  std::unique_lock lock(writing_);
  while (!over_.wait_for(lock, 250ms, [this] { return ended_; })) {
    pollfd one{out_, POLLOUT, 0};
    if (started_ && !waiting_ && ::poll(&one, 1, 0) == 1 && (one.revents & POLLOUT) != 0 &&
        ::write(out_, word.data(), word.size()) < 0)
      return;  // the next write or read of the other thread reports why
  }
}

void peer_pipe::too_long(char const* what) const {
  throw error(errc::io,
              fmt::format("the other side {} for {}; --timeout waits longer", what, human_duration(seconds(timeout_))));
}

/// Waits for bytes to read. False if none will come: a peer that does not listen any more has said what it wanted to.
bool peer_pipe::wait_for_bytes() {
  if (!closed_) {
    std::array<pollfd, 2> both{{{in_, POLLIN, 0}, {out_, 0, 0}}};
    if (!ready(both, timeout_)) too_long("has been silent");
    closed_ = (both[1].revents & (POLLERR | POLLHUP)) != 0;
  }
  return !closed_ || ready(in_, POLLIN, std::min<duration>(timeout_, 200ms));
}

void peer_pipe::write(std::span<std::byte const> bytes) {
  std::scoped_lock const lock(writing_);  // a frame is not interrupted
  started_ = true;
  while (!bytes.empty() && !closed_) {
    if (!ready(out_, POLLOUT, timeout_)) too_long("has read nothing");
    auto const some = ::write(out_, bytes.data(), std::min(bytes.size(), at_once));
    if (some >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(some));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      closed_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw error(errc::io, "cannot write to the other side: " + std::generic_category().message(errno));
    }
  }
}

std::size_t peer_pipe::read(std::span<std::byte> into, std::uint64_t frames) {
  if (frames != frames_) progress_ = clock::now();
  frames_ = frames;
  if (clock::now() - progress_ > busy_timeouts * timeout_)
    throw error(errc::io, fmt::format("the other side has been busy for {}, and nothing came of it; --timeout waits longer",
                                      human_duration(seconds(busy_timeouts * timeout_))));
  for (;;) {
    waiting_ = true;
    bool const more = wait_for_bytes();
    waiting_ = false;
    if (!more) return 0;
    auto const some = ::read(in_, into.data(), into.size());
    if (some >= 0) return static_cast<std::size_t>(some);
    if (errno == ECONNRESET) return 0;
    if (errno != EINTR && errno != EAGAIN)
      throw error(errc::io, "cannot read from the other side: " + std::generic_category().message(errno));
  }
}

void peer_pipe::try_write(std::span<std::byte const> bytes) noexcept try {
  std::scoped_lock const lock(writing_);
  if (bytes.size() <= at_once && ready(out_, POLLOUT, 0s)) (void)!::write(out_, bytes.data(), bytes.size());
} catch (...) {
}

}  // namespace hortus::cli
