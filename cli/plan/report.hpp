#pragma once
#include "cli/plan/candidates.hpp"
#include "cli/plan/remarks.hpp"

namespace hortus::cli {

/// Prints the comparison and the remarks on standard output: a table and sentences, or one JSON document.
void report_plan(comparison const& compared, remarks const& said, bool json);

}  // namespace hortus::cli
