#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include <hortus/maths/limits.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string items;
  std::string fpr;
  std::string memory;
  std::vector<std::string> need;
  bool json = false;
};

struct candidate {
  family_info const* family;
  proposal offer;
  std::string why;
};

struct rejected {
  family_info const* family;
  std::string reason;
};

/// A table of 64-bit digests of all keys has a rate of items / 2^64. A filter that needs more bits than that is not worthwhile.
constexpr double bits_of_a_digest = 64;
constexpr double bits_of_a_count = 64;

verb_set verbs_needed(std::vector<std::string> const& names) {
  verb_set known;
  for (auto const& family : catalogue()) known = known | family.verbs;
  verb_set needed;
  for (auto const& name : names) {
    auto const found = verb_named(name);
    if (!found || !known.has(*found))
      throw error(errc::bad_goal,
                  fmt::format("--need: no family has a verb '{}'; there are: {}", name, fmt::join(known.names(), ", ")));
    needed = needed | *found;
  }
  return needed;
}

double limit_of(proposal const& offer) { return plan::least_bits_per_item(offer.fpr, offer.fnr); }

/// Cache lines that a lookup of a member reads; at most the lines that the filter has.
double lines_of(proposal const& offer) {
  return std::min(offer.lines_touched, std::ceil(static_cast<double>(offer.size_bytes) / 64));
}

/// Does the lower bound on space apply? It holds for membership; a family that only counts answers another question.
bool answers_membership(candidate const& c) { return c.family->answers() == question::whether; }
bool tells_keys(candidate const& c) { return c.family->answers() == question::which_keys; }

/// What an answer is worth that is not about membership.
std::string quality(candidate const& c) {
  return tells_keys(c)
             ? fmt::format("tells the most frequent keys, in any number; a count is too high by at most {} of the stream",
                           human_rate(c.offer.fpr))
             : fmt::format("tells how often, not whether; a count is wrong with a chance of {}", human_rate(c.offer.fpr));
}

std::string over_limit(candidate const& c) {
  return answers_membership(c) ? fmt::format("{:.1f} %", 100 * (c.offer.bits_per_item / limit_of(c.offer) - 1)) : "-";
}

/// The cost of a candidate, and its comparison with the best one: by rate if the space was given, else by size.
std::string explain(candidate const& one, candidate const& best, bool space_given) {
  auto const& offer = one.offer;
  auto const lines = lines_of(offer);
  auto const* const plural = lines == 1 ? "line" : "lines";
  auto text = answers_membership(one) ? fmt::format("{} above the limit of {:.2f} bits an item; a hit reads {:.0f} cache {}",
                                                    over_limit(one), limit_of(offer), lines, plural)
                                      : fmt::format("{} and reads {:.0f} cache {}", quality(one), lines, plural);
  if (offer.fnr > 0)
    text += fmt::format("; it misses {} of the {}", human_rate(offer.fnr),
                        one.family->forgets ? "keys of that age" : "members once a tenth of all was erased");
  if (one.family->has(verb::build)) text += "; it is built of all keys at once and takes none later";
  if (&one == &best) return (space_given ? "the lowest rate, " : "the smallest, ") + text;
  auto const ratio = space_given ? offer.fpr / best.offer.fpr
                                 : static_cast<double>(offer.size_bytes) / static_cast<double>(best.offer.size_bytes);
  if (ratio > 1.00005)
    return text +
           fmt::format("; {:.2f} % {} than {}", 100 * (ratio - 1), space_given ? "more errors" : "larger", best.family->name);
  if (ratio < 0.99995) return text;  // better, but not listed first: it answers another question or misses members
  return text + fmt::format("; {} {}", space_given ? "the rate of" : "as large as", best.family->name);
}

nlohmann::ordered_json to_json(std::vector<candidate> const& candidates, std::vector<rejected> const& losers,
                               std::string const& note) {
  nlohmann::ordered_json all;
  all["candidates"] = nlohmann::ordered_json::array();
  for (auto const& c : candidates) {
    auto params = nlohmann::ordered_json::object();
    for (auto const& field : c.offer.params) std::visit([&](auto v) { params[field.name] = v; }, field.value);
    all["candidates"].push_back(
        {{"family", c.family->name},
         {"bits_per_item", tells_keys(c) ? nlohmann::ordered_json() : nlohmann::ordered_json(c.offer.bits_per_item)},
         {"size_bytes", c.offer.size_bytes},
         {"fpr", c.offer.fpr},
         {"fnr", c.offer.fnr},
         {"params", params},
         {"why", c.why}});
  }
  all["rejected"] = nlohmann::ordered_json::array();
  for (auto const& r : losers) all["rejected"].push_back({{"family", r.family->name}, {"reason", r.reason}});
  all["note"] = note.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(note);
  return all;
}

/// "it lacks fold", "they lack fold".
std::string of_several(std::string reason) {
  return reason.starts_with("it lacks ") ? "they lack " + reason.substr(9) : reason;
}

/// Each reason with the families to which it applies, because many families lack the same verb.
std::vector<std::pair<std::string, std::string>> by_reason(std::vector<rejected> const& losers) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (auto const& r : losers) {
    auto const same = std::ranges::find(reasons, r.reason, &std::pair<std::string, std::string>::first);
    if (same == reasons.end())
      reasons.emplace_back(r.reason, r.family->name);
    else
      same->second += ", " + std::string(r.family->name);
  }
  return reasons;
}

