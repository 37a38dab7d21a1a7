#pragma once
#include <cstdint>

#include "redis/api.hpp"

namespace hortus::server {

/// What CONFIG SET changes, and arguments of the module when it is loaded. The names of RedisBloom's settings are RedisBloom's.
/// Most servers put the module's name in front, hortus.bf-error-rate; Redis 8 does not.
struct settings {
  double bf_error_rate = 0.01;
  long long bf_initial_size = 100;
  long long bf_expansion_factor = 2;
  long long cf_bucket_size = 2;
  long long cf_initial_size = 1024;
  long long cf_max_iterations = 20;
  long long cf_expansion_factor = 1;
  long long cf_max_expansions = 32;
  /// Answer as RedisBloom does even where that is a known fault; docs/redis.md lists the differences.
  bool redisbloom_faults = false;
  /// The largest object that commands and RESTORE may make, in bytes.
  long long max_object_bytes = 64LL << 30;
};
[[nodiscard]] settings const& current_settings() noexcept;

/// The largest number of a capacity or an initial size, and of an expansion, in RedisBloom.
inline constexpr long long most_capacity = 1LL << 30;
inline constexpr long long most_expansion = 32768;
/// RedisBloom takes no larger rate: a larger one becomes this one.
inline constexpr double most_error_rate = 0.25;

/// Registers all of them and reads the arguments of the module. Returns false, after saying why in Redis' log, if one is wrong.
bool add_settings(api::context* to, api::string** arguments, int count);

}  // namespace hortus::server
