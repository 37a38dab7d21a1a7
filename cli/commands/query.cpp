#include <unistd.h>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string file;
  key_file key;
  key_input input;
  bool invert = false;
  bool count_only = false;
  bool no_verify = false;
};

int query(options const& o) {
  auto filter = open_filter(o.file, {.key = o.key.read(), .verify = !o.no_verify});
  if (!filter.family().has(verb::may_contain) && filter.family().has(verb::count))
    throw error(errc::unsupported,
                "'" + o.file + "': " + one(filter.family().kind()) + " tells how often, not whether: hortus count asks it");
  check_has(filter, verb::may_contain, o.file);
  check_takes_text(filter, o.file);
  check_apart(o.file, o.input.names());
  check_can_print(o.input.names());
  check_clock(filter, o.file);
  line_reader in(o.input.paths, o.input.format());
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  // For a stream someone may wait for the answers. On a terminal they share the screen with the line of progress.
  bool const prompt = in.streaming() || ::isatty(STDOUT_FILENO) == 1;
  output out(STDOUT_FILENO, prompt ? flushing::each_block : flushing::when_full);
  std::uint64_t selected = 0;
  for (std::vector<std::string_view> keys; in.next(keys); shown.update(in.bytes_read())) {
    tell_time(filter);  // in memory only: the file does not change
    auto const hits = std::as_const(filter).may_contain(keys);
    auto const members = hits.count();
    selected += o.invert ? keys.size() - members : members;
    if (o.count_only) continue;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (hits[i] != o.invert) out.line(keys[i], o.input.separator());
    out.block_done();
  }
  if (o.count_only) out.print("{}\n", selected);
  out.flush();
  return selected != 0 ? done : nothing_selected;
}

}  // namespace

void add_query(command_line& app, action& run) {
  auto const command = app.add_subcommand("query", "print the lines that may be members; status 0 if there are any, else 1");
  auto const o = std::make_shared<options>();
  command->add_option("FILE", o->file, "the filter")->required();
  command->add_flag("-v,--invert", o->invert, "print the lines that surely are no members");
  command->add_flag("-c,--count", o->count_only, "print only how many lines were selected");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer("Example: hortus query seen.hortus -v today.txt > surely_new.txt");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
