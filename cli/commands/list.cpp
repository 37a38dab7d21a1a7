#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

struct list_options {
  std::string family;
  bool settings = false;
  bool markdown = false;
  bool json = false;
};

bool is_near(card const& f) { return is_near_family(f.name); }
bool only_estimates(card const& f) { return !is_near(f) && f.answers() == question::how_many; }
/// Does the error alone decide the size, and no number of keys?
bool has_one_size(card const& f) { return f.answers() == question::which_keys || only_estimates(f); }

/// The goal by which families are compared.
request const example_goal{.items = 1'000'000, .fpr = 0.01, .settings = {}};

/// Does the setting have no default value? Then the plan chooses the best one, or the setting is not used.
bool is_not_set(setting const& s) {
  return !s.note.takes_zero() && std::visit([](auto v) { return v == 0; }, s.by_default);
}

std::string shown_default(setting const& s) {
  return is_not_set(s) ? "not set" : std::visit([](auto v) { return fmt::format("{}", v); }, s.by_default);
}

/// An example command with a setting: the first that is not `probes`, which most families have.
std::string example_of(card const& f) {
  if (is_near(f))
    return fmt::format("hortus build {} -n 10k --set metric=jaccard --set near=0.1 --set far=0.9 -o keys.hortus keys.txt",
                       f.name);
  auto its_own = std::ranges::find_if(f.settings, [](setting const& s) { return s.name != "probes"; });
  if (its_own == f.settings.end()) its_own = f.settings.begin();
  auto const set = f.settings.empty() ? "" : fmt::format(" --set {}={}", its_own->name, its_own->note.example);
  return fmt::format("hortus build {} -n 1M -p 1%{} -o keys.hortus {}", f.name, set,
                     f.has(verb::find) ? "pairs.tsv" : "keys.txt");
}

std::vector<std::string_view> verbs_of(card const& f) { return is_near(f) ? near_verbs() : f.verbs.names(); }

json_value family_json(card const& f) {
  auto settings = json_value::array();
  for (auto const& [name, by_default, note] : f.settings) {
    json_value one{{"name", name}};
    one["default"] = nullptr;
    if (!is_not_set({name, by_default, note})) std::visit([&](auto v) { one["default"] = v; }, by_default);
    one["values"] = note.values;
    one["meaning"] = note.meaning;
    one["example"] = note.example;
    settings.push_back(std::move(one));
  }
  auto const offer = f.plan(example_goal);
  return {{"family", f.name},
          {"room", f.room},
          {"verbs", verbs_of(f)},
          {"false_negatives", name_of(f.misses)},
          {"can_be_full", f.can_be_full},
          {"summary", f.summary},
          {"bits_per_item", has_one_size(f) ? json_value() : json_value(offer.bits_per_item)},
          {"cache_lines", offer.lines_touched},
          {"settings", settings},
          {"example", example_of(f)}};
}

/// The keys that the family may miss; empty if none.
std::string_view missed_by(card const& f) {
  switch (f.misses) {
    case false_negatives::never:
      return "";
    case false_negatives::by_misuse:
      return "keys after erasing what was not inserted";
    case false_negatives::by_age:
      return "old keys, which it forgets";
    case false_negatives::by_chance:
      return is_near(f)           ? "no member; keys near one by chance"
             : f.forgets          ? "old keys, which it forgets, and a few of the others"
             : f.has(verb::count) ? "members by chance: their counts may be 0, for counts err to both sides"
                                  : "members by chance: those that it takes for an erased key";
  }
  return "";
}

/// The number of cache lines that a lookup of a member reads. It is a mean if a bucket sometimes spans two lines.
std::string lines_of(proposal const& offer) {
  return fmt::format("{}{:.0f}", offer.lines_touched == std::floor(offer.lines_touched) ? "" : "about ", offer.lines_touched);
}

/// ", 10 % missed at the end of the window"; nothing if no member is missed by chance.
std::string share_missed(card const& f, proposal const& offer) {
  if (offer.fnr == 0) return "";
  if (is_near(f)) return fmt::format(", {} of keys near a member missed", human_rate(offer.fnr));
  return fmt::format(", {} missed {}", human_rate(offer.fnr),
                     f.forgets ? "at the end of the window" : "once a tenth is erased");
}

