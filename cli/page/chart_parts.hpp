#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/page/chart_axis.hpp"

/// The parts that all kinds of charts share, in SVG. The charts themselves are in chart.hpp.
namespace hortus::cli::draw {

inline constexpr double text_size = 12;

/// The approximate width of the text in a system font. Only for layout, so an estimate per kind of letter is enough.
[[nodiscard]] double set_width(std::string_view text, double size);

/// The text cut to a width of at most `most`, with an ellipsis at the cut.
[[nodiscard]] std::string shortened(std::string_view text, double size, double most);

/// A coordinate as text: to a tenth of a pixel, and never "-0".
[[nodiscard]] std::string px(double value);

/// The number of series after which colours repeat.
inline constexpr std::size_t colours = 8;
[[nodiscard]] std::string colour_of(std::size_t series);

/// The whole picture: its name and description for readers who cannot see it, then the drawing.
[[nodiscard]] std::string picture(std::string_view title, std::string_view description, double width, double height,
                                  std::string_view drawing);

/// The visible title, in as many lines as it needs. Moves y below it.
[[nodiscard]] std::string heading(std::string_view title, double width, double& y);

[[nodiscard]] std::string text_at(double x, double y, std::string_view anchor, std::string_view text, double opacity = 0.75);
[[nodiscard]] std::string rule(double x1, double y1, double x2, double y2, double opacity, std::string_view more = {});

/// A point in the shape of its series; five shapes take turns. A transparent rim makes it easier to hit with the pointer.
[[nodiscard]] std::string marker(std::size_t series, double x, double y, double size, std::string_view hover,
                                 std::string_view more = {});

/// The names of series in rows from height y on; moves y below them. symbol(i, x, y) draws the symbol of series i. A series
/// without a name is omitted.
[[nodiscard]] std::string legend(std::vector<std::string_view> const& names, double width, double& y,
                                 std::function<std::string(std::size_t, double, double)> const& symbol);

struct box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(box const& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// The part of the picture that shows values.
struct plot_area {
  box area;
  ruler x, y;
  [[nodiscard]] double px_x(double value) const { return area.left + x.at(value) * (area.right - area.left); }
  [[nodiscard]] double px_y(double value) const { return area.bottom - y.at(value) * (area.bottom - area.top); }
};

/// Grid, tick labels and title of the axis along the bottom.
[[nodiscard]] std::string bottom_axis(axis const& of, plot_area const& plot);

}  // namespace hortus::cli::draw
