#include "cli/plan/needs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <hortus/any/card.hpp>
#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

struct synonym {
  std::string_view word;
  verb means;
};

/// The names of the commands and what the literature and other libraries call the verbs.
constexpr std::array<synonym, 19> synonyms{{
    {"add", verb::insert},           {"uniq", verb::insert_if_new}, {"window", verb::advance},
    {"query", verb::may_contain},    {"check", verb::may_contain},  {"contains", verb::may_contain},
    {"lookup", verb::may_contain},   {"get", verb::find},           {"value", verb::find},
    {"remove", verb::erase},         {"delete", verb::erase},       {"frequency", verb::count},
    {"cardinality", verb::estimate}, {"overlap", verb::compare},    {"difference", verb::compare},
    {"union", verb::merge},          {"or", verb::merge},           {"intersection", verb::intersect},
    {"and", verb::intersect},
}};

std::optional<verb> meant_by(std::string_view word) {
  if (auto const name = verb_named(word)) return name;
  auto const found = std::ranges::find(synonyms, word, &synonym::word);
  return found == synonyms.end() ? std::nullopt : std::optional(found->means);
}

}  // namespace

verb_set verbs_needed(std::vector<std::string> const& words) {
  verb_set known;
  for (auto const& family : cards()) known = known | family.verbs;
  verb_set needed;
  for (auto const& word : words) {
    auto const meant = meant_by(word);
    if (!meant || !known.has(*meant)) {
      std::vector<std::string> others;
      others.reserve(synonyms.size());
      for (auto const& each : synonyms) others.push_back(fmt::format("{} ({})", each.word, name_of(each.means)));
      throw error(errc::bad_goal, fmt::format("--need: no family has a verb '{}'; there are: {}; also understood: {}", word,
                                              fmt::join(known.names(), ", "), fmt::join(others, ", ")));
    }
    needed = needed | *meant;
  }
  return needed;
}

}  // namespace hortus::cli
