#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/describe/description.hpp"
#include "cli/describe/shell_words.hpp"

namespace hortus::cli {
namespace {

/// Where the word at the cursor stands: after an option that takes a value ($option), or argument number $place + 1.
constexpr std::string_view where = R"(  for ((i = 2; i < COMP_CWORD; ++i)); do
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

/// The values of a command's options and arguments, as branches of a case on COMMAND:OPTION and COMMAND:PLACE.
std::string values_of(described_command const& command) {
  std::string text;
  auto const branch = [&](std::string const& pattern, std::string const& act) {
    if (!act.empty()) text += fmt::format("    {}) {} ;;\n", pattern, act);
  };
  for (auto const& option : command.options) {
    std::vector<std::string> patterns;
    for (auto const& name : option.names) patterns.push_back(command.name + ":" + name);
    branch(fmt::format("{}", fmt::join(patterns, " | ")), action_for(option.kind, option.list));
  }
  int place = 0;
  for (auto const& argument : command.arguments)
    branch(command.name + ":" + (argument.repeated ? "[0-9]*" : std::to_string(++place)), action_for(argument.kind, false));
  return text;
}

}  // namespace

std::string bash_completion(described_program const& program) {
  auto text =
      fmt::format("# Completion of hortus {} for bash, printed by: hortus completion bash\n_hortus() {{\n", program.version);
  text +=
      "  local current=${COMP_WORDS[COMP_CWORD]} command= options= valued= option= ended= before= list= files= words= word i\n"
      "  local place=0 IFS=$' \\t\\n'\n";
  for (auto const& [kind, words] : program.words) {
    std::vector<std::string_view> names;
    for (auto const& word : words) names.push_back(word.name);
    text += fmt::format("  local {}='{}'\n", list_name(kind), fmt::join(names, " "));
  }
  text += "  COMPREPLY=()\n  ((COMP_CWORD < 2)) || command=${COMP_WORDS[1]}\n  case $command in\n";
  text += fmt::format("    '') options='{}' ;;\n", fmt::join(option_names(program.whole, false), " "));
  for (auto const& command : program.commands)
    text += fmt::format("    {})\n      options='{}'\n      valued=' {} '\n      ;;\n", command.name,
                        fmt::join(option_names(command, false), " "), fmt::join(option_names(command, true), " "));
  text += "    *) return ;;\n  esac\n";
  text += where;
  text += "  case $command:${option:-$((place + 1))} in\n    :1) words=$commands ;;\n";
  for (auto const& command : program.commands) text += values_of(command);
  text += "  esac\n";
  text += answer;
  return text;
}

}  // namespace hortus::cli
