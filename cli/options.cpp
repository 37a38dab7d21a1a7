#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include <hortus/error.hpp>

#include "cli/did_you_mean.hpp"

namespace hortus::cli {

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
void subcommand::footer(std::string const& text) const { it_->footer(text); }
void subcommand::callback(std::function<void()> act) const { it_->callback(std::move(act)); }

subcommand command_line::add_subcommand(std::string const& name, std::string const& help) {
  return subcommand(app_.add_subcommand(name, help));
}

std::vector<std::string> command_line::names() const {
  std::vector<std::string> all;
  for (auto const* const command : app_.get_subcommands(nullptr)) all.push_back(command->get_name());
  return all;
}

bool command_line::has(std::string const& name) const {
  auto const all = names();
  return std::ranges::find(all, name) != all.end();
}

std::string command_line::help_of(std::string const& name) const {
  if (name.empty()) return app_.get_formatter()->make_help(&app_, app_.get_name(), CLI::AppFormatMode::Normal);
  if (!has(name)) throw error(errc::unsupported, unknown_command(name, names()));
  return app_.get_subcommand(name)->help(app_.get_name());
}

}  // namespace hortus::cli
