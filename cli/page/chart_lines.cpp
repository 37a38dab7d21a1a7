#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/page/chart.hpp"
#include "cli/page/chart_parts.hpp"
#include "cli/page/markup.hpp"

namespace hortus::cli {

using namespace draw;

namespace {

/// The lines of one series. A new line starts after every point that cannot be shown.
std::string line_path(line_chart const& chart, chart_series const& series, plot_area const& plot) {
  std::string path;
  char next = 'M';
  for (auto const& p : series.points) {
    if (!showable(chart.x, p.x) || !showable(chart.y, p.y)) {
      next = 'M';
      continue;
    }
    // In the coordinates of the area, which clips points far outside.
    auto const clamp = [](double value) { return std::clamp(value, -1e6, 1e6); };
    path += fmt::format("{}{} {}", std::exchange(next, 'L'), px(clamp(plot.px_x(p.x) - plot.area.left)),
                        px(clamp(plot.px_y(p.y) - plot.area.top)));
  }
  return path;
}

/// Labels beside their points, each at the first place where it covers nothing. Without such a place the label is only shown
/// under the pointer.
std::string point_labels(line_chart const& chart, plot_area const& plot, double picture_width) {
  constexpr double size = 11;
  std::vector<box> taken;
  auto const each = [&](auto what) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      for (auto const& p : chart.series[i].points) {
        if (plot.x.holds(p.x) && plot.y.holds(p.y)) what(i, p, plot.px_x(p.x), plot.px_y(p.y));
      }
    }
  };
  each([&](std::size_t, chart_point const&, double x, double y) { taken.push_back({x - 4, y - 4, x + 4, y + 4}); });
  std::string out;
  each([&](std::size_t, chart_point const& p, double x, double y) {
    if (p.label.empty()) return;
    auto const width = set_width(p.label, size);
    struct place {
      std::string_view anchor;
      double dx, dy, left;
    };
    // To the side, above, below, then the corners.
    std::array<place, 8> const places{{{"start", 8, 4, 8},
                                       {"middle", 0, -8, -width / 2},
                                       {"middle", 0, 17, -width / 2},
                                       {"end", -8, 4, -8 - width},
                                       {"start", 5, -6, 5},
                                       {"start", 5, 14, 5},
                                       {"end", -5, -6, -5 - width},
                                       {"end", -5, 14, -5 - width}}};
    for (auto const& [anchor, dx, dy, left] : places) {
      box const b{x + left, y + dy - size + 1, x + left + width, y + dy + 2};
      bool const inside =
          b.left >= plot.area.left && b.right <= picture_width && b.top >= plot.area.top && b.bottom <= plot.area.bottom;
      if (!inside || std::any_of(taken.begin(), taken.end(), [&](box const& t) { return t.meets(b); })) continue;
      taken.push_back(b);
      out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill-opacity=\"0.85\">{}</text>\n",
                         px(x + dx), px(y + dy), px(size), anchor, escaped(p.label));
      return;
    }
  });
  return out;
}

std::string hover_of(line_chart const& chart, chart_series const& series, chart_point const& p) {
  if (!p.note.empty()) return p.note;
  auto const line = [](axis const& of, double value, std::string_view letter) {
    return fmt::format("{}: {}", of.title.empty() ? letter : of.title, tick_text(value, of.ticks, 4));
  };
  auto const& name = p.label.empty() ? series.name : p.label;
  return fmt::format("{}{}{}\n{}", name, name.empty() ? "" : "\n", line(chart.x, p.x, "x"), line(chart.y, p.y, "y"));
}

std::string_view dashes_of(drawn as, std::size_t series) {
  if (as == drawn::dashes) return " stroke-dasharray=\"6 5\"";
  // Dashes distinguish lines if colours repeat.
  return series < colours ? "" : series < 2 * colours ? " stroke-dasharray=\"2 3\"" : " stroke-dasharray=\"8 3 2 3\"";
}

/// Dashed lines are references for comparison: they have the colour of the text.
std::string colour_of_line(chart_series const& series, std::size_t i) {
  return series.as == drawn::dashes ? "currentColor" : colour_of(i);
}

bool has_marks(chart_series const& series) { return series.as == drawn::points || series.as == drawn::line_and_points; }

/// The last point of a series that the plot shows, if there is one.
chart_point const* end_of(chart_series const& series, plot_area const& plot) {
  auto const last = std::find_if(series.points.rbegin(), series.points.rend(),
                                 [&](chart_point const& p) { return plot.x.holds(p.x) && plot.y.holds(p.y); });
  return last == series.points.rend() ? nullptr : &*last;
}

constexpr double leader = 26;  // room between the end of a line and its name

