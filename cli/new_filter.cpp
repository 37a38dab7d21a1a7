#include "cli/new_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/plan/needs.hpp"
#include "cli/plan/remarks.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

void new_filter::add_options(subcommand const& command) {
  command
      .add_option("-n,--items", items,
                  "distinct keys; without it files are read twice, pipes kept as digests\n(but what grows takes them as they "
                  "come, and -n is its first stage)")
      ->type_name("N");
  command.add_option("-p,--fpr", fpr, "rate of false positives or wrong counts: 0.01, 1e-2, 1% (default 1%)")
      ->type_name("RATE");
  command
      .add_option("--memory", memory,
                  "with -p: the most it may take; without: the best rate in that space\n"
                  "(and of a pipe's digests, what is kept in memory: default 1Gi)")
      ->type_name("BYTES");
  threads.add_option(command, "threads that read keys, and build a family made in parts (default 1)");
  command
      .add_option("--window", window,
                  "remember keys for so long: 10min, 2h (age_partitioned, blocked_aging);\n-n is then the most keys that come "
                  "in that time")
      ->type_name("DURATION");
  command.add_option("--seed", seed, "of the hash (default 0); filters merge only with equal seeds")->type_name("N");
  command.add_option("--hash", hash, "xxh3 (default), xxh64; with a key file siphash13, siphash24")->type_name("NAME");
  command.add_option("--set", settings, "a setting of the family, such as probes=5; may be repeated")
      ->option_text("NAME=VALUE");
  command.add_option("--need", need, "with auto: verbs that it must have, such as merge,remove")
      ->delimiter(',')
      ->option_text("VERB,...");
  key.add_option(command);
}

void new_filter::check_family() const {
  if (!is_auto()) {
    if (!need.empty()) throw error(errc::bad_goal, "--need chooses among families: it goes with auto, not with " + family);
    try {
      (void)its_family();
    } catch (error const& e) {
      throw error(e.code(), std::string(e.what()) + "; or auto, which chooses one");
    }
    return;
  }
  if (!settings.empty()) throw error(errc::bad_goal, "--set is about one family: name it instead of auto");
  if (!window.empty())
    throw error(errc::bad_goal, "--window is for age_partitioned and blocked_aging: name one instead of auto");
  if (verbs_needed(need).has(verb::build))
    throw error(errc::bad_goal,
                "auto makes a filter that takes more keys later; name a family that is built at once, such as ribbon");
}

void new_filter::choose_family(std::uint64_t for_items) {
  if (!is_auto()) return;
  plan_question asked{.needed = verbs_needed(need) | verb::insert,  // so that more keys can be added later
                      .items = for_items,
                      .fpr = parse_rate("-p", fpr.empty() ? default_rate : fpr),
                      .words = {items, fpr, memory}};
  if (!memory.empty()) asked.memory = parse_bytes("--memory", memory);
  asked.space_given = !memory.empty() && fpr.empty();
  auto compared = compare_families(asked);
  std::erase_if(compared.candidates, [](candidate const& c) { return c.family->forgets; });
  if (compared.candidates.empty())
    throw error(errc::bad_goal, "no family can do that; hortus plan with the same options has the reasons");
  auto const faster = remarks_on(asked, compared).faster;
  family = faster ? faster->family->family->name : compared.best()->family->name;
}

std::vector<std::string> new_filter::given() const {
  std::vector<std::string> names;
  auto const add = [&](std::string const& value, char const* name) {
    if (!value.empty()) names.emplace_back(name);
  };
  add(family, "--family");
  add(items, "-n");
  add(fpr, "-p");
  add(memory, "--memory");
  add(threads.threads, "--threads");
  add(window, "--window");
  add(seed, "--seed");
  add(hash, "--hash");
  if (!settings.empty()) names.emplace_back("--set");
  if (!need.empty()) names.emplace_back("--need");
  return names;
}

any_hash new_filter::chosen_hash(std::span<std::string const> inputs) const {
  auto const secret = key.read(inputs);
  bool const keyed = hash == siphash::name || hash == siphash24::name || (hash.empty() && secret);
  if (keyed && !secret) throw error(errc::wrong_key, "--hash " + hash + " needs --key-file");
  if (secret && !keyed)
    throw error(errc::wrong_key, "--hash " + hash + " takes no secret key; leave --hash away or say siphash13");
  if (secret && !seed.empty())
    throw error(errc::bad_goal, "--seed and --key-file exclude each other: the key takes the seed's place");
  if (secret && hash == siphash24::name) return siphash24(*secret);
  if (secret) return siphash(*secret);
  auto const with = seed.empty() ? 0 : parse_seed("--seed", seed);
  if (hash.empty() || hash == xxh3::name) return xxh3(with);
  if (hash == xxh64::name) return xxh64(with);
  throw error(errc::bad_goal, "--hash: there is no '" + hash + "'; there are: xxh3, xxh64, siphash13, siphash24");
}

std::vector<std::pair<std::string, std::string>> parsed_settings(std::vector<std::string> const& words) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (auto const& word : words) {
    auto const equals = word.find('=');
    if (equals == std::string::npos) throw error(errc::bad_goal, "--set takes NAME=VALUE, not '" + word + "'");
    settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return settings;
}

request new_filter::wish(std::uint64_t for_items, unsigned value_bits) const {
  request made{.items = for_items, .fpr = fpr.empty() ? 0.01 : parse_rate("-p", fpr), .settings = {}};
  made.settings = parsed_settings(settings);
  if (!window.empty()) {
    if (!its_family().has(verb::advance)) lacks(family, verb::advance);
    made.settings.emplace_back("ticks", std::to_string(parse_window("--window", window)));
  }
  auto const is_set = [&](std::string_view name) {
    return std::ranges::any_of(made.settings, [&](auto const& setting) { return setting.first == name; });
  };
  // Of a map that is built and takes more keys later, -n is how many it has room for.
  auto const& verbs = its_family().verbs;
  if (!items.empty() && verbs.has_all(verb::build | verb::put) && !is_set("capacity"))
    made.settings.emplace_back("capacity", std::to_string(parse_count("-n", items, 1)));
  if (value_bits != 0 && !is_set("value_bits")) made.settings.emplace_back("value_bits", std::to_string(value_bits));
  if (is_set("ticks") && is_set("distinct"))
    throw error(errc::bad_goal, "distinct is about a window of keys; with --window or ticks the window is of time");
  if (memory.empty()) return made;
  auto const bytes = parse_bytes("--memory", memory);
  if (fpr.empty()) made.fpr = best_fpr_in(its_family(), made, bytes);
  if (auto const needs = its_family().plan(made).size_bytes; needs > bytes)
    throw error(errc::bad_goal,
                fmt::format("the filter needs {}, more than --memory {}; without -p it gets the best rate in that space",
                            human_bytes(needs), human_bytes(bytes)));
  return made;
}

void new_filter::refuse_threads(std::string const& why) const {
  if (threads.is_given()) throw error(errc::bad_goal, "--threads: " + why);
}

bool new_filter::is_too_large(std::uint64_t bytes) const { return !memory.empty() && bytes > parse_bytes("--memory", memory); }

void warn_after_filling(any_filter const& filter, new_filter const& made) {
  warn_if_overfull(filter);
  warn_if_stuck(filter);
  if (made.is_too_large(filter.size_bytes()))
    warn(fmt::format("keys came so often that the filter has grown to {}, more than --memory {}",
                     human_bytes(filter.size_bytes()), made.memory));
}

}  // namespace hortus::cli
