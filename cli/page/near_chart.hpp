#pragma once
#include "cli/page/chart.hpp"

namespace hortus::cli {

/// How likely a key is taken as near a member, against its distance from it: planned, and measured on 1000 strings of bits. The
/// same on every machine.
[[nodiscard]] line_chart near_against_distance();

}  // namespace hortus::cli
