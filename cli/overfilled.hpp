#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "cli/text/json.hpp"
#include "cli/text/table.hpp"
#include "cli/tour_keys.hpp"

/// How families behave with more keys than planned, as often happens in practice.
namespace hortus::cli {

/// What a family does with keys beyond the plan.
enum class past_plan {
  takes_all,  ///< no key is dropped, and wrong answers become more frequent
  grows,      ///< it makes room
  forgets,    ///< it forgets the oldest keys
  refuses,    ///< it can be full: insert reports that a key was not taken
};

/// The result of a filter that was planned for half of the keys and given all of them.
struct overfilled {
  std::string family;
  past_plan does = past_plan::takes_all;
  std::uint64_t planned = 0;
  std::uint64_t given = 0;
  std::uint64_t refused = 0;    ///< keys that were not taken
  std::uint64_t not_found = 0;  ///< given keys that are not found in the end, including refused ones
  double rate = 0;              ///< share of absent keys that are found in the end, or counted if the family only counts
  double growth = 1;            ///< size in the end over the size of the empty filter
  std::vector<std::pair<double, double>> rates{};  ///< keys given, as a share of those planned, and fpr() then; if it has fpr
};

/// Runs this for every family of the rows that takes keys one by one and is planned for a number of them.
[[nodiscard]] std::vector<overfilled> overfill(tour_keys const& keys, std::vector<bench::row> const& rows, double fpr);

[[nodiscard]] json_value to_json(overfilled const& one);
[[nodiscard]] table table_of(std::vector<overfilled> const& all);

/// The results in words: a heading and a sentence for each past_plan that occurred.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> in_words(std::vector<overfilled> const& all);

}  // namespace hortus::cli
