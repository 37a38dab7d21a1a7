#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace hortus::cli {
namespace {

nlohmann::ordered_json to_json(std::span<family_info const> families) {
  auto all = nlohmann::ordered_json::array();
  for (auto const& f : families)
    all.push_back({{"family", f.name},
                   {"room", f.room},
                   {"verbs", f.verbs},
                   {"false_negatives", name_of(f.misses)},
                   {"summary", f.summary}});
  return all;
}

std::string_view warning_of(false_negatives misses) {
  switch (misses) {
    case false_negatives::never:
      return "";
    case false_negatives::by_misuse:
      return "misses keys after erasing what was not inserted";
    case false_negatives::by_age:
      return "forgets old keys";
  }
  return "";
}

/// A room, its families, and beside each what it is and can do.
void print(std::span<family_info const> families, output& out) {
  std::size_t width = 0;
  for (auto const& f : families) width = std::max(width, f.name.size());
  bool const colour = use_colour(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  auto const line = [&](std::string_view name, std::string_view text) {
    out.write(beside(fmt::format("  {:{}}  ", name, width), text, columns));
  };
  std::string_view room;
  for (auto const& f : families) {
    if (f.room != room)
      out.print("{}{}{}{}\n", room.empty() ? "" : "\n", colour ? "\x1b[1m" : "", f.room, colour ? "\x1b[0m" : "");
    room = f.room;
    line(f.name, f.summary);
    line("", fmt::format("{}", fmt::join(f.verbs, " ")));
    if (auto const warning = warning_of(f.misses); !warning.empty()) line("", warning);
  }
}

int list(bool json) {
  auto const families = catalogue();
  if (json) {
    print_json(to_json(families));
    return done;
  }
  output out(STDOUT_FILENO);
  print(families, out);
  out.flush();
  return done;
}

}  // namespace

void add_list(CLI::App& app, action& run) {
  auto* const command = app.add_subcommand("list", "the families there are, and what each can do");
  auto const json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "a JSON array, a family each");
  command->callback([=, &run] { run = [json] { return list(*json); }; });
}

}  // namespace hortus::cli
