#include "cli/plan/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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

/// Why it is no candidate, in the words of the command's options.
std::string reason(unfit_family const& one, plan_question const& asked) {
  switch (one.why) {
    case unfit::lacks_verbs:
      return fmt::format("it lacks {}", fmt::join(one.missing.names(), ", "));
    case unfit::tells_keys:
      return "it tells the most frequent keys, and -p is about something else there: --need top";
    case unfit::tells_value:
      return "it is a map, which tells the value of a key: --need find";
    case unfit::tells_how_many:
      return "only the number of distinct keys is told, and -p is about something else there: --need estimate";
    case unfit::rate_grows:
      return "its rate grows with its keys: give -n";
    case unfit::needs_number:
      return "it is planned for a number of keys: give -n";
    case unfit::too_large:
      return fmt::format("it needs {}, more than --memory {}", human_bytes(one.offer.size_bytes), human_bytes(*asked.memory));
    case unfit::too_near:
      return fmt::format("it would find {} of the {} and {} of all others: too near to tell", human_rate(1 - one.offer.fnr),
                         one.family->forgets ? "keys of that age" : "members", human_rate(one.offer.fpr));
    case unfit::no_plan:
      break;
  }
  return one.error;
}

}  // namespace

double candidate::lines() const { return std::min(offer.lines_touched, std::ceil(static_cast<double>(offer.size_bytes) / 64)); }

std::string candidate::over_limit() const {
  return answers_membership() ? fmt::format("{:.1f} %", 100 * (offer.bits_per_item / limit_of(offer) - 1)) : "-";
}

comparison compare_families(plan_question const& asked) {
  auto chosen = choose_family({.needed = asked.needed,
                               .items = asked.items,
                               .any_number = asked.any_number,
                               .fpr = asked.fpr,
                               .bytes = asked.memory,
                               .space_given = asked.space_given,
                               .settings = asked.settings});
  comparison result;
  for (auto& each : chosen.fit)
    result.candidates.push_back({each.family, std::move(each.offer), build_command(each.family->name, asked.words), {}});
  for (auto const& each : chosen.unfit) result.losers.push_back({each.family, reason(each, asked)});
  for (auto& c : result.candidates) c.why = explain(c, result.candidates, asked.space_given);
  return result;
}

}  // namespace hortus::cli
