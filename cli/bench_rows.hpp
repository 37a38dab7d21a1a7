#pragma once
#include <vector>

#include "bench/bench.hpp"
#include "cli/text/json.hpp"
#include "cli/text/table.hpp"

/// The results of `bench` and `tour` as JSON and as tables.
namespace hortus::cli {

/// Values that a family does not have, or that were not measured, are null.
[[nodiscard]] json_value to_json(bench::row const& r);

enum class row_detail {
  results,  ///< for a comparison of families on one set of keys
  limits,   ///< also the number of keys, the requested rate, the overhead and the machine's limits
};

/// The most important columns come first. `batch` is the prefix of the titles of batch times. Times that no family has get no
/// column, nor do refused keys if there were none.
[[nodiscard]] table table_of(std::vector<bench::row> const& rows, row_detail detail, std::string const& batch = "b.");

}  // namespace hortus::cli
