#include "cli/page/tour_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <hortus/plan/bloom.hpp>

#include "cli/bench_rows.hpp"
#include "cli/page/chart.hpp"
#include "cli/page/growth_charts.hpp"
#include "cli/page/near_chart.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

using rows = std::vector<bench::row>;

std::string room_of(std::string_view family) { return std::string(family_named(family).room); }
bool tells_whether(bench::row const& r) { return family_named(r.family).has(verb::may_contain); }

/// Headings: the room above the first of its families, none above the others.
template <class Rows>
std::vector<std::string> rooms_over(Rows const& all) {
  std::vector<std::string> headings;
  std::string last;
  for (auto const& r : all) {
    auto const room = room_of(r.family);
    headings.push_back(room == last ? "" : room);
    last = room;
  }
  return headings;
}

template <class Rows>
std::vector<std::string> families_of(Rows const& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (auto const& r : all) names.push_back(r.family);
  return names;
}

template <class Rows>
std::string widest_of(Rows const& all) {
  return all.empty() ? "" : std::ranges::max(families_of(all), {}, &std::string::size);
}

rows only(rows const& all, auto which) {
  rows some;
  std::ranges::copy_if(all, std::back_inserter(some), which);
  return some;
}

/// "from 9.6 (bloom) to 68.1 (stable)", for readers who cannot see the picture.
std::string range_of(rows const& all, double bench::row::*value, std::string_view unit) {
  if (all.empty()) return "No family has this.";
  auto const [least, most] = std::ranges::minmax_element(all, {}, value);
  return fmt::format("From {} {} ({}) to {} {} ({}).", tick_text((*least).*value, tick_style::number), unit, least->family,
                     tick_text((*most).*value, tick_style::number), unit, most->family);
}

bar_chart space(rows const& all, std::string title, std::vector<reference_line> references) {
  bar_series bits{"", {}};
  for (auto const& r : all) bits.values.push_back(r.bits_per_item);
  return {.title = std::move(title),
          .description = range_of(all, &bench::row::bits_per_item, "bits a key"),
          .value = {.title = "bits a key"},
          .groups = families_of(all),
          .series = {std::move(bits)},
          .references = std::move(references),
          .headings = rooms_over(all)};
}

/// The times of an operation, one by one and in batches.
struct timed {
  std::string title;
  double bench::row::*singly;
  double bench::row::*batch;
};

/// A panel for each operation, all with the same scale. The axis is logarithmic, because the slowest takes a hundred times as
/// long as the fastest.
std::vector<bar_chart> speed(rows const& all) {
  using bench::row;
  std::array<timed, 6> const things{{{"Look up a present key", &row::hit_ns, &row::batch_hit_ns},
                                     {"Look up an absent key", &row::miss_ns, &row::batch_miss_ns},
                                     {"Insert", &row::insert_ns, &row::batch_insert_ns},
                                     {"Build from nothing", nullptr, &row::build_ns},
                                     {"Erase", &row::erase_ns, &row::batch_erase_ns},
                                     {"Count", &row::count_ns, &row::batch_count_ns}}};
  axis scale{.title = "ns a key, less is better", .scale = axis_scale::logarithmic};
  std::vector<double> times;
  for (auto const& r : all)
    for (auto const& thing : things)
      for (auto const time : {thing.singly, thing.batch})
        if (time != nullptr && r.*time > 0) times.push_back(r.*time);
  auto const shared = ruler_for(scale, times, false);
  scale.from = shared.from;
  scale.to = shared.to;
  auto const widest = widest_of(all);
  std::vector<bar_chart> charts;
  for (auto const& thing : things) {
    auto const able = only(all, [&](row const& r) { return r.*(thing.batch) > 0; });
    if (able.empty()) continue;
    auto const series = [&](std::string name, double row::*time) {
      bar_series marks{std::move(name), {}};
      for (auto const& r : able) marks.values.push_back(r.*time > 0 ? r.*time : std::nan(""));
      return marks;
    };
    bar_chart chart{.title = thing.title,
                    .description = "In batches: " + range_of(able, thing.batch, "ns"),
                    .value = scale,
                    .groups = families_of(able),
                    .headings = rooms_over(able),
                    .as = bar_form::dots,
                    .widest = widest};
    chart.series = {thing.singly == nullptr ? bar_series{} : series("one by one", thing.singly),
                    series("in batches", thing.batch)};
    charts.push_back(std::move(chart));
  }
  return charts;
}

