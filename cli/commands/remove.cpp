#include <fmt/format.h>

#include <array>

#include "cli/command.hpp"

namespace hortus::cli {
namespace {

struct remove_options {
  std::string file;
  key_file key;
  lock_options lock;
  key_input input;
  bool json = false;
  bool verbose = false;
};

int remove(remove_options const& o) {
  auto const lock = o.lock.hold(o.file);  // against a concurrent add or remove
  auto filter = load_filter(o.file, {.key = o.key.read(o.input.names())});
  check_has(filter, verb::erase, o.file);
  check_takes(filter, o.file, o.input);
  check_can_save(o.file, o.input.names(), o.key);
  auto in = o.input.reader();
  std::uint64_t asked = 0;
  std::uint64_t erased = 0;
  std::uint64_t stuck = 0;
  bool const may_stick = filter.family().saturations() != 0;  // removing keys does not change this
  {
    progress shown("removing", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    std::array<digest, line_reader::block_lines> block;
    for (record_block some; in.next(some); shown.update(in.bytes_read())) {
      if (some.what != record_block::kind::keys) continue;
      asked += some.lines.size();
      if (may_stick) stuck += filter.family().stuck(digests_of_block(filter.hash(), some, block));
      erased += some.with_keys([&](auto keys) { return filter.erase(keys); });
    }
  }
  save(filter, o.file);
  auto const removed = erased - stuck;  // erase also returns true for a key whose counters are stuck: it may be a member
  bool const hides = family_named(filter.about().family).hides_erased();  // a hidden key is not found, and may be a member
  auto const* const absent = hides ? "not found" : "certainly absent";
  if (o.verbose)
    say(fmt::format("removed {} of {} keys; {} were {}{}", removed, asked, asked - erased, absent,
                    stuck == 0 ? "" : fmt::format("; {} stay, for their counters stand at their maximum for good", stuck)));
  else if (asked != erased)
    say(fmt::format("{} of {} keys were {}", asked - erased, asked, absent));
  if (stuck != 0 && !o.verbose)
    warn(fmt::format("{} of {} keys stay, for their counters stand at their maximum for good", stuck, asked));
  if (o.json) {
    auto all = describe(o.file, {});
    all["keys_removed"] = removed;
    all[hides ? "keys_not_found" : "keys_certainly_absent"] = asked - erased;
    all["keys_stuck"] = stuck;
    print_json(all);
  }
  return done;
}

}  // namespace

void add_remove(command_line& app, action& run) {
  auto const command = app.add_subcommand("remove", "take keys out of a filter, in place and atomically");
  auto const o = std::make_shared<remove_options>();
  command->add_option("FILE", o->file, "the filter, of a family that can erase")->required();
  o->key.add_option(*command);
  o->lock.add_option(*command);
  command->add_flag("--json", o->json, "describe the filter afterwards, and how many keys went");
  command->add_flag("--verbose", o->verbose, "how many keys went, on standard error");
  o->input.add_options(*command);
  command->footer(
      "Every line takes one insert of that key back. Remove only what was put in: a key that was not,\n"
      "and is found by chance, takes others with it.\nExample: hortus remove seen.hortus gone.txt");
  command->callback([=, &run] { run = [o] { return remove(*o); }; });
}

}  // namespace hortus::cli
