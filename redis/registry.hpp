#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>

#include "redis/api.hpp"

namespace hortus::server {

/// Where a key stands among the arguments.
[[nodiscard]] constexpr api::key_spec key_at(std::uint64_t flags, int position) noexcept {
  api::key_spec spec;
  spec.flags = flags;
  spec.begin.position = position;
  spec.find_keys = api::find_range;
  spec.find = {0, 1, 0};
  return spec;
}
/// The number of keys at that position, and the keys after it.
[[nodiscard]] constexpr api::key_spec numbered_keys(std::uint64_t flags, int position) noexcept {
  auto spec = key_at(flags, position);
  spec.find_keys = api::find_numbered;
  spec.find = {0, 1, 1};
  return spec;
}

/// What Redis is told about a command, beside its function.
struct command_entry {
  char const* name;
  api::command_function run;  ///< guarded<body>
  char const* flags;          ///< Redis' words: "write deny-oom", "readonly fast"
  int arity;                  ///< with the name; -N: N or more. 0: not told, the command checks
  char const* summary;
  char const* acl = "";  ///< a category of the module, beside @read, @write and @fast, which follow from the flags
  std::span<api::key_spec const> keys = {};  ///< none: the first argument is the only key
  bool tells_keys = false;                   ///< made by with_keys()
};

/// Tells Redis which arguments of a call are keys.
void tell_keys(api::context* to, std::span<api::key_spec const> keys, std::span<api::string* const> arguments);

/// An entry for a command with several keys. Access control and clients read `Keys`. Clusters of Redis 7.0 do not: they look at
/// the first key only, unless the command itself answers where its keys are.
template <auto const& Keys, api::command_function Run>
[[nodiscard]] constexpr command_entry with_keys(command_entry entry) noexcept {
  entry.keys = Keys;
  entry.tells_keys = true;
  entry.run = [](api::context* context, api::string** arguments, int count) -> int {
    if (api::IsKeysPositionRequest(context) == 0) return Run(context, arguments, count);
    tell_keys(context, Keys, {arguments, static_cast<std::size_t>(count)});
    return api::ok;
  };
  return entry;
}

/// Every command of these; throws nothing, returns the name of one that Redis refused, or null.
char const* add_commands(api::context* to, std::span<command_entry const> entries);
/// The same for commands that take no key.
char const* add_keyless_commands(api::context* to, std::span<command_entry const> entries);

/// The commands HORTUS.* and their types. Returns false, after saying why in Redis' log, if Redis refuses one.
bool add_hortus(api::context* to);

}  // namespace hortus::server
