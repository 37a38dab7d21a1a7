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
#include <hortus/declared_verbs.hpp>

/// The static facts about every family, for choosing one and for the planner. Links without files, memory maps and vector
/// kernels (CMake target hortus_planner).
namespace hortus {

/// A goal as given on a command line, with settings of the family by name (`probes`, ...).
struct request {
  std::uint64_t items = 0;
  double fpr = 0.01;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// A family's plan for a request.
struct proposal {
  std::vector<named_value> params;
  std::uint64_t size_bytes = 0;
  double fpr = 0;            ///< the actual rate, after rounding; without may_contain: the probability of a wrong count
  double fnr = 0;            ///< probability that a member, or a key of the window, is missed; 0 if the family gives none
  double bits_per_item = 0;  ///< 8 size_bytes / items
  double lines_touched = 0;  ///< cache lines that a lookup of a member reads
};

struct card {
  std::string_view name;
  std::string_view room;
  std::string_view summary;
  false_negatives misses;
  bool never_undercounts;   ///< count() is never below the true count, or below its maximum
  bool forgets;             ///< it forgets old keys, by design: its size is for a window
  bool can_refuse;          ///< insert returns whether it took the key
  bool can_be_full;         ///< insert refuses keys if there is no room for them
  std::uint64_t max_count;  ///< the maximum of counters in all its filters; 0: there is no such number
  bool grows;               ///< it takes more keys than planned; stages() of a filter says how often it grew
  bool keeps_fpr;           ///< it grows and keeps the planned rate for any number of keys
  bool ranks_keys;          ///< a map that, built of keys without values, gives each a number of its own
  bool has_shards;          ///< a filter can be cut into shards: see shardable
  bool finds_bounds;        ///< a map that finds values which are never too small, and joins several values of a key
  verb_set verbs;
  std::vector<setting> settings;  ///< that request::settings may name
  proposal (*plan)(request const&);

  [[nodiscard]] bool has(verb v) const noexcept { return verbs.has(v); }
  /// Does an erased key stay hidden, whatever is inserted later? Then erase() also returns false for a key that is hidden
  /// already.
  [[nodiscard]] bool hides_erased() const noexcept { return can_refuse && !can_be_full; }
  [[nodiscard]] question answers() const noexcept { return question_of(verbs); }
};

[[nodiscard]] std::span<card const> cards();
[[nodiscard]] card const& card_of(std::string_view family);  ///< throws errc::unsupported, naming all families
/// Was this library built with the family? CMake's option HORTUS_FAMILIES may leave some out.
[[nodiscard]] bool has_family(std::string_view family);

/// The family's name in a sentence: "bloom filter", "count_min sketch".
[[nodiscard]] std::string called(std::string_view family);
/// The same with an article: "a bloom filter", "an active_active filter".
[[nodiscard]] std::string one(std::string_view family);

/// Throws errc::unsupported for a verb that the family lacks, naming the families that have it.
[[noreturn]] void lacks(std::string_view family, verb v);
/// The same for a family that cannot be cut into shards.
[[noreturn]] void lacks_shards(std::string_view family);

/// Does it report absent keys at most half as often as keys of the window? Without that rule a filter that answers at
/// random, in no space at all, would win.
[[nodiscard]] bool tells_keys_apart(proposal const& offer);

/// The lowest rate that the family reaches for wish.items in `bytes` bytes. Throws errc::bad_goal if not even a rate of 99 %
/// fits or, for a family with misses, not even the highest rate for which tells_keys_apart() holds.
[[nodiscard]] double best_fpr_in(card const& family, request wish, std::uint64_t bytes);

/// The most items that the family holds at wish.fpr in `bytes` bytes. Throws errc::bad_goal if not even one fits.
[[nodiscard]] std::uint64_t most_items_in(card const& family, request wish, std::uint64_t bytes);

/// A family's goal, from a request.
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

/// The plan of F for a request.
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
          .ranks_keys = false,
          .has_shards = shardable<F>,
          .finds_bounds = false,
          .verbs = verbs_of<F>(),
          .settings = settings_of<typename F::goal>(),
          .plan = proposal_of<F>};
  if constexpr (requires { F::ranks_keys; }) it.ranks_keys = F::ranks_keys;
  if constexpr (requires { F::finds_bounds; }) it.finds_bounds = F::finds_bounds;
  if constexpr (countable<F>) it.never_undercounts = never_undercounts<F>;
  if constexpr (requires { F::max_count(); }) it.max_count = static_cast<std::uint64_t>(F::max_count());
  return it;
}

}  // namespace hortus
