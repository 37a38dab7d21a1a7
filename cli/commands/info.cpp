#include <unistd.h>

#include "cli/command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

std::string shown(json_value const& value) {
  if (value.is_null()) return "-";
  if (auto const* const text = value.as<std::string>()) return *text;
  if (auto const* const truth = value.as<bool>()) return *truth ? "yes" : "no";
  if (auto const* const number = value.as<double>()) return fmt::format("{:.6g}", *number);
  std::string text;
  if (auto const* const members = value.as<json_value::object_type>()) {
    for (auto const& [name, field] : *members) text += (text.empty() ? "" : " ") + name + "=" + shown(field);
    return text;
  }
  if (auto const* const items = value.as<json_value::array_type>()) {
    for (auto const& item : *items) text += (text.empty() ? "" : " ") + shown(item);
    return text;
  }
  return value.on_one_line();
}

double number_in(json_value const& all, std::string_view name) {
  auto const* const found = all.find(name);
  auto const* const number = found == nullptr ? nullptr : found->as<double>();
  return number == nullptr ? 0 : *number;
}

/// The estimate and its interval in one line; in JSON they are separate fields.
std::string shown_estimate(json_value const& all) {
  auto const low = number_in(all, "items_estimate_low");
  if (all.find("saturated")->get<bool>()) return fmt::format("more than {:.0f}: the filter is full", low);
  return fmt::format("{:.0f} (with a chance of 95 %: {:.0f} to {:.0f})", number_in(all, "items_estimate"), low,
                     number_in(all, "items_estimate_high"));
}

json_value info_json(std::string const& file) { return describe(file, {.key = {}, .verify = true}); }

void info(std::string const& file) { print_description(file, info_json(file)); }

/// A document whether the file is valid or not: `ok` tells.
json_value verify_json(std::string const& file) {
  json_value all{{"file", file}, {"ok", false}, {"family", nullptr}, {"file_bytes", nullptr}, {"reason", nullptr}};
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
  json_value (*describe)(std::string const&);
};

/// One file is one object, several are an array. A file that cannot be read does not keep the others from being shown; it is
/// told on standard error, and by the status.
int look_at(std::vector<std::string> const& files, bool json, looking at) {
  int result = done;
  auto const failing = [&](std::string const& why) {
    say(why);
    result = failed;
  };
  json_value::array_type all;
  for (auto const& file : files) try {
      if (json)
        all.push_back(at.describe(file));
      else
        at.print(file);
    } catch (error const& e) {
      failing(e.what());
    }
  for (auto const& one : all)
    if (auto const* const valid = one.find("ok"); valid != nullptr && !valid->get<bool>())
      failing(one.find("reason")->get<std::string>());
  if (json && (files.size() > 1 || !all.empty())) print_json(files.size() > 1 ? json_value(all) : all.front());
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

void print_description(std::string const& title, json_value const& all) {
  table rows({{""}, {""}});
  for (auto const& [name, value] : all.get<json_value::object_type>()) {
    if (name.starts_with("items_estimate_") || name == "saturated" || name == "seed_hex" || name == "advice") continue;
    auto text = name == "items_estimate" && !value.is_null() ? shown_estimate(all) : shown(value);
    if (name.ends_with("_bytes")) text = fmt::format("{} ({})", text, human_bytes(value.get<std::uint64_t>()));
    if (auto const* const rate = value.as<double>(); rate != nullptr && name.starts_with("fpr_")) text = human_rate(*rate);
    rows.row({name, text});
  }
  output out(STDOUT_FILENO);
  bool const colour = use_colour(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  out.print("{}{}{}\n", colour ? "\x1b[1m" : "", printable(title), colour ? "\x1b[0m" : "");
  out.write(rows.text(colour, columns));
  if (auto const* const advice = all.find("advice"); advice != nullptr && advice->as<std::string>() != nullptr)
    out.write(wrapped(advice->get<std::string>(), columns));
  out.flush();
}

void add_info(command_line& app, action& run) {
  add(app, run, "info", "what a filter is, what it holds and how full it is", {info, info_json});
}
void add_verify(command_line& app, action& run) {
  add(app, run, "verify", "check every checksum and invariant of a file", {verify, verify_json});
}

}  // namespace hortus::cli
