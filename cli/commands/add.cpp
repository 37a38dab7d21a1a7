#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>

#include "cli/checkpoints.hpp"
#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/filling.hpp"
#include "cli/near_filters.hpp"
#include "cli/near_keys.hpp"
#include "cli/new_filter.hpp"
#include "cli/saving.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

constexpr char const* default_family = "bloom";

struct add_options {
  std::string file;
  new_filter made;
  lock_options lock;
  checkpoint_option checkpoint;
  key_input input;
  bool create = false;
  bool if_new = false;
  bool print_new = false;
  bool json = false;
  bool verbose = false;
};

void check_options(add_options const& o) {
  if (auto const given = o.made.given(); !o.create && !given.empty())
    throw error(errc::bad_goal, fmt::format("{} {} about a filter that is made: only with --create", fmt::join(given, ", "),
                                            given.size() == 1 ? "is" : "are"));
  if (o.print_new && o.json)
    throw error(errc::bad_goal, "--print-new and --json exclude each other: both print on standard output");
}

/// The filter that --create makes if there is none: of the keys of the input, or an empty one if how many come is told or does
/// not matter, or if lines are to be printed as they come.
void create(add_options const& o, bool& filled) {
  // Two commands may find that the file is missing. The folder is locked until it is there.
  auto const parent = std::filesystem::absolute(o.file).parent_path();
  auto const lock = o.lock.hold(parent.string());
  if (std::filesystem::exists(o.file)) return;
  auto made = o.made;
  if (made.family.empty())
    made.family = !made.need.empty() ? "auto" : !made.window.empty() ? "age_partitioned" : default_family;
  made.check_family();
  check_can_save(o.file, o.input.names(), made.key);
  if (!made.items.empty()) made.choose_family(parse_count("-n", made.items));
  bool const any_number = !made.is_auto() && made.its_family().keeps_fpr;
  bool const at_once = !made.is_auto() && made.its_family().has(verb::build);
  if (!at_once && (!made.items.empty() || any_number)) {
    made.refuse_threads("add takes its keys with one thread; build has more");
    auto const items = made.items.empty() ? 0 : parse_count("-n", made.items);
    auto const empty = fitting("a filter of that size",
                               [&] { return make_filter(made.family, made.wish(items), made.chosen_hash(o.input.names())); });
    save(empty, o.file);
    return;
  }
  if (o.print_new || !o.checkpoint.every.empty())
    throw error(errc::bad_goal, fmt::format("to make the filter first, {} needs -n, the number of distinct keys; or --family "
                                            "scalable, which grows",
                                            o.print_new ? "--print-new" : "--checkpoint"));
  auto const filter = build_from(made, o.input, "no file was written", o.json);
  save(filter, o.file);
  warn_after_filling(filter, made);
  report(o.file, o.json);
  if (o.verbose) tell_summary(o.file, filter);
  filled = true;
}

/// --create is for commands that are repeated, so its options may be given although the filter is there. They cannot change
/// it: warns of those that want another filter.
void warn_if_other(add_options const& o, any_filter const& filter) {
  auto const about = filter.about();
  std::vector<std::string> other;
  if (!o.made.family.empty() && !o.made.is_auto() && o.made.family != about.family) other.emplace_back("--family");
  if (!o.made.items.empty() && parse_count("-n", o.made.items) != about.items_planned) other.emplace_back("-n");
  if (!o.made.fpr.empty() && parse_rate("-p", o.made.fpr) != about.fpr_planned) other.emplace_back("-p");
  if (!o.made.seed.empty() && parse_seed("--seed", o.made.seed) != about.seed) other.emplace_back("--seed");
  if (other.empty()) return;
  warn(fmt::format("'{}' is there, {} for {} keys at {}: {} {} not used", o.file, one(about.family), about.items_planned,
                   human_rate(about.fpr_planned), fmt::join(other, ", "), other.size() == 1 ? "is" : "are"));
}

