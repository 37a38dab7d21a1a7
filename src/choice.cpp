#include <hortus/any/choice.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace hortus {
namespace {

/// Why the family cannot answer what is asked; nothing if it can.
std::optional<unfit> unasked(card const& family, choice_goal const& goal) {
  auto const asks = family.answers();
  if (!family.verbs.has_all(goal.needed)) return unfit::lacks_verbs;
  if (asks == question::which_keys && !goal.needed.has(verb::top)) return unfit::tells_keys;
  if (asks == question::which_value && !goal.needed.has(verb::find)) return unfit::tells_value;
  if (asks == question::how_many && !goal.needed.has(verb::estimate)) return unfit::tells_how_many;
  if (goal.any_number && !family.keeps_fpr) return family.grows ? unfit::rate_grows : unfit::needs_number;
  return std::nullopt;
}

void consider(card const& family, choice_goal const& goal, family_choice& all) try {
  if (auto const why = unasked(family, goal)) {
    all.unfit.push_back({.family = &family, .why = *why, .missing = goal.needed.without(family.verbs)});
    return;
  }
  request wish{.items = goal.items, .fpr = goal.fpr, .settings = goal.settings};
  if (goal.space_given) wish.fpr = best_fpr_in(family, wish, *goal.bytes);
  auto offer = family.plan(wish);
  if (goal.bytes && offer.size_bytes > *goal.bytes)
    all.unfit.push_back({.family = &family, .why = unfit::too_large, .offer = std::move(offer)});
  else if (!tells_keys_apart(offer))
    all.unfit.push_back({.family = &family, .why = unfit::too_near, .offer = std::move(offer)});
  else
    all.fit.push_back({&family, std::move(offer)});
} catch (error const& e) {
  all.unfit.push_back({.family = &family, .why = unfit::no_plan, .error = e.what()});
}

}  // namespace

family_choice choose_family(choice_goal const& goal) {
  family_choice all;
  for (auto const& family : cards()) consider(family, goal, all);
  // Unless counts or estimates are needed, families that answer membership come first. Those that miss members by chance come
  // last, and maps whose values may be too large. Those that take no keys later are for a special case, which verb::build asks
  // for; but most maps are. A family that can be full refuses keys past the plan, where others only find more absent keys: it
  // has to be a sixth smaller.
  std::ranges::sort(all.fit, {}, [&](fit_family const& each) {
    auto const& its = *each.family;
    auto const asks = its.answers();
    double const worth = its.can_be_full ? 1.2 : 1;
    double const first =
        goal.space_given ? std::log(each.offer.fpr) / worth : worth * static_cast<double>(each.offer.size_bytes);
    bool const special = its.has(verb::build) && !goal.needed.has(verb::build) && asks != question::which_value;
    bool const other =
        goal.only_how_many() ? asks != question::how_many : !goal.needed.has(verb::count) && asks != question::whether;
    return std::tuple(other, each.offer.fnr > 0 || its.finds_bounds, special, first, each.offer.lines_touched,
                      each.family);  // the list's order decides between equals
  });
  return all;
}

}  // namespace hortus
