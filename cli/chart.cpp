#include "cli/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "cli/markup.hpp"

namespace hortus::cli {
namespace {

/// Roughly how wide a system font sets the text. Only for layout, so a guess per kind of letter is enough.
double set_width(std::string_view text, double size) {
  double ems = 0;
  for (char const c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;
    if (std::string_view("iljftr.,:;'|!()[] ").find(c) != std::string_view::npos) {
      ems += 0.38;
    } else if (std::string_view("mwMW%@").find(c) != std::string_view::npos) {
      ems += 0.95;
    } else {
      ems += c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
    }
  }
  return ems * size;
}

/// At most so wide, with an ellipsis where it was cut.
std::string shortened(std::string_view text, double size, double most) {
  if (set_width(text, size) <= most) return std::string(text);
  std::string kept;
  while (!text.empty()) {
    auto const bytes = std::max<std::size_t>(utf8_length(text), 1);
    if (set_width(kept, size) + set_width(text.substr(0, bytes), size) + size > most) break;
    kept += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return kept + "…";
}

/// A coordinate: a tenth of a pixel is enough, and never "-0".
std::string px(double value) {
  auto const rounded = std::round(value * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

constexpr double text_size = 12;

/// Okabe and Ito, "Color universal design", 2008; their black is the text's own colour here, and their yellow, faint on white,
/// is darker. A page may define --chart-1 to --chart-8 to suit its background.
constexpr std::array<std::string_view, 8> palette{"#0072b2", "#e69f00", "#009e73",      "#d55e00",
                                                  "#cc79a7", "#56b4e9", "currentColor", "#b8a600"};

std::string colour_of(std::size_t series, bool reference = false) {
  if (reference) return "currentColor";  // dashes are what others are compared with
  auto const i = series % palette.size();
  return fmt::format("var(--chart-{},{})", i + 1, palette[i]);
}

/// The picture: its name and description for those who cannot see it, then what was drawn.
std::string picture(std::string_view title, std::string_view description, double width, double height,
                    std::string_view drawing) {
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" fill=\"currentColor\" font-size=\"{}\" "
      "font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif\">\n"
      "<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
      px(width), px(height), escaped(title), px(text_size), escaped(title), escaped(description), drawing);
}

/// The title for those who can see, in as many lines as it needs; moves the height below it.
std::string heading(std::string_view title, double width, double& y) {
  constexpr double size = 15;
  std::string out;
  while (!title.empty()) {
    auto line = title;
    while (set_width(line, size * 1.06) > width && line.rfind(' ') != std::string_view::npos)
      line = line.substr(0, line.rfind(' '));
    y += out.empty() ? size + 1 : size + 5;
    out += fmt::format("<text x=\"0\" y=\"{}\" font-size=\"{}\" font-weight=\"600\">{}</text>\n", px(y), px(size),
                       escaped(shortened(line, size, width)));
    title.remove_prefix(std::min(line.size() + 1, title.size()));
  }
  return out;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text, double opacity = 0.75) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill-opacity=\"{}\">{}</text>\n", px(x), px(y), anchor,
                     opacity, escaped(text));
}

std::string rule(double x1, double y1, double x2, double y2, double opacity, std::string_view more = {}) {
  return fmt::format("<path d=\"M{} {}L{} {}\" stroke=\"currentColor\" stroke-opacity=\"{}\"{}/>\n", px(x1), px(y1), px(x2),
                     px(y2), opacity, more);
}

/// A point's shape. The transparent rim makes it easier to hit with the pointer.
std::string marker(std::size_t series, double x, double y, double size, std::string_view hover, std::string_view more = {}) {
  std::string shape;
  switch (series % 5) {
    case 0:
      shape = fmt::format("m{0} 0a{1} {1} 0 1 0 {2} 0a{1} {1} 0 1 0 {3} 0z", px(-size), px(size), px(2 * size), px(-2 * size));
      break;
    case 1:
      shape = fmt::format("m{0} {0}h{1}v{1}h{2}z", px(-.9 * size), px(1.8 * size), px(-1.8 * size));
      break;
    case 2:
      shape = fmt::format("m0 {}l{} {}h{}z", px(-1.2 * size), px(1.15 * size), px(2 * size), px(-2.3 * size));
      break;
    case 3:
      shape = fmt::format("m0 {0}l{1} {1}l{0} {1}l{0} {0}z", px(-1.3 * size), px(1.3 * size));
      break;
    default:
      shape = fmt::format("m0 {}l{} {}h{}z", px(1.2 * size), px(1.15 * size), px(-2 * size), px(-2.3 * size));
      break;
  }
  auto const title = hover.empty() ? std::string() : fmt::format("<title>{}</title>", escaped(hover));
  return fmt::format("<path class=\"mark\" d=\"M{} {}{}\" stroke=\"transparent\" stroke-width=\"8\"{}>{}</path>\n", px(x),
                     px(y), shape, more, title);
}

/// The names of series, set in rows from the given height on; moves that below them.
template <class Symbol>
std::string legend(std::vector<std::string_view> const& names, double width, double& y, Symbol symbol) {
  std::string out;
  double x = 0;
  y += 24;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const entry = 26 + set_width(names[i], text_size) + 12;
    if (x > 0 && x + entry > width) x = 0, y += 20;
    out += symbol(i, x, y - 4);
    out += text_at(x + 26, y, "start", names[i], 0.9);
    x += entry;
  }
  y += 8;
  return out;
}

struct box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(box const& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Where in the picture values are shown.
struct plot_area {
  box area;
  ruler x, y;
  [[nodiscard]] double px_x(double value) const { return area.left + x.at(value) * (area.right - area.left); }
  [[nodiscard]] double px_y(double value) const { return area.bottom - y.at(value) * (area.bottom - area.top); }
};

/// Grid, tick labels and title of the axis along the bottom.
std::string bottom_axis(axis const& of, plot_area const& plot) {
  std::string out;
  auto const& a = plot.area;
  for (auto const tick : minor_ticks(plot.x)) out += rule(plot.px_x(tick), a.top, plot.px_x(tick), a.bottom, 0.05);
  auto free_from = -a.right;
  for (auto const tick : axis_ticks(plot.x.scale, plot.x.from, plot.x.to, a.right > 500 ? 7 : 4)) {
    auto const x = plot.px_x(tick);
    auto const label = tick_text(tick, of.ticks, 10);
    auto const half = set_width(label, text_size) / 2;
    out += rule(x, a.top, x, a.bottom, 0.14);
    if (x - half < free_from) continue;
    out += text_at(x, a.bottom + 17, "middle", label);
    free_from = x + half + 8;
  }
  return out + text_at((a.left + a.right) / 2, a.bottom + 38, "middle", of.title, 0.9);
}

/// Lines of one series: a new one after every point that cannot be shown.
std::string line_path(line_chart const& chart, chart_series const& series, plot_area const& plot) {
  std::string path;
  char next = 'M';
  for (auto const& p : series.points) {
    if (!showable(chart.x, p.x) || !showable(chart.y, p.y)) {
      next = 'M';
      continue;
    }
    // Inside the area's own coordinates; what lies far outside is cut by it.
    auto const clamp = [](double value) { return std::clamp(value, -1e6, 1e6); };
    path += fmt::format("{}{} {}", std::exchange(next, 'L'), px(clamp(plot.px_x(p.x) - plot.area.left)),
                        px(clamp(plot.px_y(p.y) - plot.area.top)));
  }
  return path;
}

/// Labels beside their points, each at the first place where it covers nothing; otherwise left to the pointer.
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
    // Beside, above, below, then the corners.
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
  // Colours repeat after eight series.
  return series < palette.size()       ? ""
         : series < 2 * palette.size() ? " stroke-dasharray=\"2 3\""
                                       : " stroke-dasharray=\"8 3 2 3\"";
}

template <class Chart>
std::string both(Chart const& chart) {
  return fmt::format("<figure class=\"wide\">{}</figure>\n<figure class=\"narrow\">{}</figure>\n", svg(chart, 720),
                     svg(chart, 400));
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
  plot_area plot{{0, 0, width - 14, 0}, ruler_for(chart.x, xs, false), ruler_for(chart.y, ys, false)};
  auto const symbol = [&](std::size_t i, double x, double y) {
    auto const as = chart.series[i].as;
    std::string out;
    if (as != drawn::points) out = rule(x, y, x + 20, y, 1, fmt::format(" stroke-width=\"2\"{}", dashes_of(as, i)));
    if (as == drawn::points || as == drawn::line_and_points) out += marker(i, x + 10, y, 4, "");
    return fmt::format("<g style=\"color:{}\">{}</g>\n", colour_of(i, as == drawn::dashes), out);
  };
  auto head = heading(chart.title, width, plot.area.top);
  if (names.size() > 1) head += legend(names, width, plot.area.top, symbol);

  // The title of the upright axis lies flat above it: nobody has to turn their head.
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
    auto const colour = colour_of(i, series.as == drawn::dashes);
    if (auto const path = series.as == drawn::points ? "" : line_path(chart, series, plot); !path.empty()) {
      lines += fmt::format(
          "<path style=\"color:{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
          "stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>\n",
          colour, path, dashes_of(series.as, i));
    }
    // A line without points has them all the same, unseen, for the pointer to find.
    bool const seen = series.as == drawn::points || series.as == drawn::line_and_points;
    marks += fmt::format("<g style=\"color:{}\">\n", colour);
    for (auto const& p : series.points) {
      if (!plot.x.holds(p.x) || !plot.y.holds(p.y)) continue;
      marks += marker(i, plot.px_x(p.x), plot.px_y(p.y), 4, hover_of(chart, series, p), seen ? "" : " opacity=\"0\"");
    }
    marks += "</g>\n";
  }
  if (xs.empty()) marks += text_at((a.left + a.right) / 2, (a.top + a.bottom) / 2, "middle", "no data", 0.6);
  auto const window = fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\n{}</svg>\n", px(a.left), px(a.top),
                                  px(a.right - a.left), px(a.bottom - a.top), lines);
  return picture(chart.title, chart.description, width, a.bottom + 46,
                 head + grid + window + marks + point_labels(chart, plot, width));
}

