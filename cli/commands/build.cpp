#include "cli/command.hpp"
#include "cli/near_filters.hpp"
#include "cli/new_filter.hpp"
#include "cli/saving.hpp"

namespace hortus::cli {
namespace {

struct build_options {
  new_filter made;
  save_options out;
  key_input input;
};

int build(build_options const& o) {
  if (is_near_family(o.made.family)) return build_near(o.made, o.out, o.input);
  o.made.check_family();  // a wrong name is reported first
  auto inputs = o.input.names();
  if (!o.made.absent.empty()) inputs.push_back(o.made.absent);
  o.out.check(inputs, o.made.key);
  auto const filter = build_from(o.made, o.input, "no file was written", o.out.json);
  o.out.save(filter);
  warn_after_filling(filter, o.made);
  o.out.report(filter);
  return done;
}

}  // namespace

void add_build(command_line& app, action& run) {
  auto const command = app.add_subcommand("build", "make a filter from keys");
  auto const o = std::make_shared<build_options>();
  command->add_option("FAMILY", o->made.family, "which kind of filter; hortus list names them, auto chooses one")->required();
  o->out.add_options(*command, "the file to write");
  o->made.add_options(*command);
  o->made.values.add_options(*command);
  command->add_option("--absent", o->made.absent, "of exact_set: a file of the keys that must be answered no")
      ->type_name("FILE");
  o->input.add_options(*command);
  command->footer(
      "Example: hortus build bloom -o seen.hortus -p 0.1% keys.txt\n"
      "Example: hortus build auto -o users.hortus --csv user_id --need remove visits.csv.gz\n"
      "Example: hortus build bloomier_map -o country.hortus --csv user_id --value country users.csv");
  command->callback([=, &run] { run = [o] { return build(*o); }; });
}

}  // namespace hortus::cli
