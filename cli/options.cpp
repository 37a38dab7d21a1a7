#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include <hortus/error.hpp>

#include "cli/did_you_mean.hpp"

namespace hortus::cli {
namespace {

std::vector<std::string> names_in(CLI::App const& app) {
  std::vector<std::string> all;
  for (auto const* const command : app.get_subcommands(nullptr)) all.push_back(command->get_name());
  return all;
}

}  // namespace

option& option::required() {
  it_->required();
  return *this;
}
option& option::type_name(std::string const& name) {
  it_->type_name(name);
  return *this;
}
option& option::option_text(std::string const& text) {
  it_->option_text(text);
  return *this;
}
option& option::delimiter(char between) {
  it_->delimiter(between);
  return *this;
}
option& option::expected(int least, int most) {
  it_->expected(least, most);
  return *this;
}
option& option::capture_default_str() {
  it_->capture_default_str();
  return *this;
}

option subcommand::add_option(std::string const& names, std::string& value, std::string const& help) const {
  return option(it_->add_option(names, value, help));
}
option subcommand::add_option(std::string const& names, std::vector<std::string>& values, std::string const& help) const {
  return option(it_->add_option(names, values, help));
}
option subcommand::add_flag(std::string const& names, bool& given, std::string const& help) const {
  return option(it_->add_flag(names, given, help));
}
subcommand subcommand::add_action(std::string const& name, std::string const& help) const {
  it_->require_subcommand(1);
  return subcommand(it_->add_subcommand(name, help));
}
void subcommand::footer(std::string const& text) const { it_->footer(text); }
void subcommand::callback(std::function<void()> act) const { it_->callback(std::move(act)); }

subcommand command_line::add_subcommand(std::string const& name, std::string const& help) {
  return subcommand(app_.add_subcommand(name, help));
}

std::vector<std::string> command_line::names() const { return names_in(app_); }

bool command_line::has(std::string const& name) const {
  auto const all = names();
  return std::ranges::find(all, name) != all.end();
}

std::vector<std::string> command_line::actions_of(std::string const& name) const {
  return has(name) ? names_in(*app_.get_subcommand(name)) : std::vector<std::string>();
}

std::string command_line::help_of(std::vector<std::string> const& words) const {
  if (words.empty()) return app_.get_formatter()->make_help(&app_, app_.get_name(), CLI::AppFormatMode::Normal);
  CLI::App const* command = &app_;
  auto called = app_.get_name();
  for (auto const& word : words) {
    auto const all = names_in(*command);
    if (all.empty()) throw error(errc::unsupported, "not expected: " + word + "; see hortus help --help");
    if (std::ranges::find(all, word) == all.end()) throw error(errc::unsupported, unknown_command(word, all));
    if (command != &app_) called += " " + command->get_name();
    command = command->get_subcommand(word);
  }
  return command->help(called);
}

}  // namespace hortus::cli