/// Bits per key in the comparison, with a note if they do not simply refer to all keys.
std::string space_of(card const& f, proposal const& offer) {
  if (has_one_size(f)) return fmt::format("{} in all", human_bytes(offer.size_bytes));
  auto text = fmt::format("{:.1f}", offer.bits_per_item);
  if (f.finds_bounds)
    text += " with values of 8 bits";
  else if (f.has(verb::find))
    text += " and those of the value";
  if (f.forgets) text += " a key of the window";
  text += share_missed(f, offer);
  if (f.grows) text += " of the first stage";
  if (f.has(verb::build) && f.has(verb::count)) text += " where keys occur once";
  return text;
}

/// The table in the README: `hortus list --markdown`.
std::string families_in_markdown(std::span<card const> families) {
  std::string text =
      "| family | what it is | answers | bits a key at 1 % | cache lines a hit reads | merge | fold | erase | misses members "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (auto const& f : families) {
    auto const offer = f.plan(example_goal);
    auto const yes = [&](verb v) { return f.has(v) ? "yes" : "no"; };
    std::string answers = f.has(verb::find) ? "find" : f.has(verb::may_contain) ? "may_contain" : "";
    if (f.has(verb::top)) answers += answers.empty() ? "top" : ", top";
    if (f.has(verb::count)) answers += answers.empty() ? "count" : ", count";
    if (is_near(f))
      answers = "is_near, score";
    else if (only_estimates(f))
      answers = "estimate";
    else if (!f.has(verb::may_contain))
      answers += f.never_undercounts ? ", never too low" : ", too high or too low";
    std::string_view const misses = f.misses == false_negatives::never       ? "never"
                                    : f.misses == false_negatives::by_misuse ? "after wrong erases"
                                    : f.forgets                              ? "by age"
                                                                             : "by chance";
    text +=
        fmt::format("| `{}` | {} | {} | {} | {}{} | {} | {} | {} | {} |\n", f.name, f.summary, answers, space_of(f, offer),
                    lines_of(offer), f.grows ? " a stage" : "", yes(verb::merge), yes(verb::fold), yes(verb::erase), misses);
  }
  return text;
}

/// A setting and the families that have exactly this setting.
struct shared_setting {
  setting what;
  std::vector<std::string_view> families;
};

std::vector<shared_setting> all_settings(std::span<card const> families) {
  std::vector<shared_setting> all;
  for (auto const& f : families)
    for (auto const& s : f.settings) {
      auto const same = std::ranges::find_if(all, [&](shared_setting const& other) {
        return other.what.name == s.name && other.what.by_default == s.by_default && other.what.note.values == s.note.values &&
               other.what.note.meaning == s.note.meaning;
      });
      if (same == all.end())
        all.insert(std::ranges::upper_bound(all, s.name, {}, [](shared_setting const& each) { return each.what.name; }),
                   {s, {f.name}});
      else
        same->families.push_back(f.name);
    }
  return all;
}

std::string settings_in_markdown(std::span<card const> families) {
  std::string text = "| setting | of | default | values | meaning |\n|---|---|---|---|---|\n";
  for (auto const& [what, its] : all_settings(families))
    text += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", what.name, fmt::join(its, "`, `"), shown_default(what),
                        what.note.values, what.note.meaning);
  return text;
}

/// Every setting, its meaning and the families that have it.
std::string settings_for_people(std::span<card const> families) {
  auto const all = all_settings(families);
  std::size_t width = 0;
  for (auto const& s : all) width = std::max(width, s.what.name.size());
  auto const columns = std::min<std::size_t>(columns_of(STDOUT_FILENO), 100);  // longer lines are hard to read
  std::string text;
  for (auto const& [what, its] : all) {
    text += fmt::format("{:{}}  {}; {} by default\n", what.name, width, what.note.values, shown_default(what));
    std::string const margin(width + 2, ' ');
    text += beside(margin, what.note.meaning, columns);
    text += beside(margin, fmt::format("of {}", fmt::join(its, ", ")), columns);
  }
  return text;
}

