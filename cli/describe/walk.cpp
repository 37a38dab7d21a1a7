#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/describe/description.hpp"

namespace hortus::cli {
namespace {

using rule = std::pair<std::string_view, value_kind>;

/// By the name of a value, or how that begins: FILES too. The name is what the help shows, so it says what the value is.
constexpr std::array<rule, 6> by_value{{{"FILE", value_kind::file},
                                        {"INPUT", value_kind::file},
                                        {"COMMAND", value_kind::command},
                                        {"FAMILY", value_kind::family},
                                        {"VERB", value_kind::verb},
                                        {"SHELL", value_kind::shell}}};
/// By the name of an option whose value's name says less.
constexpr std::array<rule, 3> by_option{
    {{"output", value_kind::file}, {"families", value_kind::family}, {"hash", value_kind::hash}}};

value_kind kind_of(CLI::Option const& option, std::string_view value) {
  for (auto const& [name, kind] : by_value)
    if (value.starts_with(name)) return kind;
  for (auto const& [name, kind] : by_option)
    if (std::ranges::find(option.get_lnames(), name) != option.get_lnames().end()) return kind;
  return value_kind::other;
}

/// Help texts are broken into lines for a terminal.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool takes_several(CLI::Option const& option) { return option.get_items_expected_max() > 1; }

described_argument argument_of(CLI::Option const& option) {
  auto const name = option.get_name(true);
  return {.name = name,
          .help = in_one_line(option.get_description()),
          .required = option.get_required(),
          .repeated = takes_several(option),
          .kind = kind_of(option, name)};
}

described_option option_of(CLI::Option const& option) {
  described_option all{.names = {},
                       .value = option.get_option_text(),
                       .help = in_one_line(option.get_description()),
                       .default_value = option.get_default_str(),
                       .required = option.get_required()};
  for (auto const& name : option.get_snames()) all.names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) all.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return all;  // a flag
  if (all.value.empty()) all.value = option.get_type_name();
  all.repeated = takes_several(option);
  all.list = option.get_delimiter() != '\0';
  all.kind = kind_of(option, all.value);
  return all;
}

/// A footer is remarks, then examples: "Example: ..." or "Examples: ..." and lines that are indented.
void read_footer(std::string const& footer, described_command& into) {
  std::istringstream lines(footer);
  bool examples = false;
  for (std::string line; std::getline(lines, line);) {
    auto const label = line.starts_with("Example") ? line.find(": ") : std::string::npos;
    examples = label != std::string::npos || (examples && line.starts_with(' '));
    auto const start = line.find_first_not_of(' ', label == std::string::npos ? 0 : label + 2);
    if (start == std::string::npos) continue;
    if (examples)
      into.examples.push_back(line.substr(start));
    else
      into.remarks.push_back(line.substr(start));
  }
}

described_command command_of(CLI::App const& app, std::string const& before = "") {
  described_command all;
  all.name = before + app.get_name();
  all.summary = in_one_line(app.get_description());
  for (auto const* const option : app.get_options()) {
    if (option->get_positional())
      all.arguments.push_back(argument_of(*option));
    else
      all.options.push_back(option_of(*option));
  }
  read_footer(app.get_footer(), all);
  if (app.get_parent() != nullptr)
    for (auto const* const action : app.get_subcommands(nullptr)) all.actions.push_back(command_of(*action, all.name + " "));
  return all;
}

}  // namespace

described_program describe_program(CLI::App const& app) {
  described_program program;
  program.whole = command_of(app);
  for (auto const* const command : app.get_subcommands(nullptr)) program.commands.push_back(command_of(*command));
  add_facts(program);
  return program;
}

}  // namespace hortus::cli
