#pragma once
#include <optional>
#include <string>

#include <hortus/any/any_filter.hpp>

namespace hortus::cli {

/// The last operation, which decides what would have helped.
enum class after {
  filling,  ///< build or add: a larger filter would have helped
  merging,  ///< larger filters in every part
  folding,  ///< folding less
  nobody_knows,
};

/// "over capacity: ...", with the resulting rate and a remedy, if the filter finds absent keys more often than planned.
///
/// The rate alone does not decide. The rate of a filter that is exactly as full as planned varies by chance, and in blocked
/// families and at low rates it is sometimes many times as high. So the keys decide: with 95 % confidence the filter holds more
/// distinct keys than planned, or than a filter of its shape holds at the planned rate, which is fewer after a fold. Distinct
/// keys are estimated by the filter, because lines may repeat. A family that forgets cannot estimate its keys. Its rate must be
/// above twice the planned one plus 10 % / sqrt(planned keys), which is more than chance explains. A family without a rate
/// (sketches) is judged by its keys alone.
[[nodiscard]] std::optional<std::string> overfull(any_filter const& filter, after what = after::filling);

/// "5 counters stand at their maximum for good: ...", and which family or setting counts further.
[[nodiscard]] std::optional<std::string> stuck(any_filter const& filter);

/// Advice on a filter in one sentence: it is overfull, counters are stuck at their maximum, or it is so empty that it keeps the
/// planned rate when folded to half its size or less. Nothing if all is well.
[[nodiscard]] std::optional<std::string> advice_on(any_filter const& filter);

}  // namespace hortus::cli