int add_near(add_options const& o, any_near_filter filter) {
  if (o.if_new || o.print_new || !o.checkpoint.every.empty())
    throw error(errc::unsupported, fmt::format("'{}' is {}: --if-new, --print-new and --checkpoint are not for it", o.file,
                                               one(filter.about().family)));
  check_takes(filter, o.file, o.input);
  check_can_save(o.file, o.input.names(), o.made.key);
  near_keys keys(filter.family().metric_used());
  auto in = o.input.reader();
  std::uint64_t added = 0;
  {
    progress shown("adding", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    for (record_block block; in.next(block); shown.update(in.bytes_read()))
      for_each_near_key(keys, block, [&](near_key const& key, std::size_t) {
        filter.insert(key);
        ++added;
      });
  }
  save(filter, o.file);
  warn_if_overfull(filter);
  report(o.file, o.json);
  if (o.verbose) {
    say(fmt::format("added {} keys", added));
    tell_summary(o.file, filter);
  }
  return done;
}

int add(add_options const& o) {
  check_options(o);
  if (is_near_family(o.made.family))
    throw error(errc::bad_goal, fmt::format("--create does not make {}: hortus build makes it", one(o.made.family)));
  auto const every = o.checkpoint.interval();
  auto const key = o.made.key.read(o.input.names());
  if (o.create && !std::filesystem::exists(o.file)) {
    bool filled = false;
    create(o, filled);
    if (filled) return done;
  }
  auto const locked = o.lock.hold_file(o.file);  // without it two adds could read the same file, and one's keys would be lost
  auto opened = load_any(o.file, {.key = key});
  if (auto* const near = std::get_if<any_near_filter>(&opened)) return add_near(o, std::move(*near));
  auto filter = std::get<any_filter>(std::move(opened));
  if (filter.family().has(verb::put))
    throw error(errc::unsupported,
                fmt::format("'{}' is a map, whose keys have values: hortus set --new puts KEY<TAB>VALUE lines", o.file));
  check_has(filter, verb::insert, o.file);
  check_takes(filter, o.file, o.input);
  check_can_save(o.file, o.input.names(), o.made.key);
  check_clock(filter, o.file);
  if (o.create) warn_if_other(o, filter);
  filling added(filter);
  auto in = o.input.reader();
  if (o.print_new) check_can_print(o.input.names());
  // Lines are printed before they are saved as known, so that an interrupted run prints them again and never loses them.
  line_writer lines({.separator = o.input.separator()}, in.streaming() || every);
  {
    checkpoints saved(filter, locked.get(), every);
    progress shown("adding", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    for (record_block block; in.next(block); shown.update(in.bytes_read())) {
      if (block.what != record_block::kind::keys) {
        if (o.print_new) lines.whole_block(block);
        continue;
      }
      saved.changing([&] {
        tell_time(filter);
        if (!o.if_new && !o.print_new) return added.insert(block);
        auto const fresh = added.insert_new(block);
        if (!o.print_new) return;
        for (std::size_t i = 0; i < block.lines.size(); ++i)
          if (fresh[i]) lines.write(block, i);
        lines.block_done();
      });
    }
  }
  lines.finish();  // what was decided before the first key that did not fit, as uniq does
  naming(o.file, [&] {
    added.check_all_went_in(every ? "the file is as the last checkpoint left it" : "the file is as it was", o.json);
  });
  save(filter, o.file);
  warn_if_overfull(filter);
  warn_if_stuck(filter);
  report(o.file, o.json);
  if (o.verbose) {
    say(fmt::format("added {} of {} keys", added.inserted(), added.offered()));
    tell_summary(o.file, filter);
  }
  return done;
}

}  // namespace

void add_add(command_line& app, action& run) {
  auto const command = app.add_subcommand("add", "put more keys into a filter, in place and atomically");
  auto const o = std::make_shared<add_options>();
  command->add_option("FILE", o->file, "the filter")->required();
  command->add_flag("--if-new", o->if_new, "only keys that are not found yet: none is counted twice");
  command->add_flag("--print-new", o->print_new, "the same, and print their lines (a false positive is not new)");
  o->checkpoint.add_option(*command);
  command->add_flag("--create", o->create,
                    "make the filter if there is none, with the options of build;\n-n is then for all keys that will come");
  command
      ->add_option("--family", o->made.family,
                   "of the filter to make: auto, or a name of hortus list (default bloom;\nwith --need auto, with --window "
                   "age_partitioned)")
      ->type_name("FAMILY");
  o->made.add_options(*command);
  o->lock.add_option(*command);
  command->add_flag("--json", o->json, "describe the filter afterwards, as info --json does");
  command->add_flag("--verbose", o->verbose, "how many keys went in, and a line about the filter, on standard error");
  o->input.add_options(*command);
  command->footer(
      "Example: hortus add seen.hortus today.txt\n"
      "Example: hortus add --create -n 1M --print-new seen.hortus today.txt > new_today.txt");
  command->callback([=, &run] { run = [o] { return add(*o); }; });
}

}  // namespace hortus::cli
