#include <unistd.h>

#include "cli/command.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {

void add_help(command_line& app, action& run) {
  auto const command = app.add_subcommand("help", "explain hortus, or one of its commands");
  auto const words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "as hortus COMMAND --help");
  command->footer("Example: hortus help build\nExample: hortus help redis push");
  command->callback([=, &run] {
    run = [=] {
      output out(STDOUT_FILENO);
      out.write(app.help_of(*words));
      out.flush();
      return done;
    };
  });
}

}  // namespace hortus::cli
