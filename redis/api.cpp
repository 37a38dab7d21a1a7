#include "redis/api.hpp"

namespace hortus::server::api {

// NOLINTBEGIN(bugprone-macro-parentheses): declarations, not expressions
#ifdef HORTUS_REDIS_FAULTS
#define HORTUS_REDIS(since, thread, result, name, parameters) watched<result parameters> name("RedisModule_" #name, #thread);
#else
#define HORTUS_REDIS(since, thread, result, name, parameters) result(*name) parameters = nullptr;
#endif
#include "redis/api.def"
#undef HORTUS_REDIS

char const* resolve(context* from) {
  // Redis puts the function that hands out the others into the first word of the context.
  using getter = int (*)(char const*, void*);
  getter const get = *reinterpret_cast<getter const*>(from);
  enum class since { always, maybe };
#define HORTUS_REDIS(when, thread, result, name, parameters)                                   \
  {                                                                                            \
    result(*found) parameters = nullptr;                                                       \
    if (get("RedisModule_" #name, &found) != ok && since::when == since::always) return #name; \
    name = found;                                                                              \
  }
#include "redis/api.def"
#undef HORTUS_REDIS
  // NOLINTEND(bugprone-macro-parentheses)
  return nullptr;
}

}  // namespace hortus::server::api
