#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/map_values.hpp"
#include "cli/saving.hpp"

namespace hortus::cli {
namespace {

struct set_options {
  std::string file;
  key_file key;
  lock_options lock;
  key_input input;
  std::string value;
  bool fresh = false;
  bool json = false;
  bool verbose = false;
};

/// What became of the lines.
struct tally {
  std::uint64_t asked = 0;
  std::uint64_t changed = 0;
  std::string first_refused;
};

/// Gives the keys of a block their values.
void set_block(set_options const& o, any_filter& map, record_block const& block, std::span<std::uint64_t const> values,
               tally& all) {
  block.with_keys([&](auto keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      bool const did = o.fresh ? map.put(keys[i], values[i]) : map.assign(keys[i], values[i]);
      all.changed += std::uint64_t{did};
      if (!did && all.first_refused.empty()) all.first_refused = line_named(block, i);
    }
  });
  all.asked += block.lines.size();
}

int set(set_options const& o) {
  auto const lock = o.lock.hold(o.file);  // against a concurrent add, remove or set
  auto map = load_filter(o.file, {.key = o.key.read(o.input.names())});
  check_has(map, o.fresh ? verb::put : verb::assign, o.file);
  check_takes(map, o.file, o.input);
  check_can_save(o.file, o.input.names(), o.key);
  auto input = o.input;
  input.with_value = key_part::values::all;
  input.value = o.value;
  value_reader values(map.family().labels(), map.family().value_bits());
  if (family_named(map.about().family).finds_bounds) values.refuse_zero();
  tally all;
  {
    auto in = input.reader();
    progress shown("setting", in.total_bytes(), progress_unit::bytes, input.progress_mode());
    for (record_block block; in.next(block); shown.update(in.bytes_read()))
      if (block.what == record_block::kind::keys) set_block(o, map, block, values.numbers(block), all);
  }
  auto const refused = all.asked - all.changed;
  if (o.fresh && refused != 0)
    throw error(errc::full,
                fmt::format("'{}': {} of {} keys did not go in, the first in {}: there is no room, or they are there "
                            "already; the file is as it was",
                            o.file, refused, all.asked, all.first_refused));
  save(map, o.file);
  if (refused != 0)
    say(fmt::format("{} of {} keys were certainly absent, the first in {}", refused, all.asked, all.first_refused));
  if (o.verbose) say(fmt::format("{} {} of {} values", o.fresh ? "put" : "changed", all.changed, all.asked));
  if (o.json) {
    auto described = describe(o.file, {});
    described["values_set"] = all.changed;
    described["keys_certainly_absent"] = refused;
    print_json(described);
  }
  return done;
}

}  // namespace

void add_set(command_line& app, action& run) {
  auto const command = app.add_subcommand("set", "change the values of keys in a map, in place and atomically");
  auto const o = std::make_shared<set_options>();
  command->add_option("FILE", o->file, "the map, of a family that can change values")->required();
  command->add_flag("--new", o->fresh, "put keys that the map does not have yet, with their values");
  command
      ->add_option("--value", o->value,
                   "with --field or --csv, the field or column of the value\n(default: a line is KEY<TAB>VALUE)")
      ->type_name("FIELD");
  o->key.add_option(*command);
  o->lock.add_option(*command);
  command->add_flag("--json", o->json, "describe the map afterwards, and how many values changed");
  command->add_flag("--verbose", o->verbose, "how many values changed, on standard error");
  o->input.add_options(*command);
  command->footer(
      "Without --new, set only keys that the map has; with --new, only keys that it has not. A key of\n"
      "the other kind that is found by chance would change the value of another.\n"
      "Example: hortus set stock.hortus sold.tsv\n"
      "Example: printf 'ada\\t36\\n' | hortus set --new ages.hortus");
  command->callback([=, &run] { run = [o] { return set(*o); }; });
}

}  // namespace hortus::cli
