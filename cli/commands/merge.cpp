#include <algorithm>

#include "cli/command.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string out;
  std::vector<std::string> files;
  lock_options lock;
  bool json = false;
};

int merge(options const& o) {
  check_can_save(o.out);
  // If the output is one of the inputs, merge reads and writes it, as add does, and takes its lock. The other inputs are only
  // read and not locked, so merges cannot deadlock.
  bool const changes = std::ranges::any_of(o.files, [&](auto const& file) { return same_file(o.out, file); });
  auto const lock = changes ? o.lock.hold(o.out) : nullptr;
  auto all = load_filter(o.files.front());
  check_has(all, verb::merge, o.files.front());
  for (std::size_t i = 1; i < o.files.size(); ++i) {
    auto const next = open_filter(o.files[i], {.key = {}, .verify = true});
    naming(o.files[i], [&] { all.merge(next); });
  }
  save(all, o.out);
  warn_if_overfull(all, after::merging);
  warn_if_stuck(all);
  report(o.out, o.json);
  return done;
}

}  // namespace

void add_merge(command_line& app, action& run) {
  auto const command = app.add_subcommand("merge", "the filter of all keys of several filters made alike");
  auto const o = std::make_shared<options>();
  command->add_option("-o,--output", o->out, "the file to write; it may be one of the filters")->required()->type_name("FILE");
  command->add_option("FILES", o->files, "two or more filters")->required()->expected(2, -1);
  o->lock.add_option(*command);
  command->add_flag("--json", o->json, "describe the result, as info --json does");
  command->footer("Example: hortus merge -o week.hortus monday.hortus tuesday.hortus");
  command->callback([=, &run] { run = [o] { return merge(*o); }; });
}

}  // namespace hortus::cli
