#include "cli/page/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/page/markup.hpp"
#include "cli/page/page.hpp"

namespace hortus::cli {
namespace {

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

/// The errors of the markup: tags that do not nest, bare '<' or '&', attributes without quotes. Empty if there are none.
std::string markup_fault(std::string_view text) {
  static std::set<std::string_view> const never_closed{"meta", "!doctype"};
  std::vector<std::string_view> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&') {
      auto const entity = text.substr(at, 7);
      bool known = false;
      for (auto const* const e : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) known = known || entity.starts_with(e);
      if (!known) return "a bare & in " + std::string(text.substr(at, 30));
    }
    if (text[at] == '>') return "a bare > before " + std::string(text.substr(at, 30));
    if (text[at] != '<') continue;
    auto const end = text.find('>', at);
    if (end == std::string_view::npos) return "a tag without end";
    auto tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos) return "a bare < in " + std::string(tag);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "a quote left open in " + std::string(tag);
    bool const closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    auto const name = tag.substr(0, tag.find_first_of(" /\n"));
    if (closes) {
      if (open.empty() || open.back() != name) return "an unexpected end of " + std::string(name);
      open.pop_back();
    } else if (!tag.ends_with('/') && !never_closed.contains(name)) {
      open.push_back(name);
      if (name == "style") at = text.find("</style>", at) - 1;  // its text has other rules
    }
    if (name != "style" || closes) at = end;
  }
  return open.empty() ? "" : "no end of " + std::string(open.back());
}

line_chart sample_lines() {
  line_chart chart{.title = "Rate against space", .description = "It falls.", .x = {.title = "bits"}, .y = {.title = "rate"}};
  chart.y.scale = axis_scale::logarithmic;
  chart.y.ticks = tick_style::percent;
  chart.series = {{"bloom", {{4, 0.1}, {8, 0.02}, {12, 0.003}}}, {"limit", {{4, 0.06}, {12, 0.0002}}, drawn::dashes}};
  return chart;
}

bar_chart sample_bars() {
  return {.title = "Time",
          .description = "Bars.",
          .value = {.title = "ns"},
          .groups = {"bloom", "cuckoo"},
          .series = {{"insert", {20, 12.5}}, {"lookup", {9, std::nan("")}}},
          .references = {{1.5, "the limit"}}};
}

TEST(escaped, makes_markup_harmless) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escaped("Größe ≤ 10⁻⁶ 🌱"), "Größe ≤ 10⁻⁶ 🌱");
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b\x7f\t\n", 7)), "a\uFFFDb\uFFFD\uFFFD\t\n");
}

