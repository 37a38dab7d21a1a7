#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include <hortus/redis/servers.hpp>
#include <hortus/redis/transfer.hpp>

namespace hortus::redis {

/// A key in the same slot, so that one can take the place of the other.
[[nodiscard]] std::string beside(std::string const& key, std::string_view what);
/// Different for every process, on whatever machine.
[[nodiscard]] std::string const& process_token();

/// Of those who make, replace or cut the filter at a key, one at a time: a key beside it, which expires when its owner dies.
/// Waits for it, as patience says.
class key_lock {
 public:
  key_lock(servers& at, std::string const& key);
  ~key_lock();
  key_lock(key_lock const&) = delete;
  key_lock& operator=(key_lock const&) = delete;

  /// Tells `progress`, and keeps the lock from expiring. To be called at least every few seconds.
  [[nodiscard]] byte_progress renewing(byte_progress const& progress);

 private:
  using clock = std::chrono::steady_clock;

  servers& at_;
  std::string lock_;
  clock::time_point renewed_ = clock::now();
};

}  // namespace hortus::redis
