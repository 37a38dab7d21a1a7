#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>

#include "redis/api.hpp"

namespace hortus::server {

/// What Redis is told about a command, beside its function.
struct command_entry {
  char const* name;
  api::command_function run;  ///< guarded<body>
  char const* flags;          ///< Redis' words: "write deny-oom", "readonly fast"
  int arity;                  ///< with the name; -N: N or more. 0: not told, the command checks
  char const* summary;
  char const* acl = "";  ///< a category of the module, beside @read, @write and @fast, which follow from the flags
  std::span<api::key_spec const> keys = {};  ///< none: the first argument is the only key
};

/// Every command of these; throws nothing, returns the name of one that Redis refused, or null.
char const* add_commands(api::context* to, std::span<command_entry const> entries);
/// The same for commands that take no key.
char const* add_keyless_commands(api::context* to, std::span<command_entry const> entries);

// One function per group of commands and types. Returns false, after saying why in Redis' log, if Redis refuses one.
bool add_bf(api::context* to);
bool add_cf(api::context* to);
bool add_cms(api::context* to);
bool add_topk(api::context* to);
bool add_hortus(api::context* to);

}  // namespace hortus::server
