#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/choice.hpp>

#include "cli/plan/build_command.hpp"

/// The comparison of all families for one goal.
namespace hortus::cli {

/// The rate that plan and build take where none is given.
inline constexpr std::string_view default_rate = "1%";

/// If nobody knows the number of keys, the space for so many is shown.
inline constexpr std::uint64_t items_shown = 1'000'000;

/// What plan was asked.
struct plan_question {
  verb_set needed;
  std::uint64_t items = 0;
  bool any_number = false;  ///< the number of keys is not known: it must grow and keep its rate
  double fpr = 0.01;
  std::optional<std::uint64_t> memory{};                        ///< the most bytes that it may take
  bool space_given = false;                                     ///< --memory without -p: the best rate in that space is wanted
  std::optional<std::uint64_t> universe{};                      ///< keys are integers below this
  build_words words;                                            ///< the same as options of build
  std::vector<std::pair<std::string, std::string>> settings{};  ///< that a family must have

  /// Must a structure without errors keep counts?
  [[nodiscard]] bool counts_exactly() const noexcept { return needed.has(verb::count) || needed.has(verb::top); }
};

struct candidate {
  card const* family;
  proposal offer;
  std::string command;  ///< that builds it
  std::string why;

  /// Does the lower bound on space apply? It holds for membership; a family that only counts answers another question.
  [[nodiscard]] bool answers_membership() const noexcept { return family->answers() == question::whether; }
  [[nodiscard]] bool tells_keys() const noexcept { return family->answers() == question::which_keys; }
  [[nodiscard]] bool tells_values() const noexcept { return family->answers() == question::which_value; }
  [[nodiscard]] bool tells_how_many() const noexcept { return family->answers() == question::how_many; }
  /// Cache lines that a lookup of a member reads; at most the lines that the filter has.
  [[nodiscard]] double lines() const;
  /// The space above the lower bound: "44.4 %".
  [[nodiscard]] std::string over_limit() const;
};

struct rejected {
  card const* family;
  std::string reason;
};

struct comparison {
  std::vector<candidate> candidates;  ///< best first
  std::vector<rejected> losers;

  [[nodiscard]] candidate const* best() const noexcept { return candidates.empty() ? nullptr : &candidates.front(); }
};

/// All families, as choose_family() orders them.
[[nodiscard]] comparison compare_families(plan_question const& asked);

}  // namespace hortus::cli
