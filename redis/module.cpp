#include <hortus/version.hpp>

#include "redis/background.hpp"
#include "redis/groups.hpp"
#include "redis/info.hpp"
#include "redis/main_thread.hpp"
#include "redis/memory.hpp"
#include "redis/registry.hpp"
#include "redis/settings.hpp"
#ifdef HORTUS_REDIS_FAULTS
#include "redis/faults/faults.hpp"
#endif

/// The module's one exported symbol: Redis calls it once, when the module is loaded.
// NOLINTNEXTLINE(readability-identifier-naming): Redis chose the name
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(hortus::server::api::context* context,
                                                                         hortus::server::api::string** arguments, int count) {
  using namespace hortus::server;
  if (char const* const missing = api::resolve(context)) {
    if (api::Log != nullptr) api::Log(context, "warning", "hortus needs Redis 7.0 or later; this server lacks %s", missing);
    return api::failed;
  }
  if (api::IsModuleNameBusy("hortus") != 0) return api::failed;
  constexpr int version = HORTUS_VERSION_MAJOR * 10000 + HORTUS_VERSION_MINOR * 100 + HORTUS_VERSION_PATCH;
  api::SetModuleAttribs(context, "hortus", version, api::version);
  api::SetModuleOptions(context, api::handle_io_errors);
  hortus::set_memory_source(redis_memory());
#ifdef HORTUS_REDIS_FAULTS
  if (!add_faults(context)) return api::failed;
#endif
  bool redisbloom = true;
  if (!read_arguments(context, arguments, count, redisbloom)) return api::failed;
  choose_groups(context, redisbloom);
  bool const ready = remember_main_thread(context) && count_role_changes(context) && add_settings(context) &&
                     add_groups(context) && add_hortus(context) && add_info(context);
  return ready ? api::ok : api::failed;
}
