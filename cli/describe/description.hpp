#pragma once
#include <map>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}  // namespace CLI

/// What the command knows about itself, as plain data: the source of its man pages and of the completions of shells. A new
/// command or option is in all of them without another line.
namespace hortus::cli {

/// What a value is, as far as a shell can complete it.
enum class value_kind { other, file, command, family, verb, hash, shell };

struct described_word {
  std::string name;
  std::string meaning;
};

struct described_status {
  std::string name;
  std::string meaning;
  std::string command;  ///< that alone has it; empty: all
};

struct described_option {
  std::vector<std::string> names;  ///< "-n", "--items"
  std::string value;               ///< its name in the help, "N"; empty: a flag
  std::string help;                ///< in one line
  std::string default_value;       ///< if the parser knows it
  bool required = false;
  bool repeated = false;  ///< may be given several times
  bool list = false;      ///< one value may be several, with commas between
  value_kind kind = value_kind::other;
};

/// A value by its place, without an option's name.
struct described_argument {
  std::string name;
  std::string help;
  bool required = false;
  bool repeated = false;  ///< all arguments from here on
  value_kind kind = value_kind::other;
};

struct described_command {
  std::string name;
  std::string summary;
  std::vector<std::string> remarks;  ///< a paragraph each
  std::vector<described_option> options;
  std::vector<described_argument> arguments;
  std::vector<std::string> examples;
  std::vector<described_command> actions = {};  ///< of a command that has some; named "redis push"
};

struct described_program {
  described_command whole;  ///< the command without a subcommand
  std::string version;
  std::string date;  ///< of this version, for the man pages
  std::vector<described_command> commands;
  std::map<value_kind, std::vector<described_word>> words;  ///< of the kinds of which there are finitely many values
  std::vector<described_word> notation;                     ///< how values are written
  std::vector<described_status> statuses;
  std::vector<described_word> environment;
  std::vector<described_word> files;
};

/// Walks over the parser.
[[nodiscard]] described_program describe_program(CLI::App const& app);

/// Adds what the parser does not know: words that can be completed, exit status, environment, files.
void add_facts(described_program& program);

/// One page of the manual, in the macros of man(7).
[[nodiscard]] std::string man_page(described_program const& program);
[[nodiscard]] std::string man_page(described_program const& program, described_command const& command);

/// Scripts that complete the command's arguments.
[[nodiscard]] std::string bash_completion(described_program const& program);
[[nodiscard]] std::string zsh_completion(described_program const& program);
[[nodiscard]] std::string fish_completion(described_program const& program);

}  // namespace hortus::cli