std::string svg(bar_chart const& chart, double width) {
  std::vector<double> values;
  std::vector<std::string_view> names;
  for (auto const& series : chart.series) {
    names.push_back(series.name);
    values.insert(values.end(), series.values.begin(),
                  series.values.begin() + static_cast<std::ptrdiff_t>(std::min(series.values.size(), chart.groups.size())));
  }
  for (auto const& reference : chart.references) values.push_back(reference.value);
  width = std::clamp(width, 240.0, 4000.0);
  plot_area plot{{0, 0, width - 64, 0}, ruler_for(chart.value, values, true), {}};
  auto const longest_label = 0.3 * width;
  auto const symbol = [](std::size_t i, double x, double y) {
    return fmt::format("<rect style=\"color:{}\" x=\"{}\" y=\"{}\" width=\"18\" height=\"10\" rx=\"2\"/>\n", colour_of(i),
                       px(x), px(y - 5));
  };
  auto head = heading(chart.title, width, plot.area.top);
  if (names.size() > 1) head += legend(names, width, plot.area.top, symbol);
  auto& a = plot.area;
  a.top += chart.references.empty() ? 14 : 30;
  for (auto const& group : chart.groups) a.left = std::max(a.left, std::min(set_width(group, text_size), longest_label) + 10);
  double const thick = names.size() > 1 ? 12 : 16;
  double const pitch = thick * static_cast<double>(std::max<std::size_t>(names.size(), 1)) + (names.size() > 1 ? 12 : 8);
  a.bottom = a.top + pitch * static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));

  auto out = head + bottom_axis(chart.value, plot);
  auto const zero = plot.px_x(plot.x.scale == axis_scale::linear ? std::clamp(0.0, plot.x.from, plot.x.to) : plot.x.from);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    auto const row = a.top + pitch * static_cast<double>(g);
    out += text_at(a.left - 8, row + pitch / 2 + 4, "end", shortened(chart.groups[g], text_size, longest_label), 0.9);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      auto const& series = chart.series[i];
      auto const y = row + (pitch - thick * static_cast<double>(names.size())) / 2 + thick * static_cast<double>(i);
      bool const known = g < series.values.size() && showable(chart.value, series.values[g]);
      auto const label = known ? tick_text(series.values[g], chart.value.ticks) : "–";
      auto const end = known ? plot.px_x(std::clamp(series.values[g], plot.x.from, plot.x.to)) : zero;
      if (known) {
        out += fmt::format(
            "<rect class=\"mark\" style=\"color:{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"><title>"
            "{}</title></rect>\n",
            colour_of(i), px(std::min(zero, end)), px(y + 1), px(std::abs(end - zero)), px(thick - 2),
            escaped(fmt::format("{}\n{}{}{}", chart.groups[g], series.name, series.name.empty() ? "" : ": ", label)));
      }
      out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" fill-opacity=\"0.85\">{}</text>\n",
                         px(std::max(zero, end) + 5), px(y + thick / 2 + 4), escaped(label));
    }
  }
  out += rule(zero, a.top, zero, a.bottom, 0.5);
  for (auto const& reference : chart.references) {
    if (!plot.x.holds(reference.value)) continue;
    auto const x = plot.px_x(reference.value);
    out += rule(x, a.top - 6, x, a.bottom, 0.8, " stroke-dasharray=\"4 4\"");
    bool const right = x > (a.left + a.right) / 2;
    out += text_at(x + (right ? 4 : -4), a.top - 10, right ? "end" : "start", reference.label, 0.9);
  }
  return picture(chart.title, chart.description, width, a.bottom + 46, out);
}

std::string figure(line_chart const& chart) { return both(chart); }
std::string figure(bar_chart const& chart) { return both(chart); }

}  // namespace hortus::cli
