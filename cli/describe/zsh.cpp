#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/describe/description.hpp"
#include "cli/describe/shell_words.hpp"

namespace hortus::cli {
namespace {

/// In a specification of _arguments or an entry of _describe: these characters end a part of it.
std::string escaped(std::string_view text) {
  std::string all;
  for (char const c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

std::string function_of(value_kind kind) { return fmt::format("_hortus_{}", list_name(kind)); }

/// ":NAME:what completes it"; nothing completes a number, but its name is shown.
std::string value_spec(std::string_view name, value_kind kind, bool list) {
  auto const act = kind == value_kind::file    ? "_files"
                   : kind == value_kind::other ? " "
                   : list                      ? "_sequence " + function_of(kind)
                                               : function_of(kind);
  return fmt::format(":{}:{}", escaped(name), act);
}

std::string option_specs(described_option const& option, bool ends_all) {
  std::string text;
  auto const excluded = ends_all          ? std::string("(- *)")
                        : option.repeated ? std::string("*")
                                          : fmt::format("({})", fmt::join(option.names, " "));
  for (auto const& name : option.names) {
    bool const is_long = name.starts_with("--");
    auto spec = excluded + name + (option.value.empty() ? "" : is_long ? "=" : "+") + "[" + escaped(option.help) + "]";
    if (!option.value.empty()) spec += value_spec(option.value, option.kind, option.list);
    text += " \\\n        " + shell_quoted(spec);
  }
  return text;
}

std::string specs_of(described_command const& command) {
  std::string text;
  for (auto const& option : command.options) text += option_specs(option, option.names.back() == "--help");
  int place = 0;
  for (auto const& argument : command.arguments) {
    auto const where = argument.repeated ? "*" : std::to_string(++place) + (argument.required ? "" : ":");
    text += " \\\n        " + shell_quoted(where + value_spec(argument.name, argument.kind, false));
  }
  return text;
}

/// Of a command with actions: the action first, then its own arguments.
std::string action_branch(described_command const& command) {
  std::string names;
  for (auto const& action : command.actions)
    names += " " + shell_quoted(escaped(action_name(action)) + ":" + escaped(action.summary));
  auto text = fmt::format(
      "    {0})\n      local -a actions=({1})\n      _arguments -C{2} \\\n        '1:action:{{_describe action actions}}' \\\n"
      "        '*:: :->action' && ret=0\n      [[ $state == action ]] || return ret\n"
      "      curcontext=${{curcontext%:*:*}}:hortus-{0}-$words[1]:\n      case $words[1] in\n",
      command.name, names, specs_of(command));
  for (auto const& action : command.actions)
    text += fmt::format("        {})\n      _arguments -s -S{} && ret=0\n      ;;\n", action_name(action), specs_of(action));
  return text + "      esac\n      ;;\n";
}

std::string list_function(value_kind kind, std::vector<described_word> const& words) {
  auto text = fmt::format("{}() {{\n  local -a all=(\n", function_of(kind));
  for (auto const& word : words)
    text += "    " + shell_quoted(escaped(word.name) + (word.meaning.empty() ? "" : ":" + escaped(word.meaning))) + "\n";
  return text + fmt::format("  )\n  _describe -t {0} {0} all \"$@\"\n}}\n\n", list_name(kind));
}

}  // namespace

std::string zsh_completion(described_program const& program) {
  auto text =
      fmt::format("#compdef hortus\n# Completion of hortus {} for zsh, printed by: hortus completion zsh\n\n", program.version);
  for (auto const& [kind, words] : program.words) text += list_function(kind, words);
  text += "_hortus() {\n  local curcontext=$curcontext state state_descr line ret=1\n  local -A opt_args\n  _arguments -C";
  for (auto const& option : program.whole.options) text += option_specs(option, true);
  text +=
      " \\\n        '1:command:_hortus_commands' \\\n        '*:: :->arguments' && ret=0\n"
      "  [[ $state == arguments ]] || return ret\n  curcontext=${curcontext%:*:*}:hortus-$words[1]:\n  case $words[1] in\n";
  for (auto const& command : program.commands)
    text += !command.actions.empty()
                ? action_branch(command)
                : fmt::format("    {})\n      _arguments -s -S{} && ret=0\n      ;;\n", command.name, specs_of(command));
  // As a file in fpath it is read when it is first called; `source <(hortus completion zsh)` only registers it.
  text +=
      "  esac\n  return ret\n}\n\nif [[ $funcstack[1] == _hortus ]]; then\n  _hortus \"$@\"\nelse\n  compdef _hortus "
      "hortus\nfi\n";
  return text;
}

}  // namespace hortus::cli
