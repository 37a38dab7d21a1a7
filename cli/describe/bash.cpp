#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/describe/description.hpp"
#include "cli/describe/shell_words.hpp"

namespace hortus::cli {
namespace {

/// Where the word at the cursor stands: after an option that takes a value ($option), or argument number $place + 1.
constexpr std::string_view where_the_cursor_is = R"(  for ((i = first; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $option ]]; then
      [[ $word == '=' ]] || option=
    elif [[ ! $ended && $word == -- ]]; then
      ended=yes
    elif [[ ! $ended && $word == -?* ]]; then
      [[ $valued == *" $word "* ]] && option=$word
    else
      ((++place))
    fi
  done
  if [[ $option ]]; then
    [[ $current == '=' ]] && current=
  elif [[ ! $ended && $current == --*=* ]]; then # where COMP_WORDBREAKS has no =
    option=${current%%=*}
    before=$option=
    current=${current#*=}
  elif [[ ! $ended && $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
)";

/// Readline itself completes files best, with blanks and tildes in their names. Only a bash before version 4 has no compopt.
constexpr std::string_view answer = R"(  if [[ $list && $current == *,* ]]; then
    before+=${current%,*},
    current=${current##*,}
  fi
  if [[ $files ]]; then
    [[ ! $before ]] && compopt -o default 2>/dev/null && return
    IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
  ((${#COMPREPLY[@]} == 0)) || COMPREPLY=("${COMPREPLY[@]/#/$before}")
}
complete -F _hortus hortus
)";

/// What to do for a value of that kind; nothing for a number.
std::string action_for(value_kind kind, bool list) {
  if (kind == value_kind::file) return "files=yes";
  if (kind == value_kind::other) return {};
  return fmt::format("words=${}{}", list_name(kind), list ? " list=yes" : "");
}

/// "redis push" has to be quoted.
std::string pattern_of(described_command const& command) {
  return command.name.find(' ') == std::string::npos ? command.name : shell_quoted(command.name);
}

/// Of a command with actions: completes the action, or goes on with both as the command.
std::string actions_of(described_command const& command) {
  std::vector<std::string> names;
  for (auto const& action : command.actions) names.push_back(action_name(action));
  return fmt::format(
      "  if [[ $command == {0} ]]; then\n"
      "    if ((COMP_CWORD < 3)); then\n"
      "      [[ $current == -* ]] && words='{2}' || words='{1}'\n"
      "      COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "      return\n"
      "    fi\n"
      "    command=\"{0} ${{COMP_WORDS[2]}}\" first=3\n  fi\n",
      command.name, fmt::join(names, " "), fmt::join(option_names(command, false), " "));
}

/// The values of a command's options and arguments, as branches of a case on COMMAND:OPTION and COMMAND:PLACE.
std::string values_of(described_command const& command) {
  std::string text;
  auto const branch = [&](std::string const& pattern, std::string const& act) {
    if (!act.empty()) text += fmt::format("    {}) {} ;;\n", pattern, act);
  };
  for (auto const& option : command.options) {
    std::vector<std::string> patterns;
    for (auto const& name : option.names) patterns.push_back(pattern_of(command) + ":" + name);
    branch(fmt::format("{}", fmt::join(patterns, " | ")), action_for(option.kind, option.list));
  }
  int place = 0;
  for (auto const& argument : command.arguments)
    branch(pattern_of(command) + ":" + (argument.repeated ? "[0-9]*" : std::to_string(++place)),
           action_for(argument.kind, false));
  return text;
}

}  // namespace

std::string bash_completion(described_program const& program) {
  auto text =
      fmt::format("# Completion of hortus {} for bash, printed by: hortus completion bash\n_hortus() {{\n", program.version);
  text +=
      "  local current=${COMP_WORDS[COMP_CWORD]} command= options= valued= option= ended= before= list= files= words= word i\n"
      "  local place=0 first=2 IFS=$' \\t\\n'\n";
  for (auto const& [kind, words] : program.words) {
    std::vector<std::string_view> names;
    for (auto const& word : words) names.push_back(word.name);
    text += fmt::format("  local {}='{}'\n", list_name(kind), fmt::join(names, " "));
  }
  text += "  COMPREPLY=()\n  ((COMP_CWORD < 2)) || command=${COMP_WORDS[1]}\n";
  for (auto const& command : program.commands)
    if (!command.actions.empty()) text += actions_of(command);
  text += "  case $command in\n";
  text += fmt::format("    '') options='{}' ;;\n", fmt::join(option_names(program.whole, false), " "));
  for_each_command(program, [&](described_command const& command) {
    text += fmt::format("    {})\n      options='{}'\n      valued=' {} '\n      ;;\n", pattern_of(command),
                        fmt::join(option_names(command, false), " "), fmt::join(option_names(command, true), " "));
  });
  text += "    *) return ;;\n  esac\n";
  text += where_the_cursor_is;
  text += "  case $command:${option:-$((place + 1))} in\n    :1) words=$commands ;;\n";
  for_each_command(program, [&](described_command const& command) { text += values_of(command); });
  text += "  esac\n";
  text += answer;
  return text;
}

}  // namespace hortus::cli
