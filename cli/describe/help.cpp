#include "cli/describe/help.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace hortus::cli {
namespace {

constexpr std::size_t help_column = 28;

/// A line of a list: a name, and from a column on what it is. Where the name is too long, that is on the next line.
std::string entry(std::string const& name, std::string const& help) {
  std::string const margin(help_column, ' ');
  auto line = "  " + name;
  if (line.size() < help_column)
    line.resize(help_column, ' ');
  else
    line += "\n" + margin;
  for (char const c : help) {
    line += c;
    if (c == '\n') line += margin;
  }
  return line + "\n";
}

bool takes_any_number(CLI::Option const& option) { return option.get_items_expected_max() > 1; }

/// What follows the name of an option: its value.
std::string value_of(CLI::Option const& option) {
  if (auto const& text = option.get_option_text(); !text.empty()) return " " + text;
  if (option.get_items_expected_max() == 0) return "";  // a flag
  std::string text;
  if (auto const type = option.get_type_name(); !type.empty()) text += " " + type;
  if (auto const standard = option.get_default_str(); !standard.empty()) text += "=" + standard;
  if (takes_any_number(option)) text += " ...";
  if (option.get_required()) text += " REQUIRED";
  return text;
}

class help_layout : public CLI::FormatterBase {
 public:
  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode) const override {
    std::string usage = "Usage: " + name + " [OPTIONS]";
    std::string arguments;
    std::string options;
    for (auto const* const option : app->get_options()) {
      if (option->get_positional()) {
        auto const shown = option->get_name(true) + (takes_any_number(*option) ? "..." : "");
        usage += option->get_required() ? " " + shown : " [" + shown + "]";
        arguments += entry(option->get_name(true) + value_of(*option), option->get_description());
      } else {
        options += entry(option->get_name(false, true) + value_of(*option), option->get_description());
      }
    }
    std::string commands;
    auto const all = app->get_subcommands(nullptr);
    for (auto const* const command : all) commands += entry(command->get_name(), command->get_description());
    auto text = app->get_description() + "\n" + usage + (all.empty() ? "" : " COMMAND") + "\n";
    if (!arguments.empty()) text += "\nArguments:\n" + arguments;
    text += "\nOptions:\n" + options;
    if (!all.empty()) text += "\n" + all.front()->get_group() + ":\n" + commands;
    if (auto const footer = app->get_footer(); !footer.empty()) text += "\n" + footer + "\n";
    return text;
  }
};

}  // namespace

void set_help_layout(CLI::App& app) { app.formatter(std::make_shared<help_layout>()); }

}  // namespace hortus::cli
