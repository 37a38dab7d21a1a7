#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <hortus/plan/bloom.hpp>

#include "bench/bench.hpp"
#include "cli/chart.hpp"
#include "cli/command.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/page.hpp"
#include "cli/table.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::string out = "tour.html";
  std::string fpr = "1%";
  key_input input;
  bool json = false;
};

/// The lines of the tour, and as many that are surely not among them.
struct data_set {
  std::string source;
  std::vector<std::string> text;
  std::vector<std::string_view> members;
  std::vector<std::string_view> absent;
};

constexpr std::size_t embedded_lines = 200'000;

/// Web addresses, made of a few words and a number: long common prefixes, like the keys people have.
std::string embedded_line(std::uint64_t i) {
  constexpr std::array<std::string_view, 8> hosts{"garden",  "library", "museum", "harbour",
                                                  "station", "theatre", "market", "orchard"};
  constexpr std::array<std::string_view, 8> paths{"visit", "catalogue", "people", "news", "archive", "events", "shop", "about"};
  return fmt::format("https://{}.example/{}/{}", hosts[i % 8], paths[i / 8 % 8], i);
}

data_set embedded() {
  data_set set{.source = "embedded: 200 000 web addresses", .text = {}, .members = {}, .absent = {}};
  for (std::uint64_t i = 0; i < 2 * embedded_lines; ++i) set.text.push_back(embedded_line(i));
  for (auto const& line : set.text) (set.members.size() < embedded_lines ? set.members : set.absent).push_back(line);
  return set;
}

/// Distinct lines of the inputs. A line with the separator inside cannot be one of them: that makes the absent keys.
data_set from_input(options const& o) {
  data_set set{.source = fmt::format("{}", fmt::join(o.input.paths, ", ")), .text = {}, .members = {}, .absent = {}};
  line_reader in(o.input.paths, o.input.format());
  for (std::vector<std::string_view> keys; in.next(keys);) set.text.insert(set.text.end(), keys.begin(), keys.end());
  std::ranges::sort(set.text);
  set.text.erase(std::unique(set.text.begin(), set.text.end()), set.text.end());
  if (set.text.empty()) throw error(errc::bad_goal, "the tour needs at least one line of input");
  auto const count = set.text.size();
  set.text.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) set.text.push_back(set.text[i] + o.input.separator());
  for (auto const& line : set.text) (set.members.size() < count ? set.members : set.absent).push_back(line);
  return set;
}

std::vector<std::string> names(std::vector<bench::row> const& rows) {
  std::vector<std::string> all(rows.size());
  std::ranges::transform(rows, all.begin(), &bench::row::family);
  return all;
}

template <class Field>
bar_series bars(std::string name, std::vector<bench::row> const& rows, Field field) {
  bar_series series{std::move(name), {}};
  for (auto const& r : rows) series.values.push_back(field(r) < 0 ? std::nan("") : field(r));
  return series;
}

/// Rates a little wider than anybody asks for.
constexpr std::array rates{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6};

line_chart rate_against_space(std::uint64_t items) {
  line_chart chart{
      .title = "Rate of false positives against space",
      .description = "Planned rate by bits an item for each family, and the limit that no such structure goes below.",
      .x = {.title = "bits an item"},
      .y = {.title = "rate of false positives", .scale = axis_scale::logarithmic}};
  for (auto const& family : catalogue()) {
    if (!family.has("may_contain")) continue;  // its rate is one of something else
    chart_series line{std::string(family.name), {}};
    for (auto const rate : rates) {
      try {
        auto const offer = family.plan({.items = items, .fpr = rate, .settings = {}});
        line.points.push_back({offer.bits_per_item, offer.fpr});
      } catch (error const& e) {
        if (e.code() != errc::bad_goal) throw;  // a rate out of its reach is no point of its line
      }
    }
    chart.series.push_back(std::move(line));
  }
  chart_series limit{"limit: log2(1/rate)", {}, drawn::dashes};
  for (auto const rate : rates) limit.points.push_back({-std::log2(rate), rate});
  chart.series.push_back(std::move(limit));
  return chart;
}

double measured_rate(any_filter const& filter, data_set const& set) {
  return static_cast<double>(filter.may_contain(set.absent).count()) / static_cast<double>(set.absent.size());
}

/// The figure of every lecture on Bloom filters: at 8 bits an item there is a best number of probes.
line_chart rate_against_probes(data_set const& set) {
  line_chart chart{.title = "Rate of a bloom filter against the number of probes, at 8 bits an item",
                   .description = "The rate falls up to five or six probes and rises again as the filter fills.",
                   .x = {.title = "probes"},
                   .y = {.title = "rate of false positives", .ticks = tick_style::percent}};
  chart_series theory{"formula", {}, drawn::line};
  chart_series seen{"measured", {}, drawn::points};
  auto const items = set.members.size();
  for (unsigned probes = 1; probes <= 16; ++probes) {
    auto const rate = plan::bloom_fpr({8 * items, probes}, items);
    theory.points.push_back({static_cast<double>(probes), rate});
    auto filter = make_filter("bloom", {.items = items, .fpr = rate, .settings = {{"probes", std::to_string(probes)}}});
    filter.insert(set.members);
    seen.points.push_back({static_cast<double>(probes), measured_rate(filter, set)});
  }
  chart.series = {std::move(theory), std::move(seen)};
  return chart;
}

