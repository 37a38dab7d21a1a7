#include "cli/plan/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <hortus/maths/limits.hpp>

#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

double limit_of(proposal const& offer) { return plan::least_bits_per_item(offer.fpr, offer.fnr); }

/// What an answer is worth that is not about membership.
std::string quality(candidate const& c) {
  if (c.family->finds_bounds)
    return fmt::format("tells a value that is never too small; an absent key gets one with a chance of {}",
                       human_rate(c.offer.fpr));
  if (c.tells_values())
    return fmt::format("tells which value; an absent key gets one with a chance of {}", human_rate(c.offer.fpr));
  if (c.tells_how_many())
    return fmt::format("tells only how many distinct keys there are, in any number, with a relative standard error of {},",
                       human_rate(c.offer.fpr));
  return c.tells_keys()
             ? fmt::format("tells the most frequent keys, in any number; a count is too high by at most {} of the stream",
                           human_rate(c.offer.fpr))
             : fmt::format("tells how often, not whether; a count is wrong with a chance of {}", human_rate(c.offer.fpr));
}

/// The cost of a candidate, and its comparison with the best one: by rate if the space was given, else by size.
std::string explain(candidate const& one, std::vector<candidate> const& all, bool space_given) {
  auto const& best = all.front();
  auto const& offer = one.offer;
  auto const lines = one.lines();
  auto const* const plural = lines == 1 ? "line" : "lines";
  auto text = one.answers_membership() ? fmt::format("{} above the limit of {:.2f} bits an item; a hit reads {:.0f} cache {}",
                                                     one.over_limit(), limit_of(offer), lines, plural)
                                       : fmt::format("{} and reads {:.0f} cache {}", quality(one), lines, plural);
  if (offer.fnr > 0)
    text += fmt::format("; it misses {} of the {}", human_rate(offer.fnr),
                        one.family->forgets ? "keys of that age" : "members once a tenth of all was erased");
  if (one.family->has(verb::build) && !one.family->has(verb::put))
    text += "; it is built of all keys at once and takes none later";
  if (&one == &best) {
    auto const better = [&](candidate const& c) {
      return space_given ? c.offer.fpr < offer.fpr : c.offer.size_bytes < offer.size_bytes;
    };
    bool const beaten = std::ranges::any_of(all, [&](candidate const& c) { return c.family->can_be_full && better(c); });
    bool const known = !one.family->has(verb::build) &&
                       std::ranges::any_of(all, [&](candidate const& c) { return c.family->has(verb::build) && better(c); });
    return fmt::format("{}{}, {}", space_given ? "the lowest rate" : "the smallest",
                       beaten && !one.family->can_be_full ? " of those that are never full"
                       : known                            ? " of those that take keys one by one"
                                                          : "",
                       text);
  }
  auto const ratio = space_given ? offer.fpr / best.offer.fpr
                                 : static_cast<double>(offer.size_bytes) / static_cast<double>(best.offer.size_bytes);
  if (ratio > 1.00005)
    return text +
           fmt::format("; {:.2f} % {} than {}", 100 * (ratio - 1), space_given ? "more errors" : "larger", best.family->name);
  if (ratio < 0.99995) return text;  // better, but not listed first: it answers another question or misses members
  return text + fmt::format("; {} {}", space_given ? "the rate of" : "as large as", best.family->name);
}

/// Why the family cannot do what is asked; empty if it can.
std::string lacking(card const& family, verb_set needed) {
  if (auto const missing = needed.without(family.verbs); !missing.empty())
    return fmt::format("it lacks {}", fmt::join(missing.names(), ", "));
  if (family.answers() == question::which_keys && !needed.has(verb::top))
    return "it tells the most frequent keys, and -p is about something else there: --need top";
  if (family.answers() == question::which_value && !needed.has(verb::find))
    return "it is a map, which tells the value of a key: --need find";
  if (family.answers() == question::how_many && !needed.has(verb::estimate))
    return "only the number of distinct keys is told, and -p is about something else there: --need estimate";
  return {};
}

/// Why the offer is not accepted; empty if it is.
std::string failing(card const& family, proposal const& offer, plan_question const& asked) {
  if (asked.memory && offer.size_bytes > *asked.memory)
    return fmt::format("it needs {}, more than --memory {}", human_bytes(offer.size_bytes), human_bytes(*asked.memory));
  if (!tells_keys_apart(offer))
    return fmt::format("it would find {} of the {} and {} of all others: too near to tell", human_rate(1 - offer.fnr),
                       family.forgets ? "keys of that age" : "members", human_rate(offer.fpr));
  return {};
}

/// Adds the family to the candidates, or returns why it is none.
std::string consider(card const& family, plan_question const& asked, std::vector<candidate>& candidates) try {
  auto reason = lacking(family, asked.needed);
  if (!reason.empty()) return reason;
  if (asked.any_number && !family.keeps_fpr)
    return family.grows ? "its rate grows with its keys: give -n" : "it is planned for a number of keys: give -n";
  request wish{.items = asked.items, .fpr = asked.fpr, .settings = asked.settings};
  if (asked.space_given) wish.fpr = best_fpr_in(family, wish, *asked.memory);
  auto offer = family.plan(wish);
  reason = failing(family, offer, asked);
  if (reason.empty()) candidates.push_back({&family, std::move(offer), build_command(family.name, asked.words), {}});
  return reason;
} catch (error const& e) {
  return e.what();
}

}  // namespace

double candidate::lines() const { return std::min(offer.lines_touched, std::ceil(static_cast<double>(offer.size_bytes) / 64)); }

std::string candidate::over_limit() const {
  return answers_membership() ? fmt::format("{:.1f} %", 100 * (offer.bits_per_item / limit_of(offer) - 1)) : "-";
}

comparison compare_families(plan_question const& asked) {
  comparison result;
  for (auto const& family : cards())
    if (auto reason = consider(family, asked, result.candidates); !reason.empty())
      result.losers.push_back({&family, std::move(reason)});
  // Unless counts or estimates are needed, families that answer membership come first. Those that miss members by chance come
  // last, and maps whose values may be too large. Those that take no keys later are for a special case, which --need build asks
  // for; but most maps are. A family that can be full refuses keys past the plan, where others only find more absent keys: it
  // has to be a sixth smaller.
  std::ranges::stable_sort(result.candidates, {}, [&](candidate const& c) {
    double const worth = c.family->can_be_full ? 1.2 : 1;
    double const first = asked.space_given ? std::log(c.offer.fpr) / worth : worth * static_cast<double>(c.offer.size_bytes);
    bool const special = c.family->has(verb::build) && !asked.needed.has(verb::build) && !c.tells_values();
    bool const other = asked.only_how_many() ? !c.tells_how_many() : !asked.counting() && !c.answers_membership();
    return std::tuple(other, c.offer.fnr > 0 || c.family->finds_bounds, special, first, c.offer.lines_touched);
  });
  for (auto& c : result.candidates) c.why = explain(c, result.candidates, asked.space_given);
  return result;
}

}  // namespace hortus::cli
