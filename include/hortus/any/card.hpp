#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/settings.hpp>
#include <hortus/concepts.hpp>

/// What is known of every family without making one: for people who choose, and for the planner. Links without files, memory
/// maps and vector kernels (CMake target hortus_planner).
namespace hortus {

/// What somebody at a command line wants: the goal, and settings of the family by name (`probes`, ...).
struct request {
  std::uint64_t items = 0;
  double fpr = 0.01;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// What a family offers for a request.
struct proposal {
  std::vector<named_value> params;
  std::uint64_t size_bytes = 0;
  double fpr = 0;            ///< the rate really obtained, after rounding; without may_contain: the chance of a wrong count
  double fnr = 0;            ///< chance that a key of the window is missed, where the family says so
  double bits_per_item = 0;  ///< 8 size_bytes / items
  double lines_touched = 0;  ///< cache lines that a lookup of a member reads
};

struct card {
  std::string_view name;
  std::string_view room;
  std::string_view summary;
  false_negatives misses;
  bool never_undercounts;   ///< count() is never below the truth, or below the most that it counts to
  bool forgets;             ///< old keys, by design: its size is for a window
  bool can_refuse;          ///< insert says whether a key went in
  bool can_be_full;         ///< and refuses those for which there is no room
  std::uint64_t max_count;  ///< where counters stick in all its filters; 0: there is no such number
  bool grows;               ///< makes room for more keys than planned; stages() of a filter says how often it did
  bool keeps_fpr;           ///< and keeps the planned rate, however many come
  verb_set verbs;
  std::vector<setting> settings;  ///< by name, for request::settings
  proposal (*plan)(request const&);

  [[nodiscard]] bool has(verb v) const noexcept { return verbs.has(v); }
  [[nodiscard]] question answers() const noexcept { return question_of(verbs); }
};

[[nodiscard]] std::span<card const> cards();
[[nodiscard]] card const& card_of(std::string_view family);  ///< throws errc::unsupported, naming those there are

/// "bloom filter", "count_min sketch": what people call it.
[[nodiscard]] std::string called(std::string_view family);
/// "a bloom filter", "an active_active filter": one of them.
[[nodiscard]] std::string one(std::string_view family);

/// A verb that a family lacks was asked for at run time. Names the families that have it.
[[noreturn]] void lacks(std::string_view family, verb v);

/// Does it tell a key of the window from an absent one? It must report the absent key at most half as often: without that rule
/// a filter that answers at random, in no space at all, would win.
[[nodiscard]] bool tells_keys_apart(proposal const& offer);

/// The lowest rate that the family reaches for so many items in so many bytes. Throws errc::bad_goal if not even a rate of 99 %
/// fits, or with misses the highest that tells keys apart.
[[nodiscard]] double best_fpr_in(card const& family, request wish, std::uint64_t bytes);

/// The most items that the family holds at the rate wished for in so many bytes. Throws errc::bad_goal if not even one fits.
[[nodiscard]] std::uint64_t most_items_in(card const& family, request wish, std::uint64_t bytes);

/// A family's goal, out of a request.
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

/// What F offers for a request.
template <plantable F>
proposal proposal_of(request const& wish) {
  auto const params = F::plan(goal_of<F>(wish));
  auto const items = wish.items != 0 ? wish.items : 1;
  auto const bytes = F::planned_bytes(params);
  proposal offer{.params = values_of(params),
                 .size_bytes = bytes,
                 .fpr = F::planned_fpr(params, items),
                 .fnr = 0,
                 .bits_per_item = 8 * static_cast<double>(bytes) / static_cast<double>(items),
                 .lines_touched = F::lines_touched(params)};
  if constexpr (requires { F::planned_fnr(params, items); }) offer.fnr = F::planned_fnr(params, items);
  return offer;
}

/// The card of F, for its unit: see families.def.
template <plantable F>
card made_card() {
  static_assert(declares_what_it_has<F>());
  card it{.name = F::name,
          .room = F::room,
          .summary = F::summary,
          .misses = F::misses,
          .never_undercounts = false,
          .forgets = forgetting<F>,
          .can_refuse = can_refuse<F>,
          .can_be_full = can_be_full<F>,
          .max_count = 0,
          .grows = growing<F>,
          .keeps_fpr = keeps_fpr<F>,
          .verbs = verbs_of<F>(),
          .settings = settings_of<typename F::goal>(),
          .plan = proposal_of<F>};
  if constexpr (countable<F>) it.never_undercounts = never_undercounts<F>;
  if constexpr (requires { F::max_count(); }) it.max_count = static_cast<std::uint64_t>(F::max_count());
  return it;
}

}  // namespace hortus
