#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/filling.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string file;
  key_file key;
  lock_options lock;
  key_input input;
  bool json = false;
};

int add(options const& o) {
  auto const lock = o.lock.hold(o.file);  // without it two adds could read the same file, and one's keys would be lost
  auto filter = load_filter(o.file, {.key = o.key.read()});
  check_has(filter, verb::insert, o.file);
  check_takes_text(filter, o.file);
  check_can_save(o.file, o.input.names(), o.key);
  check_clock(filter, o.file);
  filling added(filter);
  line_reader in(o.input.paths, o.input.format());
  {
    progress shown("adding", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    for (std::vector<std::string_view> keys; in.next(keys); shown.update(in.bytes_read())) {
      tell_time(filter);
      added.insert(keys);
    }
  }
  naming(o.file, [&] { added.check_all_went_in("the file is as it was", o.json); });
  save(filter, o.file);
  warn_if_overfull(filter);
  warn_if_stuck(filter);
  report(o.file, o.json);
  return done;
}

}  // namespace

void add_add(command_line& app, action& run) {
  auto const command = app.add_subcommand("add", "put more keys into a filter, in place and atomically");
  auto const o = std::make_shared<options>();
  command->add_option("FILE", o->file, "the filter")->required();
  o->key.add_option(*command);
  o->lock.add_option(*command);
  command->add_flag("--json", o->json, "describe the filter afterwards, as info --json does");
  o->input.add_options(*command);
  command->footer("Example: hortus add seen.hortus today.txt");
  command->callback([=, &run] { run = [o] { return add(*o); }; });
}

}  // namespace hortus::cli
