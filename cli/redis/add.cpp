#include <fmt/format.h>

#include <limits>

#include "cli/command.hpp"
#include "cli/redis/actions.hpp"
#include "cli/redis/line_batches.hpp"
#include "cli/redis/server_options.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct add_options {
  server_options server;
  std::string replicas;
  key_file key;
  key_input input;
  bool print_new = false;
  bool json = false;
};

int add(add_options const& o) {
  if (o.print_new && o.json)
    throw error(errc::bad_goal, "--print-new and --json exclude each other: both print on standard output");
  auto const secret = o.key.read(o.input.names());
  redis::filter filter(o.server.connect(o.input.names()), o.server.key, secret);
  check_takes(filter, o.input);
  if (!o.replicas.empty())
    filter.wait_for_replicas(static_cast<unsigned>(
        std::min<std::uint64_t>(parse_count("--replicas", o.replicas, 1), std::numeric_limits<int>::max())));
  if (o.print_new) check_can_print(o.input.names());
  auto in = o.input.reader();
  line_writer lines({.separator = o.input.separator()}, in.streaming());
  std::uint64_t offered = 0;
  std::uint64_t inserted = 0;
  {
    progress shown("adding", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    auto const show = [&](kept_lines const& kept, redis::answers const& found) {
      offered += found.yes.size();
      inserted += found.changed;
      if (!o.print_new) return true;
      kept.for_each_block([&](record_block const& block, std::size_t first) {
        if (block.what != record_block::kind::keys) return lines.whole_block(block);
        for (std::size_t i = 0; i < block.lines.size(); ++i)
          if (found.yes[first + i]) lines.write(block, i);
      });
      lines.block_done();
      return true;
    };
    auto const what = o.print_new ? verb::insert_if_new : verb::insert;
    line_batches(filter, in, {.what = what, .keep_lines = o.print_new, .keep_keys = false}).run(show, [&](std::uint64_t bytes) {
      shown.update(bytes);
    });
  }
  lines.finish();
  if (o.json) {
    auto all = describe(filter);
    all["keys_offered"] = offered;
    all["keys_inserted"] = inserted;
    if (inserted < offered) all["keys_refused"] = offered - inserted;
    print_json(all);
  }
  if (inserted < offered)
    throw error(errc::full, fmt::format("'{}' is full: {} of {} keys did not go in, the others did", o.server.key,
                                        offered - inserted, offered));
  warn_if_overfull(filter);
  return done;
}

}  // namespace

void add_redis_add(subcommand const& group, action& run) {
  auto const command = group.add_action("add", "insert keys");
  auto const o = std::make_shared<add_options>();
  o->server.add_arguments(*command);
  command->add_flag("--print-new", o->print_new, "print the lines that surely were no members before");
  command->add_option("--replicas", o->replicas, "a batch counts as added when so many replicas have it; with\nfewer: status 2")
      ->type_name("N");
  command->add_flag("--json", o->json, "describe the filter, with keys_offered and keys_inserted");
  o->server.add_options(*command);
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "After an error the keys of some batches are in the filter. Families that do not count may be\ngiven all keys again.\n"
      "Example: zcat today.gz | hortus redis add redis://127.0.0.1:7000 seen");
  command->callback([=, &run] { run = [o] { return add(*o); }; });
}

}  // namespace hortus::cli
