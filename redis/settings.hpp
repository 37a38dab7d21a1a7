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

/// Reads the arguments of the module: NAME VALUE pairs. The names are those of the settings, those that RedisBloom 2 took, and
/// redisbloom, for the commands of RedisBloom: yes or no. Returns false, after saying why in Redis' log, if one is wrong.
bool read_arguments(api::context* to, api::string** arguments, int count, bool& redisbloom);
/// Registers all of them but those of groups that are not there: see groups.hpp. Returns false if one cannot be.
bool add_settings(api::context* to);

}  // namespace hortus::server