/// A chart for each room. add(chart, row) adds the line of a family.
template <class Rows, class Add>
std::vector<line_chart> by_room(Rows const& all, line_chart const& frame, Add add) {
  std::vector<line_chart> charts;
  for (auto const& r : all) {
    auto const room = room_of(r.family);
    if (charts.empty() || charts.back().title != room) {
      charts.push_back(frame);
      charts.back().title = room;
    }
    add(charts.back(), r);
  }
  return charts;
}

/// Gives all charts the same axis, so that they can be compared.
void share_scale(std::vector<line_chart>& charts) {
  std::vector<double> values;
  for (auto const& chart : charts)
    for (auto const& series : chart.series)
      for (auto const& p : series.points) values.push_back(p.y);
  for (auto& chart : charts) {
    auto const shared = ruler_for(chart.y, values, false);
    chart.y.from = shared.from;
    chart.y.to = shared.to;
  }
}

/// A range slightly wider than the rates used in practice.
constexpr std::array asked_rates{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6};

std::vector<line_chart> cost_of_rates(rows const& all, std::uint64_t items) {
  line_chart const frame{
      .title = "",
      .description = "Bits a key against the rate of false positives, and the limit that no filter goes below.",
      .x = {.title = "rate of false positives",
            .scale = axis_scale::logarithmic,
            .ticks = tick_style::percent,
            .from = asked_rates.back(),
            .to = asked_rates.front(),
            .falling = true},
      .y = {.title = "bits a key", .scale = axis_scale::logarithmic},
      .names = names_of_lines::at_their_ends,
      .widest = widest_of(only(all, tells_whether))};
  auto charts = by_room(only(all, tells_whether), frame, [&](line_chart& chart, bench::row const& r) {
    auto const& family = family_named(r.family);
    chart_series line{r.family, {}};
    for (auto const rate : asked_rates) {
      try {
        line.points.push_back({rate, family.plan({.items = items, .fpr = rate, .settings = {}}).bits_per_item});
      } catch (error const& e) {
        if (e.code() != errc::bad_goal) throw;  // a rate that the family cannot reach gets no point
      }
    }
    chart.series.push_back(std::move(line));
  });
  for (auto& chart : charts) {
    chart_series limit{"limit", {}, drawn::dashes};
    for (auto const rate : asked_rates) limit.points.push_back({rate, -std::log2(rate)});
    chart.series.push_back(std::move(limit));
  }
  share_scale(charts);
  return charts;
}

/// The classic figure: at 8 bits per key there is a best number of probes.
line_chart rate_against_probes(tour_keys const& keys) {
  line_chart chart{.title = "Rate of a bloom filter at 8 bits a key",
                   .description = "The rate falls up to five or six probes and rises again as the filter fills.",
                   .x = {.title = "probes"},
                   .y = {.title = "rate of false positives", .ticks = tick_style::percent}};
  chart_series theory{"formula", {}, drawn::line};
  chart_series seen{"measured", {}, drawn::points};
  auto const items = keys.members.size();
  for (unsigned probes = 1; probes <= 16; ++probes) {
    auto const rate = plan::bloom_fpr({8 * items, probes}, items);
    theory.points.push_back({static_cast<double>(probes), rate});
    auto filter = make_filter("bloom", {.items = items, .fpr = rate, .settings = {{"probes", std::to_string(probes)}}});
    (void)filter.insert(keys.members);
    auto const found = static_cast<double>(filter.may_contain(keys.absent).count());
    seen.points.push_back({static_cast<double>(probes), found / static_cast<double>(keys.absent.size())});
  }
  chart.series = {std::move(theory), std::move(seen)};
  return chart;
}

std::vector<line_chart> rate_while_filling(std::vector<overfilled> const& all, double fpr) {
  std::vector<overfilled> telling;
  std::ranges::copy_if(all, std::back_inserter(telling), [](overfilled const& one) { return !one.rates.empty(); });
  line_chart const frame{.title = "",
                         .description = "The rate of false positives while keys are inserted, up to twice as many as planned.",
                         .x = {.title = "keys given, of those planned", .ticks = tick_style::percent, .from = 0},
                         .y = {.title = "rate of false positives", .ticks = tick_style::percent},
                         .names = names_of_lines::at_their_ends,
                         .widest = widest_of(telling)};
  auto charts = by_room(telling, frame, [](line_chart& chart, overfilled const& one) {
    chart_series line{one.refused > 0 ? one.family + ", full" : one.family, {}, drawn::line};
    for (auto const& [share, rate] : one.rates) line.points.push_back({share, rate});
    chart.series.push_back(std::move(line));
  });
  for (auto& chart : charts) {
    auto const last = chart.series.front().points.back().x;
    chart.series.push_back({"planned", {{0, fpr}, {last, fpr}}, drawn::dashes});
  }

  share_scale(charts);
  return charts;
}

