#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "cli/advice.hpp"
#include "cli/text/lines.hpp"
#include "cli/text/progress.hpp"

/// What the commands share. A command is one file with one function that adds its options to the parser and says what to run;
/// nothing runs before the whole command line has been understood.
namespace hortus::cli {

/// Exit status, as scripts know it from grep.
enum status : int { done = 0, nothing_selected = 1, failed = 2 };

using action = std::function<int()>;

void add_list(CLI::App& app, action& run);
void add_plan(CLI::App& app, action& run);
void add_build(CLI::App& app, action& run);
void add_add(CLI::App& app, action& run);
void add_remove(CLI::App& app, action& run);
void add_query(CLI::App& app, action& run);
void add_count(CLI::App& app, action& run);
void add_info(CLI::App& app, action& run);
void add_verify(CLI::App& app, action& run);
void add_merge(CLI::App& app, action& run);
void add_fold(CLI::App& app, action& run);
void add_uniq(CLI::App& app, action& run);
void add_bench(CLI::App& app, action& run);
void add_tour(CLI::App& app, action& run);

/// Where keys come from and how they are separated: the same for every command that reads keys.
struct key_input {
  std::vector<std::string> paths;
  bool null = false;
  bool crlf = false;
  bool no_decompress = false;
  bool show = false;

  void add_options(CLI::App& command, std::string const& without = "standard input");
  /// The paths, "-" if there are none.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] line_format format() const;
  [[nodiscard]] char separator() const { return null ? '\0' : '\n'; }
  [[nodiscard]] show_progress progress_mode() const { return show ? show_progress::on : show_progress::automatic; }
};

/// A secret key for keyed filters, from a file of 16 bytes or 32 hexadecimal digits.
struct key_file {
  std::string path;

  void add_option(CLI::App& command);
  [[nodiscard]] std::optional<secret_key> read() const;
};

/// For how long a command waits for a filter that another one is changing.
struct lock_options {
  std::string timeout;

  void add_option(CLI::App& command);
  /// The lock that add, remove, merge and fold take. Says so after a second of waiting; throws errc::io after the timeout.
  [[nodiscard]] std::unique_ptr<file_lock> hold(std::string const& path) const;
};

/// act(), and if memory runs out an error that says what did not fit.
template <class Act>
auto fitting(char const* what, Act act) try {
  return act();
} catch (std::bad_alloc const&) {
  throw error(errc::io, std::string("out of memory: ") + what + " does not fit");
}

/// A filter to change: copied into memory.
[[nodiscard]] any_filter load_filter(std::string const& path, reading const& how = {});

/// A filter to look at: mapped, or read whole where there is nothing to map (a pipe).
[[nodiscard]] any_filter open_filter(std::string const& path, reading const& how);

/// What the file takes; through a pipe, what it would.
[[nodiscard]] std::uint64_t file_bytes(std::string const& path, any_filter const& filter);

/// Refuses with the names of the families that can, if this one cannot.
void check_has(any_filter const& filter, verb needed, std::string const& path);

/// Refuses to ask or fill a filter with lines of text when every answer would be wrong: one of integers or digests, or one
/// whose secret key was not given.
void check_takes_text(any_filter const& filter, std::string const& path);

/// Are these the same file, whatever the names are? "-" is standard input. By device and inode, and right also while another
/// command replaces the file.
[[nodiscard]] bool same_file(std::string const& a, std::string const& b);

/// Throws errc::io if a file cannot be saved there as far as one can see now, before hours of work for nothing: no folder, no
/// right to, a file that is write-protected, or one that is read: an input, or the file of the secret key.
void check_can_save(std::string const& path, std::span<std::string const> inputs = {}, key_file const& key = {});

/// Throws errc::io if standard output is a file that is read: its lines would come again.
void check_can_print(std::span<std::string const> inputs);

/// Throws errc::io if filter and keys are to come from one file or stream.
void check_apart(std::string const& filter, std::span<std::string const> inputs);

/// A file as `info --json` shows it.
nlohmann::ordered_json describe(std::string const& path, reading const& how);

/// Reports on the file that was just written: as JSON on standard output when asked, else nothing. It is the file that is
/// described, not the filter in memory, which may have more room than its cells need.
void report(std::string const& path, bool json);

/// "hortus: ..." on standard error, in one line whatever the text holds. Never fails: there is nobody left to tell.
void say(std::string const& text) noexcept;
void warn(std::string const& text);

/// Warn when the filter finds absent keys too often, and when counters have stuck, in the words of advice.hpp.
void warn_if_overfull(any_filter const& filter, after what = after::filling);
void warn_if_stuck(any_filter const& filter);

/// The digests of a block of lines, at most line_reader::block_lines.
[[nodiscard]] std::span<digest const> digests_of_lines(any_hash const& hash, std::span<std::string_view const> lines,
                                                       std::span<digest, line_reader::block_lines> space);

/// Prints a JSON document on standard output.
void print_json(nlohmann::ordered_json const& document);

}  // namespace hortus::cli
