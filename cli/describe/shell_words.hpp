#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/describe/description.hpp"

/// Shared by the completions of all shells.
namespace hortus::cli {

/// In single quotes, as bash and zsh read them.
[[nodiscard]] inline std::string quoted(std::string_view text) {
  std::string all = "'";
  for (char const c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

/// The names of the option of a command that take a value, or of all its options.
[[nodiscard]] inline std::vector<std::string> option_names(described_command const& command, bool with_value_only) {
  std::vector<std::string> all;
  for (auto const& option : command.options)
    if (!with_value_only || !option.value.empty()) all.insert(all.end(), option.names.begin(), option.names.end());
  return all;
}

/// What a list of words is called in a script.
[[nodiscard]] constexpr std::string_view list_name(value_kind kind) {
  switch (kind) {
    case value_kind::command:
      return "commands";
    case value_kind::family:
      return "families";
    case value_kind::verb:
      return "verbs";
    case value_kind::hash:
      return "hashes";
    case value_kind::shell:
      return "shells";
    case value_kind::file:
    case value_kind::other:
      break;
  }
  return "";
}

}  // namespace hortus::cli
