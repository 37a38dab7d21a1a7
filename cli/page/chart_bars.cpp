#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/page/chart.hpp"
#include "cli/page/chart_parts.hpp"
#include "cli/page/markup.hpp"

namespace hortus::cli {

using namespace draw;

namespace {

std::string heading_over(bar_chart const& chart, std::size_t group) {
  return group < chart.headings.size() ? chart.headings[group] : std::string();
}

bool has_value(bar_chart const& chart, bar_series const& series, std::size_t group) {
  return group < series.values.size() && showable(chart.value, series.values[group]);
}

std::string hover_of(bar_chart const& chart, bar_series const& series, std::size_t group, std::string_view value) {
  return fmt::format("{}\n{}{}{}", chart.groups[group], series.name, series.name.empty() ? "" : ": ", value);
}

/// The positions of the groups and the thickness of their bars.
struct layout {
  plot_area plot;
  double pitch;                // height of a group
  double thick;                // height of a bar
  std::vector<double> tops{};  // of the groups
};

constexpr double heading_height = 26;

/// Labels of the groups, and headings above some of them. Sets the height of the plot.
std::string labels(bar_chart const& chart, layout& all, double longest) {
  auto& a = all.plot.area;
  std::string out;
  auto y = a.top;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    if (auto const title = heading_over(chart, g); !title.empty()) {
      y += heading_height;
      out += fmt::format("<text x=\"0\" y=\"{}\" font-weight=\"600\">{}</text>\n", px(y - 7), escaped(title));
    }
    all.tops.push_back(y);
    out += text_at(a.left - 8, y + all.pitch / 2 + 4, "end", shortened(chart.groups[g], text_size, longest), 0.9);
    y += all.pitch;
  }
  a.bottom = std::max(y, a.top + all.pitch);
  return out;
}

/// The bars of a group, from zero to their values, each followed by its value as text.
std::string bars_of(bar_chart const& chart, layout const& all, std::size_t group, double zero) {
  auto const& x = all.plot.x;
  std::string out;
  auto y = all.tops[group] + (all.pitch - all.thick * static_cast<double>(chart.series.size())) / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i, y += all.thick) {
    auto const& series = chart.series[i];
    bool const known = has_value(chart, series, group);
    auto const label = known ? tick_text(series.values[group], chart.value.ticks) : "–";
    auto const end = known ? all.plot.px_x(std::clamp(series.values[group], x.from, x.to)) : zero;
    if (known) {
      out += fmt::format(
          "<rect class=\"mark\" style=\"color:{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"><title>"
          "{}</title></rect>\n",
          colour_of(i), px(std::min(zero, end)), px(y + 1), px(std::abs(end - zero)), px(all.thick - 2),
          escaped(hover_of(chart, series, group, label)));
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" fill-opacity=\"0.85\">{}</text>\n",
                       px(std::max(zero, end) + 5), px(y + all.thick / 2 + 4), escaped(label));
  }
  return out;
}

/// The marks of a group in one row, joined by a thin line.
std::string dots_of(bar_chart const& chart, layout const& all, std::size_t group) {
  auto const y = all.tops[group] + all.pitch / 2;
  auto first = all.plot.area.right;
  auto last = all.plot.area.left;
  std::string marks;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    auto const& series = chart.series[i];
    if (!has_value(chart, series, group) || !all.plot.x.holds(series.values[group])) continue;
    auto const x = all.plot.px_x(series.values[group]);
    first = std::min(first, x);
    last = std::max(last, x);
    marks +=
        fmt::format("<g style=\"color:{}\">{}</g>\n", colour_of(i),
                    marker(i, x, y, 4.5, hover_of(chart, series, group, tick_text(series.values[group], chart.value.ticks))));
  }
  return (first < last ? rule(first, y, last, y, 0.4) : "") + marks;
}

}  // namespace

std::string svg(bar_chart const& chart, double width) {
  std::vector<double> values;
  std::vector<std::string_view> names;
  for (auto const& series : chart.series) {
    names.push_back(series.name);
    values.insert(values.end(), series.values.begin(),
                  series.values.begin() + static_cast<std::ptrdiff_t>(std::min(series.values.size(), chart.groups.size())));
  }
  for (auto const& reference : chart.references) values.push_back(reference.value);
  bool const dots = chart.as == bar_form::dots;
  bool const several = names.size() > 1;
  width = std::clamp(width, 240.0, 4000.0);
  auto const longest_label = 0.3 * width;
  double const thick = several ? 12 : 16;
  layout all{.plot = {{0, 0, width - (dots ? 14 : 64), 0}, ruler_for(chart.value, values, !dots), {}},
             .pitch = dots ? 18 : thick * static_cast<double>(std::max<std::size_t>(names.size(), 1)) + (several ? 12 : 8),
             .thick = thick};
  auto const symbol = [&](std::size_t i, double x, double y) {
    return fmt::format("<g style=\"color:{}\">{}</g>\n", colour_of(i),
                       dots ? marker(i, x + 10, y, 4.5, "")
                            : fmt::format(R"(<rect x="{}" y="{}" width="18" height="10" rx="2"/>)", px(x), px(y - 5)));
  };
  auto& a = all.plot.area;
  auto out = heading(chart.title, width, a.top);
  if (several) out += legend(names, width, a.top, symbol);
  a.top += chart.references.empty() ? 14 : 30;
  auto widest = set_width(chart.widest, text_size);
  for (auto const& group : chart.groups) widest = std::max(widest, set_width(group, text_size));
  a.left = std::min(widest, longest_label) + 10;
  auto const beside = labels(chart, all, longest_label);
  out += bottom_axis(chart.value, all.plot) + beside;

  auto const& x = all.plot.x;
  auto const zero = all.plot.px_x(x.scale == axis_scale::linear ? std::clamp(0.0, x.from, x.to) : x.from);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) out += dots ? dots_of(chart, all, g) : bars_of(chart, all, g, zero);
  if (!dots) out += rule(zero, a.top, zero, a.bottom, 0.5);
  for (auto const& reference : chart.references) {
    if (!x.holds(reference.value)) continue;
    auto const at = all.plot.px_x(reference.value);
    out += rule(at, a.top - 6, at, a.bottom, 0.8, " stroke-dasharray=\"4 4\"");
    bool const right = at > (a.left + a.right) / 2;
    out += text_at(at + (right ? 4 : -4), a.top - 10, right ? "end" : "start", reference.label, 0.9);
  }
  return picture(chart.title, chart.description, width, a.bottom + 46, out);
}

}  // namespace hortus::cli
