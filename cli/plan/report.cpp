#include "cli/plan/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "cli/command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

json_value to_json(candidate const& c) {
  auto params = json_value::object();
  for (auto const& field : c.offer.params) std::visit([&](auto v) { params[field.name] = v; }, field.value);
  return {{"family", c.family->name},
          {"bits_per_item", c.tells_keys() ? json_value() : json_value(c.offer.bits_per_item)},
          {"size_bytes", c.offer.size_bytes},
          {"fpr", c.offer.fpr},
          {"fnr", c.offer.fnr},
          {"params", params},
          {"why", c.why},
          {"command", c.command}};
}

json_value to_json(comparison const& compared, remarks const& said) {
  json_value all;
  all["candidates"] = json_value::array();
  for (auto const& c : compared.candidates) all["candidates"].push_back(to_json(c));
  all["rejected"] = json_value::array();
  for (auto const& r : compared.losers) all["rejected"].push_back({{"family", r.family->name}, {"reason", r.reason}});
  auto const to_other = [](std::optional<other_family> const& other) -> json_value {
    if (!other) return nullptr;
    return {{"family", other->family->family->name}, {"text", other->text}, {"command", other->family->command}};
  };
  all["faster"] = to_other(said.faster);
  all["if_known"] = to_other(said.if_known);
  all["note"] = said.note.empty() ? json_value() : json_value(said.note);
  all["instead"] = json_value();
  if (auto const& instead = said.instead)
    all["instead"] = {{"family", instead->smallest.family->name},
                      {"fpr", instead->fpr},
                      {"size_bytes", instead->smallest.offer.size_bytes},
                      {"items_in_memory", instead->items_in_memory ? json_value(*instead->items_in_memory) : json_value()},
                      {"text", instead->text},
                      {"command", instead->smallest.command}};
  all["alternatives"] = json_value::array();
  for (auto const& [what, text] : said.alternatives)
    all["alternatives"].push_back(
        {{"kind", name_of(what.kind)}, {"size_bytes", what.bytes}, {"fpr", what.fpr}, {"text", text}});
  return all;
}

/// "it lacks fold", "they lack fold".
std::string of_several(std::string reason) {
  return reason.starts_with("it lacks ") ? "they lack " + reason.substr(9) : reason;
}

/// Each reason with the families to which it applies, because many families lack the same verb.
std::vector<std::pair<std::string, std::string>> by_reason(std::vector<rejected> const& losers) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (auto const& r : losers) {
    auto const same = std::ranges::find(reasons, r.reason, &std::pair<std::string, std::string>::first);
    if (same == reasons.end())
      reasons.emplace_back(r.reason, r.family->name);
    else
      same->second += ", " + std::string(r.family->name);
  }
  return reasons;
}

std::string table_of(std::vector<candidate> const& candidates, std::size_t columns) {
  table rows({{"family"},
              {"bits/item", align::right},
              {"over limit", align::right},
              {"size", align::right},
              {"fpr", align::right},
              {"lines/hit", align::right}});
  std::vector<double> rates;
  rates.reserve(candidates.size());
  for (auto const& c : candidates) rates.push_back(c.offer.fpr);
  auto const shown_rates = human_rates(rates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto const& c = candidates[i];
    rows.row({std::string(c.family->name), c.tells_keys() ? "-" : fmt::format("{:.2f}", c.offer.bits_per_item), c.over_limit(),
              human_bytes(c.offer.size_bytes), shown_rates[i], fmt::format("{:.0f}", c.lines())});
  }
  return rows.text(use_colour(STDOUT_FILENO), columns);
}

void print(comparison const& compared, remarks const& said) {
  output out(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  auto const say = [&](std::string const& text) { out.write(wrapped(text, columns)); };
  auto const paste = [&](std::string const& command) { out.print("  {}\n", command); };  // never wrapped
  if (auto const* const best = compared.best()) {
    out.write(table_of(compared.candidates, columns) + "\n");
    say(fmt::format("{} is best: {}", best->family->name, best->why));
    paste(best->command);
    std::string params;
    for (auto const& [name, value] : best->offer.params)
      std::visit([&, n = name](auto v) { params += fmt::format(" {}={}", n, v); }, value);
    say("its params:" + params);
  }
  if (!said.note.empty()) say("note: " + said.note);
  if (said.instead) {
    say("instead: " + said.instead->text);
    paste(said.instead->smallest.command);
  }
  auto const say_other = [&](char const* when, std::optional<other_family> const& other) {
    if (!other) return;
    say(when + other->text);
    paste(other->family->command);
  };
  say_other("faster: ", said.faster);
  say_other("if all keys are known: ", said.if_known);
  for (auto const& other : said.alternatives) say("alternative: " + other.text);
  for (auto const& [reason, names] : by_reason(compared.losers))
    say(fmt::format("not {}: {}", names, names.find(',') == std::string::npos ? reason : of_several(reason)));
  out.flush();
}

}  // namespace

void report_plan(comparison const& compared, remarks const& said, bool json) {
  if (json)
    print_json(to_json(compared, said));
  else
    print(compared, said);
}

}  // namespace hortus::cli
