#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/describe/description.hpp"

/// Shared by the completions of all shells.
namespace hortus::cli {

/// In single quotes, as bash and zsh read them.
[[nodiscard]] inline std::string shell_quoted(std::string_view text) {
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

/// The last word of the name of an action: "push" of "redis push".
[[nodiscard]] inline std::string action_name(described_command const& action) {
  return action.name.substr(action.name.rfind(' ') + 1);
}

/// act(command) for all commands and actions in which there are options.
template <class Act>
void for_each_command(described_program const& program, Act act) {
  for (auto const& command : program.commands) {
    act(command);
    for (auto const& action : command.actions) act(action);
  }
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
