#include <span>
#include <string_view>

#include "cli/command.hpp"
#include "cli/made_alike.hpp"
#include "cli/near_filters.hpp"
#include "cli/saving.hpp"

/// merge and intersect: one filter of several that were made alike.
namespace hortus::cli {
namespace {

struct merge_options {
  std::vector<std::string> files;
  save_options out;
  lock_options lock;
};

using combine = void (*)(any_filter& all, any_filter const& next);

int merge_near(merge_options const& o, any_near_filter all) {
  for (auto const& file : std::span(o.files).subspan(1)) {
    auto const next = open_any(file, {.key = {}, .verify = true});
    auto const* const near = std::get_if<any_near_filter>(&next);
    naming(file, [&] {
      if (near == nullptr)
        throw error(errc::incompatible,
                    one(all.about().family) + " does not combine with " + one(std::get<any_filter>(next).about().family));
      of_filters_made_alike([&] { all.merge(*near); });
    });
  }
  o.out.save(all);
  warn_if_overfull(all);
  o.out.report(all);
  return done;
}

int run_on(merge_options const& o, verb needed, combine with) {
  o.out.check();
  // If the output is one of the inputs, it is read and written, as by add, and so locked. The other inputs are only read and
  // not locked, so two commands cannot deadlock.
  auto const lock = o.out.is_one_of(o.files) ? o.lock.hold(o.out.path) : nullptr;
  auto first = load_any(o.files.front());
  if (auto* const near = std::get_if<any_near_filter>(&first); near != nullptr && needed == verb::merge)
    return merge_near(o, std::move(*near));
  auto all = only_filter(std::move(first), o.files.front());
  check_has(all, needed, o.files.front());
  for (std::size_t i = 1; i < o.files.size(); ++i) {
    auto const next = open_filter(o.files[i], {.key = {}, .verify = true});
    naming(o.files[i], [&] { of_filters_made_alike([&] { with(all, next); }); });
  }
  o.out.save(all);
  warn_if_overfull(all, after::merging);
  warn_if_stuck(all);
  o.out.report(all);
  return done;
}

void add(command_line& app, action& run, char const* name, char const* help, char const* example, verb needed, combine with) {
  auto const command = app.add_subcommand(name, help);
  auto const o = std::make_shared<merge_options>();
  command->add_option("FILES", o->files, "filters; - is standard input")->required();
  o->out.add_options(*command, "the file to write; it may be one of the filters");
  o->lock.add_option(*command);
  command->footer(example);
  command->callback([=, &run] { run = [=] { return run_on(*o, needed, with); }; });
}

}  // namespace

void add_merge(command_line& app, action& run) {
  add(app, run, "merge", "the filter of all keys of several filters made alike",
      "Example: hortus merge -o week.hortus monday.hortus tuesday.hortus", verb::merge,
      [](any_filter& all, any_filter const& next) { all.merge(next); });
}
void add_intersect(command_line& app, action& run) {
  add(app, run, "intersect", "a filter of the keys that are in each of several filters made alike",
      "It finds every key that all of them have. Of the others it finds at most as many as the best of\n"
      "them, and more than a filter that was built of the common keys.\n"
      "Example: hortus intersect -o both.hortus monday.hortus tuesday.hortus",
      verb::intersect, [](any_filter& all, any_filter const& next) { all.intersect(next); });
}

}  // namespace hortus::cli
