#pragma once
#include <vector>

#include "bench/bench.hpp"
#include "cli/page/chart.hpp"

namespace hortus::cli {

/// Lookups, builds, space and memory while building, each against the number of keys.
[[nodiscard]] std::vector<line_chart> growth_charts(std::vector<bench::row> const& all);

}  // namespace hortus::cli
