#pragma once
#include <hortus/redis/filter.hpp>

#include "cli/command.hpp"

/// hortus redis ACTION.
namespace hortus::cli {

void add_redis_push(subcommand const& group, action& run);
void add_redis_create(subcommand const& group, action& run);
void add_redis_pull(subcommand const& group, action& run);
void add_redis_query(subcommand const& group, action& run);
void add_redis_add(subcommand const& group, action& run);
void add_redis_info(subcommand const& group, action& run);
void add_redis_reshard(subcommand const& group, action& run);

/// Throws if the keys of the input cannot be asked or inserted, as for a file.
void check_takes(redis::filter const& filter, key_input const& input);

/// As `info --json` of a file; of shards the sums, and what each server has.
[[nodiscard]] json_value describe(redis::filter const& filter);
/// Warns if it finds absent keys more often than planned.
void warn_if_overfull(redis::filter const& filter);

}  // namespace hortus::cli
