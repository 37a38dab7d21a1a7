#pragma once
#include <string>
#include <vector>

#include "cli/chart_axis.hpp"

namespace hortus::cli {

/// Charts as inline SVG, for a page (page.hpp). Text and lines take the colour of the surrounding text and series the page's
/// palette (Okabe and Ito's, safe for colour-blind readers), so charts follow light and dark pages; series differ in shape too.
/// Equal charts give equal bytes. All text is escaped.

struct chart_point {
  double x = 0;
  double y = 0;
  std::string note{};   ///< shown under the pointer; without one the coordinates are
  std::string label{};  ///< written beside the point where there is room for it
};

enum class drawn { points, line, line_and_points, dashes };

struct chart_series {
  std::string name;
  std::vector<chart_point> points;
  drawn as = drawn::line_and_points;
};

/// Lines or a cloud of points. What an axis cannot show (NaN, infinity, 0 on a logarithm) is left out, and breaks a line.
struct line_chart {
  std::string title;
  std::string description;  ///< for readers who cannot see the picture
  axis x{};
  axis y{};
  std::vector<chart_series> series{};
};

struct bar_series {
  std::string name;
  std::vector<double> values;  ///< one for each group; NaN or missing: no bar, a dash
};

/// A value to compare bars with: the theoretical limit, say.
struct reference_line {
  double value = 0;
  std::string label{};
};

/// Horizontal bars, a group of them (one for each series) beside each label.
struct bar_chart {
  std::string title;
  std::string description;
  axis value{};
  std::vector<std::string> groups{};
  std::vector<bar_series> series{};
  std::vector<reference_line> references{};
};

/// A picture laid out for the given width in pixels of text size 12; it scales.
[[nodiscard]] std::string svg(line_chart const& chart, double width = 720);
[[nodiscard]] std::string svg(bar_chart const& chart, double width = 720);

/// For a page: the chart laid out twice, for desks and for telephones; the page's style shows the one that fits.
[[nodiscard]] std::string figure(line_chart const& chart);
[[nodiscard]] std::string figure(bar_chart const& chart);

}  // namespace hortus::cli
