#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/digest_buffer.hpp"
#include "cli/distinct_keys.hpp"
#include "cli/filling.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

constexpr std::uint64_t default_buffer_bytes = std::uint64_t{1} << 30;

struct options {
  std::string family;
  std::string out;
  std::string items;
  std::string fpr;
  std::string memory;
  std::string window;
  std::string seed;
  std::string hash;
  key_file key;
  std::vector<std::string> settings;
  key_input input;
  bool json = false;
};

/// The hash that --hash, --seed and --key-file specify. Throws if an option would have no effect.
any_hash chosen_hash(options const& o) {
  auto const key = o.key.read();
  bool const keyed = o.hash == siphash::name || o.hash == siphash24::name || (o.hash.empty() && key);
  if (keyed && !key) throw error(errc::wrong_key, "--hash " + o.hash + " needs --key-file");
  if (key && !keyed)
    throw error(errc::wrong_key, "--hash " + o.hash + " takes no secret key; leave --hash away or say siphash13");
  if (key && !o.seed.empty())
    throw error(errc::bad_goal, "--seed and --key-file exclude each other: the key takes the seed's place");
  if (key && o.hash == siphash24::name) return siphash24(*key);
  if (key) return siphash(*key);
  auto const seed = o.seed.empty() ? 0 : parse_seed("--seed", o.seed);
  if (o.hash.empty() || o.hash == xxh3::name) return xxh3(seed);
  if (o.hash == xxh64::name) return xxh64(seed);
  throw error(errc::bad_goal, "--hash: there is no '" + o.hash + "'; there are: xxh3, xxh64, siphash13, siphash24");
}

