#include <unistd.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/describe/description.hpp"
#include "cli/did_you_mean.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct man_options {
  std::string name;
  bool list = false;
};

std::string page_of(command_line const& app, std::string const& name) {
  auto const program = describe_program(app.parser());
  if (name.empty()) return man_page(program);
  auto const command = std::ranges::find(program.commands, name, &described_command::name);
  if (command == program.commands.end()) throw error(errc::unsupported, unknown_command(name, app.names()));
  return man_page(program, *command);
}

int man(command_line const& app, man_options const& o) {
  if (o.list && !o.name.empty()) throw error(errc::bad_goal, "--list names all commands: it takes no COMMAND");
  output out(STDOUT_FILENO);
  if (o.list)
    for (auto const& name : app.names()) out.line(name);
  else
    out.write(page_of(app, o.name));
  out.flush();
  return done;
}

}  // namespace

void add_man(command_line& app, action& run) {
  auto const command = app.add_subcommand("man", "print a page of the manual, in roff");
  auto const o = std::make_shared<man_options>();
  command->add_option("COMMAND", o->name, "the page of this command; none is that of hortus itself");
  command->add_flag("--list", o->list, "only name the commands, a line each: each has a page");
  command->footer("An installed hortus has these pages for man(1): man hortus-build.\nExample: hortus man build | man -l -");
  command->callback([=, &run] { run = [=] { return man(app, *o); }; });
}

}  // namespace hortus::cli
