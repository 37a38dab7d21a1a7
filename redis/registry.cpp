#include "redis/registry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hortus::server {
namespace {

constexpr api::command_info_version info_version{1, 16, sizeof(api::key_spec), 72};

api::key_spec first_argument(std::string_view flags) {
  bool const writes = flags.find("write") != std::string_view::npos;
  return key_at(writes ? api::key_rw | api::key_insert : api::key_ro | api::key_access, 1);
}

char const* add(api::context* to, std::span<command_entry const> entries, bool keyless) {
  int const first = keyless ? 0 : 1;
  for (auto const& each : entries) {
    auto const flags = std::string(each.flags) + (each.tells_keys ? " getkeys-api" : "");
    if (api::CreateCommand(to, each.name, each.run, flags.c_str(), first, first, first) != api::ok) return each.name;
    auto* const made = api::GetCommand(to, each.name);
    if (made == nullptr) return each.name;
    std::vector<api::key_spec> keys(each.keys.begin(), each.keys.end());
    if (keys.empty() && !keyless) keys.push_back(first_argument(each.flags));
    keys.emplace_back().begin_search = 0;  // the end
    api::command_info about{.version = &info_version, .summary = each.summary, .arity = each.arity, .key_specs = keys.data()};
    if (api::SetCommandInfo(made, &about) != api::ok) return each.name;
    if (api::SetCommandACLCategories != nullptr) {
      std::string categories(each.acl);
      // A category has to exist before a command can be in it. The second command of a category finds that it does; if
      // it could not be added, SetCommandACLCategories says so.
      if (!categories.empty() && api::AddACLCategory != nullptr) api::AddACLCategory(to, categories.c_str());
      for (std::string_view const word : {"write", "readonly", "fast"})
        if (std::string_view(each.flags).find(word) != std::string_view::npos)
          categories += std::string(categories.empty() ? "" : " ") + (word == "readonly" ? "read" : std::string(word));
      if (api::SetCommandACLCategories(made, categories.c_str()) != api::ok) return each.name;
    }
  }
  return nullptr;
}

}  // namespace

void tell_keys(api::context* to, std::span<api::key_spec const> keys, std::span<api::string* const> arguments) {
  auto const count = static_cast<long long>(arguments.size());
  for (auto const& each : keys) {
    long long first = each.begin.position;
    long long number = 1;
    if (each.find_keys == api::find_numbered) {
      if (first >= count || api::StringToLongLong(arguments[static_cast<std::size_t>(first)], &number) != api::ok) continue;
      ++first;
    }
    for (long long i = 0; i < number && first + i < count; ++i) api::KeyAtPos(to, static_cast<int>(first + i));
  }
}

char const* add_commands(api::context* to, std::span<command_entry const> entries) { return add(to, entries, false); }
char const* add_keyless_commands(api::context* to, std::span<command_entry const> entries) { return add(to, entries, true); }

}  // namespace hortus::server
