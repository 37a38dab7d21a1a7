#pragma once
#include <optional>
#include <string>

#include <hortus/any/any_filter.hpp>

namespace hortus::cli {

/// "over capacity: ...", when the filter holds more distinct keys than were planned for, with the rate that results and what
/// helps. Lines are not distinct keys: its estimate decides. Folding is no help, it raises the rate.
[[nodiscard]] std::optional<std::string> overfull(any_filter const& filter);

/// What somebody who looks at the filter should know and could do, in one sentence: it is overfull, counters have stuck, or it
/// is so empty that folded to half its size or less it keeps the planned rate. Nothing when all is well, and of families that
/// cannot tell: a filter that forgets is never too full, only forgetful.
[[nodiscard]] std::optional<std::string> advice_on(any_filter const& filter);

}  // namespace hortus::cli
