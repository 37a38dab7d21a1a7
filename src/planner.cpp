#include <algorithm>

#include <hortus/any/any_near.hpp>
#include <hortus/any/card.hpp>
#include <hortus/nearest_name.hpp>
#include <hortus/plan/best_fpr.hpp>

namespace hortus {

#define HORTUS_FAMILY(name, ...) card card_of_##name();
#include "compiled_families.def"
#undef HORTUS_FAMILY

namespace {

/// Families and their rooms, those too that this library was built without (HORTUS_FAMILIES of CMake).
struct listed_family {
  std::string_view name;
  std::string_view room;
};
#define HORTUS_FAMILY(name, room, ...) listed_family{#name, #room},
constexpr listed_family all_families[] = {
#include <hortus/any/families.def>
};
#undef HORTUS_FAMILY

/// Null for a name that is no family's.
listed_family const* listed(std::string_view family) {
  auto const found = std::ranges::find(all_families, family, &listed_family::name);
  return found == std::end(all_families) ? nullptr : found;
}

/// Does the family's plan fit into `bytes`?
bool fits_in(card const& family, request const& wish, std::uint64_t bytes) {
  try {
    return family.plan(wish).size_bytes <= bytes;
  } catch (error const& e) {
    if (e.code() != errc::bad_goal) throw;
    return false;  // the family cannot meet this goal in any size
  }
}

std::string names_where(auto keep) {
  std::string names;
  for (auto const& family : cards())
    if (keep(family)) names += (names.empty() ? "" : ", ") + std::string(family.name);
  return names;
}

}  // namespace

std::span<card const> cards() {
#define HORTUS_FAMILY(name, ...) card_of_##name(),
  static auto const& all = *new std::vector<card>{
  // never destroyed, as the catalogue
#include "compiled_families.def"
  };
#undef HORTUS_FAMILY
  return all;
}

bool has_family(std::string_view family) { return std::ranges::find(cards(), family, &card::name) != cards().end(); }

card const& card_of(std::string_view family) {
  auto const all = cards();
  auto const found = std::ranges::find(all, family, &card::name);
  if (is_near_family(family))
    throw error(errc::unsupported, one(family) +
                                       " tells how near a key is: in the command build, add, query, info, verify, merge, "
                                       "list and plan take it, in programs any/any_near.hpp");
  if (found == all.end() && listed(family) != nullptr)
    throw error(errc::unsupported, "this library was built without the family '" + std::string(family) +
                                       "': its HORTUS_FAMILIES are " + names_where([](auto const&) { return true; }));
  if (found == all.end()) {
    std::vector<std::string_view> names;
    for (auto const& known : all) names.push_back(known.name);
    auto const meant = nearest_name(family, names);
    throw error(errc::unsupported, "there is no family '" + std::string(family) + "'; " +
                                       (meant.empty() ? "" : "did you mean " + std::string(meant) + "? ") +
                                       "there are: " + names_where([](auto const&) { return true; }));
  }
  return *found;
}

std::string called(std::string_view family) {
  auto const* const found = listed(family);
  auto const room = found == nullptr ? std::string_view() : found->room;
  if (room == "map" && (family.ends_with("_map") || family.ends_with("_set"))) return std::string(family);
  return std::string(family) + (room == "sketch" ? " sketch" : room == "map" ? " map" : " filter");
}

std::string one(std::string_view family) {
  bool const vowel = std::string_view("aeiou").find(family.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + called(family);
}

void add_setting(std::vector<setting>& settings, setting const& added) { settings.push_back(added); }

void lacks(std::string_view family, verb v) {
  auto const able = names_where([v](card const& f) { return f.has(v); });
  auto const found = std::ranges::find(cards(), family, &card::name);
  bool const frozen = found != cards().end() && found->has(verb::build);
  throw error(errc::unsupported, one(family) + " has no " + std::string(name_of(v)) +
                                     (frozen && v == verb::insert ? ", it is built of all its keys at once" : "") +
                                     (able.empty() ? "; no family here has" : "; families that have it: " + able));
}

void lacks_shards(std::string_view family) {
  throw error(errc::unsupported, one(family) +
                                     " cannot be cut into shards: its keys do not have one place each; families that " +
                                     "can be: " + names_where([](card const& f) { return f.has_shards; }));
}

bool tells_keys_apart(proposal const& offer) {
  return offer.fnr == 0 || offer.fpr <= plan::highest_fpr(offer.fnr) * (1 + 1e-9);
}

double best_fpr_in(card const& family, request wish, std::uint64_t bytes) {
  auto const cost_of = [&](double fpr) {
    wish.fpr = fpr;
    auto const offer = family.plan(wish);
    return plan::cost{.bytes = offer.size_bytes, .fnr = offer.fnr};
  };
  auto const fpr = plan::best_fpr(cost_of, bytes);
  if (!fpr)
    throw error(errc::bad_goal, std::to_string(bytes) + " bytes are too few for " + std::to_string(wish.items) + " items in " +
                                    one(family.name));
  return *fpr;
}

std::uint64_t most_items_in(card const& family, request wish, std::uint64_t bytes) {
  auto const fits = [&](std::uint64_t items) {
    wish.items = items;
    return fits_in(family, wish, bytes);
  };
  if (!fits(1)) {
    (void)family.plan(wish);  // throws a better message if the wish itself is wrong
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
