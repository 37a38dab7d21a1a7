#include <unistd.h>

#include "cli/command.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {

void add_help(command_line& app, action& run) {
  auto const command = app.add_subcommand("help", "explain hortus, or one of its commands");
  auto const name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "as hortus COMMAND --help");
  command->footer("Example: hortus help build");
  command->callback([=, &run] {
    run = [=] {
      output out(STDOUT_FILENO);
      out.write(app.help_of(*name));
      out.flush();
      return done;
    };
  });
}

}  // namespace hortus::cli
