#pragma once
#include <string>
#include <vector>

#include <hortus/verbs.hpp>

namespace hortus::cli {

/// The verbs that --need names: each by its own name or by one of the words of the table in needs.cpp. Throws errc::bad_goal
/// for any other word and lists both.
[[nodiscard]] verb_set verbs_needed(std::vector<std::string> const& words);

}  // namespace hortus::cli
