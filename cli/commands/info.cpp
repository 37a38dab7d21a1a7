#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

std::string shown(nlohmann::ordered_json const& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_object()) {
    std::string text;
    for (auto const& [name, field] : value.items()) text += (text.empty() ? "" : " ") + name + "=" + shown(field);
    return text;
  }
  if (value.is_array()) {
    std::string text;
    for (auto const& item : value) text += (text.empty() ? "" : " ") + shown(item);
    return text;
  }
  return value.dump();
}

/// The estimate and its interval in one line; in JSON they are separate fields.
std::string shown_estimate(nlohmann::ordered_json const& all) {
  auto const low = all.value("items_estimate_low", 0.0);
  if (all.value("saturated", false)) return fmt::format("more than {:.0f}: the filter is full", low);
  return fmt::format("{:.0f} (with a chance of 95 %: {:.0f} to {:.0f})", all["items_estimate"].get<double>(), low,
                     all.value("items_estimate_high", 0.0));
}

nlohmann::ordered_json info_json(std::string const& file) { return describe(file, {.key = {}, .verify = true}); }

void info(std::string const& file) {
  auto const all = info_json(file);
  table rows({{""}, {""}});
  for (auto const& [name, value] : all.items()) {
    if (name.starts_with("items_estimate_") || name == "saturated" || name == "seed_hex" || name == "advice") continue;
    auto text = name == "items_estimate" && !value.is_null() ? shown_estimate(all) : shown(value);
    if (name.ends_with("_bytes")) text = fmt::format("{} ({})", text, human_bytes(value.get<std::uint64_t>()));
    if (name.starts_with("fpr_") && value.is_number()) text = human_rate(value.get<double>());
    rows.row({name, text});
  }
  output out(STDOUT_FILENO);
  bool const colour = use_colour(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  out.print("{}{}{}\n", colour ? "\x1b[1m" : "", printable(file), colour ? "\x1b[0m" : "");
  out.write(rows.text(colour, columns));
  if (all["advice"].is_string()) out.write(wrapped(all["advice"].get<std::string>(), columns));
  out.flush();
}

/// A document whether the file is valid or not: `ok` tells.
nlohmann::ordered_json verify_json(std::string const& file) {
  nlohmann::ordered_json all{{"file", file}, {"ok", false}, {"family", nullptr}, {"file_bytes", nullptr}, {"reason", nullptr}};
  try {
    auto const opened = open_any(file, {.key = {}, .verify = true});
    all["ok"] = true;
    std::visit(
        [&](auto const& filter) {
          all["family"] = filter.about().family;
          all["file_bytes"] = file_bytes(file, stored_size(filter));
        },
        opened);
  } catch (error const& e) {
    all["reason"] = e.what();
  }
  return all;
}

void verify(std::string const& file) {
  auto const opened = open_any(file, {.key = {}, .verify = true});
  output out(STDOUT_FILENO);
  std::visit(
      [&](auto const& filter) {
        out.print("{}: ok, {} of {}\n", file, one(filter.about().family), human_bytes(filter.size_bytes()));
      },
      opened);
  out.flush();
}

/// What a command does with each file: prints about it, or describes it as JSON.
struct looking {
  void (*print)(std::string const&);
  nlohmann::ordered_json (*describe)(std::string const&);
};

/// One file is one object, several are an array. A file that cannot be read does not keep the others from being shown; it is
/// told on standard error, and by the status.
int look_at(std::vector<std::string> const& files, bool json, looking at) {
  int result = done;
  auto const failing = [&](std::string const& why) {
    say(why);
    result = failed;
  };
  auto all = nlohmann::ordered_json::array();
  for (auto const& file : files) try {
      if (json)
        all.push_back(at.describe(file));
      else
        at.print(file);
    } catch (error const& e) {
      failing(e.what());
    }
  for (auto const& one : all)
    if (one.contains("ok") && !one["ok"].get<bool>()) failing(one["reason"].get<std::string>());
  if (json && (files.size() > 1 || !all.empty())) print_json(files.size() > 1 ? all : all.front());
  return result;
}

void add(command_line& app, action& run, char const* name, char const* help, looking at) {
  auto const command = app.add_subcommand(name, help);
  auto const files = std::make_shared<std::vector<std::string>>();
  auto const json = std::make_shared<bool>(false);
  command->add_option("FILES", *files, "filters; - is standard input")->required();
  command->add_flag("--json", *json, "JSON: an object for one file, an array for several");
  command->callback([=, &run] { run = [=] { return look_at(*files, *json, at); }; });
}

}  // namespace

void add_info(command_line& app, action& run) {
  add(app, run, "info", "what a filter is, what it holds and how full it is", {info, info_json});
}
void add_verify(command_line& app, action& run) {
  add(app, run, "verify", "check every checksum and invariant of a file", {verify, verify_json});
}

}  // namespace hortus::cli
