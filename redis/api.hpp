#pragma once
#include <cstddef>
#include <cstdint>
#ifdef HORTUS_REDIS_FAULTS
#include "redis/faults/watched.hpp"
#endif

/// Redis' module interface, as far as the module uses it: declarations written from its documentation, so that nothing of
/// Redis is needed to compile. api.def lists the functions. The names are those of Redis' documentation without the prefix
/// RedisModule_.
namespace hortus::server::api {

struct context;
struct key;
struct string;
struct stream;  // an RDB file, a replica, or an append-only file
struct type;
struct command;
struct info;
struct digest_state;
struct defragmentation;
struct blocked_client;
struct call_reply;

using command_function = int (*)(context*, string** arguments, int count);

inline constexpr int ok = 0;
inline constexpr int failed = 1;
inline constexpr int version = 1;

inline constexpr int key_read = 1;
inline constexpr int key_write = 2;
inline constexpr int key_empty = 0;  // of KeyType()
inline constexpr int key_module = 6;
inline constexpr long postponed_length = -1;

inline constexpr int handle_io_errors = 1;
inline constexpr int handle_repl_async_load = 1 << 2;
inline constexpr int notify_module = 1 << 13;

/// What happens to the whole server, by number and by the version of what is told about it.
struct server_event {
  std::uint64_t id;
  std::uint64_t version;
};
using event_function = void (*)(context*, server_event, std::uint64_t which, void* about);
inline constexpr server_event role_changed{0, 1};

// GetContextFlags()
inline constexpr int flag_lua = 1 << 0;
inline constexpr int flag_multi = 1 << 1;
inline constexpr int flag_master = 1 << 2;
inline constexpr int flag_replica = 1 << 3;
inline constexpr int flag_cluster = 1 << 5;
inline constexpr int flag_replicated = 1 << 12;
inline constexpr int flag_loading = 1 << 13;
inline constexpr int flag_deny_blocking = 1 << 21;
inline constexpr int flag_resp3 = 1 << 22;
inline constexpr int flag_async_loading = 1 << 23;

inline constexpr unsigned config_default = 0;
inline constexpr unsigned config_unprefixed = 1U << 9;  // not every server takes it: see settings.cpp

/// How Redis saves, loads, copies and frees values of a type. The order of the members is Redis'.
struct type_methods {
  std::uint64_t version = 4;
  void* (*rdb_load)(stream*, int encoding_version) = nullptr;
  void (*rdb_save)(stream*, void*) = nullptr;
  void (*aof_rewrite)(stream*, string* key, void*) = nullptr;
  std::size_t (*mem_usage)(void const*) = nullptr;
  void (*digest)(digest_state*, void*) = nullptr;
  void (*free)(void*) = nullptr;
  int (*aux_load)(stream*, int, int) = nullptr;
  void (*aux_save)(stream*, int) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(string* key, void const*) = nullptr;
  void (*unlink)(string* key, void const*) = nullptr;
  void* (*copy)(string* from, string* to, void const*) = nullptr;
  int (*defrag)(defragmentation*, string* key, void** value) = nullptr;
  std::size_t (*mem_usage2)(void*, void const*, std::size_t) = nullptr;
  std::size_t (*free_effort2)(void*, void const*) = nullptr;
  void (*unlink2)(void*, void const*) = nullptr;
  void* (*copy2)(void*, void*, void const*) = nullptr;
};

/// Which arguments of a command are keys, for clusters and access control. The order of the members is Redis'.
struct key_spec {
  char const* notes = nullptr;
  std::uint64_t flags = 0;
  int begin_search = 2;  // at an index
  struct {
    int position;
    int unused_a;
    char const* unused_b;
  } begin = {};
  int find_keys = 0;
  struct {
    int a;  // range: last key; numbered: position of the number of keys, after the beginning
    int b;  // range: step; numbered: first key
    int c;  // range: limit; numbered: step
  } find = {};
};
inline constexpr int find_range = 2;
inline constexpr int find_numbered = 3;

// key_spec::flags
inline constexpr std::uint64_t key_ro = 1 << 0;
inline constexpr std::uint64_t key_rw = 1 << 1;
inline constexpr std::uint64_t key_ow = 1 << 2;
inline constexpr std::uint64_t key_access = 1 << 4;
inline constexpr std::uint64_t key_update = 1 << 5;
inline constexpr std::uint64_t key_insert = 1 << 6;
inline constexpr std::uint64_t key_delete = 1 << 7;

struct command_info_version {
  int version;
  std::size_t history_bytes;
  std::size_t key_spec_bytes;
  std::size_t argument_bytes;
};
struct command_info {
  command_info_version const* version = nullptr;
  char const* summary = nullptr;
  char const* complexity = nullptr;
  char const* since = nullptr;
  void const* history = nullptr;
  char const* tips = nullptr;
  int arity = 0;
  key_spec* key_specs = nullptr;
  void const* arguments = nullptr;
};

#ifdef HORTUS_REDIS_FAULTS
#define HORTUS_REDIS(since, thread, result, name, parameters) extern watched<result parameters> name;
#else
#define HORTUS_REDIS(since, thread, result, name, parameters) extern result(*name) parameters;
#endif
#include "redis/api.def"
#undef HORTUS_REDIS

/// Asks the server for all functions, on its main thread. Returns the name of one that it must have and has not, or null.
char const* resolve(context* from);

}  // namespace hortus::server::api
