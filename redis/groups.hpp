#pragma once
#include <atomic>
#include <span>
#include <string>

#include "redis/registry.hpp"

/// RedisBloom's commands come in four groups, each with the type of its values. A server may have another module that has the
/// names of some of them: RedisBloom itself, which Redis 8 brings along, or one that has BF.* only. Such a group is left out as
/// a whole, never in part. HORTUS.* is always there.
namespace hortus::server {

struct command_group {
  char const* name;     ///< BF, for BF.*
  char const* pattern;  ///< of the names of all of its commands, and those that another module may have in their place
  bool (*add_type)(api::context*);  ///< returns false if the server refuses it, as it does if there is a type of that name
  std::span<command_entry const> commands;
  char const* counted;  ///< as which INFO counts the values
  std::atomic<long long> const& values;
};
extern command_group const bf_group;
extern command_group const cf_group;
extern command_group const cms_group;
extern command_group const topk_group;

/// Decides once which groups there are, and makes their types. Logs one line if it is not all of them. `wanted`: none else.
void choose_groups(api::context* to, bool wanted);
[[nodiscard]] bool is_there(command_group const& group) noexcept;
/// The names of those that were left out: "BF,CF"; empty: none.
[[nodiscard]] std::string groups_left_out();
/// The commands of the groups that there are. Returns false, after saying why in Redis' log, if Redis refuses one.
bool add_groups(api::context* to);

}  // namespace hortus::server
