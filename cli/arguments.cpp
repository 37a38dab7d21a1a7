#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <hortus/version.hpp>

#include "cli/command.hpp"
#include "cli/describe/help.hpp"
#include "cli/did_you_mean.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

int complain(std::string const& what) {
  say(what);
  return failed;
}

/// CLI11 takes "[a,b]" for a list of two and "[[aabb]]" for "[ab]", in some places or in all, each version in others. Arguments
/// that end as lists do are marked by a NUL behind them, which no other has.
std::string unmarked(std::string text) {
  if (text.ends_with('\0')) text.pop_back();
  return text;
}

/// Makes CLI11 stricter. It would treat an empty value (from an unset variable) as a missing option, and an option with a
/// list of values would swallow the inputs after it.
void be_strict(CLI::App& app, char const* group = "Commands") {
  for (auto* const command : app.get_subcommands(nullptr)) {
    command->group(group);
    be_strict(*command, "Actions");
    for (auto* const option : command->get_options()) {
      if (option->get_type_size() == 0) continue;  // a flag
      option->check([](std::string const& value) { return value.empty() ? "the value is empty" : std::string(); });
      option->transform(unmarked);
      if (option->get_positional())
        option->type_name("");
      else
        option->allow_extra_args(false);
    }
  }
}

/// The arguments in reverse order, as CLI11 wants them, marked.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> all(argv + 1, argv + argc);
  for (auto& each : all)
    if (each.ends_with(']')) each += '\0';
  std::ranges::reverse(all);
  return all;
}

/// Prints the text of "--help" and "--version". CLI11's own printing does not notice a full disk.
int print_help(CLI::App const& app, CLI::Success const& wish) {
  std::ostringstream text;
  (void)app.exit(wish, text, text);
  output out(STDOUT_FILENO);
  out.write(text.str());
  out.flush();
  return done;
}

std::vector<std::string> extras_of(CLI::App const& app) {
  auto extras = app.remaining(true);
  std::ranges::transform(extras, extras.begin(), unmarked);
  return extras;
}

/// The arguments that CLI11 could not assign, in the order of the command line. CLI11 would show "-c=1" as "-=1", and the last
/// one first.
std::string surplus(CLI::App const& app, int argc, char** argv) {
  auto const extras = extras_of(app);
  for (auto const& extra : extras) {
    if (!extra.starts_with("-=")) continue;
    auto const whole = std::find_if(argv + 1, argv + argc, [&](std::string_view arg) {
      return arg.starts_with('-') && arg.ends_with(std::string_view(extra).substr(1));
    });
    if (whole != argv + argc) return fmt::format("'{}': a flag takes no value", *whole);
  }
  return fmt::format("not expected: {}", fmt::join(extras, " "));
}

/// The innermost command that was named.
CLI::App const* chosen_command(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? &app : chosen_command(*chosen.front());
}

/// "did you mean --items? " for the first unknown option that is near one of the command's; else empty.
std::string suggested_option(CLI::App const& app) {
  auto const* const command = chosen_command(app);
  std::vector<std::string> names;
  for (auto const* const option : command->get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  for (auto const& extra : extras_of(app))
    if (auto const meant = meant_option(extra, names); !meant.empty()) return fmt::format("did you mean {}? ", meant);
  return {};
}

/// A missing option may be there, misspelt.
std::string explained(CLI::App const& app, CLI::ParseError const& e, int argc, char** argv) {
  auto const suggestion = suggested_option(app);
  bool const extra = dynamic_cast<CLI::ExtrasError const*>(&e) != nullptr;
  bool const missing = dynamic_cast<CLI::RequiredError const*>(&e) != nullptr;
  auto const what = extra || (missing && !suggestion.empty()) ? surplus(app, argc, argv) : e.what();
  return what + "; " + suggestion;
}

int run_command(int argc, char** argv) {
  CLI::App app(
      "hortus: Bloom filters and their relatives, for files of lines.\n"
      "Have I seen this key? Answers in a few bits a key, with a chance of error that you choose.",
      "hortus");
  app.set_version_flag("-V,--version", std::string("hortus ") + HORTUS_VERSION_STRING, "print the version");
  app.require_subcommand(1);
  set_help_layout(app);
  app.set_help_flag("-h,--help", "print this help");
  action chosen;
  command_line commands(app);
  for (auto* add :
       {add_list,      add_plan,   add_build, add_add,       add_remove, add_query, add_get,        add_set,  add_count,
        add_info,      add_verify, add_merge, add_intersect, add_diff,   add_fold,  add_grow,       add_pack, add_unpack,
        add_reconcile, add_redis,  add_uniq,  add_bench,     add_tour,   add_help,  add_completion, add_man})
    add(commands, chosen);
  be_strict(app);
  app.footer("hortus help COMMAND explains a command.\nExample: seq 1000000 | hortus build bloom -o seen.hortus");
  if (argc < 2) return complain("which command? hortus --help names them");
  if (!commands.has(argv[1]) && app.get_option_no_throw(argv[1]) == nullptr)
    return complain(unknown_command(argv[1], commands.names()));
  if (auto const actions = commands.actions_of(argv[1]); !actions.empty()) {
    if (argc < 3) return complain(fmt::format("which action? hortus {} --help names them", argv[1]));
    if (argv[2][0] != '-' && std::ranges::find(actions, argv[2]) == actions.end())
      return complain(unknown_command(argv[2], actions) + fmt::format("; see hortus {} --help", argv[1]));
  }
  try {
    app.parse(arguments(argc, argv));
  } catch (CLI::Success const& wish) {
    return print_help(app, wish);
  } catch (CLI::ParseError const& e) {
    std::string command;
    for (auto const* it = chosen_command(app); it != &app && it != nullptr; it = it->get_parent())
      command = fmt::format(" {}{}", it->get_name(), command);
    if (command.empty() && argv[1][0] != '-') command = std::string(" ") + argv[1];
    return complain(explained(app, e, argc, argv) + "see hortus" + command + " --help");
  }
  return chosen();
}

}  // namespace

int run(int argc, char** argv) {
  occupy_standard_descriptors();
  ignore_broken_pipes();
  try {
    return run_command(argc, argv);
  } catch (closed_pipe const&) {
    return done;
  } catch (std::bad_alloc const&) {
    return complain("out of memory");
  } catch (std::exception const& e) {
    return complain(e.what());
  }
}

}  // namespace hortus::cli
