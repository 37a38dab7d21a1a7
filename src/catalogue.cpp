#include <hortus/any/catalogue.hpp>

#include <algorithm>
#include <cmath>

#include <hortus/any/families.hpp>
#include <hortus/io/store.hpp>

namespace hortus {
namespace {

template <plannable F>
typename F::goal goal_of(request const& wish) {
  typename F::goal goal;
  goal.items = wish.items;
  goal.fpr = wish.fpr;
  for (auto setting = wish.settings.begin(); setting != wish.settings.end(); ++setting) {
    auto const& name = setting->first;
    if (std::any_of(wish.settings.begin(), setting, [&](auto const& before) { return before.first == name; }))
      throw error(errc::bad_goal, "the setting '" + name + "' is given twice");
    set_value(goal, name, setting->second);
  }
  return goal;
}

template <family F>
constexpr bool counts_enough() {
  if constexpr (countable<F>)
    return never_undercounts<F>;
  else
    return false;
}

template <family F>
constexpr std::uint64_t most_counted() {
  if constexpr (requires { F::max_count(); })
    return static_cast<std::uint64_t>(F::max_count());
  else
    return 0;
}

/// The chance that a key of the window is missed, of families that say it.
template <plantable F>
double missed(typename F::params const& params, std::uint64_t items) {
  if constexpr (requires { F::planned_fnr(params, items); })
    return F::planned_fnr(params, items);
  else
    return 0;
}

template <plantable F>
any_family made(request const& wish) {
  if constexpr (makeable<F>)
    return any_family(F(F::plan(goal_of<F>(wish))));
  else
    lacks(F::name, "insert");
}

/// A family that takes keys later is planned for as many as there are, if nobody says for how many.
template <plantable F>
any_family built(std::span<digest const> keys, request const& wish) {
  auto goal = goal_of<F>(wish);
  if (goal.items == 0) goal.items = keys.size();
  if constexpr (buildable<F>) {
    return any_family(F::build(keys, goal));
  } else {
    F f(F::plan(goal));
    if (auto const in = insert_all(f, keys); in != keys.size())
      throw error(errc::full, std::to_string(keys.size() - in) + " of " + std::to_string(keys.size()) +
                                  " keys did not fit into " + one(F::name) + " for " + std::to_string(goal.items) +
                                  "; items = " + std::to_string(keys.size()) + " would do");
    return any_family(std::move(f));
  }
}

template <plantable F>
constexpr bool refuses() {
  if constexpr (insertable<F>)
    return can_refuse<F>;
  else
    return false;
}

template <plantable F>
family_info describe() {
  return {.name = F::name,
          .room = F::room,
          .summary = F::summary,
          .misses = F::misses,
          .never_undercounts = counts_enough<F>(),
          .can_refuse = refuses<F>(),
          .max_count = most_counted<F>(),
          .grows = growing<F>,
          .keeps_fpr = keeps_fpr<F>,
          .verbs = verbs_of<F>(),
          .settings = settings_of<typename F::goal>(),
          .plan = [](request const& wish) -> proposal {
            auto const params = F::plan(goal_of<F>(wish));
            auto const items = std::max<std::uint64_t>(wish.items, 1);
            auto const bytes = F::planned_bytes(params);
            return {.params = values_of(params),
                    .size_bytes = bytes,
                    .fpr = F::planned_fpr(params, items),
                    .fnr = missed<F>(params, items),
                    .bits_per_item = 8 * static_cast<double>(bytes) / static_cast<double>(items),
                    .lines_touched = F::lines_touched(params)};
          },
          .make = made<F>,
          .build = built<F>,
          .read = [](field_reader& in) { return any_family(family_reader<F>::read({.family = std::string(F::name)}, in)); }};
}

/// The highest rate that tells_keys_apart, for an offer with these misses.
double highest_fpr(double fnr) { return (1 - fnr) / 2; }

/// Is that the size of what the family plans, or more?
bool fits_in(family_info const& family, request const& wish, std::uint64_t bytes) {
  try {
    return family.plan(wish).size_bytes <= bytes;
  } catch (error const& e) {
    if (e.code() != errc::bad_goal) throw;
    return false;  // out of this family's reach altogether
  }
}

std::string names_where(auto keep) {
  std::string names;
  for (auto const& family : catalogue())
    if (keep(family)) names += (names.empty() ? "" : ", ") + std::string(family.name);
  return names;
}

}  // namespace

std::span<family_info const> catalogue() {
  static std::vector<family_info> const all = [] {
    std::vector<family_info> list;
    families::for_each([&]<class F>() { list.push_back(describe<F>()); });
    return list;
  }();
  return all;
}

family_info const& family_named(std::string_view name) {
  auto const all = catalogue();
  auto const found = std::ranges::find(all, name, &family_info::name);
  if (found == all.end())
    throw error(errc::unsupported,
                "no family is called '" + std::string(name) + "'; there are: " + names_where([](auto const&) { return true; }));
  return *found;
}

bool family_info::has(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

std::string called(std::string_view family) {
  auto const found = std::ranges::find(catalogue(), family, &family_info::name);
  auto const room = found == catalogue().end() ? std::string_view() : found->room;
  return std::string(family) + (room == "sketch" ? " sketch" : room == "map" ? " map" : " filter");
}

std::string one(std::string_view family) {
  bool const vowel = std::string_view("aeiou").find(family.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + called(family);
}

void lacks(std::string_view family, std::string_view verb) {
  auto const able = names_where([verb](family_info const& f) { return f.has(verb); });
  auto const found = std::ranges::find(catalogue(), family, &family_info::name);
  bool const frozen = found != catalogue().end() && found->has("build");
  throw error(errc::unsupported, one(family) + " has no " + std::string(verb) +
                                     (frozen && verb == "insert" ? ", it is built of all its keys at once" : "") +
                                     (able.empty() ? "; no family here has" : "; families that have it: " + able));
}

bool tells_keys_apart(proposal const& offer) { return offer.fnr == 0 || offer.fpr <= highest_fpr(offer.fnr) * (1 + 1e-9); }

double best_fpr_in(family_info const& family, request wish, std::uint64_t bytes) {
  auto const fits = [&](double log_fpr) {
    wish.fpr = std::exp(log_fpr);
    return fits_in(family, wish, bytes);
  };
  double high = std::log(0.99);
  double low = std::log(1e-18);
  bool enough = fits(high);
  if (auto const fnr = enough ? family.plan(wish).fnr : 0; fnr > 0) {
    wish.fpr = highest_fpr(fnr);  // misses depend on the rate: they are asked for where it is about right
    high = std::log(highest_fpr(family.plan(wish).fnr));
    enough = fits(high);
  }
  if (!enough)
    throw error(errc::bad_goal, std::to_string(bytes) + " bytes are too few for " + std::to_string(wish.items) + " items in " +
                                    one(family.name));
  if (fits(low)) return std::exp(low);
  while (high - low > 1e-9) {  // a millionth of a percent of the rate: below the rounding of any size
    auto const middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return std::exp(high);
}

std::uint64_t most_items_in(family_info const& family, request wish, std::uint64_t bytes) {
  auto const fits = [&](std::uint64_t items) {
    wish.items = items;
    return fits_in(family, wish, bytes);
  };
  if (!fits(1)) {
    (void)family.plan(wish);  // says what is wrong with the wish, if it is that
    throw error(errc::bad_goal, std::to_string(bytes) + " bytes are too few for " + one(family.name) + " of one item");
  }
  std::uint64_t most = 1;
  std::uint64_t too_many = 2;
  for (; fits(too_many); too_many *= 2) most = too_many;  // ends: 2^42 bits do not hold 2^63 items
  while (too_many - most > 1) {
    auto const middle = most + (too_many - most) / 2;
    (fits(middle) ? most : too_many) = middle;
  }
  return most;
}

}  // namespace hortus
