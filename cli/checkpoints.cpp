#include "cli/checkpoints.hpp"

#include <utility>

#include "cli/text/numbers.hpp"

namespace hortus::cli {

void checkpoint_option::add_option(subcommand const& command) {
  command
      .add_option(
          "--checkpoint", every,
          "save so often while keys come: 10s, 1min (default: only at the end).\nWhat came since is lost if the command is "
          "killed")
      ->type_name("TIME");
}

std::optional<std::chrono::nanoseconds> checkpoint_option::interval() const {
  if (every.empty()) return std::nullopt;
  return parse_duration("--checkpoint", every, std::chrono::milliseconds(10));
}

checkpoints::checkpoints(any_filter const& filter, locked_file* file, std::optional<std::chrono::nanoseconds> interval)
    : filter_(filter), file_(file) {
  if (interval) thread_ = std::thread([this, interval] { run(*interval); });
}

checkpoints::~checkpoints() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard const lock(mutex_);
    ending_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

void checkpoints::run(std::chrono::nanoseconds interval) {
  std::unique_lock lock(mutex_);
  while (!woken_.wait_for(lock, interval, [&] { return ending_; })) {
    if (!std::exchange(changed_, false)) continue;
    try {
      file_->replace(image_of(filter_));
    } catch (...) {
      failed_ = std::current_exception();
      return;
    }
  }
}

}  // namespace hortus::cli
