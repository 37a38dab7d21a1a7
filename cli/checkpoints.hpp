#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <hortus/any/any_filter.hpp>
#include <hortus/io/locked_file.hpp>

#include "cli/options.hpp"

namespace hortus::cli {

/// --checkpoint: how often a command that runs for long saves the filter.
struct checkpoint_option {
  std::string every;

  void add_option(subcommand const& command);
  [[nodiscard]] std::optional<std::chrono::nanoseconds> interval() const;
};

/// Saves a filter now and then while it changes. A thread does it, so that keys are saved in time also while no more come.
/// Without an interval there is no thread, and nothing is locked.
class checkpoints {
 public:
  /// The file stays locked while it is replaced. It is not used if there is no interval.
  checkpoints(any_filter const& filter, locked_file* file, std::optional<std::chrono::nanoseconds> interval);
  ~checkpoints();
  checkpoints(checkpoints const&) = delete;
  checkpoints& operator=(checkpoints const&) = delete;

  /// act(), which changes the filter. Throws what the last save threw.
  template <class Act>
  auto changing(Act act) {
    if (!thread_.joinable()) return act();
    std::lock_guard const lock(mutex_);
    if (failed_) std::rethrow_exception(failed_);
    changed_ = true;
    return act();
  }

 private:
  void run(std::chrono::nanoseconds interval);

  any_filter const& filter_;
  locked_file* file_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool changed_ = false;
  bool ending_ = false;
  std::exception_ptr failed_;
  std::thread thread_;
};

}  // namespace hortus::cli
