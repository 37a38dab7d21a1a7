#include <fmt/format.h>

#include <bit>

#include "cli/command.hpp"
#include "cli/saving.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct grow_options {
  std::string file;
  save_options out;
  std::string by = "2";
  lock_options lock;
};

int grow(grow_options o) {
  auto const by = parse_count("--by", o.by, 2);
  if (!std::has_single_bit(by)) throw error(errc::bad_goal, "--by: a filter grows by doubling, so by 2, 4, 8, ...");
  if (o.out.path.empty()) o.out.path = o.file;
  o.out.check();
  auto const lock = o.out.is_one_of({&o.file, 1}) ? o.lock.hold(o.out.path) : nullptr;  // in place, as add does
  auto filter = open_filter(o.file, {.key = {}, .verify = true});
  check_has(filter, verb::grow, o.file);
  naming(o.file, [&] {
    for (auto left = by; left > 1; left /= 2) filter.grow();
  });
  o.out.save(filter);
  report(o.out.path, o.out.json);
  if (o.out.verbose)
    say(fmt::format("grown by {}: {}, for {} keys, with which its rate of false positives is {}", by,
                    human_bytes(filter.size_bytes()), human_count(filter.about().items_planned),
                    human_rate(filter.planned_fpr(filter.about().items_planned))));
  return done;
}

}  // namespace

void add_grow(command_line& app, action& run) {
  auto const command = app.add_subcommand("grow", "a larger filter of the same keys, with room for more, without the keys");
  auto const o = std::make_shared<grow_options>();
  command->add_option("FILE", o->file, "the filter, of a family that can grow; - is standard input")->required();
  o->out.add_options(*command, "the file to write; without it the filter itself", save_options::output_is::optional);
  command->add_option("--by", o->by, "so many times more keys: 2, 4, 8, ...")->type_name("N")->capture_default_str();
  o->lock.add_option(*command);
  command->footer(
      "No answer changes. The rate of false positives rises with the keys that are added: twice as\n"
      "many, twice the rate. Each doubling takes a bit of every fingerprint, so they are limited.\n"
      "Example: hortus grow seen.hortus");
  command->callback([=, &run] { run = [o] { return grow(*o); }; });
}

}  // namespace hortus::cli
