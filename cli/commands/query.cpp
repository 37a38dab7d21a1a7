#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string file;
  std::string most;
  key_file key;
  key_input input;
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool with_filename = false;
  bool line_number = false;
  bool no_verify = false;
  bool json = false;
};

any_filter filter_of(options const& o) {
  auto filter = open_filter(o.file, {.key = o.key.read(o.input.names()), .verify = !o.no_verify});
  if (!filter.family().has(verb::may_contain) && filter.family().has(verb::count))
    throw error(errc::unsupported,
                "'" + o.file + "': " + one(filter.family().kind()) + " tells how often, not whether: hortus count asks it");
  check_has(filter, verb::may_contain, o.file);
  check_takes(filter, o.file, o.input);
  check_apart(o.file, o.input.names());
  check_can_print(o.input.names());
  check_clock(filter, o.file);
  return filter;
}

int query(options const& o) {
  bool const silent = o.quiet || o.count_only;
  if (o.quiet && (o.count_only || o.json)) throw error(errc::bad_goal, "-q prints nothing: it excludes --count and --json");
  if (silent && (o.with_filename || o.line_number))
    throw error(errc::bad_goal, "-H and --line-number are about printed lines: -q and --count print none");
  auto const most = o.quiet ? 1 : o.most.empty() ? ~std::uint64_t{0} : parse_count("-m", o.most, 1);
  auto filter = filter_of(o);
  auto in = o.input.reader();
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  line_writer lines({.separator = o.input.separator(),
                     .with_filename = o.with_filename,
                     .line_number = o.line_number,
                     .json = o.json && !silent},
                    in.streaming());
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  for (record_block block; selected < most && in.next(block); shown.update(in.bytes_read())) {
    if (block.what == record_block::kind::header) {
      if (!silent) lines.whole_block(block);
      continue;
    }
    tell_time(filter);                 // in memory only: the file does not change
    bitmask hits(block.lines.size());  // a line without a key is no member
    if (block.what == record_block::kind::keys)
      hits = block.with_keys([&](auto keys) { return std::as_const(filter).may_contain(keys); });
    for (std::size_t i = 0; i < block.lines.size() && selected < most; ++i) {
      ++asked;
      if (hits[i] == o.invert) continue;
      ++selected;
      if (!silent) lines.write(block, i);
    }
    lines.block_done();
  }
  shown.hide();
  lines.finish();
  if (o.count_only && o.json) {
    print_json({{"asked", asked}, {"selected", selected}});
  } else if (o.count_only) {
    output out(STDOUT_FILENO);
    out.print("{}\n", selected);
    out.flush();
  }
  return selected != 0 ? done : nothing_selected;
}

}  // namespace

void add_query(command_line& app, action& run) {
  auto const command = app.add_subcommand("query", "print the lines that may be members; status 0 if there are any, else 1");
  auto const o = std::make_shared<options>();
  command->add_option("FILE", o->file, "the filter; - is standard input")->required();
  command->add_flag("-v,--invert", o->invert, "print the lines that surely are no members");
  command->add_flag("-c,--count", o->count_only, "print only how many lines were selected");
  command->add_flag("-q,--quiet", o->quiet, "print nothing, end at the first line that is selected: the status tells");
  command->add_option("-m,--max-count", o->most, "end after N selected lines")->type_name("N");
  command->add_flag("-H,--with-filename", o->with_filename, "print the name of the INPUT before each line");
  command->add_flag("-n,--line-number", o->line_number, "print the number of the line in its INPUT before each line");
  command->add_flag("--json", o->json, "an array of the selected lines; with -c the numbers");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Example: hortus query seen.hortus -v today.txt > surely_new.txt\n"
      "Example: hortus query seen.hortus -q -e ada && echo ada may be in");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
