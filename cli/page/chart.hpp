#pragma once
#include <string>
#include <vector>

#include "cli/page/chart_axis.hpp"

namespace hortus::cli {

/// Charts as inline SVG, for a page (page.hpp). Text and lines have the colour of the surrounding text, series the colours
/// of the page's palette (Okabe and Ito's, safe for colour-blind readers). So charts suit light and dark pages. Series also
/// differ in shape. Equal charts give equal bytes. All text is escaped.

struct chart_point {
  double x = 0;
  double y = 0;
  std::string note{};   ///< shown under the pointer; the coordinates are shown if it is empty
  std::string label{};  ///< written beside the point if there is room
};

enum class drawn { points, line, line_and_points, dashes };

struct chart_series {
  std::string name;
  std::vector<chart_point> points;
  drawn as = drawn::line_and_points;
};

/// The place of the names of lines. At the ends of lines a reader need not look them up in a legend by colour or shape.
enum class names_of_lines { in_a_legend, at_their_ends };

/// Lines or a cloud of points. A value that an axis cannot show (NaN, infinity, 0 on a logarithmic axis) is omitted and breaks
/// the line.
struct line_chart {
  std::string title;
  std::string description;  ///< for readers who cannot see the picture
  axis x{};
  axis y{};
  std::vector<chart_series> series{};
  names_of_lines names = names_of_lines::in_a_legend;
  std::string widest{};  ///< room is left for this name, too: charts with the same widest name line up
};

struct bar_series {
  std::string name;
  std::vector<double> values;  ///< one for each group; NaN or missing: a dash instead of a bar
};

/// A value to compare bars with, for example the theoretical limit.
struct reference_line {
  double value = 0;
  std::string label{};
};

/// Bars start at zero. Dots need not, so they suit a logarithmic axis, where the length of a bar has no meaning.
enum class bar_form { bars, dots };

/// Horizontal bars, a group of them (one for each series) beside each label; or a row of dots.
struct bar_chart {
  std::string title;
  std::string description;
  axis value{};
  std::vector<std::string> groups{};
  std::vector<bar_series> series{};
  std::vector<reference_line> references{};
  std::vector<std::string> headings{};  ///< headings[i], if not empty, is shown above groups[i]
  bar_form as = bar_form::bars;
  std::string widest{};  ///< room is left for this label, too: charts with the same widest label line up
};

/// The picture, laid out for the given width in pixels with text of size 12. It scales.
[[nodiscard]] std::string svg(line_chart const& chart, double width = 720);
[[nodiscard]] std::string svg(bar_chart const& chart, double width = 720);

/// For a page: the chart laid out twice, for wide and for narrow screens. The page's style shows the one that fits.
template <class Chart>
[[nodiscard]] std::string figure(Chart const& chart, double width = 720) {
  return "<figure class=\"wide\">" + svg(chart, width) + "</figure>\n<figure class=\"narrow\">" + svg(chart, 400) +
         "</figure>\n";
}

/// For a page: charts to be compared, two side by side if there is room.
template <class Chart>
[[nodiscard]] std::string panels(std::vector<Chart> const& charts) {
  std::string all = "<div class=\"panels\">\n";
  for (auto const& chart : charts) all += "<div>" + figure(chart, 520) + "</div>\n";
  return all + "</div>\n";
}

}  // namespace hortus::cli
