#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

/// Axes: their range, the position of a value, and the text of their numbers.
namespace hortus::cli {

enum class axis_scale { linear, logarithmic };
enum class tick_style { number, percent };

/// The range of an axis. Without bounds it includes all points, with a small margin.
struct axis {
  std::string title{};
  axis_scale scale = axis_scale::linear;
  tick_style ticks = tick_style::number;
  std::optional<double> from{};  ///< ignored if the scale cannot show it (0 on a logarithmic axis)
  std::optional<double> to{};
  bool falling = false;  ///< the largest value comes first
};

/// Can the axis show the value?
[[nodiscard]] bool showable(axis const& of, double value);

/// An axis with fixed bounds, which maps values to 0 .. 1.
struct ruler {
  axis_scale scale = axis_scale::linear;
  double from = 0;
  double to = 1;
  bool falling = false;

  [[nodiscard]] double at(double value) const {
    auto const share = scale == axis_scale::linear
                           ? (value - from) / (to - from)
                           : (std::log(value) - std::log(from)) / (std::log(to) - std::log(from));  // a quotient may overflow
    return falling ? 1 - share : share;
  }
  [[nodiscard]] bool holds(double value) const { return value >= from && value <= to; }
};

/// Bounds at round numbers around the values, unless the axis has its own. A linear axis starts at 0 if that wastes less than
/// half of it.
[[nodiscard]] ruler ruler_for(axis const& of, std::vector<double> const& values, bool from_zero);

/// The ticks of an axis from `from` to `to`: round numbers, about `wanted` of them. Logarithmic axes get powers of ten or,
/// for a short range, 1, 2 and 5 times powers of ten.
[[nodiscard]] std::vector<double> axis_ticks(axis_scale scale, double from, double to, int wanted);

/// Lines between the powers of ten, if there are not too many powers.
[[nodiscard]] std::vector<double> minor_ticks(ruler const& r);

/// A value as short as `digits` significant digits allow: 0.25, 12, 3400, 12.3 k, 4.1 M, 2×10⁻⁶; or in per cent.
[[nodiscard]] std::string tick_text(double value, tick_style style, int digits = 3);

}  // namespace hortus::cli
