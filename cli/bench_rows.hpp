#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "bench/bench.hpp"
#include "cli/text/table.hpp"

/// What `bench` and `tour` measured, for programs and for people.
namespace hortus::cli {

/// What cannot be said of a family, or was not seen, is null.
[[nodiscard]] nlohmann::ordered_json to_json(bench::row const& r);

enum class row_detail {
  results,  ///< for a comparison of families on one set of keys
  limits,   ///< and the number of keys, the rate asked for, the overhead and what the machine allows
};

/// The most important columns first. `batch` stands before the titles of times in batches. Times that no family has, and
/// refused keys where there were none, have no column.
[[nodiscard]] table table_of(std::vector<bench::row> const& rows, row_detail detail, std::string const& batch = "b.");

}  // namespace hortus::cli
