#include "cli/page/growth_charts.hpp"

#include <algorithm>
#include <string>

#include "cli/growth.hpp"

namespace hortus::cli {
namespace {

struct growing_value {
  std::string title;
  std::string unit;
  double bench::row::*value;
};

/// The size of a sketch that tells only how many keys there are has nothing to do with their number.
bool is_sketch(std::vector<bench::row> const& of_one_family) { return of_one_family.front().batch_miss_ns < 0; }

/// The limit is that of memory as large as the filter of the first family. Pre: there is a measurement.
chart_series limit_of_lookups(std::vector<bench::row> const& all) {
  chart_series limit{"one cache line", {}, drawn::dashes};
  for (auto const& r : growth_of(all.front().family, all)) limit.points.push_back({static_cast<double>(r.items), r.limit_ns});
  return limit;
}

/// All charts show all sizes, also those at which a value was not measured.
axis keys_axis(std::vector<bench::row> const& all) {
  axis keys{.title = "keys", .scale = axis_scale::logarithmic};
  if (!all.empty() && all.front().items < all.back().items) {  // the smallest come first
    keys.from = static_cast<double>(all.front().items);
    keys.to = static_cast<double>(all.back().items);
  }
  return keys;
}

}  // namespace

std::vector<line_chart> growth_charts(std::vector<bench::row> const& all) {
  using bench::row;
  std::vector<growing_value> const values{{"Look up an absent key, in batches", "ns a key", &row::batch_miss_ns},
                                          {"Build", "ns a key", &row::build_ns},
                                          {"Space", "bits a key", &row::bits_per_item},
                                          {"Memory while building, without the keys", "bits a key", &row::peak_bits_per_item}};
  std::vector<line_chart> charts;
  if (all.empty()) return charts;
  for (auto const& what : values) {
    line_chart chart{.title = what.title,
                     .description = what.title + ", against the number of keys, for one family of each room.",
                     .x = keys_axis(all),
                     .y = {.title = what.unit, .scale = axis_scale::logarithmic},
                     .names = names_of_lines::at_their_ends,
                     .widest = "blocked_counting"};
    for (auto const family : growth_families) {
      chart_series line{std::string(family), {}};
      for (auto const& r : growth_of(family, all))
        if (r.*(what.value) > 0) line.points.push_back({static_cast<double>(r.items), r.*(what.value)});
      if (line.points.empty() || (what.value == &row::bits_per_item && is_sketch(growth_of(family, all)))) continue;
      chart.series.push_back(std::move(line));
    }
    if (what.value == &row::batch_miss_ns) chart.series.push_back(limit_of_lookups(all));
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace hortus::cli
