#include "cli/command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/advice.hpp"
#include "cli/clock.hpp"
#include "cli/near_filters.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

/// "-" is standard input.
std::optional<struct stat> looked_at(std::string const& name) {
  struct stat info {};
  if ((name == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(name.c_str(), &info)) != 0) return std::nullopt;
  return info;
}

bool is_same(std::optional<struct stat> const& a, std::optional<struct stat> const& b) {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

json_value to_json(std::vector<named_value> const& values) {
  auto object = json_value::object();
  for (auto const& field : values) std::visit([&](auto v) { object[field.name] = v; }, field.value);
  return object;
}

std::string_view kind_name(key_kind kinds) {
  switch (kinds) {
    case key_kind::none:
      return "none";
    case key_kind::bytes:
      return "bytes";
    case key_kind::integers:
      return "integers";
    case key_kind::digests:
      return "digests";
    default:
      return "mixed";
  }
}

any_opened assembled(stored_parts parts, reading const& how) {
  if (is_near_family(parts.head.about.family))
    return assemble<any_near_filter>(std::move(parts.head), std::move(parts.sections), how);
  return assemble<any_filter>(std::move(parts.head), std::move(parts.sections), how);
}

}  // namespace

any_filter only_filter(any_opened opened, std::string const& path) {
  if (auto* const filter = std::get_if<any_filter>(&opened)) return std::move(*filter);
  throw error(errc::unsupported, "'" + path + "' is " + one(any_near_family::name) +
                                     ", which tells how near a key is: add, query, info, verify and merge take it");
}

std::string readable(std::string const& path) { return path == "-" ? "/dev/stdin" : path; }

any_filter load_filter(std::string const& path, reading const& how) { return only_filter(load_any(path, how), path); }
any_filter open_filter(std::string const& path, reading const& how) { return only_filter(open_any(path, how), path); }

any_opened load_any(std::string const& path, reading const& how) {
  return fitting("the filter",
                 [&] { return naming(readable(path), [&] { return assembled(read_file(readable(path)), how.verified()); }); });
}

any_opened open_any(std::string const& path, reading const& how) {
  struct stat info {};
  bool const streamed = ::stat(readable(path).c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  if (streamed) return load_any(path, how);
  return naming(readable(path), [&] { return assembled(map_file(readable(path), how.verify), how); });
}

std::uint64_t file_bytes(std::string const& path, std::uint64_t stored) {
  return std::filesystem::is_regular_file(readable(path)) ? std::filesystem::file_size(readable(path)) : stored;
}

void check_has(any_filter const& filter, verb needed, std::string const& path) {
  if (filter.family().has(needed)) return;
  naming(path, [&] { lacks(filter.family().kind(), needed); });
}

void check_takes(any_hash const& hash, key_kind kinds, std::string const& name, key_input const& input) {
  if (hash.is<locked_hash>()) throw error(errc::wrong_key, "'" + name + "' was made with a secret key; --key-file gives it");
  if (hash.is<foreign_hash>())
    throw error(errc::unsupported, "'" + name + "' was made with a hash that is " + hash_name(hash.id()) +
                                       ": only the program that has that hash can turn lines into its keys");
  if (kinds == key_kind::digests)
    throw error(errc::incompatible,
                "'" + name + "' was filled with digests, not with text: lines hash differently, so no line would be found");
  if (kinds == key_kind::integers && !input.integers)
    throw error(errc::incompatible,
                "'" + name + "' was filled with integers, not with text: --integers takes the lines as integers");
  if (kinds == key_kind::bytes && input.integers)
    throw error(errc::incompatible, "'" + name + "' was filled with text, not with integers: leave --integers away");
}

bool same_file(std::string const& a, std::string const& b) {
  for (;;) {
    auto const before = looked_at(a);
    auto const other = looked_at(b);
    auto const after = looked_at(a);
    // If the file was replaced between the calls, two names of it would seem to differ: try again.
    if (is_same(before, after) || !before || !after) return is_same(before, other);
  }
}

void check_can_save(std::string const& path, std::span<std::string const> inputs, key_file const& key) {
  struct stat old {};
  bool const exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) throw error(errc::io, "cannot replace '" + path + "': it is not a regular file");
  if (exists && ::access(path.c_str(), W_OK) != 0)
    throw error(errc::io,
                fmt::format("cannot replace '{}', which is write-protected: {}", path, std::generic_category().message(errno)));
  for (auto const& input : inputs)
    if (exists && same_file(path, input))
      throw error(errc::io, "'" + path + "' is an input: what is written would replace its keys");
  if (exists && !key.path.empty() && same_file(path, key.path))
    throw error(errc::io, "'" + path + "' is the --key-file: what is written would replace the secret key");
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) return;  // the folder of its target is checked when it is written
  auto const parent = std::filesystem::path(path).parent_path();
  auto const* const folder = parent.empty() ? "." : parent.c_str();
  if (::access(folder, W_OK | X_OK) != 0)
    throw error(errc::io, fmt::format("cannot create a file in '{}': {}", folder, std::generic_category().message(errno)));
}

bool is_filter(std::string const& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 8> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "\x89HORTUS\n";
}