/// The names of the series at the right, each at the height of its line's end unless names would overlap. A thin line leads
/// from the end to the name.
std::string names_at_ends(line_chart const& chart, plot_area const& plot, double width) {
  constexpr double size = 11;
  constexpr double apart = 14;
  struct end {
    std::size_t series;
    double x, y;  // of the line
    double at;    // of the name
  };
  std::vector<end> ends;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (auto const* const p = end_of(chart.series[i], plot)) {
      auto const y = plot.px_y(p->y);
      ends.push_back({i, plot.px_x(p->x), y, y});
    }
  }
  // Moves names down from the top until none overlap, then up again from the bottom of the plot.
  std::ranges::sort(ends, {}, [](end const& e) { return std::pair(e.y, e.series); });
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i].at = std::max(ends[i].at, ends[i - 1].at + apart);
  auto lowest = plot.area.bottom;
  for (auto e = ends.rbegin(); e != ends.rend(); ++e) lowest = (e->at = std::min(e->at, lowest)) - apart;
  std::string out;
  auto const right = plot.area.right;
  for (auto const& e : ends) {
    auto const& series = chart.series[e.series];
    out += fmt::format(
        "<g style=\"color:{}\"><path d=\"M{} {}L{} {}L{} {}\" fill=\"none\" stroke=\"currentColor\" "
        "stroke-opacity=\"0.6\"/></g>\n",
        colour_of_line(series, e.series), px(e.x), px(e.y), px(right + 8), px(e.at), px(right + leader - 4), px(e.at));
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>\n", px(right + leader), px(e.at + 4), px(size),
                       escaped(shortened(series.name, size, width - right - leader)));
  }
  return out;
}

}  // namespace

std::string svg(line_chart const& chart, double width) {
  std::vector<double> xs;
  std::vector<double> ys;
  std::vector<std::string_view> names;
  for (auto const& series : chart.series) {
    names.push_back(series.name);
    for (auto const& p : series.points) {
      if (!showable(chart.x, p.x) || !showable(chart.y, p.y)) continue;
      xs.push_back(p.x);
      ys.push_back(p.y);
    }
  }
  width = std::clamp(width, 240.0, 4000.0);
  bool const at_ends = chart.names == names_of_lines::at_their_ends;
  auto longest = set_width(chart.widest, text_size);
  for (auto const name : names) longest = std::max(longest, set_width(name, text_size));
  auto const margin = at_ends ? std::min(longest, 0.3 * width) + leader : 14;
  plot_area plot{{0, 0, width - margin, 0}, ruler_for(chart.x, xs, false), ruler_for(chart.y, ys, false)};
  auto const symbol = [&](std::size_t i, double x, double y) {
    auto const& series = chart.series[i];
    std::string out;
    if (series.as != drawn::points)
      out = rule(x, y, x + 20, y, 1, fmt::format(" stroke-width=\"2\"{}", dashes_of(series.as, i)));
    if (has_marks(series)) out += marker(i, x + 10, y, 4, "");
    return fmt::format("<g style=\"color:{}\">{}</g>\n", colour_of_line(series, i), out);
  };
  auto head = heading(chart.title, width, plot.area.top);
  if (names.size() > 1 && !at_ends) head += legend(names, width, plot.area.top, symbol);

  // The title of the vertical axis is horizontal, above the axis, for easier reading.
  auto const& a = plot.area;
  std::string grid = text_at(0, a.top + 20, "start", chart.y.title, 0.9);
  plot.area.top += 32;
  plot.area.bottom = a.top + (width > 500 ? 300 : 250);
  auto const ticks = axis_ticks(plot.y.scale, plot.y.from, plot.y.to, plot.y.scale == axis_scale::linear ? 6 : 9);
  for (auto const tick : ticks)
    plot.area.left = std::max(a.left, set_width(tick_text(tick, chart.y.ticks, 10), text_size) + 10);
  for (auto const tick : minor_ticks(plot.y)) grid += rule(a.left, plot.px_y(tick), a.right, plot.px_y(tick), 0.05);
  for (auto const tick : ticks) {
    auto const y = plot.px_y(tick);
    grid += rule(a.left, y, a.right, y, 0.14);
    grid += text_at(a.left - 8, y + 4, "end", tick_text(tick, chart.y.ticks, 10));
  }
  grid += bottom_axis(chart.x, plot);
  grid += rule(a.left, a.bottom, a.right, a.bottom, 0.5);

  std::string lines;
  std::string marks;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    auto const& series = chart.series[i];
    auto const colour = colour_of_line(series, i);
    if (auto const path = series.as == drawn::points ? "" : line_path(chart, series, plot); !path.empty()) {
      lines += fmt::format(
          "<path style=\"color:{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
          "stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>\n",
          colour, path, dashes_of(series.as, i));
    }
    // A line without visible points gets invisible ones, for the pointer to find.
    bool const seen = has_marks(series);
    auto const* const named = at_ends && series.as != drawn::dashes ? end_of(series, plot) : nullptr;
    marks += fmt::format("<g style=\"color:{}\">\n", colour);
    for (auto const& p : series.points) {
      if (!plot.x.holds(p.x) || !plot.y.holds(p.y)) continue;
      marks +=
          marker(i, plot.px_x(p.x), plot.px_y(p.y), 4, hover_of(chart, series, p), seen || &p == named ? "" : " opacity=\"0\"");
    }
    marks += "</g>\n";
  }
  if (xs.empty()) marks += text_at((a.left + a.right) / 2, (a.top + a.bottom) / 2, "middle", "no data", 0.6);
  auto const window = fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\n{}</svg>\n", px(a.left), px(a.top),
                                  px(a.right - a.left), px(a.bottom - a.top), lines);
  return picture(
      chart.title, chart.description, width, a.bottom + 46,
      head + grid + window + marks + point_labels(chart, plot, width) + (at_ends ? names_at_ends(chart, plot, width) : ""));
}

}  // namespace hortus::cli
