#include "cli/shared_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "cli/command.hpp"
#include "cli/text/hex.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// 16 raw bytes, or 32 hexadecimal digits with or without a line end.
std::optional<secret_key> parse_key(std::string_view text) {
  std::array<std::byte, 16> bytes{};
  if (text.size() == bytes.size()) {
    std::memcpy(bytes.data(), text.data(), bytes.size());
    return secret_key(bytes);
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto const high = hex_value(text[2 * i]);
    auto const low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret_key(bytes);
}

}  // namespace

void key_input::add_source_options(subcommand const& command, std::string const& without) {
  command.add_option("INPUT", paths, "files, a key a line; - is standard input, none is " + without);
  add_format_options(command);
}

void key_input::add_format_options(subcommand const& command) {
  command.add_flag("-0,--null", null, "keys end with NUL instead of newline");
  command.add_flag("--crlf", crlf, "lines end with CR LF: no key has the CR, nor a byte-order mark");
  command.add_flag("--no-decompress", no_decompress, "take gzip and zstd input, too, as the bytes it is");
  command.add_flag("--progress", show, "show progress even if standard error is no terminal");
}

void key_input::add_options(subcommand const& command) {
  command.add_option("-e,--key", given, "a key, instead of an INPUT or before it; may be repeated")->type_name("KEY");
  command.add_option("-f,--field", field, "the key is field N of the line")->type_name("N");
  command.add_option("-d,--delimiter", delimiter, "what is between fields (default: blanks; with --csv a comma)")
      ->type_name("CHAR");
  command
      .add_option("--csv", column,
                  "the key is this column of CSV, by number or by its name in the header,\n"
                  "which is the first line of each INPUT and has no key")
      ->type_name("COLUMN");
  command.add_flag("--no-header", no_header, "the CSV has no header: its first line is a record too");
  command.add_flag("-i,--ignore-case", ignore_case, "A to Z are the same as a to z (ASCII only)");
  command.add_flag("--integers", integers, "keys are integers, not text, as programs insert them");
  add_source_options(command, "standard input");
}

std::vector<std::string> key_input::names() const {
  return paths.empty() && given.empty() ? std::vector<std::string>{"-"} : paths;
}

bool key_input::is_given() const {
  return !(paths.empty() && given.empty() && field.empty() && delimiter.empty() && column.empty()) || no_header ||
         ignore_case || integers || crlf || no_decompress;
}

line_format key_input::format() const {
  if (null && crlf) throw error(errc::bad_goal, "-0 and --crlf exclude each other: keys end with NUL, or with CR LF");
  return {.separator = separator(), .crlf = crlf, .unpack = no_decompress ? decompress::no : decompress::yes};
}

key_part key_input::part() const {
  if (!field.empty() && !column.empty())
    throw error(errc::bad_goal, "--field and --csv exclude each other: the key is a field, or a column of CSV");
  if (names().empty() && !(field.empty() && column.empty() && !crlf && !no_decompress))
    throw error(errc::bad_goal, "--field, --csv, --crlf and --no-decompress are about an INPUT: -e gives the key itself");
  if (!delimiter.empty() && field.empty() && column.empty())
    throw error(errc::bad_goal, "--delimiter goes with --field or --csv: without them the whole line is the key");
  if (no_header && column.empty()) throw error(errc::bad_goal, "--no-header goes with --csv");
  if (no_header && !integer_of(column))
    throw error(errc::bad_goal, "--csv '" + column + "' with --no-header: without a header a column has a number only");
  if (ignore_case && integers) throw error(errc::bad_goal, "--ignore-case is about text: integers have no case");
  if (column == "0") throw error(errc::bad_goal, "--csv 0: columns count from 1");
  if (!field.empty() && !integer_of(field))
    throw error(errc::bad_goal, "--field '" + field + "' is not the number of one field: 1 is the first");
  auto const between = delimiter == "\\t" ? std::string("\t") : delimiter;
  if (between.size() > 1)
    throw error(errc::bad_goal, "--delimiter '" + delimiter + "' is more than one byte: one is allowed, or \\t for a tab");
  if (!value.empty() && field.empty() && column.empty())
    throw error(errc::bad_goal, "--value goes with --field or --csv: without them a line is KEY<TAB>VALUE");
  if (!value.empty() && (value == "0" || (column.empty() && !integer_of(value))))
    throw error(errc::bad_goal, "--value '" + value + "' is not the number of a field: 1 is the first");
  if (!value.empty() && no_header && !integer_of(value))
    throw error(errc::bad_goal, "--value '" + value + "' with --no-header: without a header a column has a number only");
  if (value.empty() && with_value == key_part::values::all && !(field.empty() && column.empty()))
    throw error(errc::bad_goal, "where --field or --csv says what is the key, --value says which one is the value");
  return {.field = field.empty() ? 0 : parse_count("--field", field, 1),
          .delimiter = between.empty() ? std::nullopt : std::optional(between.front()),
          .column = column,
          .header = !no_header,
          .ignore_case = ignore_case,
          .integers = integers,
          .with_value = with_value,
          .value = value};
}

