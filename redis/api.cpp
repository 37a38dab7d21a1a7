#include "redis/api.hpp"

namespace hortus::server::api {

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration, not an expression
#define HORTUS_REDIS(since, result, name, parameters) result(*name) parameters = nullptr;
#include "redis/api.def"
#undef HORTUS_REDIS

char const* resolve(context* from) {
  // Redis puts the function that hands out the others into the first word of the context.
  using getter = int (*)(char const*, void*);
  getter const get = *reinterpret_cast<getter const*>(from);
  enum class since { always, maybe };
#define HORTUS_REDIS(when, result, name, parameters) \
  if (get("RedisModule_" #name, &(name)) != ok && since::when == since::always) return #name;
#include "redis/api.def"
#undef HORTUS_REDIS
  return nullptr;
}

}  // namespace hortus::server::api
