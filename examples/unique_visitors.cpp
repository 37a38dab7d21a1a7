// Unique visitors: a sketch for each hour, merged to days and to a week, and compared.
//
// Only the number of visitors is wanted: `hortus plan --need estimate,merge` recommends `exaloglog`. A sketch of an hour has
// the same size as that of a week, and a merged one is, bit for bit, the sketch of all visits.
//
//   example_unique_visitors [VISITS_AN_HOUR]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/hash/mix64.hpp>
#include <hortus/sketch/exaloglog.hpp>

// Visitors by Zipf's law, roughly: low numbers come often. A third changes from day to day.
std::string visitor(std::uint64_t day, std::uint64_t visit) {
  auto const random = hortus::mix64(visit * 7 + day);
  auto const rank = random % (1 + hortus::mix64(random) % 60'000);
  return "visitor " + std::to_string(rank % 3 == 0 ? rank + day * 100'000 : rank);
}

int main(int argc, char** argv) {
  std::uint64_t const visits = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000;
  auto const empty = hortus::exaloglog_sketch({.fpr = 0.01});
  std::vector<hortus::exaloglog_sketch> days;
  std::unordered_set<std::string> exact_week;
  std::vector<std::unordered_set<std::string>> exact_days;
  std::size_t hours = 0;
  for (std::uint64_t day = 0; day < 7; ++day) {
    auto today = empty, all_at_once = empty;
    std::unordered_set<std::string> exact;
    for (std::uint64_t hour = 0; hour < 24; ++hour) {
      auto now = empty;
      for (std::uint64_t i = 0; i < visits; ++i) {
        auto const name = visitor(day, (day * 24 + hour) * visits + i);
        now.insert(name);
        all_at_once.insert(name);
        exact.insert(name);
      }
      today.merge(now);
      hours += now.size_bytes();
    }
    std::printf("day %llu: %6.0f visitors, %6zu in truth; merged hours are the sketch of the day: %s\n",
                static_cast<unsigned long long>(day) + 1, today.estimate().value, exact.size(),
                today.family() == all_at_once.family() ? "yes" : "no");
    exact_week.insert(exact.begin(), exact.end());
    exact_days.push_back(std::move(exact));
    days.push_back(std::move(today));
  }
  auto week = empty;
  for (auto const& day : days) week.merge(day);
  auto const all = week.estimate();
  std::printf("week:  %6.0f visitors (95 %%: %.0f to %.0f), %6zu in truth\n", all.value, all.low, all.high, exact_week.size());

  std::size_t both = 0, bytes = 0;
  for (auto const& name : exact_days[0]) both += exact_days[1].contains(name) ? 1U : 0U;
  for (auto const& name : exact_week) bytes += name.size();
  auto const common = days[0].compare(days[1]).both;
  std::printf("on days 1 and 2: %6.0f visitors (95 %%: %.0f to %.0f), %6zu in truth\n", common.value, common.low, common.high,
              both);
  std::printf("168 sketches: %zu bytes; the names of the week alone: %zu\n", hours, bytes);
}
