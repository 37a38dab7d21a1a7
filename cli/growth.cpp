#include "cli/growth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <hortus/any/card.hpp>

#include "cli/bench_rows.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

std::vector<std::uint64_t> growth_sizes(std::uint64_t keys) {
  constexpr std::uint64_t quick = 10'000'000;
  auto const most = keys < quick / 10 ? 10 * keys : quick;
  std::vector<std::uint64_t> sizes{1000};
  while (sizes.back() < most || 10 * sizes.back() <= keys) sizes.push_back(10 * sizes.back());
  return sizes;
}

std::vector<bench::row> measure_growth(std::vector<std::uint64_t> const& sizes, double fpr, std::function<void()> const& each) {
  std::vector<bench::row> all;
  bench::run({.families = {growth_families.begin(), growth_families.end()},
              .items = sizes,
              .fprs = {fpr},
              .repetitions = 3,
              .queries = 200'000,
              .lookups_only = true},
             [&](bench::row const& r) {
               all.push_back(r);
               each();
             });
  return all;
}

std::vector<bench::row> growth_of(std::string_view family, std::vector<bench::row> const& all) {
  std::vector<bench::row> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](bench::row const& r) { return r.family == family; });
  return some;
}

json_value growth_json(std::vector<bench::row> const& of_one_family) {
  if (of_one_family.empty()) return {};
  auto sizes = json_value::array();
  for (auto const& r : of_one_family) sizes.push_back(to_json(r));
  return sizes;
}

table growth_table(std::vector<bench::row> const& all) {
  std::vector<table::column> titles{{"family"}};
  std::vector<bench::row> const first = all.empty() ? all : growth_of(all.front().family, all);
  for (auto const& r : first) titles.push_back({human_count(r.items), align::right});
  table shown(titles);
  for (auto const family : growth_families) {
    if (!has_family(family)) continue;
    std::vector<std::string> cells{std::string(family)};
    for (auto const& r : growth_of(family, all))
      cells.push_back(r.batch_miss_ns < 0 ? "-" : fmt::format("{:.1f}", r.batch_miss_ns));
    shown.row(cells);
  }
  return shown;
}

}  // namespace hortus::cli
