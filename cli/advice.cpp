#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <hortus/maths/divisors.hpp>

#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// ", or use scalable": a family that grows and has the abilities of this one; empty if there is none.
std::string or_growing(any_filter const& filter, after what) {
  auto const& mine = family_named(filter.about().family);
  auto const grows_likewise = [&](family_info const& f) {
    return f.grows && f.name != mine.name && f.has(verb::may_contain) == mine.has(verb::may_contain) &&
           f.has(verb::erase) == mine.has(verb::erase) && f.has(verb::find) == mine.has(verb::find);
  };
  auto able = std::ranges::find_if(catalogue(), [&](family_info const& f) { return f.keeps_fpr && grows_likewise(f); });
  if (able == catalogue().end()) able = std::ranges::find_if(catalogue(), grows_likewise);
  if (able == catalogue().end()) return "";
  bool const warns = what == after::nobody_knows && mine.has(verb::merge) && !able->has(verb::merge);
  return fmt::format(", or use {}{}", able->name, warns ? ", which does not merge" : "");
}

/// "; blocked_counting counts further": a family with a higher maximum count and the abilities of this one, or larger cells.
std::string counts_further(any_filter const& filter) {
  for (auto const& param : filter.family().params())
    if (auto const* const bits = std::get_if<std::uint64_t>(&param.value); param.name == "cell_bits" && bits != nullptr)
      return *bits > 32 ? ""
                        : fmt::format("; rebuild with larger ones (--set cell_bits={})",
                                      std::max(std::bit_ceil(*bits + 1), std::uint64_t{8}));
  auto const& mine = family_named(filter.about().family);
  auto const able = std::ranges::find_if(catalogue(), [&](family_info const& f) {
    return f.max_count > mine.max_count && f.never_undercounts &&
           f.verbs.has_all(mine.verbs.only(verb::may_contain | verb::erase | verb::count));
  });
  return able == catalogue().end() ? "" : fmt::format("; {} counts further", able->name);
}

/// Does it only tell how many keys there are? Then it is for any number of them.
bool only_estimates(any_filter const& filter) { return question_of(filter.family().verbs()) == question::how_many; }

std::optional<std::string> underfull(any_filter const& filter) {
  auto const about = filter.about();
  auto const& family = filter.family();
  if (!family.has(verb::fold) || !family.has(verb::estimate) || !(about.fpr_planned > 0) || about.items_inserted == 0 ||
      only_estimates(filter))
    return std::nullopt;
  auto const ways = plan::divisors(family.fold_width());  // ascending; so are the rates after folding by them
  auto const keeps = [&](std::uint64_t by) { return family.fpr_folded(by) <= about.fpr_planned; };
  if (ways.size() < 2 || !keeps(ways[1])) return std::nullopt;  // the common case, after one check
  auto const by = *std::prev(std::partition_point(ways.begin() + 2, ways.end(), keeps));
  return fmt::format("under capacity: about {} distinct keys in {} for {}; if no more come, hortus fold --by {} keeps {}",
                     human_count(static_cast<std::uint64_t>(std::llround(filter.estimate().value))), one(about.family),
                     human_count(about.items_planned), by, human_rate(family.fpr_folded(by)));
}

/// For a family that cannot estimate its keys: is the rate higher than chance explains?
bool far_above(double fpr, envelope const& about) {
  return fpr > 2 * about.fpr_planned + 0.1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(about.items_planned, 1)));
}

/// The number of keys that the filter is for. A folded filter may state more than its shape holds at the planned rate.
std::uint64_t capacity(any_filter const& filter) {
  auto const about = filter.about();
  if (!filter.family().has(verb::fold)) return about.items_planned;
  auto const with = [&](std::uint64_t items) { return filter.planned_fpr(items); };
  if (with(about.items_planned) <= 1.01 * about.fpr_planned) return about.items_planned;  // the common case; 1 % for rounding
  return std::min(about.items_planned, plan::most_items(with, about.fpr_planned));
}

/// What would have helped, for a filter that has to hold `keys` keys.
std::string remedy(any_filter const& filter, std::uint64_t keys, after what, char const* up_to = "") {
  switch (what) {
    case after::merging:
      return fmt::format("build each part with -n {}", keys);
    case after::folding:
      return "fold less: --to-fpr instead of --by keeps a rate";
    default:
      return fmt::format("rebuild for {}{} keys{}", up_to, human_count(keys), or_growing(filter, what));
  }
}

}  // namespace

std::optional<std::string> overfull(any_filter const& filter, after what) {
  auto const about = filter.about();
  auto const has = [&](verb v) { return filter.family().has(v); };
  if (!has(verb::insert) || !(about.fpr_planned > 0) || only_estimates(filter)) return std::nullopt;
  double const fpr = has(verb::fpr) ? filter.fpr() : 1;
  bool const has_room =
      has(verb::fold) || family_named(about.family).grows;  // others may be full before their rate exceeds the plan
  if (has_room && fpr <= about.fpr_planned) return std::nullopt;
  auto const rate = has(verb::fpr) ? fmt::format("now {}, planned {}; ", human_rate(fpr), human_rate(about.fpr_planned)) : "";
  if (!has(verb::estimate)) {
    if (!has(verb::fpr) || !far_above(fpr, about)) return std::nullopt;
    return fmt::format("over capacity: keys came faster than {} for windows of {} can forget; {}rebuild for more",
                       one(about.family), human_count(about.items_planned), rate);
  }
  auto const items = filter.estimate();
  auto const most = capacity(filter);
  if (about.items_inserted <= most || items.low <= static_cast<double>(most)) return std::nullopt;
  auto const planned = human_count(most);
  if (items.saturated)  // the number of distinct keys is unknown; only the number of inserts is known
    return fmt::format("over capacity: more than {} distinct keys in {} for {}, which is full; {}{}",
                       human_count(static_cast<std::uint64_t>(items.low)), one(about.family), planned, rate,
                       remedy(filter, about.items_inserted, what, "up to "));
  return fmt::format("over capacity: about {} distinct keys in {} for {}; {}{}",
                     human_count(static_cast<std::uint64_t>(std::llround(items.value))), one(about.family), planned, rate,
                     remedy(filter, rounded_up(items.value), what));
}

std::optional<std::string> stuck(any_filter const& filter) {
  auto const counters = filter.family().saturations();
  if (counters == 0) return std::nullopt;
  return fmt::format("{} {} for good: {} counts may be too low{}{}", human_count(counters),
                     counters == 1 ? "counter stands at its maximum" : "counters stand at their maximum",
                     counters == 1 ? "its" : "their",
                     filter.family().has(verb::erase) ? ", and keys that are removed stay found" : "", counts_further(filter));
}

std::optional<std::string> advice_on(any_filter const& filter) {
  if (auto text = overfull(filter, after::nobody_knows)) return text;
  if (auto text = stuck(filter)) return text;
  return underfull(filter);
}

}  // namespace hortus::cli