record_reader key_input::reader(std::span<std::string const> from) const {
  return {given, from, format(), part(), [](std::string const& text) { warn(text); }};
}

record_reader key_input::quiet_reader() const {
  return {given, paths, format(), part(), [](std::string const&) {}};
}

record_reader key_input::reader_of_given() const {
  return {given, {}, format(), part(), [](std::string const&) {}};
}

void thread_option::add_option(subcommand const& command, std::string const& what) {
  command.add_option("--threads", threads, what)->type_name("T");
}

unsigned thread_option::number() const {
  auto const most = threads.empty() ? 1 : parse_count("--threads", threads, 1);
  if (most > 1024) throw error(errc::bad_goal, "--threads: at most 1024");
  return static_cast<unsigned>(most);
}

void lock_options::add_option(subcommand const& command) {
  command
      .add_option("--lock-timeout", timeout,
                  "how long to wait for another command that changes the file:\n500ms, 10s, 2min (default: until it is done)")
      ->type_name("TIME");
}

/// What to do while the lock is held elsewhere: sleep, tell that after a second, and give up after the timeout.
std::function<void()> lock_options::waiting_for(std::string const& path) const {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  if (path == "-") throw error(errc::io, "'-' is standard input, and a filter is changed in place: name a file");
  auto const limit = timeout.empty() ? std::chrono::nanoseconds::max() : parse_duration("--lock-timeout", timeout);
  return [path, limit, given = timeout, start = clock::now(), nap = std::chrono::nanoseconds(1ms), told = false]() mutable {
    auto const waited = std::chrono::nanoseconds(clock::now() - start);
    if (waited >= limit)
      throw error(errc::io, fmt::format("another command is still changing '{}' after --lock-timeout {}", path, given));
    if (!told && waited >= 1s) {
      say(fmt::format("waiting for {}, which another command is changing", path));
      told = true;
    }
    std::this_thread::sleep_for(std::min(nap, limit - waited));
    nap = std::min<std::chrono::nanoseconds>(2 * nap, 50ms);
  };
}

std::unique_ptr<file_lock> lock_options::hold(std::string const& path) const {
  return std::make_unique<file_lock>(path, waiting_for(path));
}

std::unique_ptr<locked_file> lock_options::hold_file(std::string const& path) const {
  return std::make_unique<locked_file>(path, waiting_for(path));
}

void key_file::add_option(subcommand const& command) {
  command.add_option("--key-file", path, "a file of 16 bytes or 32 hexadecimal digits: the secret key")->type_name("FILE");
}

std::optional<secret_key> key_file::read(std::span<std::string const> inputs) const {
  if (path.empty() || known_) return known_;
  bool const standard_input = path == "-";
  if (standard_input && std::ranges::find(inputs, "-") != inputs.end())
    throw error(errc::bad_goal, "--key-file -: standard input cannot be the secret key and the keys at once");
  int const fd = standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 64> text{};
  std::size_t got = 0;
  auto last = fd < 0 ? ssize_t{-1} : ssize_t{1};
  while (last > 0 && got < text.size()) {  // a pipe may deliver a key in pieces
    last = ::read(fd, text.data() + got, text.size() - got);
    if (last > 0) got += static_cast<std::size_t>(last);
  }
  auto const reason = errno;
  if (fd >= 0) ::close(fd);
  if (last < 0) throw error(errc::io, "cannot read '" + path + "': " + std::generic_category().message(reason));
  auto key = parse_key({text.data(), got});
  if (!key) throw error(errc::wrong_key, "'" + path + "' is no key file: it must hold 16 bytes or 32 hexadecimal digits");
  known_ = key;
  return key;
}

}  // namespace hortus::cli
