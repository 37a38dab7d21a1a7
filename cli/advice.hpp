#pragma once
#include <optional>
#include <string>

#include <hortus/any/any_filter.hpp>

namespace hortus::cli {

/// What was done last, which decides what would have helped.
enum class after {
  filling,  ///< build or add: more room
  merging,  ///< more room in every part
  folding,  ///< to fold less
  nobody_knows,
};

/// "over capacity: ...", when the filter finds absent keys more often than was planned, with the rate that results and what
/// helps. The rate of a filter that is just as full as planned differs from the plan by chance, and in blocked families and at
/// low rates it is many times as high now and then. So its keys decide: it holds, surely with 95 %, more distinct ones than
/// were planned for, or than a filter of its shape holds at the planned rate, which are fewer after a fold. Lines are not
/// distinct keys; the filter's estimate counts. A family that forgets cannot tell how many it holds: its rate must be more than
/// twice the planned one, and 10 % / sqrt(planned keys) above that, which is more than chance makes of it. A family that has no
/// rate (sketches) is judged by its keys alone.
[[nodiscard]] std::optional<std::string> overfull(any_filter const& filter, after what = after::filling);

/// "5 counters stand at their maximum for good: ...", and what counts further.
[[nodiscard]] std::optional<std::string> stuck(any_filter const& filter);

/// What somebody who looks at the filter should know and could do, in one sentence: it is overfull, counters have stuck, or it
/// is so empty that folded to half its size or less it keeps the planned rate. Nothing when all is well.
[[nodiscard]] std::optional<std::string> advice_on(any_filter const& filter);

}  // namespace hortus::cli