TEST(escaped, replaces_what_is_not_utf8) {
  EXPECT_EQ(escaped("\xff"), "\uFFFD");
  EXPECT_EQ(escaped("\xc3"), "\uFFFD");
  EXPECT_EQ(escaped("\xc0\xaf"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(escaped("\xe0\x80\xaf"), "\uFFFD\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(escaped("\xf0\x80\x80\xaf"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "past U+10FFFF";
  EXPECT_EQ(escaped("\xf0\x9f\x8c"), "\uFFFD\uFFFD\uFFFD") << "cut off";
}

TEST(axis_ticks, linear_ones_are_round) {
  EXPECT_EQ(axis_ticks(axis_scale::linear, 0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(axis_ticks(axis_scale::linear, -30, 70, 5), (std::vector<double>{-20, 0, 20, 40, 60}));
  EXPECT_EQ(axis_ticks(axis_scale::linear, 5, 5, 5), std::vector<double>{});
  EXPECT_EQ(axis_ticks(axis_scale::linear, 0, INFINITY, 5), std::vector<double>{});
}

TEST(axis_ticks, logarithmic_ones_are_powers_or_1_2_5) {
  EXPECT_EQ(axis_ticks(axis_scale::logarithmic, 1, 1e4, 6), (std::vector<double>{1, 10, 100, 1000, 10'000}));
  EXPECT_EQ(axis_ticks(axis_scale::logarithmic, 3, 60, 6), (std::vector<double>{5, 10, 20, 50}));
  EXPECT_EQ(axis_ticks(axis_scale::logarithmic, 0, 10, 6), std::vector<double>{});
  auto const many = axis_ticks(axis_scale::logarithmic, 1e-300, 1e300, 6);
  EXPECT_GE(many.size(), 5u);
  EXPECT_LE(many.size(), 9u);
}

TEST(axis_ticks, lie_inside_rise_and_are_few_for_any_bounds) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> power(-200, 200);
  for (int round = 0; round < 5000; ++round) {
    auto const a = std::pow(10, power(random));
    auto const b = round % 2 == 0 ? std::pow(10, power(random)) : a * (1.1 + std::abs(power(random)));
    auto const low = std::min(a, b);
    auto const high = std::max(a, b);
    for (auto const scale : {axis_scale::linear, axis_scale::logarithmic}) {
      auto const ticks = axis_ticks(scale, low, high, 6);
      EXPECT_LE(ticks.size(), 11u);
      EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
      auto const slack = 1e-8 * (scale == axis_scale::linear ? high - low : low);
      for (auto const tick : ticks)
        ASSERT_TRUE(tick >= low - slack && tick <= high * (1 + 1e-8)) << low << ' ' << tick << ' ' << high;
    }
  }
}

TEST(line_chart, is_well_formed_and_says_what_it_shows) {
  auto const text = svg(sample_lines());
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_TRUE(contains(text, "<title>Rate against space</title>"));
  EXPECT_TRUE(contains(text, "<desc>It falls.</desc>"));
  for (auto const* const word : {">bits<", ">rate<", ">bloom<", ">limit<", ">1 %<", ">0.1 %<"})
    EXPECT_TRUE(contains(text, word)) << word;
  EXPECT_TRUE(contains(text, "<title>bloom\nbits: 8\nrate: 2 %</title>")) << "every point tells its numbers";
  EXPECT_EQ(occurrences(text, "<title>"), 1 + 5u);
  EXPECT_EQ(occurrences(text, "stroke-dasharray"), 2u) << "the limit is dashed, in the legend too";
}

TEST(line_chart, points_lie_where_they_should) {
  line_chart chart{.title = "t", .description = "", .x = {.from = 0, .to = 10}, .y = {.from = 0, .to = 10}};
  chart.series = {{"", {{0, 0}, {10, 10}, {5, 5}}, drawn::points}};
  auto const text = svg(chart);
  auto const place = [&](std::size_t n) {
    auto at = text.find("<path class=\"mark\" d=\"M");
    while (n-- > 0) at = text.find("<path class=\"mark\" d=\"M", at + 1);
    double x = 0;
    double y = 0;
    EXPECT_EQ(std::sscanf(text.c_str() + at, "<path class=\"mark\" d=\"M%lf %lf", &x, &y), 2);
    return std::pair(x, y);
  };
  EXPECT_LT(place(0).first, place(1).first);
  EXPECT_GT(place(0).second, place(1).second) << "up is more";
  EXPECT_NEAR(place(2).first, (place(0).first + place(1).first) / 2, 0.11);
  EXPECT_NEAR(place(2).second, (place(0).second + place(1).second) / 2, 0.11);
}

TEST(line_chart, what_cannot_be_shown_is_left_out_and_breaks_the_line) {
  auto const inf = std::numeric_limits<double>::infinity();
  line_chart chart{.title = "t", .description = "", .y = {.scale = axis_scale::logarithmic}};
  chart.series = {{"s", {{1, 1}, {2, 10}, {3, 0}, {4, -1}, {5, std::nan("")}, {6, inf}, {inf, 3}, {7, 5}, {8, 50}}}};
  auto const text = svg(chart);
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_EQ(occurrences(text, "class=\"mark\""), 4u);
  EXPECT_FALSE(contains(text, "nan"));
  EXPECT_FALSE(contains(text, "inf"));
  auto const line = text.substr(text.find("stroke-linejoin") - 120, 120);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2) << line;
}

TEST(line_chart, hostile_numbers_give_a_picture_all_the_same) {
  auto const max = std::numeric_limits<double>::max();
  auto const tiny = std::numeric_limits<double>::denorm_min();
  std::vector<double> const values{0, 1, -1, 1 + 1e-15, max, -max, tiny, 1e-300, 1e300, 1e-9, 1e18, std::nan("")};
  for (auto const scale : {axis_scale::linear, axis_scale::logarithmic}) {
    for (auto const a : values) {
      for (auto const b : values) {
        for (bool const bounds : {false, true}) {
          line_chart chart{
              .title = "t", .description = "", .x = {.scale = scale}, .y = {.scale = scale, .ticks = tick_style::percent}};
          chart.series = {{"s", {{a, b}, {b, a}, {1, 2}}}};
          if (bounds) chart.x.from = a, chart.x.to = b;
          bar_chart bars{
              .title = "t", .description = "", .value = {.scale = scale}, .groups = {"g", "h"}, .series = {{"s", {a, b}}}};
          if (bounds) bars.value.from = a, bars.value.to = b;
          auto ends = chart;
          ends.names = names_of_lines::at_their_ends;
          ends.x.falling = true;
          auto dots = bars;
          dots.as = bar_form::dots;
          for (auto const& text : {svg(chart), svg(bars), svg(ends), svg(dots)}) {
            ASSERT_EQ(markup_fault(text), "") << a << ' ' << b;
            ASSERT_FALSE(contains(text, "nan") || contains(text, "inf") || contains(text, "e+")) << a << ' ' << b << text;
            ASSERT_LT(text.size(), 60'000u);
          }
        }
      }
    }
  }
}

TEST(line_chart, without_data_says_so) {
  EXPECT_TRUE(contains(svg(line_chart{.title = "t", .description = ""}), ">no data<"));
  EXPECT_EQ(markup_fault(svg(bar_chart{.title = "t", .description = ""})), "");
}

TEST(line_chart, labels_do_not_cover_each_other) {
  line_chart chart{.title = "t", .description = ""};
  chart_series crowd{"s", {}, drawn::points};
  for (int i = 0; i < 200; ++i) crowd.points.push_back({1 + i * 1e-6, 1, "", "label" + std::to_string(i)});
  crowd.points.push_back({2, 2, "", "alone"});
  chart.series = {crowd};
  auto const text = svg(chart);
  EXPECT_TRUE(contains(text, ">alone</text>"));
  EXPECT_LE(occurrences(text, "\"0.85\">label"), 8u);
  EXPECT_GE(occurrences(text, "\"0.85\">label"), 1u);
}

TEST(line_chart, thirty_series_differ_in_colour_shape_or_dash) {
  line_chart chart{.title = "t", .description = ""};
  for (int i = 0; i < 30; ++i) chart.series.push_back({"series" + std::to_string(i), {{1, 1.0 + i}, {2, 2.0 + i}}});
  auto const text = svg(chart);
  EXPECT_EQ(markup_fault(text), "");
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(contains(text, ">series" + std::to_string(i) + "<")) << i;
}

/// The position of the text: its x and y.
std::pair<double, double> place_of(std::string const& picture, std::string const& text) {
  auto const at = picture.rfind("<text", picture.find(">" + text + "</text>"));
  double x = -1;
  double y = -1;
  EXPECT_EQ(std::sscanf(picture.c_str() + at, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2) << text;
  return {x, y};
}

TEST(line_chart, names_at_the_ends_of_lines_replace_the_legend_and_do_not_cover_each_other) {
  line_chart chart{.title = "t", .description = "", .names = names_of_lines::at_their_ends};
  for (int i = 0; i < 9; ++i) chart.series.push_back({"name" + std::to_string(i), {{0, 0}, {1, 5 + i * 1e-3}}, drawn::line});
  chart.series.push_back({"lowest", {{0, 10}, {1, 0}}, drawn::line});
  chart.series.push_back({"never seen", {{std::nan(""), 1}}});
  auto const text = svg(chart);
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_EQ(occurrences(text, ">name3<"), 1u) << "no legend";
  EXPECT_FALSE(contains(text, "never seen")) << "a line without points has no end";
  for (int i = 0; i + 1 < 9; ++i) {
    auto const above = place_of(text, "name" + std::to_string(i + 1));
    auto const below = place_of(text, "name" + std::to_string(i));
    EXPECT_EQ(above.first, below.first);
    EXPECT_GE(below.second - above.second, 12) << "higher ends have higher names, a line apart";
  }
  EXPECT_GT(place_of(text, "lowest").second, place_of(text, "name0").second);
  EXPECT_EQ(occurrences(text, "opacity=\"0\""), 10u) << "the ends are marked, the other points unseen";
}

TEST(line_chart, many_names_stay_above_the_bottom) {
  line_chart chart{.title = "t", .description = "", .names = names_of_lines::at_their_ends};
  for (int i = 0; i < 12; ++i) chart.series.push_back({"name" + std::to_string(i) + "x", {{0, 0}, {1, i == 0 ? 100.0 : 0.0}}});
  auto const text = svg(chart);
  double height = 0;
  ASSERT_EQ(std::sscanf(text.c_str() + text.find("viewBox"), "viewBox=\"0 0 %*f %lf\"", &height), 1);
  for (int i = 0; i < 12; ++i) EXPECT_LT(place_of(text, "name" + std::to_string(i) + "x").second, height - 40);
}

TEST(line_chart, a_falling_axis_has_the_largest_value_first) {
  line_chart chart{
      .title = "t",
      .description = "",
      .x = {.scale = axis_scale::logarithmic, .ticks = tick_style::percent, .from = 1e-6, .to = 0.1, .falling = true}};
  chart.series = {{"s", {{0.1, 1}, {1e-6, 2}}}};
  auto const text = svg(chart, 900);
  auto x = -1.0;
  for (auto const* const rate : {"10 %", "1 %", "0.1 %", "0.01 %", "0.001 %", "0.0001 %"}) {
    ASSERT_TRUE(contains(text, ">" + std::string(rate) + "</text>")) << rate;
    EXPECT_GT(place_of(text, rate).first, x) << rate;
    x = place_of(text, rate).first;
  }
}

TEST(bar_chart, headings_stand_over_their_groups) {
  auto chart = sample_bars();
  chart.headings = {"first room", "second <room>"};
  auto const text = svg(chart);
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_LT(place_of(text, "first room").second, place_of(text, "bloom").second);
  EXPECT_LT(place_of(text, "bloom").second, place_of(text, "second &lt;room&gt;").second);
  EXPECT_LT(place_of(text, "second &lt;room&gt;").second, place_of(text, "cuckoo").second);
}

TEST(bar_chart, dots_have_a_mark_for_each_value_on_one_line) {
  auto chart = sample_bars();
  chart.as = bar_form::dots;
  chart.value.scale = axis_scale::logarithmic;
  auto const text = svg(chart);
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_EQ(occurrences(text, "class=\"mark\""), 3 + 2u) << "and two in the legend";
  EXPECT_TRUE(contains(text, "<title>bloom\nlookup: 9</title>"));
  EXPECT_FALSE(contains(text, "<rect"));
}

TEST(bar_chart, has_a_bar_for_each_value_and_a_dash_for_none) {
  auto const text = svg(sample_bars());
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_EQ(occurrences(text, "<rect class=\"mark\""), 3u);
  EXPECT_EQ(occurrences(text, ">–<"), 1u);
  for (auto const* const word : {">bloom<", ">cuckoo<", ">insert<", ">lookup<", ">12.5<", ">the limit<", ">ns<"}) {
    EXPECT_TRUE(contains(text, word)) << word;
  }
  EXPECT_TRUE(contains(text, "<title>cuckoo\ninsert: 12.5</title>"));
}

TEST(bar_chart, bars_start_at_zero_and_are_as_long_as_their_values) {
  bar_chart const chart{.title = "t", .description = "", .groups = {"a", "b"}, .series = {{"", {100, 50}}}};
  auto const text = svg(chart);
  std::vector<double> widths;
  for (auto at = text.find("<rect"); at != std::string::npos; at = text.find("<rect", at + 1)) {
    widths.push_back(std::stod(text.substr(text.find("width=\"", at) + 7)));
  }
  ASSERT_EQ(widths.size(), 2u);
  EXPECT_NEAR(widths[0], 2 * widths[1], 0.2);
}

TEST(charts, long_words_stay_inside_narrow_pictures) {
  auto chart = sample_bars();
  chart.groups[0] = std::string(500, 'w');
  chart.title = "A title that is much too long for one line of a picture as narrow as a telephone held upright";
  auto const text = svg(chart, 300);
  EXPECT_FALSE(contains(text, std::string(60, 'w') + "</text>"));
  EXPECT_TRUE(contains(text, "…</text>"));
  EXPECT_GE(occurrences(text, "font-weight=\"600\""), 2u) << "the title is wrapped";
  EXPECT_TRUE(contains(text, "telephone held upright</text>") || contains(text, "upright</text>"));
  for (double const width : {-1.0, 0.0, 1e9}) EXPECT_EQ(markup_fault(svg(chart, width)), "");
}

TEST(html_table, keeps_alignment_and_names_rows) {
  table t({{"family"}, {"bits", align::right}});
  t.row({"<bloom>", "9.6"});
  auto const text = html_table(t, "All & everything");
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_TRUE(contains(text, "<caption>All &amp; everything</caption>"));
  EXPECT_TRUE(contains(text, "<th scope=\"row\">&lt;bloom&gt;</th><td class=\"r\">9.6</td>"));
}

TEST(html_table, headings_open_groups_of_rows) {
  table t({{"family"}, {"bits", align::right}});
  t.row({"bloom", "9.6"});
  t.row({"blocked", "10"});
  t.row({"counting", "38"});
  auto const text = html_table(t, "", {"bloom room", "", "<counting>"});
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_EQ(occurrences(text, "<tbody>"), 2u);
  EXPECT_TRUE(contains(text, "<th scope=\"rowgroup\" colspan=\"2\">bloom room</th>"));
  EXPECT_TRUE(contains(text, "<th scope=\"rowgroup\" colspan=\"2\">&lt;counting&gt;</th>"));
}

TEST(html_terms, names_and_explains) {
  auto const text = html_terms({{"a & b", "<b>"}, {"c", "d"}});
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_TRUE(contains(text, "<dt>a &amp; b</dt><dd>&lt;b&gt;</dd>"));
}

report_page sample_page(std::string const& word) {
  table t({{word}, {word, align::right}});
  t.row({word, word});
  auto lines = sample_lines();
  lines.title = lines.description = lines.x.title = lines.y.title = lines.series[0].name = word;
  lines.series[0].points[0].label = lines.series[0].points[0].note = word;
  auto bars = sample_bars();
  bars.title = bars.description = bars.value.title = bars.groups[0] = bars.series[0].name = bars.references[0].label = word;
  return {.title = word,
          .intro = word + "\n\n" + word,
          .facts = {{word, word}},
          .sections = {{word, word, {figure(lines), svg(lines), panels(std::vector{lines, lines})}},
                       {word, word, {figure(bars)}},
                       {word, word, {html_table(t, word)}}},
          .footer = word};
}

TEST(page, is_well_formed_and_needs_nothing_from_outside) {
  auto const text = html(sample_page("a word"));
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_TRUE(text.starts_with("<!doctype html>\n"));
  for (auto const* const outside : {"http", "<script", "src=", "@import", "url(", "<link"})
    EXPECT_FALSE(contains(text, outside)) << outside;
  EXPECT_TRUE(contains(text, "prefers-color-scheme:dark"));
  EXPECT_TRUE(contains(text, "<a href=\"#section-3\">a word</a>"));
  EXPECT_TRUE(contains(text, "<section id=\"section-3\">"));
  EXPECT_EQ(occurrences(text, "<p class=\"lead\">"), 2u);
}

TEST(page, escapes_text_wherever_it_stands) {
  auto const text = html(sample_page("<b>\"&'\x01\xff"));
  EXPECT_EQ(markup_fault(text), "");
  EXPECT_FALSE(contains(text, "<b>"));
  EXPECT_FALSE(contains(text, "\x01"));
  EXPECT_FALSE(contains(text, "\xff"));
}

TEST(page, ends_in_a_way_to_know_it_by) {
  EXPECT_TRUE(html(sample_page("a & b")).ends_with(html_end("a & b")));
  EXPECT_TRUE(contains(html_end("a & b"), "a &amp; b"));
  EXPECT_TRUE(html({.title = "t", .intro = ""}).ends_with(html_end("")));
}

TEST(page, equal_input_gives_equal_bytes) { EXPECT_EQ(html(sample_page("x")), html(sample_page("x"))); }

}  // namespace
}  // namespace hortus::cli
