#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/near_filters.hpp"
#include "cli/plan/build_command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

/// plan for filters that ask how near a key is.
namespace hortus::cli {
namespace {

/// The distances that people are shown: some up to near, between near and far, and after.
std::vector<double> distances(double near, double far) {
  std::vector<double> all;
  for (double const share : {0.0, 0.5, 1.0}) all.push_back(near * share);
  for (double const share : {0.25, 0.5, 0.75}) all.push_back(near + (far - near) * share);
  for (double const share : {0.0, 0.5}) all.push_back(far + (1 - far) * share);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string table_of(any_near_family::params const& shape, std::uint64_t items) {
  table rows({{"distance", align::right}, {"accepted", align::right}});
  for (double const distance : distances(shape.near, shape.far))
    rows.row({fmt::format("{:.4g}", distance), human_rate(plan::near_chance(shape, items, distance))});
  return rows.text(use_colour(STDOUT_FILENO), columns_of(STDOUT_FILENO));
}

/// The same for programs, at 101 distances.
json_value curve_of(any_near_family::params const& shape, std::uint64_t items) {
  auto all = json_value::array();
  for (int i = 0; i <= 100; ++i)
    all.push_back({{"distance", i / 100.0}, {"accepted", plan::near_chance(shape, items, i / 100.0)}});
  return all;
}

std::string command_for(request const& wish) {
  build_words words{.items = std::to_string(wish.items), .fpr = fmt::format("{}", wish.fpr), .memory = {}};
  for (auto const& [name, value] : wish.settings) words.settings.push_back(fmt::format("{}={}", name, value));
  return build_command(near_card().name, words);
}

}  // namespace

bool asks_near(std::vector<std::pair<std::string, std::string>> const& settings) {
  constexpr std::array<std::string_view, 3> its_own{"metric", "near", "far"};
  return std::ranges::any_of(settings,
                             [&](auto const& setting) { return std::ranges::find(its_own, setting.first) != its_own.end(); });
}

void plan_near(request const& wish, bool json) {
  auto const goal = near_goal_of(wish);
  auto const shape = any_near_family::plan(goal);
  auto const offer = near_card().plan(wish);
  auto const fnr = any_near_family::planned_fnr(shape, goal.full != 0 ? wish.items : 1);  // the worst case
  if (json) {
    auto params = json_value::object();
    for (auto const& field : offer.params) std::visit([&](auto v) { params[field.name] = v; }, field.value);
    print_json({{"family", near_card().name},
                {"metric", shape.metric.kind()},
                {"bits_per_item", offer.bits_per_item},
                {"size_bytes", offer.size_bytes},
                {"fpr", offer.fpr},
                {"fnr", fnr},
                {"params", params},
                {"answers", curve_of(shape, wish.items)},
                {"command", command_for(wish)}});
    return;
  }
  output out(STDOUT_FILENO);
  auto const say = [&](std::string const& text) { out.write(wrapped(text, columns_of(STDOUT_FILENO))); };
  say(fmt::format("{}, {}: {}, {:.0f} bits an item; a key reads {} cache lines and takes {} samples", near_card().name,
                  shape.metric.kind(), human_bytes(offer.size_bytes), offer.bits_per_item, shape.arrays,
                  std::uint64_t{shape.arrays} * shape.samples));
  say(fmt::format(
      "A key within {:.4g} of a member is missed with a chance of {} at most, one at least {:.4g} from all of them is "
      "accepted with a chance of {} at most. A member has a score of {}; {} or more means near.",
      shape.near, human_rate(fnr), shape.far, human_rate(offer.fpr), shape.arrays, shape.threshold));
  say("With all members in, and one of them at this distance:");
  out.write(table_of(shape, wish.items));
  out.print("  {}\n", command_for(wish));
  out.flush();
}

}  // namespace hortus::cli
