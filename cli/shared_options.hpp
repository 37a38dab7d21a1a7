#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hortus/hash/secret_key.hpp>
#include <hortus/io/file.hpp>

#include "cli/options.hpp"
#include "cli/text/lines.hpp"
#include "cli/text/progress.hpp"

/// Options that several commands have: where keys come from, the secret key, the lock.
namespace hortus::cli {

/// The source of keys and their separator: the same options for every command that reads keys.
struct key_input {
  std::vector<std::string> paths;
  bool null = false;
  bool crlf = false;
  bool no_decompress = false;
  bool show = false;

  void add_options(subcommand const& command, std::string const& without = "standard input");
  /// The paths; "-" if there are none.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] line_format format() const;
  [[nodiscard]] char separator() const { return null ? '\0' : '\n'; }
  [[nodiscard]] show_progress progress_mode() const { return show ? show_progress::on : show_progress::automatic; }
};

/// A secret key for keyed filters, from a file of 16 bytes or 32 hexadecimal digits.
struct key_file {
  std::string path;

  void add_option(subcommand const& command);
  [[nodiscard]] std::optional<secret_key> read() const;
};

/// How long a command waits for a filter that another command is changing.
struct lock_options {
  std::string timeout;

  void add_option(subcommand const& command);
  /// Takes the lock that add, remove, merge and fold use. Prints a message after a second of waiting; throws errc::io after the
  /// timeout.
  [[nodiscard]] std::unique_ptr<file_lock> hold(std::string const& path) const;
};

}  // namespace hortus::cli