/// One family's card.
std::string text_of(card const& f) {
  constexpr std::size_t margin = 10;
  auto const offer = f.plan(example_goal);
  auto const columns = std::min<std::size_t>(columns_of(STDOUT_FILENO), 100);  // longer lines are hard to read
  std::string text;
  auto const line = [&](std::string_view title, std::string_view what) {
    text += beside(fmt::format("{:{}}", title, margin), what, columns);
  };
  line("family", f.name);
  line("room", f.room);
  line("summary", f.summary);
  line("verbs", fmt::format("{}", fmt::join(verbs_of(f), " ")));
  auto const missed = missed_by(f);
  line("misses", missed.empty() ? "no key that was inserted" : missed);
  if (only_estimates(f))
    line("space", fmt::format("{} for any keys, when the relative standard error may be {}; less for few keys",
                              human_bytes(offer.size_bytes), human_rate(example_goal.fpr)));
  else if (has_one_size(f))
    line("space", fmt::format("{} for any keys, when counts may be too high by {} of the stream", human_bytes(offer.size_bytes),
                              human_rate(example_goal.fpr)));
  else
    line("space", fmt::format("{} bits a key for {} keys at {}{}", fmt::format("{:.1f}", offer.bits_per_item),
                              human_count(example_goal.items), human_rate(example_goal.fpr), share_missed(f, offer)));
  if (only_estimates(f))
    line("lookup", "there is none: only the whole sketch is asked");
  else
    line("lookup", fmt::format("of a member reads {} cache line{}{}", lines_of(offer), offer.lines_touched == 1 ? "" : "s",
                               f.grows ? " a stage" : ""));
  line("settings", f.settings.empty() ? "none" : "by --set NAME=VALUE");
  for (auto const& s : f.settings) {
    line("", fmt::format("{}: {}; {} by default", s.name, s.note.values, shown_default(s)));
    text += beside(std::string(margin + 2, ' '), s.note.meaning, columns);
  }
  line("example", example_of(f));
  return text;
}

/// The families by room, each with its summary and its verbs.
std::string all_for_people(std::span<card const> families) {
  std::size_t width = 0;
  for (auto const& f : families) width = std::max(width, f.name.size());
  bool const colour = use_colour(STDOUT_FILENO);
  auto const columns = std::min<std::size_t>(columns_of(STDOUT_FILENO), 100);  // longer lines are hard to read
  std::string text;
  auto const line = [&](std::string_view name, std::string_view what) {
    text += beside(fmt::format("  {:{}}  ", name, width), what, columns);
  };
  std::string_view room;
  for (auto const& f : families) {
    if (f.room != room)
      text += fmt::format("{}{}{}{}\n", room.empty() ? "" : "\n", colour ? "\x1b[1m" : "", f.room, colour ? "\x1b[0m" : "");
    room = f.room;
    line(f.name, f.summary);
    line("", fmt::format("{}", fmt::join(verbs_of(f), " ")));
    if (auto const missed = missed_by(f); !missed.empty()) line("", fmt::format("misses {}", missed));
    if (f.can_be_full) line("", "can be full: then it refuses keys, and says so");
  }
  return text;
}

int list(list_options const& o) {
  std::vector<card> families(catalogue().begin(), catalogue().end());
  families.push_back(near_card());
  auto const named = [&](std::string const& name) { return is_near_family(name) ? near_card() : hortus::card_of(name); };
  if (o.json && (o.markdown || o.settings))
    throw error(errc::bad_goal, "--json has everything: it goes with neither --markdown nor --settings");
  if (!o.family.empty() && (o.markdown || o.settings))
    throw error(errc::bad_goal, "--markdown and --settings are about all families, not one");
  if (o.json) {
    auto all = json_value::array();
    for (auto const& f : families) all.push_back(family_json(f));
    print_json(o.family.empty() ? all : family_json(named(o.family)));
    return done;
  }
  output out(STDOUT_FILENO);
  if (!o.family.empty())
    out.write(text_of(named(o.family)));
  else if (o.settings)
    out.write(o.markdown ? settings_in_markdown(families) : settings_for_people(families));
  else
    out.write(o.markdown ? families_in_markdown(families) : all_for_people(families));
  out.flush();
  return done;
}

}  // namespace

void add_list(command_line& app, action& run) {
  auto const command = app.add_subcommand("list", "the families there are, what each can do and what can be set");
  auto const o = std::make_shared<list_options>();
  command->add_option("FAMILY", o->family, "the card of this one: verbs, costs, settings, an example");
  command->add_flag("--settings", o->settings, "every setting of --set, its values and the families that have it");
  command->add_flag("--markdown", o->markdown, "as a table in Markdown; the one of families is in the README");
  command->add_flag("--json", o->json, "a JSON array, a family each; with FAMILY its object");
  command->footer("Example: hortus list counting");
  command->callback([=, &run] { run = [o] { return list(*o); }; });
}

}  // namespace hortus::cli
