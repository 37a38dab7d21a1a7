#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <hortus/plan/divisors.hpp>

#include "cli/numbers.hpp"

namespace hortus::cli {
namespace {

/// ", or use scalable": a family that grows and can what this one can, if there is one.
std::string or_growing(any_filter const& filter) {
  auto const& mine = family_named(filter.about().family);
  auto const able = std::ranges::find_if(catalogue(), [&](family_info const& f) {
    return f.grows && f.name != mine.name && f.has("may_contain") == mine.has("may_contain") &&
           f.has("erase") == mine.has("erase");
  });
  return able == catalogue().end() ? "" : fmt::format(", or use {}", able->name);
}

std::optional<std::string> stuck(any_filter const& filter) {
  auto const cells = filter.family().saturations();
  if (cells == 0) return std::nullopt;
  return fmt::format(
      "{} {} for good: {} counts are too low, and keys that are removed stay found; rebuild with larger ones (--set "
      "cell_bits=8)",
      human_count(cells), cells == 1 ? "counter stands at its maximum" : "counters stand at their maximum",
      cells == 1 ? "its" : "their");
}

std::optional<std::string> underfull(any_filter const& filter) {
  auto const about = filter.about();
  auto const& family = filter.family();
  if (!family.has("fold") || !family.has("estimate") || !(about.fpr_planned > 0) || about.items_inserted == 0)
    return std::nullopt;
  auto const ways = plan::divisors(family.fold_width());  // ascending, as are the rates they lead to
  auto const keeps = [&](std::uint64_t by) { return family.fpr_folded(by) <= about.fpr_planned; };
  if (ways.size() < 2 || !keeps(ways[1])) return std::nullopt;  // the common case, after one look
  auto const by = *std::prev(std::partition_point(ways.begin() + 2, ways.end(), keeps));
  return fmt::format("under capacity: about {} distinct keys in a {} for {}; if no more come, hortus fold --by {} keeps {}",
                     human_count(static_cast<std::uint64_t>(std::llround(filter.estimate().value))), called(about.family),
                     human_count(about.items_planned), by, human_rate(family.fpr_folded(by)));
}

}  // namespace

std::optional<std::string> overfull(any_filter const& filter) {
  auto const about = filter.about();
  auto const has = [&](std::string_view verb) { return filter.family().has(verb); };
  if (!has("insert") || !has("estimate") || !(about.fpr_planned > 0) || about.items_inserted <= about.items_planned)
    return std::nullopt;
  auto const items = filter.estimate();
  if (items.low <= static_cast<double>(about.items_planned)) return std::nullopt;
  if (family_named(about.family).grows && filter.fpr() <= about.fpr_planned) return std::nullopt;  // it has made room for them
  auto const rate =
      has("fpr") ? fmt::format("now {}, planned {}; ", human_rate(filter.fpr()), human_rate(about.fpr_planned)) : "";
  if (items.saturated)  // nobody knows how many came, only how often
    return fmt::format("over capacity: more than {} distinct keys in a {} for {}, which is full; {}rebuild for up to {} keys{}",
                       human_count(static_cast<std::uint64_t>(items.low)), called(about.family),
                       human_count(about.items_planned), rate, human_count(about.items_inserted), or_growing(filter));
  return fmt::format("over capacity: about {} distinct keys in a {} for {}; {}rebuild for {} keys{}",
                     human_count(static_cast<std::uint64_t>(std::llround(items.value))), called(about.family),
                     human_count(about.items_planned), rate, human_count(rounded_up(items.value)), or_growing(filter));
}

std::optional<std::string> advice_on(any_filter const& filter) {
  if (auto text = overfull(filter)) return text;
  if (auto text = stuck(filter)) return text;
  return underfull(filter);
}

}  // namespace hortus::cli
