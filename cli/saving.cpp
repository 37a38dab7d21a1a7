#include "cli/saving.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/near_filters.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {

void save_options::add_options(subcommand const& command, std::string const& help, output_is how) {
  auto file = command.add_option("-o,--output", path, help + "; - is standard output");
  file->type_name("FILE");
  if (how == output_is::required) file->required();
  command.add_flag("--force", force, "replace a file that is no filter, too");
  command.add_flag("--json", json, "describe the filter that was written, as info --json does");
  command.add_flag("--verbose", verbose, "a line about the filter on standard error");
}

void save_options::check(std::span<std::string const> inputs, key_file const& key) const {
  if (path == "-") {
    if (json) throw error(errc::bad_goal, "-o - and --json exclude each other: standard output has the filter");
    if (::isatty(STDOUT_FILENO) == 1)
      throw error(errc::io, "-o -: a filter is not for a terminal; redirect it, or name a file");
    return;
  }
  check_can_save(path, inputs, key);
  check_replaces_filter(path, force);
}

bool save_options::is_one_of(std::span<std::string const> files) const {
  return path != "-" && std::ranges::any_of(files, [&](auto const& file) { return same_file(path, file); });
}

void save_options::save(image const& what) const {
  if (path != "-") return write_file(path, what);
  output out(STDOUT_FILENO);
  write_image(what, [&](std::span<std::byte const> bytes) {
    out.write({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
  });
  out.flush();
}

void save_options::report(any_filter const& filter) const {
  cli::report(path, json);
  if (verbose) tell_summary(path, filter);
}

void save_options::report(any_near_filter const& filter) const {
  cli::report(path, json);
  if (verbose) tell_summary(path, filter);
}

void tell_summary(std::string const& path, any_filter const& filter) {
  auto text = fmt::format("{}: {} of {}", path == "-" ? "standard output" : path, one(filter.about().family),
                          human_bytes(filter.size_bytes()));
  if (filter.family().has(verb::estimate)) {
    auto const keys = filter.estimate();
    text += keys.saturated ? ", full"
                           : fmt::format(", about {} keys", human_count(static_cast<std::uint64_t>(std::llround(keys.value))));
  }
  if (filter.family().has(verb::fpr)) text += fmt::format(", {} false positives", human_rate(filter.fpr()));
  say(text);
}

}  // namespace hortus::cli