request wish_of(options const& o, std::uint64_t items) {
  request wish{.items = items, .fpr = o.fpr.empty() ? 0.01 : parse_rate("-p", o.fpr), .settings = {}};
  for (auto const& setting : o.settings) {
    auto const equals = setting.find('=');
    if (equals == std::string::npos) throw error(errc::bad_goal, "--set takes NAME=VALUE, not '" + setting + "'");
    wish.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  auto const& family = family_named(o.family);
  if (!o.window.empty()) {
    if (!family.has(verb::advance)) lacks(o.family, verb::advance);
    wish.settings.emplace_back("ticks", std::to_string(parse_window("--window", o.window)));
  }
  auto const is_set = [&](std::string_view name) {
    return std::ranges::any_of(wish.settings, [&](auto const& setting) { return setting.first == name; });
  };
  if (is_set("ticks") && is_set("distinct"))
    throw error(errc::bad_goal, "distinct is about a window of keys; with --window or ticks the window is of time");
  if (o.memory.empty()) return wish;
  auto const bytes = parse_count("--memory", o.memory, 1);
  if (o.fpr.empty()) wish.fpr = best_fpr_in(family, wish, bytes);
  if (auto const needs = family.plan(wish).size_bytes; needs > bytes)
    throw error(errc::bad_goal,
                fmt::format("the filter needs {}, more than --memory {}; without -p it gets the best rate in that space",
                            human_bytes(needs), human_bytes(bytes)));
  return wish;
}

/// act(digests) for all keys of the input, in order.
template <class Act>
void for_each_block(options const& o, any_hash const& hash, char const* label, Act act) {
  line_reader in(o.input.paths, o.input.format());
  progress shown(label, in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  std::array<digest, line_reader::block_lines> block;
  for (std::vector<std::string_view> keys; in.next(keys); shown.update(in.bytes_read())) {
    act(digests_of_lines(hash, keys, block));
  }
}

/// Is the filter sized by distinct keys? Families that count, and families that are built at once, are, so for them duplicates
/// must be detected. For all others counting lines is enough: it is faster and never too few.
bool counts_distinct(options const& o) {
  return family_named(o.family).has(verb::count) || family_named(o.family).has(verb::build);
}

/// A family that keeps its rate for any number of keys needs no number: keys from a pipe are inserted at once, not buffered.
bool takes_any_number(options const& o) { return family_named(o.family).keeps_fpr; }

/// Where a family does not even grow, a number of keys changes nothing, and none is counted.
bool ignores_number(options const& o) { return takes_any_number(o) && !family_named(o.family).grows; }

/// The number of keys to plan for, if the input can be read twice to count them.
std::optional<std::uint64_t> counted(options const& o, any_hash const& hash) {
  if (counts_distinct(o)) {
    auto const twice = [](line_input const& in) { return in.regular && in.descriptor < 0; };  // a descriptor is read once
    if (!std::ranges::all_of(line_inputs(o.input.paths, o.input.format().unpack), twice)) return std::nullopt;
    distinct_keys distinct;
    for_each_block(o, hash, "counting", [&](std::span<digest const> xs) { distinct.add(xs); });
    return distinct.at_most();
  }
  progress shown("counting", 0, progress_unit::bytes, o.input.progress_mode());
  return count_lines(o.input.paths, o.input.format(), [&](std::uint64_t bytes) { shown.update(bytes); });
}

/// Is the filter larger than --memory allows? A plan never is, but some families grow with their keys or with high counts.
bool outgrew_memory(options const& o, any_filter const& filter) {
  return !o.memory.empty() && filter.size_bytes() > parse_count("--memory", o.memory, 1);
}

any_filter build_streaming(options const& o, any_hash const& hash, std::uint64_t items) {
  auto filter = fitting("a filter of that size", [&] { return make_filter(o.family, wish_of(o, items), hash); });
  filling filled(filter);
  line_reader in(o.input.paths, o.input.format());
  progress shown("building", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  for (std::vector<std::string_view> keys; in.next(keys); shown.update(in.bytes_read())) {
    tell_time(filter);
    filled.insert(keys);
    // With one stage the filter can exceed its plan only by high counts. About those build() warns at the end.
    if (filter.family().stages() > 1 && outgrew_memory(o, filter))
      throw error(
          errc::bad_goal,
          fmt::format("with about {} distinct keys the filter has grown past --memory {}; with more of them in -n, or a "
                      "higher rate, it takes less",
                      human_count(static_cast<std::uint64_t>(std::llround(filter.estimate().value))), o.memory));
  }
  shown.hide();
  filled.check_all_went_in("no file was written", o.json);
  return filter;
}

any_family filled(family_info const& family, request const& wish, digest_buffer& kept, show_progress mode) {
  auto filled = fitting("a filter of that size", [&] { return family.make(wish); });
  tell_time(filled);
  progress shown("building", kept.size(), progress_unit::items, mode);
  std::uint64_t offered = 0;
  std::uint64_t in = 0;
  kept.for_each_block([&](std::span<digest const> xs) {
    in += insert_all(filled, xs);
    shown.update(offered += xs.size());
  });
  if (in != offered)  // almost impossible, because the filter was planned for this number
    throw error(errc::full, fmt::format("{} of {} keys did not fit; more of them in -n would do", offered - in, offered));
  return filled;
}

/// For a pipe of unknown length, and for a family that is built at once: buffers the digests, then plans the filter for their
/// number. -n is only recorded in the file.
any_filter build_buffered(options const& o, any_hash const& hash) {
  auto const told = o.items.empty() ? 0 : parse_count("-n", o.items);
  (void)family_named(o.family).plan(wish_of(o, 1));  // reports a wrong option before hours of input, not after
  digest_buffer kept(o.memory.empty() ? default_buffer_bytes : parse_count("--memory", o.memory, 1));
  distinct_keys distinct;
  bool const only_distinct = counts_distinct(o);
  for_each_block(o, hash, "reading", [&](std::span<digest const> xs) {
    fitting("what --memory keeps of the keys of a pipe (less leaves more to a temporary file)", [&] { kept.add(xs); });
    if (only_distinct) distinct.add(xs);
  });
  auto const wish = wish_of(o, only_distinct ? distinct.at_most() : kept.size());
  auto const& family = family_named(o.family);
  return {family.has(verb::build) ? family.build(kept.all(), wish) : filled(family, wish, kept, o.input.progress_mode()), hash,
          envelope{.kinds = kept.size() == 0 ? key_kind::none : key_kind::bytes,
                   .items_planned = told != 0 ? told : wish.items,
                   .fpr_planned = wish.fpr,
                   .items_inserted = kept.size()}};
}

int build(options const& o) {
  bool const at_once = family_named(o.family).has(verb::build);
  auto const hash = chosen_hash(o);
  check_can_save(o.out, o.input.names(), o.key);
  std::optional<std::uint64_t> items;
  if (!at_once && !o.items.empty())
    items = parse_count("-n", o.items);
  else if (!at_once)
    items = ignores_number(o) ? 0 : counted(o, hash);
  if (!items && !at_once && takes_any_number(o)) {
    if (!o.memory.empty())
      throw error(errc::bad_goal,
                  one(o.family) + " grows with its keys, and how many come from a pipe nobody knows: --memory needs -n");
    items = 0;
  }
  auto const filter = items ? build_streaming(o, hash, *items) : build_buffered(o, hash);
  save(filter, o.out);
  warn_if_overfull(filter);
  warn_if_stuck(filter);
  if (outgrew_memory(o, filter))
    warn(fmt::format("keys came so often that the filter has grown to {}, more than --memory {}",
                     human_bytes(filter.size_bytes()), o.memory));
  report(o.out, o.json);
  return done;
}

}  // namespace

void add_build(command_line& app, action& run) {
  auto const command = app.add_subcommand("build", "make a filter from keys");
  auto const o = std::make_shared<options>();
  command->add_option("FAMILY", o->family, "which kind of filter; hortus list names them")->required();
  command->add_option("-o,--output", o->out, "the file to write")->required()->type_name("FILE");
  command
      ->add_option("-n,--items", o->items,
                   "distinct keys; without it files are read twice, pipes kept as digests\n(but what grows takes them as they "
                   "come, and -n is its first stage)")
      ->type_name("N");
  command->add_option("-p,--fpr", o->fpr, "rate of false positives or wrong counts: 0.01, 1e-2, 1% (default 1%)")
      ->type_name("RATE");
  command
      ->add_option("--memory", o->memory,
                   "with -p: the most it may take; without: the best rate in that space\n"
                   "(and of a pipe's digests, what is kept in memory: default 1Gi)")
      ->type_name("BYTES");
  command
      ->add_option(
          "--window", o->window,
          "remember keys for so long: 10min, 2h (age_partitioned only);\n-n is then the most keys that come in that time")
      ->type_name("DURATION");
  command->add_option("--seed", o->seed, "of the hash (default 0); filters merge only with equal seeds")->type_name("N");
  command->add_option("--hash", o->hash, "xxh3 (default), xxh64; with a key file siphash13, siphash24")->type_name("NAME");
  command->add_option("--set", o->settings, "a setting of the family, such as probes=5; may be repeated")
      ->option_text("NAME=VALUE");
  o->key.add_option(*command);
  command->add_flag("--json", o->json, "describe the filter that was made, as info --json does");
  o->input.add_options(*command);
  command->footer("Example: hortus build bloom -o seen.hortus -p 0.1% keys.txt");
  command->callback([=, &run] { run = [o] { return build(*o); }; });
}

}  // namespace hortus::cli
