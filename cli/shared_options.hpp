#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hortus/hash/secret_key.hpp>
#include <hortus/io/file.hpp>
#include <hortus/io/locked_file.hpp>

#include "cli/options.hpp"
#include "cli/text/lines.hpp"
#include "cli/text/progress.hpp"
#include "cli/text/records.hpp"

/// Options that several commands have: where keys come from, the secret key, the lock.
namespace hortus::cli {

/// What a command that reads lines of unknown number may use, unless --memory says otherwise.
constexpr std::uint64_t default_memory_bytes = std::uint64_t{64} << 20;

/// The source of keys and what of a line is the key: the same options for every command that reads keys.
struct key_input {
  std::vector<std::string> paths;
  std::vector<std::string> given;  ///< keys of the command line
  std::string field;
  std::string delimiter;
  std::string column;
  bool no_header = false;
  bool ignore_case = false;
  bool integers = false;
  bool null = false;
  bool crlf = false;
  bool no_decompress = false;
  bool show = false;
  key_part::values with_value = key_part::values::none;  ///< set by a command that reads values, too
  std::string value;                                     ///< the field or column of the value

  void add_options(subcommand const& command);
  /// Only where keys come from and how they end, for a command that takes whole lines. `without` is what no INPUT means.
  void add_source_options(subcommand const& command, std::string const& without);
  /// Only how keys end, for a command that names its inputs itself.
  void add_format_options(subcommand const& command);
  /// The paths; "-" if there are none and standard input is read.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Was any of these options given, other than --progress and -0, which is also about output?
  [[nodiscard]] bool is_given() const;
  [[nodiscard]] line_format format() const;
  [[nodiscard]] key_part part() const;
  /// Warns on standard error about an input that probably was not meant as it is read.
  [[nodiscard]] record_reader reader() const { return reader(paths); }
  [[nodiscard]] record_reader reader(std::span<std::string const> from) const;
  /// The same without warnings, for the first of two passes.
  [[nodiscard]] record_reader quiet_reader() const;
  /// Only the keys of the command line. Pre: there are some.
  [[nodiscard]] record_reader reader_of_given() const;
  /// Are there inputs to read, or only keys of the command line?
  [[nodiscard]] bool reads_input() const { return given.empty() || !paths.empty(); }
  [[nodiscard]] char separator() const { return null ? '\0' : '\n'; }
  [[nodiscard]] show_progress progress_mode() const { return show ? show_progress::on : show_progress::automatic; }
};

/// How many threads a command uses.
struct thread_option {
  std::string threads;

  void add_option(subcommand const& command, std::string const& what);
  [[nodiscard]] bool is_given() const { return !threads.empty(); }
  /// 1 if it was not given. Throws errc::bad_goal.
  [[nodiscard]] unsigned number() const;
};

/// A secret key for keyed filters, from a file of 16 bytes or 32 hexadecimal digits; "-" is standard input.
struct key_file {
  std::string path;

  void add_option(subcommand const& command);
  /// Throws errc::bad_goal if both the key and one of the inputs are standard input.
  [[nodiscard]] std::optional<secret_key> read(std::span<std::string const> inputs = {}) const;

 private:
  mutable std::optional<secret_key> known_;  // once it was read: a pipe can be read only once
};

/// How long a command waits for a filter that another command is changing.
struct lock_options {
  std::string timeout;

  void add_option(subcommand const& command);
  /// Takes the lock that add, remove, merge and fold use. Prints a message after a second of waiting; throws errc::io after the
  /// timeout.
  [[nodiscard]] std::unique_ptr<file_lock> hold(std::string const& path) const;
  /// The same for a command that may replace the file several times.
  [[nodiscard]] std::unique_ptr<locked_file> hold_file(std::string const& path) const;

 private:
  [[nodiscard]] std::function<void()> waiting_for(std::string const& path) const;
};

}  // namespace hortus::cli
