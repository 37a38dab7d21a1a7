#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <hortus/error.hpp>

#include "cli/peer_pipe.hpp"

namespace hortus::cli {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void cannot_start(int reason) {
  throw error(errc::io, "cannot start the --remote command: " + std::generic_category().message(reason));
}

/// Pipes that no other child inherits: read end, write end.
std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(errno);
  return ends;
}

void close_one(int& descriptor) noexcept {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

child_process::child_process(std::string const& command) {
  auto const input = new_pipe();
  auto const output = new_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  // This process ignores broken pipes. The command should not: ssh, for one, ends by them.
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  auto text = command;
  std::array<char, 3> shell{'s', 'h', '\0'};
  std::array<char, 3> option{'-', 'c', '\0'};
  std::array<char*, 4> const arguments{shell.data(), option.data(), text.data(), nullptr};
  int const reason = ::posix_spawn(&child_, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(input[0]);
  ::close(output[1]);
  to_ = input[1];
  from_ = output[0];
  if (reason == 0) return;
  close_pipes();
  cannot_start(reason);
}

void child_process::close_pipes() noexcept {
  close_one(to_);
  close_one(from_);
}

std::string child_process::ended(std::chrono::nanoseconds most) {
  close_pipes();
  auto const end = std::chrono::steady_clock::now() + most;
  for (auto nap = std::chrono::nanoseconds(1ms); child_ > 0; nap = std::min<std::chrono::nanoseconds>(2 * nap, 50ms)) {
    auto const got = ::waitpid(child_, &status_, WNOHANG);
    if (got == child_ || (got < 0 && errno != EINTR))
      child_ = -1;
    else if (std::chrono::steady_clock::now() >= end)
      return {};
    else
      std::this_thread::sleep_for(nap);
  }
  return WIFSIGNALED(status_) ? fmt::format("signal {}", WTERMSIG(status_)) : fmt::format("status {}", WEXITSTATUS(status_));
}

child_process::~child_process() {
  try {
    if (!ended(1s).empty()) return;
    ::kill(child_, SIGTERM);
    if (ended(1s).empty()) {
      ::kill(child_, SIGKILL);
      (void)ended(1s);
    }
  } catch (...) {  // out of memory for the text
  }
}

}  // namespace hortus::cli
