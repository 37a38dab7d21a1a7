#include "cli/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <hortus/nearest_name.hpp>

namespace hortus::cli {
namespace {

/// What commands are called elsewhere. A command that this version does not have is not offered.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> synonyms{{
    {"check", "query"},    {"test", "query"},     {"contains", "query"},
    {"lookup", "query"},   {"find", "query"},     {"grep", "query"},
    {"create", "build"},   {"new", "build"},      {"make", "build"},
    {"insert", "add"},     {"append", "add"},     {"update", "set"},
    {"delete", "remove"},  {"erase", "remove"},   {"rm", "remove"},
    {"del", "remove"},     {"union", "merge"},    {"join", "merge"},
    {"combine", "merge"},  {"dedup", "uniq"},     {"dedupe", "uniq"},
    {"unique", "uniq"},    {"show", "info"},      {"stat", "info"},
    {"stats", "info"},     {"describe", "info"},  {"intersection", "intersect"},
    {"estimate", "plan"},  {"choose", "plan"},    {"halve", "fold"},
    {"shrink", "fold"},    {"families", "list"},  {"top", "count"},
    {"frequent", "count"}, {"double", "grow"},    {"enlarge", "grow"},
    {"expand", "grow"},    {"assign", "set"},     {"put", "set"},
    {"comm", "reconcile"}, {"sync", "reconcile"}, {"difference", "reconcile"},
}};

}  // namespace

std::string unknown_command(std::string_view typed, std::span<std::string const> commands) {
  auto const* const synonym = std::ranges::find(synonyms, typed, &std::pair<std::string_view, std::string_view>::first);
  auto meant = synonym == synonyms.end() ? std::string_view() : synonym->second;
  if (std::ranges::find(commands, meant) == commands.end()) meant = nearest_name(typed, commands);
  return fmt::format("there is no command '{}'; {}hortus --help names all", typed,
                     meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant));
}

std::string meant_option(std::string_view typed, std::span<std::string const> long_options) {
  if (typed.size() < 3 || !typed.starts_with('-')) return {};
  auto const name = typed.substr(0, typed.find('='));
  auto const without_hyphens = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  auto const meant = nearest_name(without_hyphens, long_options);
  return meant.empty() ? "" : fmt::format("--{}", meant);
}

}  // namespace hortus::cli
