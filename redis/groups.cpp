#include "redis/groups.hpp"

#include <algorithm>
#include <memory>

#include "redis/info.hpp"

namespace hortus::server {
namespace {

struct choice {
  command_group const* group;
  bool is_there = false;
};
std::span<choice> choices() noexcept {
  static choice all[] = {{&bf_group}, {&cf_group}, {&cms_group}, {&topk_group}};
  return all;
}

/// Has the server a command of such a name? GetCommand() tells only of the module's own. Where COMMAND was renamed nobody can
/// tell, and the server refuses the first command of the group later.
bool has_command(api::context* in, char const* pattern) {
  struct freeing {
    void operator()(api::call_reply* reply) const noexcept { api::FreeCallReply(reply); }
  };
  std::unique_ptr<api::call_reply, freeing> const found(
      api::Call(in, "COMMAND", "cccc", "LIST", "FILTERBY", "PATTERN", pattern));
  return found != nullptr && api::CallReplyLength(found.get()) != 0;
}

bool add(api::context* to, command_group const& group) {
  count_in_info(group.counted, group.values);
  char const* const refused = add_commands(to, group.commands);
  if (refused != nullptr) api::Log(to, "warning", "Redis refused the command %s", refused);
  return refused == nullptr;
}

}  // namespace

void choose_groups(api::context* to, bool wanted) {
  for (auto& each : choices())  // the names first: a type cannot be given back
    each.is_there = wanted && !has_command(to, each.group->pattern) && each.group->add_type(to);
  if (auto const out = groups_left_out(); !out.empty())
    api::Log(to, "notice", "without the commands of RedisBloom in these groups: %s. %s", out.c_str(),
             wanted ? "Another module has commands or a type of their names" : "So says the argument redisbloom");
}

bool is_there(command_group const& group) noexcept {
  for (auto const& each : choices())
    if (each.group == &group) return each.is_there;
  return false;
}

std::string groups_left_out() {
  std::string names;
  for (auto const& each : choices())
    if (!each.is_there) names += (names.empty() ? "" : ",") + std::string(each.group->name);
  return names;
}

bool add_groups(api::context* to) {
  return std::ranges::all_of(choices(), [to](choice const& each) { return !each.is_there || add(to, *each.group); });
}

}  // namespace hortus::server