void print(std::vector<candidate> const& candidates, std::vector<rejected> const& losers, std::string const& note) {
  output out(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  table rows({{"family"},
              {"bits/item", align::right},
              {"over limit", align::right},
              {"size", align::right},
              {"fpr", align::right},
              {"lines/hit", align::right}});
  std::vector<double> rates;
  rates.reserve(candidates.size());
  for (auto const& c : candidates) rates.push_back(c.offer.fpr);
  auto const shown_rates = human_rates(rates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto const& c = candidates[i];
    rows.row({std::string(c.family->name), tells_keys(c) ? "-" : fmt::format("{:.2f}", c.offer.bits_per_item), over_limit(c),
              human_bytes(c.offer.size_bytes), shown_rates[i], fmt::format("{:.0f}", lines_of(c.offer))});
  }
  if (!candidates.empty()) {
    auto const& best = candidates.front();
    out.write(rows.text(use_colour(STDOUT_FILENO), columns));
    out.write("\n" + wrapped(fmt::format("{} is best: {}", best.family->name, best.why), columns));
    std::string params;
    for (auto const& [name, value] : best.offer.params)
      std::visit([&, n = name](auto v) { params += fmt::format(" {}={}", n, v); }, value);
    out.write(wrapped("its params:" + params, columns));
  }
  for (auto const& [reason, names] : by_reason(losers))
    out.write(
        wrapped(fmt::format("not {}: {}", names, names.find(',') == std::string::npos ? reason : of_several(reason)), columns));
  if (!note.empty()) out.write(wrapped("note: " + note, columns));
  out.flush();
}

int plan(options const& o) {
  auto const needed = verbs_needed(o.need);
  if (o.items.empty() && !needed.has(verb::top)) throw error(errc::bad_goal, "plan needs -n, the number of distinct keys");
  request wish{.items = o.items.empty() ? 0 : parse_count("-n", o.items),
               .fpr = o.fpr.empty() ? 0.01 : parse_rate("-p", o.fpr),
               .settings = {}};
  auto const memory = o.memory.empty() ? ~std::uint64_t{0} : parse_count("--memory", o.memory, 1);
  bool const space_given = !o.memory.empty() && o.fpr.empty();

  std::vector<candidate> candidates;
  std::vector<rejected> losers;
  for (auto const& family : catalogue()) {
    if (auto const missing = needed.without(family.verbs); !missing.empty()) {
      losers.push_back({&family, fmt::format("it lacks {}", fmt::join(missing.names(), ", "))});
      continue;
    }
    if (family.answers() == question::which_keys && !needed.has(verb::top)) {
      losers.push_back({&family, "it tells the most frequent keys, and -p is about something else there: --need top"});
      continue;
    }
    try {
      if (space_given) wish.fpr = best_fpr_in(family, wish, memory);
      auto offer = family.plan(wish);
      if (offer.size_bytes > memory)
        losers.push_back(
            {&family, fmt::format("it needs {}, more than --memory {}", human_bytes(offer.size_bytes), human_bytes(memory))});
      else if (!tells_keys_apart(offer))
        losers.push_back({&family, fmt::format("it would find {} of the {} and {} of all others: too near to tell",
                                               human_rate(1 - offer.fnr), family.forgets ? "keys of that age" : "members",
                                               human_rate(offer.fpr))});
      else
        candidates.push_back({&family, std::move(offer), {}});
    } catch (error const& e) {
      losers.push_back({&family, e.what()});
    }
  }
  // If the rate is given, the smallest filter is best; if the space is given, the lowest rate; among equals the fewest cache
  // lines. Unless counts are needed, families that answer membership come first. Those that miss members by chance come last.
  bool const counting = std::ranges::find(o.need, "count") != o.need.end();
  std::ranges::stable_sort(candidates, {}, [&](candidate const& c) {
    auto const first = space_given ? c.offer.fpr : static_cast<double>(c.offer.size_bytes);
    return std::tuple(!counting && !answers_membership(c), c.offer.fnr > 0, first, c.offer.lines_touched);
  });
  for (auto& c : candidates) c.why = explain(c, candidates.front(), space_given);

  std::string note;
  auto const of_a_table = bits_of_a_digest + (counting ? bits_of_a_count : 0);
  if (!candidates.empty() && !tells_keys(candidates.front()) && candidates.front().offer.bits_per_item > of_a_table)
    note = fmt::format(
        "no filter is worth it here: a table of 64-bit digests{} costs about {:.0f} bits an item and errs at a rate of {:.2g}",
        counting ? " and counts" : "", of_a_table, static_cast<double>(wish.items) * 0x1p-64);
  if (o.json)
    print_json(to_json(candidates, losers, note));
  else
    print(candidates, losers, note);
  if (candidates.empty()) throw error(errc::bad_goal, "no family can do that; standard output has the reasons");
  return done;
}

}  // namespace

void add_plan(command_line& app, action& run) {
  auto const command = app.add_subcommand("plan", "which filter for so many keys at such a rate, what it costs and why");
  auto const o = std::make_shared<options>();
  command->add_option("-n,--items", o->items, "distinct keys: 1000000, 1e6, 10k, 1M, 64Ki")->type_name("N");
  command->add_option("-p,--fpr", o->fpr, "rate of false positives or wrong counts: 0.01, 1e-2, 1% (default 1%)")
      ->type_name("RATE");
  command->add_option("--need", o->need, "verbs it must have: merge,fold,erase,count,top; hortus list names them")
      ->delimiter(',')
      ->option_text("VERB,...");
  command->add_option("--memory", o->memory, "with -p: the most it may take; without: the best rate in that space")
      ->type_name("BYTES");
  command->add_flag("--json", o->json, "one JSON document");
  command->footer("Example: hortus plan -n 10M -p 0.1% --need merge,fold");
  command->callback([=, &run] { run = [o] { return plan(*o); }; });
}

}  // namespace hortus::cli