/// What people meet in practice: more keys than were planned for.
line_chart rate_while_filling(data_set const& set, double fpr) {
  line_chart chart{
      .title = "Rate while a filter fills up, and past its plan",
      .description = "The rate stays near zero, reaches the planned one at 100 % of the planned keys, and climbs past it.",
      .x = {.title = "keys inserted, of those planned for", .ticks = tick_style::percent},
      .y = {.title = "rate of false positives", .ticks = tick_style::percent}};
  auto const planned = std::max<std::size_t>(set.members.size() / 2, 1);
  for (auto const& family : catalogue()) {
    if (!family.has("insert") || !family.has("fpr")) continue;
    auto filter = make_filter(family.name, {.items = planned, .fpr = fpr, .settings = {}});
    chart_series line{std::string(family.name), {{0, filter.fpr()}}};
    constexpr std::size_t steps = 20;
    for (std::size_t i = 0; i < steps; ++i) {
      auto const from = set.members.size() * i / steps;
      auto const to = set.members.size() * (i + 1) / steps;
      filter.insert(std::span(set.members).subspan(from, to - from));
      line.points.push_back({static_cast<double>(to) / static_cast<double>(planned), filter.fpr()});
    }
    chart.series.push_back(std::move(line));
  }
  return chart;
}

/// What a family can do besides what all can.
std::string abilities(std::string_view family) {
  std::vector<std::string_view> can;
  for (auto const verb : family_named(family).verbs)
    if (verb != "clear" && verb != "size_bytes" && verb != "fpr") can.push_back(verb);
  return fmt::format("{}", fmt::join(can, " "));
}

table abilities(std::vector<bench::row> const& rows) {
  table shown({{"family"}, {"what it is"}, {"verbs"}});
  for (auto const& r : rows) shown.row({r.family, std::string(family_named(r.family).summary), abilities(r.family)});
  return shown;
}

enum class with_abilities { no, yes };

table comparison(std::vector<bench::row> const& rows, with_abilities also) {
  std::vector<table::column> columns({{"family"},
                                      {"bits/key", align::right},
                                      {"asked", align::right},
                                      {"measured", align::right},
                                      {"build", align::right},
                                      {"insert", align::right},
                                      {"hit", align::right},
                                      {"miss", align::right},
                                      {"batch insert", align::right},
                                      {"batch hit", align::right},
                                      {"batch miss", align::right}});
  bool const erases = std::ranges::any_of(rows, [](auto const& r) { return r.erase_ns >= 0; });
  bool const counts = std::ranges::any_of(rows, [](auto const& r) { return r.count_ns >= 0; });
  if (erases) columns.push_back({"erase", align::right});
  if (counts) columns.push_back({"count", align::right});
  if (also == with_abilities::yes) columns.push_back({"can"});
  table shown(std::move(columns));
  auto const ns = [](double t) { return t < 0 ? std::string("-") : fmt::format("{:.1f}", t); };
  for (auto const& r : rows) {
    std::vector<std::string> cells{r.family,
                                   fmt::format("{:.2f}", r.bits_per_item),
                                   human_rate(r.fpr_target),
                                   human_rate(r.fpr_measured),
                                   ns(r.build_ns),
                                   ns(r.insert_ns),
                                   ns(r.hit_ns),
                                   ns(r.miss_ns),
                                   ns(r.batch_insert_ns),
                                   ns(r.batch_hit_ns),
                                   ns(r.batch_miss_ns)};
    if (erases) cells.push_back(ns(r.erase_ns));
    if (counts) cells.push_back(ns(r.count_ns));
    if (also == with_abilities::yes) cells.push_back(abilities(r.family));
    shown.row(std::move(cells));
  }
  return shown;
}