void check_replaces_filter(std::string const& path, bool force) {
  std::error_code ignored;
  if (force || !std::filesystem::is_regular_file(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return;
  if (!is_filter(path))
    throw error(errc::io, "'" + path + "' is there and is no filter, so it is not replaced; --force replaces it");
}

void check_can_print(std::span<std::string const> inputs) {
  struct stat out {};
  if (::fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode)) return;
  for (auto const& input : inputs)
    if (is_same(looked_at(input), out))
      throw error(errc::io, "standard output is the input '" + input + "': what is printed would be read again");
}

void check_apart(std::string const& filter, std::span<std::string const> inputs) {
  for (auto const& input : inputs)
    if (same_file(filter, input))
      throw error(errc::io, fmt::format("'{}' is to be the filter and the keys at once: keys come from another INPUT, or from "
                                        "standard input",
                                        filter));
}

json_value describe_header(envelope const& about) {
  json_value all;
  all["family"] = about.family;
  all["format_version"] = format_version;
  all["hash"] = hash_name(about.hash_id);
  all["keyed"] = about.key_check != 0;
  all["seed"] = about.seed;
  all["seed_hex"] = fmt::format("{:#018x}", about.seed);  // many JSON readers round numbers above 2^53
  all["items_planned"] = about.items_planned;
  all["fpr_planned"] = about.fpr_planned;
  all["items_inserted"] = about.items_inserted;
  return all;
}

json_value describe(std::string const& path, reading const& how) {
  auto opened = open_any(path, how);
  if (auto const* const near = std::get_if<any_near_filter>(&opened)) return describe_near(path, *near);
  auto& filter = std::get<any_filter>(opened);
  auto const heard = filter.family().time();
  tell_time(filter);  // so that the rate is the present one
  auto const about = filter.about();
  auto const has = [&](verb v) { return filter.family().has(v); };
  auto all = describe_header(about);
  if (has(verb::estimate)) {
    auto const estimate = filter.estimate();
    all["items_estimate"] = estimate.value;
    all["items_estimate_low"] = estimate.low;
    all["items_estimate_high"] = estimate.saturated ? json_value() : json_value(estimate.high);
    all["saturated"] = estimate.saturated;
  } else {
    all["items_estimate"] = nullptr;
  }
  all["fpr_estimate"] = has(verb::fpr) ? json_value(filter.fpr()) : json_value();
  if (question_of(filter.family().verbs()) == question::how_many) all["error_share"] = filter.planned_fpr(1);
  if (has(verb::top)) {
    auto const top = filter.top(~std::uint64_t{0});
    all["counters_used"] = top.keys.size();
    all["error_at_most"] = top.others_at_most;  // no count is too high by more, and no key without counter came more often
    all["error_share"] = top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted);
  }
  if (has(verb::find)) {
    all["value_bits"] = filter.family().value_bits();
    if (auto const texts = filter.family().labels().size(); texts != 0) all["value_texts"] = texts;
  }
  all["size_bytes"] = filter.size_bytes();
  auto const* const cells = filter.family().cells();
  all["huge_pages"] = cells != nullptr && 2 * huge_page_bytes(*cells) > cells->size();  // for more than half of the cells
  all["file_bytes"] = file_bytes(path, stored_size(filter));
  // Without a planned number of keys, bits per item refers to the estimated number.
  auto const items = about.items_planned != 0 ? static_cast<double>(about.items_planned)
                     : has(verb::estimate)    ? all["items_estimate"].get<double>()
                                              : 0.0;
  all["bits_per_item"] = items < 0.5 ? json_value() : json_value(8 * static_cast<double>(filter.size_bytes()) / items);
  if (family_named(about.family).grows) all["stages"] = filter.family().stages();
  if (filter.family().ages_by_time()) all["time"] = heard;
  all["key_kind"] = kind_name(about.kinds);
  all["verbs"] = filter.family().verbs().names();
  all["params"] = to_json(filter.family().params());
  auto const advice = advice_on(filter);
  all["advice"] = advice ? json_value(*advice) : json_value();
  return all;
}

void report(std::string const& path, bool json) {
  if (json) print_json(describe(path, {}));
}

void say(std::string const& text) noexcept try {
  hide_progress();
  auto line = "hortus: " + text;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';  // a file name must not control the terminal
  line += '\n';
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
} catch (...) {
}

void warn(std::string const& text) { say("warning: " + text); }

void warn_if_overfull(any_filter const& filter, after what) {
  if (auto const text = overfull(filter, what)) warn(*text);
}
void warn_if_stuck(any_filter const& filter) {
  if (auto const text = stuck(filter)) warn(*text);
}

std::span<digest const> digests_of_block(any_hash const& hash, record_block const& block,
                                         std::span<digest, line_reader::block_lines> space) {
  return block.with_keys([&](auto keys) {
    auto key = keys.begin();
    return space.first(digests_of(hash, key, keys.end(), space));
  });
}

void print_json(json_value const& document) {
  output out(STDOUT_FILENO);
  // File names may contain any bytes; JSON is UTF-8.
  out.line(document.on_many_lines());
  out.flush();
}

}  // namespace hortus::cli
