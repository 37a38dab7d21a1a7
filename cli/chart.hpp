#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/table.hpp"

namespace hortus::cli {

/// Charts as inline SVG, and a page to put them on: one HTML file without scripts or anything to download. Text and lines take
/// the colour of the surrounding text and series the page's palette (Okabe and Ito's, safe for colour-blind readers), so charts
/// follow light and dark pages; series differ in shape too. Equal charts give equal bytes. All text is escaped.

enum class axis_scale { linear, logarithmic };
enum class tick_style { number, percent };

/// What an axis shows. Without bounds it holds all points, with a little air.
struct axis {
  std::string title{};
  axis_scale scale = axis_scale::linear;
  tick_style ticks = tick_style::number;
  std::optional<double> from{};  ///< ignored where the scale cannot show it (0 on a logarithmic axis)
  std::optional<double> to{};
};

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

/// Text for HTML and SVG: markup becomes harmless; control characters and what is not UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// A table for a page; the first column names its row.
[[nodiscard]] std::string html_table(table const& rows, std::string_view caption = {});

struct page_section {
  std::string heading;
  std::string text;                  ///< plain; an empty line starts a paragraph
  std::vector<std::string> parts{};  ///< what figure() and html_table() made, in order
};

struct report_page {
  std::string title;
  std::string intro;                                         ///< plain; an empty line starts a paragraph
  std::vector<std::pair<std::string, std::string>> facts{};  ///< a few labels and values, shown large at the top
  std::vector<page_section> sections{};
  std::string footer{};
};

/// The whole file. With three sections or more it starts with a list of them.
[[nodiscard]] std::string html(report_page const& page);

/// Positions of the ticks an axis from `from` to `to` gets: round numbers, about `wanted` of them. Logarithmic axes get powers
/// of ten, or 1, 2, 5 and their tenfolds where the span is short.
[[nodiscard]] std::vector<double> axis_ticks(axis_scale scale, double from, double to, int wanted);

}  // namespace hortus::cli
