#include <string>
#include <string_view>

#include "redis/api.hpp"

/// A module that has names which hortus would have, as RedisBloom has them: `loadmodule FILE COMMAND bf.add TYPE MBbloom--
/// ...`. Its commands answer with their names and make a value of the first type.
namespace {

using namespace hortus::server;

api::type* first_type = nullptr;

std::string_view text_of(api::string const* text) {
  std::size_t size = 0;
  char const* const bytes = api::StringPtrLen(text, &size);
  return {bytes, size};
}

int answer(api::context* context, api::string** arguments, int count) {
  if (count > 1 && first_type != nullptr) {
    auto* const key = api::OpenKey(context, arguments[1], api::key_read | 2);
    static int value = 0;
    api::ModuleTypeSetValue(key, first_type, &value);
    api::CloseKey(key);
  }
  auto const name = "taken " + std::string(text_of(arguments[0]));
  return api::ReplyWithSimpleString(context, name.c_str());
}

bool take(api::context* context, std::string_view what, char const* name) {
  if (what == "COMMAND") return api::CreateCommand(context, name, answer, "write", 1, 1, 1) == api::ok;
  if (what == "TYPE") {
    api::type_methods methods;
    methods.rdb_load = [](api::stream*, int) -> void* { return nullptr; };
    methods.rdb_save = [](api::stream*, void*) {};
    methods.free = [](void*) {};
    auto* const made = api::CreateDataType(context, name, 0, &methods);
    if (first_type == nullptr) first_type = made;
    return made != nullptr;
  }
  if (what == "SETTING") {
    auto const get = [](char const*, void*) { return 1LL; };
    auto const set = [](char const*, long long, void*, api::string**) -> int { return api::ok; };
    for (auto const flags : {api::config_unprefixed, api::config_default})
      if (api::RegisterNumericConfig(context, name, 1, flags, 0, 1000, get, set, nullptr, nullptr) == api::ok) return true;
  }
  return false;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Redis chose the name
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(api::context* context, api::string** arguments,
                                                                         int count) {
  if (api::resolve(context) != nullptr) return api::failed;
  api::SetModuleAttribs(context, "taker", 1, api::version);
  bool settings = false;
  for (int i = 0; i + 1 < count; i += 2) {
    if (!take(context, text_of(arguments[i]), std::string(text_of(arguments[i + 1])).c_str())) return api::failed;
    settings |= text_of(arguments[i]) == "SETTING";
  }
  return settings ? api::LoadConfigs(context) : api::ok;
}
