#include <optional>

#include <hortus/any/choice.hpp>

#include "redis/answer.hpp"
#include "redis/hortus_commands.hpp"
#include "redis/words.hpp"

/// The families: what there is, and which to take. The names are those of `hortus list --json` and `hortus plan --json`.
namespace hortus::server::commands {
namespace {

char const* name_of(false_negatives misses) {
  switch (misses) {
    case false_negatives::never:
      return "never";
    case false_negatives::by_misuse:
      return "by_misuse";
    case false_negatives::by_age:
      return "by_age";
    case false_negatives::by_chance:
      break;
  }
  return "by_chance";
}

answer::map description(card const& family) {
  return {{"family", family.name},
          {"room", family.room},
          {"verbs", family.verbs.names()},
          {"false_negatives", name_of(family.misses)},
          {"summary", family.summary}};
}

answer settings_of(card const& family) {
  answer::list all;
  for (auto const& each : family.settings)
    all.push_back(answer::map{
        {"name", each.name}, {"default", each.by_default}, {"values", each.note.values}, {"meaning", each.note.meaning}});
  return all;
}

/// "insert,merge" or several words.
verb_set verbs_in(std::string_view words) {
  verb_set needed;
  while (!words.empty()) {
    auto const end = std::min(words.find(','), words.size());
    auto const named = verb_named(words.substr(0, end));
    if (!named) {
      std::string known;
      for (auto const name : verb_names) known += (known.empty() ? "" : ", ") + std::string(name);
      throw refusal("ERR NEED names verbs: " + known);
    }
    needed = needed | *named;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return needed;
}

choice_goal goal_in(call const& it) {
  choice_goal goal;
  bool fpr_given = false;
  bool items_given = false;
  for (std::size_t i = 1; i < it.size(); i += 2) {
    if (i + 1 == it.size()) throw refusal("ERR " + std::string(it[i]) + " needs a value after it");
    if (it.is(i, "ITEMS")) {
      goal.items = whole_number(it, i + 1, "ITEMS");
      items_given = true;
    } else if (it.is(i, "FPR")) {
      goal.fpr = rate(it, i + 1, "FPR");
      fpr_given = true;
    } else if (it.is(i, "BYTES")) {
      goal.bytes = whole_number(it, i + 1, "BYTES");
    } else if (it.is(i, "NEED")) {
      goal.needed = goal.needed | verbs_in(it[i + 1]);
    } else {
      throw refusal("ERR '" + std::string(it[i]) + "' is no option: there are ITEMS, FPR, BYTES and NEED");
    }
  }
  goal.space_given = goal.bytes && !fpr_given;
  goal.any_number = !items_given && !goal.needed.has(verb::top);
  if (goal.any_number && goal.bytes) throw refusal("ERR BYTES needs ITEMS, the number of distinct items");
  if (goal.any_number) goal.items = 1'000'000;  // the sizes are those for so many
  return goal;
}

/// Why a family is no candidate, in the words of this command.
std::string reason(unfit_family const& one) {
  switch (one.why) {
    case unfit::lacks_verbs: {
      std::string names;
      for (auto const name : one.missing.names()) names += (names.empty() ? "" : ", ") + std::string(name);
      return "it lacks " + names;
    }
    case unfit::tells_keys:
      return "it tells the most frequent items: NEED top";
    case unfit::tells_value:
      return "it is a map, which tells the value of an item: NEED find";
    case unfit::tells_how_many:
      return "it tells only how many distinct items there are: NEED estimate";
    case unfit::rate_grows:
      return "its rate grows with its items: give ITEMS";
    case unfit::needs_number:
      return "it is planned for a number of items: give ITEMS";
    case unfit::too_large:
      return "it needs " + std::to_string(one.offer.size_bytes) + " bytes";
    case unfit::too_near:
      return "it would hardly tell members from others";
    case unfit::no_plan:
      break;
  }
  return one.error;
}

answer shown(family_choice const& chosen) {
  answer::list candidates;
  for (auto const& each : chosen.fit)
    candidates.push_back(answer::map{{"family", each.family->name},
                                     {"bits_per_item", each.offer.bits_per_item},
                                     {"size_bytes", each.offer.size_bytes},
                                     {"fpr", each.offer.fpr},
                                     {"fnr", each.offer.fnr},
                                     {"params", each.offer.params}});
  answer::list rejected;
  for (auto const& each : chosen.unfit)
    rejected.push_back(answer::map{{"family", each.family->name}, {"reason", reason(each)}});
  return answer::map{{"candidates", std::move(candidates)}, {"rejected", std::move(rejected)}};
}

}  // namespace

void list(patient_call& it) {
  if (it.size() > 2) throw wrong_arity();
  if (it.size() == 2) {
    auto const& family = card_of(it[1]);
    auto all = description(family);
    all.emplace_back("settings", settings_of(family));
    return answer(std::move(all)).send(it);
  }
  answer::list all;
  for (auto const& each : cards()) all.push_back(description(each));
  answer(std::move(all)).send(it);
}

void plan(patient_call& it) {
  // Some plans take milliseconds, and the best rate in a space takes many plans.
  answer_work(it, large_bytes, {}, [goal = goal_in(it)](caller const& of) { shown(choose_family(goal)).send(of); });
}

}  // namespace hortus::server::commands