report_page page_of(data_set const& set, std::vector<bench::row> const& rows, double fpr) {
  bar_chart space{.title = "Space by family",
                  .description = "Bits an item of each family at the rate asked for.",
                  .value = {.title = "bits an item"},
                  .groups = names(rows),
                  .series = {bars("bits an item", rows, [](auto const& r) { return r.bits_per_item; })},
                  .references = {{-std::log2(fpr), "limit"}}};
  bar_chart speed{.title = "Speed by family",
                  .description = "Nanoseconds a key, one by one and in batches.",
                  .value = {.title = "ns a key (less is better)"},
                  .groups = names(rows),
                  .series = {bars("build", rows, [](auto const& r) { return r.build_ns; }),
                             bars("insert", rows, [](auto const& r) { return r.insert_ns; }),
                             bars("batch insert", rows, [](auto const& r) { return r.batch_insert_ns; }),
                             bars("lookup, present", rows, [](auto const& r) { return r.hit_ns; }),
                             bars("lookup, absent", rows, [](auto const& r) { return r.miss_ns; }),
                             bars("batch lookup, present", rows, [](auto const& r) { return r.batch_hit_ns; }),
                             bars("batch lookup, absent", rows, [](auto const& r) { return r.batch_miss_ns; })},
                  .references = {}};
  if (std::ranges::any_of(rows, [](auto const& r) { return r.erase_ns >= 0; }))
    speed.series.push_back(bars("erase", rows, [](auto const& r) { return r.erase_ns; }));
  if (std::ranges::any_of(rows, [](auto const& r) { return r.count_ns >= 0; }))
    speed.series.push_back(bars("count", rows, [](auto const& r) { return r.count_ns; }));
  return {.title = "A tour of hortus",
          .intro = fmt::format(
              "Every family planted on one data set ({}), planned for a rate of false positives of {}. Times are of this "
              "machine and this run; sizes and rates are not.",
              set.source, human_rate(fpr)),
          .facts = {{"keys", grouped_count(set.members.size())},
                    {"rate asked for", human_rate(fpr)},
                    {"families", std::to_string(rows.size())}},
          .sections = {{"Side by side",
                        "Times are nanoseconds a key, hashing of the text included.",
                        {html_table(comparison(rows, with_abilities::no)), html_table(abilities(rows))}},
                       {"What a rate costs",
                        "Ten times fewer errors cost a Bloom filter 4.8 bits a key.",
                        {figure(rate_against_space(1'000'000))}},
                       {"How many probes",
                        "More probes ask for more agreement, and fill the filter sooner. The best number is near 0.69 times "
                        "the bits an item.",
                        {figure(rate_against_probes(set))}},
                       {"Past the plan",
                        "A filter planned for half of the keys, given all of them. Nothing is lost; the rate rises.",
                        {figure(rate_while_filling(set, fpr))}},
                       {"Space", "", {figure(space)}},
                       {"Speed", "", {figure(speed)}}},
          .footer = "Made by hortus tour."};
}

int tour(options const& o) {
  auto const fpr = parse_rate("-p", o.fpr);
  if (o.input.paths.empty() && (o.input.null || o.input.crlf || o.input.no_decompress))
    throw error(errc::bad_goal, "-0, --crlf and --no-decompress are about an INPUT, and there is none");
  check_can_save(o.out, o.input.paths);
  auto const set = o.input.paths.empty() ? embedded() : fitting("the input", [&] { return from_input(o); });
  std::vector<bench::row> rows;
  {
    progress shown("planting", catalogue().size(), progress_unit::items, o.input.progress_mode());
    bench::run_on_text(set.members, set.absent, fpr, [&](bench::row const& r) {
      rows.push_back(r);
      shown.update(rows.size());
    });
  }
  auto const page = html(page_of(set, rows, fpr));
  replace_file(o.out, [&](byte_sink const& sink) { sink(std::as_bytes(std::span(page))); });
  if (o.json) {
    auto all = nlohmann::ordered_json::array();
    auto const time = [](double ns) { return ns < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(ns); };
    for (auto const& r : rows)
      all.push_back({{"family", r.family},
                     {"items", r.items},
                     {"bits_per_item", r.bits_per_item},
                     {"fpr_target", r.fpr_target},
                     {"fpr_measured", r.fpr_measured},
                     {"build_ns", time(r.build_ns)},
                     {"insert_ns", time(r.insert_ns)},
                     {"hit_ns", time(r.hit_ns)},
                     {"miss_ns", time(r.miss_ns)},
                     {"batch_insert_ns", time(r.batch_insert_ns)},
                     {"batch_hit_ns", time(r.batch_hit_ns)},
                     {"batch_miss_ns", time(r.batch_miss_ns)},
                     {"erase_ns", time(r.erase_ns)},
                     {"batch_erase_ns", time(r.batch_erase_ns)},
                     {"count_ns", time(r.count_ns)},
                     {"batch_count_ns", time(r.batch_count_ns)},
                     {"verbs", family_named(r.family).verbs}});
    print_json(all);
    return done;
  }
  output out(STDOUT_FILENO);
  out.print("{}, {} keys, planned for a rate of {}; times in ns a key\n\n", set.source, grouped_count(set.members.size()),
            human_rate(fpr));
  out.write(comparison(rows, with_abilities::yes).text(use_colour(STDOUT_FILENO)));
  out.print("\nThe pictures are in {}\n", o.out);
  out.flush();
  return done;
}

}  // namespace

void add_tour(CLI::App& app, action& run) {
  auto* const command = app.add_subcommand("tour", "plant every family on one data set, compare them, and draw the pictures");
  auto const o = std::make_shared<options>();
  command->add_option("-o,--output", o->out, "the page to write")->capture_default_str();
  command->add_option("-p,--fpr", o->fpr, "rate of false positives to plan for")->capture_default_str();
  command->add_flag("--json", o->json, "the comparison as a JSON array, a family each");
  o->input.add_options(*command, "an embedded data set");
  command->callback([=, &run] { run = [o] { return tour(*o); }; });
}

}  // namespace hortus::cli