table cards(rows const& all) {
  table shown({{"family"}, {"what it is"}, {"what it can do"}});
  for (auto const& r : all) {
    auto const& family = family_named(r.family);
    shown.row({r.family, std::string(family.summary), abilities_of(family)});
  }
  return shown;
}

}  // namespace

std::string abilities_of(family_info const& family) {
  auto const can = family.verbs.without(verb::clear | verb::size_bytes | verb::fpr);
  return fmt::format("{}", fmt::join(can.names(), " "));
}

report_page tour_page(tour_keys const& keys, rows const& all, std::vector<overfilled> const& past_the_plan, rows const& growth,
                      double fpr) {
  auto const whether = only(all, tells_whether);
  auto const how_often = only(all, [](bench::row const& r) { return family_named(r.family).answers() == question::how_often; });
  page_section sizes{"Space", "What a filter of these keys takes, by the question that it answers.", {}};
  if (!whether.empty())
    sizes.parts.push_back(
        figure(space(whether, "Is the key a member?", {{-std::log2(fpr), fmt::format("limit: {:.2f}", -std::log2(fpr))}})));
  page_section probes{"How many probes",
                      "Each probe is a bit that has to be set for a yes: more of them make a wrong yes less likely, and fill "
                      "the filter sooner. The best number is near 0.69 times the bits a key.",
                      {}};
  if (has_family("bloom")) probes.parts.push_back(figure(rate_against_probes(keys)));
  if (!how_often.empty()) sizes.parts.push_back(figure(space(how_often, "How often was the key inserted?", {})));
  return {
      .title = "A tour of hortus",
      .intro = fmt::format("Every family of filters on the same keys, {}, planned for a rate of false positives of {}. Sizes "
                           "and rates are the same on every machine; times are of this machine and this run.",
                           keys.source, human_rate(fpr)),
      .facts = {{"keys", grouped_count(keys.members.size())},
                {"rate asked for", human_rate(fpr)},
                {"families", std::to_string(all.size())}},
      .sections =
          {{"Side by side",
            "Times are nanoseconds a key, hashing of its text included. A hit is a lookup of a present key, a miss of an "
            "absent "
            "one. The measured rate of a family that only counts is that of absent keys that are counted; of one that tells "
            "the "
            "most frequent keys, how much too high its counts can be, as a share of a stream by Zipf's law; of one that tells "
            "how many keys there are, how wrong that is. A dash: the family cannot do that.",
            {html_table(table_of(all, row_detail::results, "batch "), {}, rooms_over(all))}},
           std::move(sizes),
           {"Speed",
            "Batches ask memory for many keys at once. All panels have the same logarithmic scale.",
            {panels(speed(all))}},
           {"How cost grows",
            "One family of each room with 64-bit keys, from a thousand keys on. Space a key stays, and so do times while a "
            "filter "
            "is in a cache; past it they grow as reading memory does, which the dashed line shows. Memory of less than 1 MiB "
            "is "
            "not measured.",
            {panels(growth_charts(growth))}},
           {"What a rate costs",
            "Ten times fewer errors cost a Bloom filter 4.8 bits a key, the limit 3.3. The farther a line is above the dashed "
            "one, the more is paid for speed or for other abilities. All panels have the same scales.",
            {panels(cost_of_rates(all, 1'000'000))}},
           std::move(probes),
           {"More keys than planned",
            fmt::format("Each filter is planned for {} keys and given {}. What happens then is a matter of the family.",
                        grouped_count(past_the_plan.empty() ? 0 : past_the_plan.front().planned),
                        grouped_count(keys.members.size())),
            {html_terms(in_words(past_the_plan)), panels(rate_while_filling(past_the_plan, fpr)),
             html_table(table_of(past_the_plan), "With all keys given", rooms_over(past_the_plan))}},
           {"Keys that are near",
            "A distance_sensitive filter tells whether a key is near a member. Up to the distance `near` it misses at most 1 % "
            "of keys, from `far` on it accepts at most 1 %; in between nothing is promised. Lines are planned, for the filter "
            "of "
            "1000 members; points are measured.",
            {figure(near_against_distance())}},
           {"What each can do", "", {html_table(cards(all), {}, rooms_over(all))}}},
      .footer = std::string(tour_footer)};
}

}  // namespace hortus::cli
