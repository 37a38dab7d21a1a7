#include <unistd.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/made_alike.hpp"
#include "cli/text/json.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

/// diff: how many keys two filters have in common, and how many are in one of them only.
namespace hortus::cli {
namespace {

struct diff_options {
  std::string a, b;
  bool json = false;
};

json_value as_json(plan::estimate const& e) { return {{"estimate", e.value}, {"low", e.low}, {"high", e.high}}; }

json_value as_json(plan::overlap const& found) {
  json_value all{{"a", as_json(found.a)},
                 {"b", as_json(found.b)},
                 {"union", as_json(found.either)},
                 {"intersection", as_json(found.both)},
                 {"only_a", as_json(found.only_a)},
                 {"only_b", as_json(found.only_b)},
                 {"jaccard", as_json(found.jaccard)},
                 {"saturated", found.both.saturated},
                 {"by_counters", nullptr}};
  if (found.by_counters)
    all["by_counters"] = {{"only_a", as_json(found.by_counters->only_a)}, {"only_b", as_json(found.by_counters->only_b)}};
  return all;
}

void print(diff_options const& o, plan::overlap const& found) {
  table rows({{""}, {"keys", align::right}, {"from", align::right}, {"to (95 %)", align::right}});
  auto const add = [&](std::string const& what, plan::estimate const& e, auto shown) {
    rows.row({what, shown(e.value), shown(e.low), std::isinf(e.high) ? "?" : shown(e.high)});
  };
  auto const keys = [](double value) { return fmt::format("{:.0f}", value); };
  add("A: " + o.a, found.a, keys);
  add("B: " + o.b, found.b, keys);
  add("A or B", found.either, keys);
  add("A and B", found.both, keys);
  add("only A", found.only_a, keys);
  add("only B", found.only_b, keys);
  if (found.by_counters) {
    add("only A, by counters", found.by_counters->only_a, keys);
    add("only B, by counters", found.by_counters->only_b, keys);
  }
  add("alike (Jaccard)", found.jaccard, [](double share) { return fmt::format("{:.2f} %", 100 * share); });
  output out(STDOUT_FILENO);
  out.write(rows.text(use_colour(STDOUT_FILENO), columns_of(STDOUT_FILENO)));
  out.flush();
  if (found.both.saturated) say("a filter is full: it has at least so many keys, and what both have in common is not known");
}

int run_on(diff_options const& o) {
  auto const a = open_filter(o.a, {.key = {}, .verify = true});
  check_has(a, verb::compare, o.a);
  auto const b = open_filter(o.b, {.key = {}, .verify = true});
  auto const found = naming(o.b, [&] { return of_filters_made_alike([&] { return presentable(a.compare(b)); }); });
  if (o.json)
    print_json(as_json(found));
  else
    print(o, found);
  return done;
}

}  // namespace

void add_diff(command_line& app, action& run) {
  auto const command = app.add_subcommand("diff", "how many keys two filters made alike have in common: estimates");
  auto const o = std::make_shared<diff_options>();
  command->add_option("A", o->a, "a filter; - is standard input")->required();
  command->add_option("B", o->b, "another one of the same family, -n, -p, --set and --seed")->required();
  command->add_flag("--json", o->json, "print one JSON object");
  command->footer(
      "Every estimate comes with its 95 % interval. \"By counters\" uses that common keys cancel out in the\n"
      "difference of two filters that count. It is much more accurate if the filters differ in few keys,\n"
      "and right only if no key was inserted twice.\n"
      "Example: hortus diff monday.hortus tuesday.hortus");
  command->callback([=, &run] { run = [=] { return run_on(*o); }; });
}

}  // namespace hortus::cli
