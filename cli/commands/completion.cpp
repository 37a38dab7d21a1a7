#include <unistd.h>

#include "cli/command.hpp"
#include "cli/describe/description.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

std::string script_for(std::string const& shell, described_program const& program) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  throw error(errc::unsupported, "there is no completion for '" + shell + "'; there are: bash, zsh, fish");
}

}  // namespace

void add_completion(command_line& app, action& run) {
  auto const command = app.add_subcommand("completion", "print a script that makes a shell complete arguments of hortus");
  auto const shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->footer(
      "An installed hortus has these scripts where the shells look for them. To install one for yourself:\n"
      "Examples: hortus completion bash > ~/.local/share/bash-completion/completions/hortus\n"
      "          hortus completion zsh > ~/.zsh/_hortus    # with ~/.zsh in fpath before compinit\n"
      "          hortus completion fish > ~/.config/fish/completions/hortus.fish\n"
      "          source <(hortus completion bash)          # for this one shell, bash or zsh");
  command->callback([=, &run] {
    run = [=] {
      output out(STDOUT_FILENO);
      out.write(script_for(*shell, describe_program(app.parser())));
      out.flush();
      return done;
    };
  });
}

}  // namespace hortus::cli
