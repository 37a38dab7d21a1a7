#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/describe/description.hpp"
#include "cli/describe/shell_words.hpp"

namespace hortus::cli {
namespace {

/// In single quotes, as fish reads them.
std::string in_quotes(std::string_view text) {
  std::string all = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + "'";
}

/// __hortus_in COMMAND: is that the command?  __hortus_at COMMAND PLACE [more]: and is the word at the cursor its argument of
/// that place, or of a later one?  __hortus_list WORD...: each as the next of a list with commas.
constexpr std::string_view functions = R"(
function __hortus_in
    set -l words (commandline -opc)
    set -l last (math 1 + (count (string split ' ' -- $argv[1])))
    test (count $words) -ge $last; and test "$words[2..$last]" = $argv[1]
end

function __hortus_at
    __hortus_in $argv[1]; or return 1
    set -l place 1
    set -l value no
    set -l ended no
    set -l first (math 2 + (count (string split ' ' -- $argv[1])))
    set -l words (commandline -opc)
    while test (count $words) -ge $first
        set -l word $words[$first]
        set first (math $first + 1)
        if test $value = yes
            set value no
        else if test $ended = no; and test "$word" = --
            set ended yes
        else if test $ended = no; and string match -qr -- '^-.' "$word"
            contains -- "$word" (__hortus_valued $argv[1]); and set value yes
        else
            set place (math $place + 1)
        end
    end
    test $value = no; or return 1
    test $place -eq $argv[2]; or begin
        test "$argv[3]" = more; and test $place -gt $argv[2]
    end
end

function __hortus_list
    set -l word (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l before (string match -r -- '.*,' "$word")
    printf '%s\n' "$before"$argv
end

complete -c hortus -f
)";

std::string joined_names(std::vector<described_word> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word.name;
  return text;
}

/// A line for each word, with its meaning.
std::string word_lines(std::string_view condition, std::vector<described_word> const& words) {
  std::string text;
  for (auto const& word : words)
    text += fmt::format("complete -c hortus -n {} -a {}{}\n", in_quotes(condition), word.name,
                        word.meaning.empty() ? "" : " -d " + in_quotes(word.meaning));
  return text;
}

std::string option_line(described_program const& program, std::string_view condition, described_option const& option) {
  auto text = fmt::format("complete -c hortus -n {}", in_quotes(condition));
  for (auto const& name : option.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.kind == value_kind::file) {
    text += " -r -F";
  } else if (!option.value.empty()) {
    text += " -x";
    if (auto const words = program.words.find(option.kind); words != program.words.end())
      text +=
          " -a " + in_quotes(option.list ? "(__hortus_list " + joined_names(words->second) + ")" : joined_names(words->second));
  }
  return text + " -d " + in_quotes(option.help) + "\n";
}

std::string argument_lines(described_program const& program, std::string_view condition, value_kind kind) {
  if (kind == value_kind::file) return fmt::format("complete -c hortus -n {} -F\n", in_quotes(condition));
  auto const words = program.words.find(kind);
  return words == program.words.end() ? "" : word_lines(condition, words->second);
}

}  // namespace

std::string fish_completion(described_program const& program) {
  auto text = fmt::format("# Completion of hortus {} for fish, printed by: hortus completion fish\n\n", program.version);
  text += "# The options of a command that take a value.\nfunction __hortus_valued\n    switch $argv[1]\n";
  for_each_command(program, [&](described_command const& command) {
    if (auto const names = option_names(command, true); !names.empty())
      text += fmt::format("        case {}\n            printf '%s\\n' {}\n", in_quotes(command.name), fmt::join(names, " "));
  });
  text += "    end\nend\n";
  text += functions;
  constexpr std::string_view no_command = "test (count (commandline -opc)) -eq 1";
  text += word_lines(no_command, program.words.at(value_kind::command));
  for (auto const& option : program.whole.options) text += option_line(program, no_command, option);
  for_each_command(program, [&](described_command const& command) {
    text += "\n";
    auto const name = command.name.find(' ') == std::string::npos ? command.name : "\"" + command.name + "\"";
    for (auto const& option : command.options) text += option_line(program, "__hortus_in " + name, option);
    int place = 0;
    for (auto const& argument : command.arguments)
      text += argument_lines(program, fmt::format("__hortus_at {} {}{}", name, ++place, argument.repeated ? " more" : ""),
                             argument.kind);
    std::vector<described_word> actions;
    for (auto const& action : command.actions) actions.push_back({action_name(action), action.summary});
    text += word_lines(fmt::format("__hortus_at {} 1", name), actions);
  });
  return text;
}

}  // namespace hortus::cli
