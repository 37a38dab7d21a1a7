#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace hortus::cli {

/// Two descriptors to another process, neither of which may be waited for longer than the timeout. While this side is at work,
/// a thread tells the other side four times a second that it is busy.
class peer_pipe {
 public:
  using duration = std::chrono::nanoseconds;
  /// A peer that says it is busy, and nothing else, is given up after this many timeouts.
  static constexpr int busy_timeouts = 60;

  /// Does not own the descriptors.
  peer_pipe(int in, int out, duration timeout);
  peer_pipe(peer_pipe const&) = delete;
  peer_pipe& operator=(peer_pipe const&) = delete;
  ~peer_pipe();

  /// Throws errc::io if the peer does not read. If it is gone, its last words are still to be read, so nothing is done.
  void write(std::span<std::byte const> bytes);
  /// 1 to into.size() bytes, or 0 at the end. Throws errc::io if the peer is silent. `frames` is how many it has sent: if that
  /// stays the same for too long, it is given up too.
  [[nodiscard]] std::size_t read(std::span<std::byte> into, std::uint64_t frames);
  /// Writes what the pipe takes at once: the last words to a peer that may be gone.
  void try_write(std::span<std::byte const> bytes) noexcept;

 private:
  using clock = std::chrono::steady_clock;
  void say_busy();
  [[nodiscard]] bool wait_for_bytes();
  [[noreturn]] void too_long(char const* what) const;

  int in_;
  int out_;
  duration timeout_;
  std::uint64_t frames_ = 0;
  clock::time_point progress_ = clock::now();  // when the last frame came
  std::mutex writing_;
  std::condition_variable over_;
  bool ended_ = false;
  std::atomic<bool> waiting_ = false;  // for the peer: if both sides wait, one should notice
  bool closed_ = false;                // by the peer
  bool started_ = false;               // something was written: before that, a busy frame would come first
  std::thread busy_;
};

/// A command of the shell, with pipes to its standard input and from its standard output. Its standard error is ours.
class child_process {
 public:
  explicit child_process(std::string const& command);
  child_process(child_process const&) = delete;
  child_process& operator=(child_process const&) = delete;
  /// Closes the pipes and waits a little; a child that stays is terminated.
  ~child_process();

  [[nodiscard]] int from() const noexcept { return from_; }
  [[nodiscard]] int to() const noexcept { return to_; }
  /// Closes the pipes and waits for the end, at most as long as said. "status 127", "signal 9", or empty if it is still there.
  [[nodiscard]] std::string ended(std::chrono::nanoseconds most);

 private:
  void close_pipes() noexcept;
  int from_ = -1;
  int to_ = -1;
  int child_ = -1;
  int status_ = 0;
};

}  // namespace hortus::cli
