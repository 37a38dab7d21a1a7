#include "bench/bench.hpp"

#include <unistd.h>

#include "cli/bench_rows.hpp"
#include "cli/command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

struct bench_options {
  std::vector<std::string> families;
  std::vector<std::string> items;
  std::vector<std::string> fprs;
  thread_option threads;
  std::string repetitions;
  bool lookups_only = false;
  bool json = false;
};

int run_bench(bench_options const& o) {
  bench::setup what;
  for (auto const& name : o.families) (void)family_named(name);  // throws if there is none
  what.families = o.families;
  for (auto const& n : o.items) what.items.push_back(parse_count("-n", n, 1));
  for (auto const& p : o.fprs) what.fprs.push_back(parse_rate("-p", p));
  if (what.items.empty()) what.items = {1'000'000};
  if (what.fprs.empty()) what.fprs = {0.01};
  what.threads = o.threads.number();
  what.lookups_only = o.lookups_only;
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
    auto rows = json_value::array();
    for (auto const& r : measured) rows.push_back(to_json(r));
    print_json(rows);
    return done;
  }
  output out(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  out.write(table_of(measured, row_detail::limits).text(use_colour(STDOUT_FILENO), columns));
  out.write(
      "\n" +
      wrapped(fmt::format(
                  "Times are ns a key, of 64-bit keys, {} {}. b.: in batches. overhead: bits an item / log2(1/measured). load: "
                  "slots or bits in use. peak: bits of memory an item at most while building, without the keys. limit: a "
                  "prefetched random cache-line read in as much memory. ratio: b.miss / limit, median of interleaved "
                  "repetitions. s.limit, s.ratio: the same for miss, one by one and not prefetched. huge: huge pages were "
                  "granted.",
                  what.threads, what.threads == 1 ? "thread" : "threads share the lookups, one inserts"),
              columns));
  out.flush();
  return done;
}

}  // namespace

void add_bench(command_line& app, action& run) {
  auto const command = app.add_subcommand("bench", "how fast and how small every family is on this machine");
  auto const o = std::make_shared<bench_options>();
  command->add_option("--families", o->families, "only these: bloom,partitioned")->delimiter(',')->option_text("A,B");
  command->add_option("-n,--items", o->items, "how many keys: 1M,100M (default 1M)")->delimiter(',')->option_text("N,...");
  command->add_option("-p,--fpr", o->fprs, "rates: 1%,0.001 (default 1%)")->delimiter(',')->option_text("P,...");
  o->threads.add_option(*command, "threads that share the lookups (default 1)");
  command->add_option("--repetitions", o->repetitions, "of every timed lookup (default 7)")->type_name("N");
  command->add_flag("--lookups-only", o->lookups_only, "time builds and lookups, no updates: for very many keys");
  command->add_flag("--json", o->json, "a JSON array, a row each");
  command->footer("Example: hortus bench --families bloom -n 1M,100M -p 1%,0.1%");
  command->callback([=, &run] { run = [o] { return run_bench(*o); }; });
}

}  // namespace hortus::cli
