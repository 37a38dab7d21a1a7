#include "cli/page/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/page/markup.hpp"

namespace hortus::cli::draw {
namespace {

/// Okabe and Ito, "Color universal design", 2008. Their black is the colour of the text here. Their yellow, faint on white, is
/// made darker. A page may define --chart-1 to --chart-8 to suit its background.
constexpr std::array<std::string_view, colours> palette{"#0072b2", "#e69f00", "#009e73",      "#d55e00",
                                                        "#cc79a7", "#56b4e9", "currentColor", "#b8a600"};

}  // namespace

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

std::string px(double value) {
  auto const rounded = std::round(value * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string colour_of(std::size_t series) {
  auto const i = series % palette.size();
  return fmt::format("var(--chart-{},{})", i + 1, palette[i]);
}

std::string picture(std::string_view title, std::string_view description, double width, double height,
                    std::string_view drawing) {
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" fill=\"currentColor\" font-size=\"{}\" "
      "font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif\">\n"
      "<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
      px(width), px(height), escaped(title), px(text_size), escaped(title), escaped(description), drawing);
}

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

std::string text_at(double x, double y, std::string_view anchor, std::string_view text, double opacity) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill-opacity=\"{}\">{}</text>\n", px(x), px(y), anchor,
                     opacity, escaped(text));
}

std::string rule(double x1, double y1, double x2, double y2, double opacity, std::string_view more) {
  return fmt::format("<path d=\"M{} {}L{} {}\" stroke=\"currentColor\" stroke-opacity=\"{}\"{}/>\n", px(x1), px(y1), px(x2),
                     px(y2), opacity, more);
}

std::string marker(std::size_t series, double x, double y, double size, std::string_view hover, std::string_view more) {
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

std::string legend(std::vector<std::string_view> const& names, double width, double& y,
                   std::function<std::string(std::size_t, double, double)> const& symbol) {
  std::string out;
  double x = 0;
  y += 24;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    auto const entry = 26 + set_width(names[i], text_size) + 12;
    if (x > 0 && x + entry > width) x = 0, y += 20;
    out += symbol(i, x, y - 4);
    out += text_at(x + 26, y, "start", names[i], 0.9);
    x += entry;
  }
  y += 8;
  return out;
}

std::string bottom_axis(axis const& of, plot_area const& plot) {
  std::string out;
  auto const& a = plot.area;
  for (auto const tick : minor_ticks(plot.x)) out += rule(plot.px_x(tick), a.top, plot.px_x(tick), a.bottom, 0.05);
  auto free_from = -a.right;
  auto ticks = axis_ticks(plot.x.scale, plot.x.from, plot.x.to, a.right > 500 ? 7 : 4);
  if (plot.x.falling) std::reverse(ticks.begin(), ticks.end());  // from left to right
  for (auto const tick : ticks) {
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

}  // namespace hortus::cli::draw
