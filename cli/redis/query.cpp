#include "cli/command.hpp"
#include "cli/redis/actions.hpp"
#include "cli/redis/line_batches.hpp"
#include "cli/redis/server_options.hpp"
#include "cli/selection.hpp"

namespace hortus::cli {
namespace {

struct query_options {
  server_options server;
  selection_options how;
  key_file key;
  key_input input;
};

int query(query_options const& o) {
  o.how.check();
  // Without lines to print or to end at, only bits are counted, and lines need not be kept.
  bool const counts_only = o.how.silent() && o.how.limit() == ~std::uint64_t{0};
  auto const secret = o.key.read(o.input.names());
  redis::filter filter(o.server.connect(o.input.names()), o.server.key, secret);
  check_takes(filter, o.input);
  check_can_print(o.input.names());
  auto in = o.input.reader();
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  selection selected(o.how, o.input.separator(), in.streaming());
  auto const show = [&](kept_lines const& kept, redis::answers const& found) {
    if (counts_only) selected.count(found.yes.size(), found.yes.count());
    kept.for_each_block([&](record_block const& block, std::size_t first) {
      if (block.what == record_block::kind::header) {
        if (!selected.is_full()) selected.header(block);
        return;
      }
      for (std::size_t i = 0; i < block.lines.size() && !selected.is_full(); ++i)
        selected.line(block, i, block.what == record_block::kind::keys && found.yes[first + i]);
    });
    selected.block_done();
    return !selected.is_full();
  };
  line_batches(filter, in, {.what = verb::may_contain, .keep_lines = !counts_only, .keep_keys = o.how.json && !o.how.silent()})
      .run(show, [&](std::uint64_t bytes) { shown.update(bytes); });
  shown.hide();
  return selected.finish();
}

}  // namespace

void check_takes(redis::filter const& filter, key_input const& input) {
  check_takes(filter.hash(), filter.about().about.kinds, filter.about().key, input);
}

void add_redis_query(subcommand const& group, action& run) {
  auto const command = group.add_action("query", "print the lines that may be members; status 0 if there are any, else 1");
  auto const o = std::make_shared<query_options>();
  o->server.add_arguments(*command);
  o->how.add_options(*command);
  o->server.add_options(*command);
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Keys are hashed here; the servers get 8 bytes a key, 65,536 keys at a time.\n"
      "Example: hortus redis query redis://127.0.0.1:7000 seen -v today.txt > surely_new.txt");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
