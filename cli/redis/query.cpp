#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/redis/actions.hpp"
#include "cli/redis/line_batches.hpp"
#include "cli/redis/server_options.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct options {
  server_options server;
  std::string most;
  key_file key;
  key_input input;
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool with_filename = false;
  bool line_number = false;
  bool json = false;
};

int query(options const& o) {
  bool const silent = o.quiet || o.count_only;
  if (o.quiet && (o.count_only || o.json)) throw error(errc::bad_goal, "-q prints nothing: it excludes --count and --json");
  if (silent && (o.with_filename || o.line_number))
    throw error(errc::bad_goal, "-H and --line-number are about printed lines: -q and --count print none");
  auto const most = o.quiet ? 1 : o.most.empty() ? ~std::uint64_t{0} : parse_count("-m", o.most, 1);
  auto const secret = o.key.read(o.input.names());
  redis::filter filter(o.server.connect(o.input.names()), o.server.key, secret);
  check_takes(filter, o.input);
  check_can_print(o.input.names());
  auto in = o.input.reader();
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  line_writer lines({.separator = o.input.separator(),
                     .with_filename = o.with_filename,
                     .line_number = o.line_number,
                     .json = o.json && !silent},
                    in.streaming());
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  // Without lines to print and to count one by one, only the bits are counted.
  bool const counts_only = silent && most == ~std::uint64_t{0};
  auto const show = [&](kept_lines const& kept, redis::answers const& found) {
    if (counts_only) {
      std::uint64_t no_keys = 0;
      kept.for_each_block([&](record_block const& block, std::size_t) {
        if (block.what == record_block::kind::no_key) no_keys += block.lines.size();
      });
      asked += found.yes.size() + no_keys;
      auto const hits = found.yes.count();
      selected += o.invert ? found.yes.size() - hits + no_keys : hits;
      return true;
    }
    kept.for_each_block([&](record_block const& block, std::size_t first) {
      if (block.what == record_block::kind::header) {
        if (!silent && selected < most) lines.whole_block(block);
        return;
      }
      for (std::size_t i = 0; i < block.lines.size() && selected < most; ++i) {
        ++asked;
        bool const hit = block.what == record_block::kind::keys && found.yes[first + i];
        if (hit == o.invert) continue;
        ++selected;
        if (!silent) lines.write(block, i);
      }
    });
    lines.block_done();
    return selected < most;
  };
  line_batches(filter, in, {.what = verb::may_contain, .keep_lines = !counts_only, .keep_keys = o.json && !silent})
      .run(show, [&](std::uint64_t bytes) { shown.update(bytes); });
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

void check_takes(redis::filter const& filter, key_input const& input) {
  auto const name = "'" + filter.about().key + "'";
  if (filter.hash().is<locked_hash>()) throw error(errc::wrong_key, name + " was made with a secret key; --key-file gives it");
  if (filter.hash().is<foreign_hash>())
    throw error(errc::unsupported, name + " was made with a hash that is " + hash_name(filter.hash().id()) +
                                       ": only the program that has that hash can turn lines into its keys");
  auto const kinds = filter.about().about.kinds;
  if (kinds == key_kind::digests)
    throw error(errc::incompatible, name + " was filled with digests, not with text: no line would be found");
  if (kinds == key_kind::integers && !input.integers)
    throw error(errc::incompatible, name + " was filled with integers, not with text: --integers takes the lines as integers");
  if (kinds == key_kind::bytes && input.integers)
    throw error(errc::incompatible, name + " was filled with text, not with integers: leave --integers away");
}

void add_redis_query(subcommand const& group, action& run) {
  auto const command = group.add_action("query", "print the lines that may be members; status 0 if there are any, else 1");
  auto const o = std::make_shared<options>();
  o->server.add_arguments(*command);
  command->add_flag("-v,--invert", o->invert, "print the lines that surely are no members");
  command->add_flag("-c,--count", o->count_only, "print only how many lines were selected");
  command->add_flag("-q,--quiet", o->quiet, "print nothing, end after the first selected line: the status tells");
  command->add_option("-m,--max-count", o->most, "end after N selected lines")->type_name("N");
  command->add_flag("-H,--with-filename", o->with_filename, "print the name of the INPUT before each line");
  command->add_flag("-n,--line-number", o->line_number, "print the number of the line in its INPUT before each line");
  command->add_flag("--json", o->json, "an array of the selected lines; with -c the numbers");
  o->server.add_options(*command);
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Keys are hashed here; the servers get 8 bytes a key, 65,536 keys at a time.\n"
      "Example: hortus redis query redis://127.0.0.1:7000 seen -v today.txt > surely_new.txt");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
