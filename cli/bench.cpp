#include "bench/bench.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace hortus::cli {
namespace {

struct options {
  std::vector<std::string> families;
  std::vector<std::string> items;
  std::vector<std::string> fprs;
  std::string threads;
  std::string repetitions;
  bool json = false;
};

nlohmann::ordered_json to_json(bench::row const& r) {
  auto const time = [](double ns) { return ns < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(ns); };  // or a ratio
  return {{"family", r.family},
          {"items", r.items},
          {"fpr_target", r.fpr_target},
          {"fpr_measured", r.fpr_measured},
          {"bits_per_item", r.bits_per_item},
          {"overhead", r.overhead == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(r.overhead)},
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
          {"limit_ns", time(r.limit_ns)},
          {"batch_ratio", r.batch_ratio},
          {"single_limit_ns", time(r.single_limit_ns)},
          {"single_ratio", r.single_ratio},
          {"update_limit_ns", time(r.update_limit_ns)},
          {"batch_insert_ratio", time(r.batch_insert_ratio)},
          {"batch_erase_ratio", time(r.batch_erase_ratio)},
          {"single_update_limit_ns", time(r.single_update_limit_ns)},
          {"insert_ratio", time(r.insert_ratio)},
          {"erase_ratio", time(r.erase_ratio)},
          {"huge_pages", r.huge_pages},
          {"threads", r.threads}};
}

/// Columns of verbs that few families have are there when one of these has them.
table shown_table(std::vector<bench::row> const& rows) {
  auto const any = [&](double bench::row::*time) {
    return std::ranges::any_of(rows, [&](auto const& r) { return r.*time >= 0; });
  };
  bool const erases = any(&bench::row::erase_ns);
  bool const counts = any(&bench::row::count_ns);
  std::vector<table::column> columns{{"family"},
                                     {"items", align::right},
                                     {"fpr", align::right},
                                     {"measured", align::right},
                                     {"bits/item", align::right},
                                     {"overhead", align::right},
                                     {"build", align::right},
                                     {"insert", align::right},
                                     {"hit", align::right},
                                     {"miss", align::right},
                                     {"b.insert", align::right},
                                     {"b.hit", align::right},
                                     {"b.miss", align::right}};
  for (auto const* const title : {"erase", "b.erase"})
    if (erases) columns.push_back({title, align::right});
  for (auto const* const title : {"count", "b.count"})
    if (counts) columns.push_back({title, align::right});
  columns.insert(
      columns.end(),
      {{"limit", align::right}, {"ratio", align::right}, {"s.limit", align::right}, {"s.ratio", align::right}, {"huge"}});
  table shown(std::move(columns));
  auto const ns = [](double t) { return t < 0 ? std::string("-") : fmt::format("{:.1f}", t); };
  for (auto const& r : rows) {
    std::vector<std::string> cells{r.family,
                                   human_count(r.items),
                                   human_rate(r.fpr_target),
                                   human_rate(r.fpr_measured),
                                   fmt::format("{:.2f}", r.bits_per_item),
                                   r.overhead == 0 ? "-" : fmt::format("{:.3f}", r.overhead),
                                   ns(r.build_ns),
                                   ns(r.insert_ns),
                                   ns(r.hit_ns),
                                   ns(r.miss_ns),
                                   ns(r.batch_insert_ns),
                                   ns(r.batch_hit_ns),
                                   ns(r.batch_miss_ns)};
    for (auto const t : {r.erase_ns, r.batch_erase_ns})
      if (erases) cells.push_back(ns(t));
    for (auto const t : {r.count_ns, r.batch_count_ns})
      if (counts) cells.push_back(ns(t));
    cells.insert(cells.end(), {ns(r.limit_ns), fmt::format("{:.2f}", r.batch_ratio), ns(r.single_limit_ns),
                               fmt::format("{:.2f}", r.single_ratio), r.huge_pages ? "yes" : "no"});
    shown.row(std::move(cells));
  }
  return shown;
}

int run_bench(options const& o) {
  bench::setup what;
  for (auto const& name : o.families) (void)family_named(name);
  what.families = o.families;
  for (auto const& n : o.items) what.items.push_back(parse_count("-n", n, 1));
  for (auto const& p : o.fprs) what.fprs.push_back(parse_rate("-p", p));
  if (what.items.empty()) what.items = {1'000'000};
  if (what.fprs.empty()) what.fprs = {0.01};
  auto const threads = o.threads.empty() ? 1 : parse_count("--threads", o.threads, 1);
  if (threads > 1024) throw error(errc::bad_goal, "--threads: at most 1024");
  what.threads = static_cast<unsigned>(threads);
  if (!o.repetitions.empty()) {
    auto const repetitions = parse_count("--repetitions", o.repetitions, 1);
    if (repetitions > 1000) throw error(errc::bad_goal, "--repetitions: at most 1000");
    what.repetitions = static_cast<unsigned>(repetitions);
  }

  std::vector<bench::row> measured;
  progress waiting("measuring", 0, progress_unit::items);
  bench::run(what, [&](bench::row const& r) {
    measured.push_back(r);
    waiting.update(measured.size());
  });
  waiting.finish();
  if (o.json) {
    auto rows = nlohmann::ordered_json::array();
    for (auto const& r : measured) rows.push_back(to_json(r));
    print_json(rows);
    return done;
  }
  output out(STDOUT_FILENO);
  out.write(shown_table(measured).text(use_colour(STDOUT_FILENO)));
  out.print(
      "\nns a key, 64-bit keys, {} {}; overhead: bits an item / log2(1/measured); limit: a prefetched random cache-line read "
      "in as much\n"
      "memory; ratio: batch miss / limit, median of interleaved repetitions; s.limit, s.ratio: the same for miss, one by one "
      "and not\n"
      "prefetched; huge: huge pages were granted\n",
      what.threads, what.threads == 1 ? "thread" : "threads share the lookups, one inserts");
  out.flush();
  return done;
}

}  // namespace

void add_bench(CLI::App& app, action& run) {
  auto* const command = app.add_subcommand("bench", "how fast and how small every family is on this machine");
  auto const o = std::make_shared<options>();
  command->add_option("--families", o->families, "only these: bloom,partitioned")->delimiter(',')->option_text("A,B");
  command->add_option("-n,--items", o->items, "how many keys: 1M,100M (default 1M)")->delimiter(',')->option_text("N,...");
  command->add_option("-p,--fpr", o->fprs, "rates: 1%,0.001 (default 1%)")->delimiter(',')->option_text("P,...");
  command->add_option("--threads", o->threads, "threads that share the lookups (default 1)")->type_name("T");
  command->add_option("--repetitions", o->repetitions, "of every timed lookup (default 7)")->type_name("N");
  command->add_flag("--json", o->json, "a JSON array, a row each");
  command->footer("Example: hortus bench --families bloom -n 1M,100M -p 1%,0.1%");
  command->callback([=, &run] { run = [o] { return run_bench(*o); }; });
}

}  // namespace hortus::cli
