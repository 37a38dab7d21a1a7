#include "cli/overfilled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

std::uint64_t found_among(any_filter const& filter, std::vector<std::string_view> const& keys) {
  if (filter.family().has(verb::may_contain)) return filter.may_contain(keys).count();
  auto const counts = filter.count(keys);
  return static_cast<std::uint64_t>(std::ranges::count_if(counts, [](auto count) { return count != 0; }));
}

past_plan way_of(family_info const& family) {
  if (family.can_be_full) return past_plan::refuses;
  if (family.forgets) return past_plan::forgets;
  return family.grows ? past_plan::grows : past_plan::takes_all;
}

overfilled overfill(family_info const& family, tour_keys const& keys, double fpr) {
  auto const planned = std::max<std::size_t>(keys.members.size() / 2, 1);
  auto filter = make_filter(family.name, {.items = planned, .fpr = fpr, .settings = {}});
  auto const empty_bytes = static_cast<double>(filter.size_bytes());
  overfilled one{.family = std::string(family.name), .does = way_of(family), .planned = planned, .given = keys.members.size()};
  bool const tells = family.has(verb::fpr);
  if (tells) one.rates.emplace_back(0, filter.fpr());
  constexpr std::size_t steps = 20;
  for (std::size_t i = 0; i < steps; ++i) {
    auto const from = keys.members.size() * i / steps;
    auto const to = keys.members.size() * (i + 1) / steps;
    auto const some = std::span(keys.members).subspan(from, to - from);
    one.refused += some.size() - filter.insert(some);
    if (tells) one.rates.emplace_back(static_cast<double>(to) / static_cast<double>(planned), filter.fpr());
  }
  one.not_found = keys.members.size() - found_among(filter, keys.members);
  one.rate = static_cast<double>(found_among(filter, keys.absent)) / static_cast<double>(keys.absent.size());
  one.growth = static_cast<double>(filter.size_bytes()) / empty_bytes;
  return one;
}

std::string_view short_name(past_plan does) {
  switch (does) {
    case past_plan::takes_all:
      return "takes all";
    case past_plan::grows:
      return "grows";
    case past_plan::forgets:
      return "forgets";
    case past_plan::refuses:
      return "refuses";
  }
  return "";
}

std::string names_of(std::vector<overfilled> const& all, auto which) {
  std::vector<std::string_view> names;
  for (auto const& one : all)
    if (which(one)) names.push_back(one.family);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Some of the families that grow, and the effect on their rate.
std::string growing(std::vector<overfilled> const& all) {
  auto const which = [&](bool keeps) {
    return names_of(all, [&](overfilled const& one) {
      return one.does == past_plan::grows && family_named(one.family).keeps_fpr == keeps;
    });
  };
  std::string text;
  if (auto const names = which(true); !names.empty())
    text = names + ": room for more keys is added, and the planned rate is kept.";
  if (auto const names = which(false); !names.empty())
    text += fmt::format("{}{}: room for more keys is added, and the rate rises with it.", text.empty() ? "" : " ", names);
  return text;
}

/// The families that take every key but may count some of them as 0.
std::string undercounting(std::vector<overfilled> const& all) {
  auto const names = names_of(all, [](overfilled const& one) { return one.does == past_plan::takes_all && one.not_found > 0; });
  return names.empty() ? " No key is missed."
                       : fmt::format(" No key is missed, except by {}, whose counts err to both sides.", names);
}

std::string refusing(std::vector<overfilled> const& all) {
  std::string text;
  for (auto const& one : all) {
    if (one.does != past_plan::refuses) continue;
    text += one.refused == 0
                ? fmt::format("{} had room for all {} keys. ", one.family, grouped_count(one.given))
                : fmt::format("{} refused {} of {} keys. ", one.family, grouped_count(one.refused), grouped_count(one.given));
  }
  return text + "insert says whether a key went in; a refused key is not in the filter.";
}

}  // namespace

std::vector<overfilled> overfill(tour_keys const& keys, std::vector<bench::row> const& rows, double fpr) {
  std::vector<overfilled> all;
  for (auto const& r : rows)
    if (auto const& family = family_named(r.family);
        family.has(verb::insert) && family.answers() != question::which_keys && family.answers() != question::how_many)
      all.push_back(overfill(family, keys, fpr));
  return all;
}

json_value to_json(overfilled const& one) {
  return {{"items_planned", one.planned},    {"keys_given", one.given},  {"keys_refused", one.refused},
          {"keys_not_found", one.not_found}, {"fpr_measured", one.rate}, {"growth", one.growth}};
}

table table_of(std::vector<overfilled> const& all) {
  table shown({{"family"},
               {"refused", align::right},
               {"not found", align::right},
               {"rate", align::right},
               {"size", align::right},
               {"past plan"}});
  std::vector<double> rates;
  rates.reserve(all.size());
  for (auto const& one : all) rates.push_back(one.rate);
  auto const shown_rates = human_rates(rates);
  auto const count = [](std::uint64_t keys) { return keys == 0 ? "-" : grouped_count(keys); };
  for (std::size_t i = 0; i < all.size(); ++i)
    shown.row({all[i].family, count(all[i].refused), count(all[i].not_found), shown_rates[i],
               fmt::format("x {:.2f}", all[i].growth), std::string(short_name(all[i].does))});
  return shown;
}

std::vector<std::pair<std::string, std::string>> in_words(std::vector<overfilled> const& all) {
  std::vector<std::pair<std::string, std::string>> ways;
  auto const named = [&](past_plan does) { return names_of(all, [&](overfilled const& one) { return one.does == does; }); };
  if (auto const names = named(past_plan::takes_all); !names.empty())
    ways.emplace_back("Take every key",
                      names + ": wrong answers become more frequent with every key past the plan." + undercounting(all));
  if (!named(past_plan::grows).empty()) ways.emplace_back("Grow", growing(all));
  if (auto const names = named(past_plan::forgets); !names.empty())
    ways.emplace_back("Forget",
                      names + ": the plan is a window. The newest keys push the oldest ones out, and the rate stays.");
  if (!named(past_plan::refuses).empty()) ways.emplace_back("Refuse", refusing(all));
  return ways;
}

}  // namespace hortus::cli
