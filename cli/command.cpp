#include "cli/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "cli/advice.hpp"
#include "cli/clock.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// 16 raw bytes, or 32 hexadecimal digits with or without a newline.
std::optional<secret_key> parse_key(std::string_view text) {
  std::array<std::byte, 16> bytes{};
  if (text.size() == bytes.size()) {
    std::memcpy(bytes.data(), text.data(), bytes.size());
    return secret_key(bytes);
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto const high = hex_value(text[2 * i]);
    auto const low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret_key(bytes);
}

/// "-" is standard input.
std::optional<struct stat> looked_at(std::string const& name) {
  struct stat info {};
  if ((name == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(name.c_str(), &info)) != 0) return std::nullopt;
  return info;
}

bool is_same(std::optional<struct stat> const& a, std::optional<struct stat> const& b) {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

nlohmann::ordered_json to_json(std::vector<named_value> const& values) {
  auto object = nlohmann::ordered_json::object();
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

}  // namespace

void key_input::add_options(subcommand const& command, std::string const& without) {
  command.add_option("INPUT", paths, "files, a key a line; - is standard input, none is " + without);
  command.add_flag("-0,--null", null, "keys end with NUL instead of newline");
  command.add_flag("--crlf", crlf, "lines end with CR LF: the CR is no part of the key");
  command.add_flag("--no-decompress", no_decompress, "take gzip and zstd input, too, as the bytes it is");
  command.add_flag("--progress", show, "show progress even if standard error is no terminal");
}

std::vector<std::string> key_input::names() const { return paths.empty() ? std::vector<std::string>{"-"} : paths; }

line_format key_input::format() const {
  if (null && crlf) throw error(errc::bad_goal, "-0 and --crlf exclude each other: keys end with NUL, or with CR LF");
  return {.separator = separator(), .crlf = crlf, .unpack = no_decompress ? decompress::no : decompress::yes};
}

void lock_options::add_option(subcommand const& command) {
  command
      .add_option("--lock-timeout", timeout,
                  "how long to wait for another command that changes the file:\n500ms, 10s, 2min (default: until it is done)")
      ->type_name("TIME");
}

std::unique_ptr<file_lock> lock_options::hold(std::string const& path) const {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  auto const limit = timeout.empty() ? std::chrono::nanoseconds::max() : parse_duration("--lock-timeout", timeout);
  auto const start = clock::now();
  std::chrono::nanoseconds nap = 1ms;
  bool told = false;
  return std::make_unique<file_lock>(path, [&] {
    auto const waited = std::chrono::nanoseconds(clock::now() - start);
    if (waited >= limit)
      throw error(errc::io, fmt::format("another command is still changing '{}' after --lock-timeout {}", path, timeout));
    if (!told && waited >= 1s) {
      say(fmt::format("waiting for {}, which another command is changing", path));
      told = true;
    }
    std::this_thread::sleep_for(std::min(nap, limit - waited));
    nap = std::min<std::chrono::nanoseconds>(2 * nap, 50ms);
  });
}

void key_file::add_option(subcommand const& command) {
  command.add_option("--key-file", path, "a file of 16 bytes or 32 hexadecimal digits: the secret key")->type_name("FILE");
}

std::optional<secret_key> key_file::read() const {
  if (path.empty()) return std::nullopt;
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
  return key;
}

any_filter load_filter(std::string const& path, reading const& how) {
  return fitting("the filter", [&] { return load(path, how); });
}

any_filter open_filter(std::string const& path, reading const& how) {
  struct stat info {};
  bool const streamed = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  return streamed ? load_filter(path, how) : open(path, how);
}

std::uint64_t file_bytes(std::string const& path, any_filter const& filter) {
  return std::filesystem::is_regular_file(path) ? std::filesystem::file_size(path) : stored_size(filter);
}

void check_has(any_filter const& filter, verb needed, std::string const& path) {
  if (filter.family().has(needed)) return;
  naming(path, [&] { lacks(filter.family().kind(), needed); });
}

void check_takes_text(any_filter const& filter, std::string const& path) {
  if (filter.hash().is<locked_hash>())
    throw error(errc::wrong_key, "'" + path + "' was made with a secret key; --key-file gives it");
  if (filter.hash().is<foreign_hash>())
    throw error(errc::unsupported, "'" + path + "' was made with a hash that is " + hash_name(filter.hash().id()) +
                                       ": only the program that has that hash can turn lines into its keys");
  auto const kinds = filter.about().kinds;
  if (kinds == key_kind::integers || kinds == key_kind::digests)
    throw error(errc::incompatible, "'" + path + "' was filled with " + std::string(kind_name(kinds)) +
                                        ", not with text: lines hash differently, so no line would be found");
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
  if (path == "-") throw error(errc::io, "cannot write to '-': the output goes into a file, whole or not at all; name one");
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

nlohmann::ordered_json describe(std::string const& path, reading const& how) {
  auto filter = open_filter(path, how);
  auto const heard = filter.family().time();
  tell_time(filter);  // so that the rate is the present one
  auto const about = filter.about();
  auto const has = [&](verb v) { return filter.family().has(v); };
  nlohmann::ordered_json all;
  all["family"] = about.family;
  all["format_version"] = format_version;
  all["hash"] = hash_name(about.hash_id);
  all["keyed"] = about.key_check != 0;
  all["seed"] = about.seed;
  all["seed_hex"] = fmt::format("{:#018x}", about.seed);  // many JSON readers round numbers above 2^53
  all["items_planned"] = about.items_planned;
  all["fpr_planned"] = about.fpr_planned;
  all["items_inserted"] = about.items_inserted;
  if (has(verb::estimate)) {
    auto const estimate = filter.estimate();
    all["items_estimate"] = estimate.value;
    all["items_estimate_low"] = estimate.low;
    all["items_estimate_high"] = estimate.saturated ? nlohmann::ordered_json() : nlohmann::ordered_json(estimate.high);
    all["saturated"] = estimate.saturated;
  } else {
    all["items_estimate"] = nullptr;
  }
  all["fpr_estimate"] = has(verb::fpr) ? nlohmann::ordered_json(filter.fpr()) : nlohmann::ordered_json();
  if (has(verb::top)) {
    auto const top = filter.top(~std::uint64_t{0});
    all["counters_used"] = top.keys.size();
    all["error_at_most"] = top.others_at_most;  // no count is too high by more, and no key without counter came more often
    all["error_share"] = top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted);
  }
  all["size_bytes"] = filter.size_bytes();
  auto const* const cells = filter.family().cells();
  all["huge_pages"] = cells != nullptr && 2 * huge_page_bytes(*cells) > cells->size();  // for more than half of the cells
  all["file_bytes"] = file_bytes(path, filter);
  // Without a planned number of keys, bits per item refers to the estimated number.
  auto const items = about.items_planned != 0 ? static_cast<double>(about.items_planned)
                     : has(verb::estimate)    ? all["items_estimate"].get<double>()
                                              : 0.0;
  all["bits_per_item"] =
      items < 0.5 ? nlohmann::ordered_json() : nlohmann::ordered_json(8 * static_cast<double>(filter.size_bytes()) / items);
  if (family_named(about.family).grows) all["stages"] = filter.family().stages();
  if (filter.family().ages_by_time()) all["time"] = heard;
  all["key_kind"] = kind_name(about.kinds);
  all["verbs"] = filter.family().verbs().names();
  all["params"] = to_json(filter.family().params());
  auto const advice = advice_on(filter);
  all["advice"] = advice ? nlohmann::ordered_json(*advice) : nlohmann::ordered_json();
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

std::span<digest const> digests_of_lines(any_hash const& hash, std::span<std::string_view const> lines,
                                         std::span<digest, line_reader::block_lines> space) {
  auto line = lines.begin();
  return space.first(digests_of(hash, line, lines.end(), space));
}

void print_json(nlohmann::ordered_json const& document) {
  output out(STDOUT_FILENO);
  // File names may contain any bytes; JSON is UTF-8.
  out.line(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  out.flush();
}

}  // namespace hortus::cli
