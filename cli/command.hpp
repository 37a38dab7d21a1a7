#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/any_near.hpp>

#include "cli/advice.hpp"
#include "cli/options.hpp"
#include "cli/shared_options.hpp"
#include "cli/text/json.hpp"
#include "cli/text/lines.hpp"
#include "cli/text/progress.hpp"

/// Shared by all commands. A command is one file with one function that adds its options to the parser and sets the action to
/// run. Nothing runs before the whole command line has been parsed.
namespace hortus::cli {

/// Exit status, as grep has it.
enum status : int { done = 0, nothing_selected = 1, failed = 2 };

using action = std::function<int()>;

void add_help(command_line& app, action& run);
void add_completion(command_line& app, action& run);
void add_man(command_line& app, action& run);
void add_list(command_line& app, action& run);
void add_plan(command_line& app, action& run);
void add_build(command_line& app, action& run);
void add_add(command_line& app, action& run);
void add_remove(command_line& app, action& run);
void add_query(command_line& app, action& run);
void add_get(command_line& app, action& run);
void add_count(command_line& app, action& run);
void add_info(command_line& app, action& run);
void add_verify(command_line& app, action& run);
void add_merge(command_line& app, action& run);
void add_intersect(command_line& app, action& run);
void add_diff(command_line& app, action& run);
void add_fold(command_line& app, action& run);
void add_pack(command_line& app, action& run);
void add_unpack(command_line& app, action& run);
void add_grow(command_line& app, action& run);
void add_set(command_line& app, action& run);
void add_reconcile(command_line& app, action& run);
void add_redis(command_line& app, action& run);
void add_uniq(command_line& app, action& run);
void add_bench(command_line& app, action& run);
void add_tour(command_line& app, action& run);

/// act(). If memory runs out, throws an error that says what did not fit.
template <class Act>
auto fitting(char const* what, Act act) try {
  return act();
} catch (std::bad_alloc const&) {
  throw error(errc::io, std::string("out of memory: ") + what + " does not fit");
}

/// The path of a filter to read; "-" is standard input.
[[nodiscard]] std::string readable(std::string const& path);

/// Loads a filter that will be changed: copies it into memory.
[[nodiscard]] any_filter load_filter(std::string const& path, reading const& how = {});

/// Opens a filter that will only be read: mapped, or read whole if it cannot be mapped (a pipe).
[[nodiscard]] any_filter open_filter(std::string const& path, reading const& how);

/// The same for a command that takes filters of both kinds. The two functions above refuse one that asks how near keys are, and
/// say which commands take it.
using any_opened = std::variant<any_filter, any_near_filter>;
[[nodiscard]] any_opened load_any(std::string const& path, reading const& how = {});
[[nodiscard]] any_opened open_any(std::string const& path, reading const& how);
[[nodiscard]] any_filter only_filter(any_opened opened, std::string const& path);

/// The size of the file; for a pipe, `stored`, the size that a file would have.
[[nodiscard]] std::uint64_t file_bytes(std::string const& path, std::uint64_t stored);

/// Throws errc::unsupported if the filter lacks the verb, naming the families that have it.
void check_has(any_filter const& filter, verb needed, std::string const& path);

/// Throws if the keys of the input cannot be looked up in the filter or inserted, because every answer would be wrong: a filter
/// of text asked for integers or the other way round, a filter of digests, or one whose secret key was not given.
void check_takes(any_hash const& hash, key_kind kinds, std::string const& name, key_input const& input);
inline void check_takes(any_filter const& filter, std::string const& path, key_input const& input) {
  check_takes(filter.hash(), filter.about().kinds, path, input);
}

/// Are these the same file, by device and inode? "-" is standard input. Correct even while another command replaces the file.
[[nodiscard]] bool same_file(std::string const& a, std::string const& b);

/// Throws errc::io if it is already clear that the file cannot be saved, before hours of work are lost: the folder is
/// missing or not writable, the file is write-protected, or it is read by this command (an input, or the file of the secret
/// key).
void check_can_save(std::string const& path, std::span<std::string const> inputs = {}, key_file const& key = {});

/// Throws errc::io if the file is there, is not empty and is no filter: a slip of the finger would destroy it. Unless forced.
void check_replaces_filter(std::string const& path, bool force);

/// Does the file start as a filter does? False if it cannot be read.
[[nodiscard]] bool is_filter(std::string const& path);

/// Throws errc::io if standard output is an input file: the printed lines would be read again.
void check_can_print(std::span<std::string const> inputs);

/// Throws errc::io if filter and keys would come from the same file or stream.
void check_apart(std::string const& filter, std::span<std::string const> inputs);

/// The part of that which every file has.
json_value describe_header(envelope const& about);
/// A file as `info --json` shows it.
json_value describe(std::string const& path, reading const& how);

/// Prints such a description as a table, below a title.
void print_description(std::string const& title, json_value const& all);

/// Describes the file that was just written as JSON on standard output, if `json` is set. It describes the file, because the
/// filter in memory may be larger than its cells need.
void report(std::string const& path, bool json);

/// Prints "hortus: ..." on standard error, in one line whatever the text contains. Never throws: an error here could not be
/// reported.
void say(std::string const& text) noexcept;
void warn(std::string const& text);

/// Warn if the filter finds absent keys too often, and if counters are stuck at their maximum, with the texts of advice.hpp.
void warn_if_overfull(any_filter const& filter, after what = after::filling);
void warn_if_stuck(any_filter const& filter);

/// The digests of the keys of a block.
[[nodiscard]] std::span<digest const> digests_of_block(any_hash const& hash, record_block const& block,
                                                       std::span<digest, line_reader::block_lines> space);

/// Prints a JSON document on standard output.
void print_json(json_value const& document);

}  // namespace hortus::cli
