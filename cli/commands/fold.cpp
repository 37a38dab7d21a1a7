#include <fmt/format.h>

#include <algorithm>

#include <hortus/maths/divisors.hpp>

#include "cli/command.hpp"
#include "cli/saving.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct fold_options {
  std::string file;
  save_options out;
  std::string to_fpr;
  std::string by;
  lock_options lock;
};

/// Throws if `by` is not a divisor of the width. The message names the nearest divisors.
void check_divides(any_filter const& filter, std::uint64_t by) {
  auto const width = filter.family().fold_width();
  if (width % by == 0) return;              // NOLINT(clang-analyzer-core.DivideZero): --by is at least 1
  auto const ways = plan::divisors(width);  // ascending, from 1 to the width
  auto const above = std::ranges::upper_bound(ways, by);
  throw error(errc::bad_goal, fmt::format("cannot be folded by {}, only by divisors of {}", by, width) +
                                  (above == ways.end() ? "" : fmt::format(": {} and {} are near", *std::prev(above), *above)));
}

int fold(fold_options const& o) {
  if (o.to_fpr.empty() == o.by.empty()) throw error(errc::bad_goal, "fold needs either --to-fpr or --by");
  o.out.check();
  auto const lock =
      o.out.is_one_of({&o.file, 1}) ? o.lock.hold(o.out.path) : nullptr;  // folding in place changes the file, as add does
  auto filter = open_filter(o.file, {.key = {}, .verify = true});
  check_has(filter, verb::fold, o.file);
  auto by = o.by.empty() ? 0 : parse_count("--by", o.by, 1);
  naming(o.file, [&] {
    if (o.by.empty()) {
      auto const target = parse_rate("--to-fpr", o.to_fpr);
      if (auto const rate = filter.family().fpr_folded(1); rate > target)
        throw error(errc::bad_goal, fmt::format("its rate is {} already, above --to-fpr {}; folding only raises it",
                                                human_rate(rate), human_rate(target)));
      by = filter.fold_to_fpr(target);
    } else {
      check_divides(filter, by);
      filter.fold(by);
    }
  });
  o.out.save(filter);
  report(o.out.path, o.out.json);
  if (o.out.verbose)
    say(fmt::format("folded by {}: {}, {} {}", by, human_bytes(filter.size_bytes()),
                    filter.family().has(verb::fpr) ? "rate of false positives" : "relative standard error",
                    human_rate(filter.family().fpr_folded(1))));
  if (by == 1) warn("it is as small as it may be for that: what was written is the filter as it was");
  warn_if_overfull(filter, by == 1 ? after::nobody_knows : after::folding);
  warn_if_stuck(filter);
  return done;
}

}  // namespace

void add_fold(command_line& app, action& run) {
  auto const command = app.add_subcommand("fold", "a smaller filter of the same keys, at a higher rate, without the keys");
  auto const o = std::make_shared<fold_options>();
  command->add_option("FILE", o->file, "the filter; - is standard input")->required();
  o->out.add_options(*command, "the file to write; it may be the filter itself");
  command->add_option("--to-fpr", o->to_fpr, "as small as this rate of false positives allows")->type_name("RATE");
  command->add_option("--by", o->by, "so many times smaller: a divisor of its size")->type_name("N");
  o->lock.add_option(*command);
  command->footer("Example: hortus fold -o small.hortus --to-fpr 5% seen.hortus");
  command->callback([=, &run] { run = [o] { return fold(*o); }; });
}

}  // namespace hortus::cli
