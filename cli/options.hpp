#pragma once
#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
class Option;
}  // namespace CLI

/// The options of a subcommand. CLI11 parses them. It is a header-only library whose code would be compiled again in every file
/// that includes it, 6 s each, so commands use these classes and only options.cpp and main.cpp include CLI11.
namespace hortus::cli {

/// One option, for its description: command->add_option(...)->required()->type_name("N").
class option {
 public:
  explicit option(CLI::Option* it) noexcept : it_(it) {}
  option* operator->() noexcept { return this; }

  option& required();
  option& type_name(std::string const& name);    ///< of its value, in the help: "N"
  option& option_text(std::string const& text);  ///< instead of the type and all that is said about it: "A,B"
  option& delimiter(char between);               ///< one value may be several
  option& expected(int least, int most);         ///< how many values; -1: any number
  option& capture_default_str();                 ///< the help shows the value that the variable has now

 private:
  CLI::Option* it_;
};

class subcommand {
 public:
  explicit subcommand(CLI::App* it) noexcept : it_(it) {}
  subcommand const* operator->() const noexcept { return this; }
  subcommand const& operator*() const noexcept { return *this; }

  /// "-n,--items", or "FILE" without hyphens for an argument by its place.
  option add_option(std::string const& names, std::string& value, std::string const& help) const;
  option add_option(std::string const& names, std::vector<std::string>& values, std::string const& help) const;
  option add_flag(std::string const& names, bool& given, std::string const& help) const;
  /// Of a command that is a group of actions: hortus redis push. One of them has to be named.
  subcommand add_action(std::string const& name, std::string const& help) const;
  void footer(std::string const& text) const;
  void callback(std::function<void()> act) const;  ///< when its part of the command line was understood

 private:
  CLI::App* it_;
};

/// The command, to which subcommands are added.
class command_line {
 public:
  explicit command_line(CLI::App& app) noexcept : app_(app) {}
  subcommand add_subcommand(std::string const& name, std::string const& help);

  /// The names of the commands, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool has(std::string const& name) const;
  /// The actions of a command; none if it has no actions.
  [[nodiscard]] std::vector<std::string> actions_of(std::string const& name) const;
  /// What --help prints: of a command, of an action after its command, or without words of all. Throws errc::unsupported if
  /// there is no such command.
  [[nodiscard]] std::string help_of(std::vector<std::string> const& words) const;
  [[nodiscard]] CLI::App const& parser() const noexcept { return app_; }

 private:
  CLI::App& app_;
};

}  // namespace hortus::cli
