#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/near_filters.hpp"
#include "cli/new_filter.hpp"
#include "cli/plan/candidates.hpp"
#include "cli/plan/for_message.hpp"
#include "cli/plan/needs.hpp"
#include "cli/plan/remarks.hpp"
#include "cli/plan/report.hpp"
#include "cli/plan/solver.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct plan_options {
  bloom_options known;
  std::string universe;
  std::string message_bytes;
  bool for_message = false;
  std::vector<std::string> need;
  std::vector<std::string> settings;
  bool json = false;
};

/// --bits and --probes are about a bloom filter. So is the number of keys that fit: of other families it is computed only where
/// the rate is too high (remarks.hpp).
bool only_bloom(plan_options const& o) {
  return !o.known.bits.empty() || !o.known.probes.empty() ||
         (o.known.items.empty() && !o.known.memory.empty() && !o.known.fpr.empty());
}

plan_question question_of(plan_options const& o) {
  auto const& known = o.known;
  plan_question asked{.needed = verbs_needed(o.need), .words = {known.items, known.fpr, known.memory}};
  asked.settings = parsed_settings(o.settings);
  asked.any_number = known.items.empty() && !asked.needed.has(verb::top);
  if (asked.any_number && (!known.memory.empty() || !o.universe.empty()))
    throw error(errc::bad_goal,
                "plan needs -n, the number of distinct keys; -p with --memory or --bits finds it for a bloom filter");
  if (asked.any_number) asked.items = items_shown;
  if (!known.items.empty()) asked.items = parse_count("-n", known.items);
  if (!known.memory.empty()) asked.memory = parse_bytes("--memory", known.memory);
  asked.space_given = asked.memory && known.fpr.empty();
  if (known.fpr.empty() && !asked.space_given) asked.words.fpr = default_rate;
  asked.fpr = parse_rate("-p", known.fpr.empty() ? default_rate : known.fpr);
  if (o.universe.empty()) return asked;
  asked.universe = parse_count("--universe", o.universe, 1);
  if (asked.needed.has(verb::advance))
    throw error(errc::bad_goal, "--universe compares with a bit array, which does not forget: leave out --need advance");
  if (known.items.empty() || asked.items > *asked.universe)
    throw error(errc::bad_goal,
                fmt::format("--universe {} needs -n, at most as many: the distinct integers among those below it", o.universe));
  return asked;
}

/// Throws errc::bad_goal if an option has no meaning for a filter that asks how near a key is.
void plan_near_for(plan_options const& o) {
  auto const& known = o.known;
  if (known.items.empty()) throw error(errc::bad_goal, "plan needs -n, the number of distinct keys");
  if (!known.memory.empty() || !known.bits.empty() || !known.probes.empty() || !o.universe.empty() || !o.need.empty())
    throw error(errc::bad_goal, "a filter that tells how near a key is takes only -n, -p and --set");
  plan_near({.items = parse_count("-n", known.items),
             .fpr = parse_rate("-p", known.fpr.empty() ? default_rate : known.fpr),
             .settings = parsed_settings(o.settings)},
            o.json);
}

int plan(plan_options const& o) {
  if (!o.message_bytes.empty() && o.for_message)
    throw error(errc::bad_goal, "--message-bytes gives the length and --for-message asks for the shortest: give one of them");
  bool const for_message = !o.message_bytes.empty() || o.for_message;
  if (!for_message && asks_near(parsed_settings(o.settings))) {
    plan_near_for(o);
    return done;
  }
  if (for_message) {
    if (!o.need.empty() || !o.universe.empty() || !o.settings.empty())
      throw error(errc::bad_goal, "a plan for a message is about a bloom filter alone: leave out --need, --universe and --set");
    plan_for_message(o.message_bytes, o.known, o.json);
    return done;
  }
  if (only_bloom(o) && o.need.empty() && o.universe.empty() && o.settings.empty()) {
    solve_bloom(o.known, o.json);
    return done;
  }
  if (!o.known.bits.empty() || !o.known.probes.empty())
    throw error(errc::bad_goal,
                "--bits and --probes are about a bloom filter alone; --need and --universe compare families: "
                "give --memory instead of --bits");
  auto const asked = question_of(o);
  auto const compared = compare_families(asked);
  report_plan(compared, remarks_on(asked, compared), o.json);
  if (compared.candidates.empty()) throw error(errc::bad_goal, "no family can do that; standard output has the reasons");
  return done;
}

}  // namespace

void add_plan(command_line& app, action& run) {
  auto const command = app.add_subcommand("plan", "which filter for so many keys at such a rate, what it costs and why");
  auto const o = std::make_shared<plan_options>();
  command
      ->add_option("-n,--items", o->known.items,
                   "distinct keys: 1000000, 1e6, 10k, 1M, 64Ki;\nwithout it only families that take any number of keys")
      ->type_name("N");
  command->add_option("-p,--fpr", o->known.fpr, "rate of false positives or wrong counts: 0.01, 1e-2, 1% (default 1%)")
      ->type_name("RATE");
  command->add_option("--need", o->need, "verbs it must have: merge,fold,remove,count,top; hortus list names them")
      ->delimiter(',')
      ->option_text("VERB,...");
  command
      ->add_option("--set", o->settings, "a setting that its family must have, such as value_bits=8 of maps;\nmay be repeated")
      ->option_text("NAME=VALUE");
  command->add_option("--memory", o->known.memory, "with -p: the most it may take; without: the best rate in that space")
      ->type_name("BYTES");
  command->add_option("--universe", o->universe, "keys are integers below N: compares with a bit array of N bits")
      ->type_name("N");
  command
      ->add_option("--bits", o->known.bits,
                   "of a bloom filter of so many bits:\nof -n, -p and --bits two give the third, with or without --probes")
      ->type_name("M");
  command->add_option("--probes", o->known.probes, "of a bloom filter with so many probes")->type_name("K");
  command
      ->add_option("--message-bytes", o->message_bytes,
                   "of a bloom filter that is sent: the best rate in so long a message,\nand in --memory")
      ->type_name("BYTES");
  command->add_flag("--for-message", o->for_message,
                    "of a bloom filter that is sent: the shortest message at the rate -p,\nin --memory");
  command->add_flag("--json", o->json, "one JSON document");
  command->footer(
      "Examples: hortus plan -n 10M -p 0.1% --need merge,fold\n"
      "          hortus plan -n 1M --bits 10M --probes 5\n"
      "          hortus plan -n 1M --message-bytes 1M --memory 4M\n"
      "          hortus plan -n 1M -p 0.1% --for-message --memory 4M\n"
      "          hortus plan --need remove             (nobody knows how many keys)\n"
      "          hortus plan -n 1M --need find --set value_bits=8\n"
      "          hortus plan -n 1M --set metric=hamming --set near=0.05 --set far=0.4");
  command->callback([=, &run] { run = [o] { return plan(*o); }; });
}

}  // namespace hortus::cli
