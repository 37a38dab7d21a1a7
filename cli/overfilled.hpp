#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "cli/table.hpp"
#include "cli/tour_keys.hpp"

/// What people meet in practice: more keys than a filter was planned for.
namespace hortus::cli {

/// What a family does with them.
enum class past_plan {
  takes_all,  ///< no key is dropped, and wrong answers become more frequent
  grows,      ///< it makes room
  forgets,    ///< the oldest keys give way
  refuses,    ///< it can be full: insert says that a key did not go in
};

/// A filter that was planned for half of the keys and given all of them.
struct overfilled {
  std::string family;
  past_plan does = past_plan::takes_all;
  std::uint64_t planned = 0;
  std::uint64_t given = 0;
  std::uint64_t refused = 0;    ///< keys that did not go in
  std::uint64_t not_found = 0;  ///< keys given that are not found in the end, the refused ones included
  double rate = 0;              ///< of absent keys that are found in the end, or counted where the family only counts
  double growth = 1;            ///< size in the end, in sizes of the empty filter
  std::vector<std::pair<double, double>> rates{};  ///< keys given, as a share of those planned, and fpr() then; if it has fpr
};

/// Every family of the rows that takes keys one after the other, and is planned for a number of them.
[[nodiscard]] std::vector<overfilled> overfill(tour_keys const& keys, std::vector<bench::row> const& rows, double fpr);

[[nodiscard]] nlohmann::ordered_json to_json(overfilled const& one);
[[nodiscard]] table table_of(std::vector<overfilled> const& all);

/// What the families did, in words: a heading and a sentence for each way that occurred.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> in_words(std::vector<overfilled> const& all);

}  // namespace hortus::cli
