#include <algorithm>
#include <string>
#include <utility>

#include <hortus/any/any_near.hpp>

namespace hortus {
namespace {

constexpr setting_note metric_note{
    "what distance is: the share of bits that differ, 1 - the share of common pieces of text, or "
    "the angle between vectors as a share of a half turn; hamming if it is not set",
    "hamming, jaccard or angle", "jaccard"};

/// Takes `metric` out of the settings.
any_metric metric_of(std::vector<std::pair<std::string, std::string>>& settings) {
  auto const is_metric = [](auto const& setting) { return setting.first == "metric"; };
  auto const found = std::ranges::find_if(settings, is_metric);
  if (found == settings.end()) return {};
  auto const metric = any_metric::named(found->second);
  if (!metric)
    throw error(errc::bad_goal, "there is no metric '" + found->second + "'; there are: " + std::string(metric_note.values));
  settings.erase(found);
  if (std::ranges::any_of(settings, is_metric)) throw error(errc::bad_goal, "the setting 'metric' is given twice");
  return *metric;
}

void check_names(request const& wish) {
  auto const& all = near_card().settings;
  for (auto const& [name, value] : wish.settings) {
    if (std::ranges::find(all, name, &setting::name) != all.end()) continue;
    std::string known;
    for (auto const& each : all) known.append(known.empty() ? "" : ", ").append(each.name);
    throw error(errc::bad_goal, std::string("there is no setting '").append(name).append("'; this family has: ").append(known));
  }
}

proposal proposed(request const& wish) {
  auto const params = any_near_family::plan(near_goal_of(wish));
  auto const items = wish.items != 0 ? wish.items : 1;
  auto const bytes = any_near_family::planned_bytes(params);
  return {.params = values_of(params),
          .size_bytes = bytes,
          .fpr = any_near_family::planned_fpr(params, items),
          .fnr = any_near_family::planned_fnr(params, items),
          .bits_per_item = 8 * static_cast<double>(bytes) / static_cast<double>(items),
          .lines_touched = any_near_family::lines_touched(params)};
}

card made_near_card() {
  card it{.name = any_near_family::name,
          .room = any_near_family::room,
          .summary = any_near_family::summary,
          .misses = any_near_family::misses,
          .never_undercounts = false,
          .forgets = false,
          .can_refuse = false,
          .can_be_full = false,
          .max_count = 0,
          .grows = false,
          .keeps_fpr = false,
          .ranks_keys = false,
          .has_shards = false,
          .finds_bounds = false,
          .verbs = verb::insert | verb::fpr | verb::merge | verb::clear | verb::size_bytes,
          .settings = settings_of<any_near_family::goal>(),
          .plan = proposed};
  it.settings.insert(it.settings.begin(), setting{"metric", std::uint64_t{0}, metric_note});
  return it;
}

}  // namespace

card const& near_card() {
  static card const it = made_near_card();
  return it;
}

std::vector<std::string_view> near_verbs() {
  std::vector<std::string_view> all{"is_near", "score"};
  for (auto const name : near_card().verbs.names()) all.push_back(name);
  return all;
}

any_near_family::goal near_goal_of(request const& wish) {
  check_names(wish);
  auto rest = wish;
  auto const metric = metric_of(rest.settings);
  auto goal = goal_of<any_near_family>(rest);
  auto const gram = goal.metric.gram;
  goal.metric = metric;
  if (gram != 0 && metric.number != jaccard::number)
    throw error(errc::bad_goal, "gram is about pieces of text: it goes with metric=jaccard");
  if (gram != 0) goal.metric.gram = gram;
  return goal;
}

any_near_filter make_near_filter(request const& wish, any_hash hash) {
  return any_near_filter(near_goal_of(wish), std::move(hash));
}

}  // namespace hortus
