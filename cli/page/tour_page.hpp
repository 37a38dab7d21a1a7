#pragma once
#include <string_view>
#include <vector>

#include "cli/overfilled.hpp"
#include "cli/page/page.hpp"

namespace hortus::cli {

/// The last line of the page, by which a tour recognises the pages that it may replace.
inline constexpr std::string_view tour_footer = "Made by hortus tour.";

/// The verbs of a family except those that all families have: "insert may_contain merge".
[[nodiscard]] std::string abilities_of(family_info const& family);

/// The comparison in tables and charts, by question and by room, so that no chart has too many lines to distinguish.
[[nodiscard]] report_page tour_page(tour_keys const& keys, std::vector<bench::row> const& all,
                                    std::vector<overfilled> const& past_the_plan, std::vector<bench::row> const& growth,
                                    double fpr);

}  // namespace hortus::cli
