// Sessions that end: one filter of those that began and one of those that ended, regenerated whenever it is worn.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <hortus/growing/with_removals.hpp>

int main() {
  hortus::with_removals<>::goal const plan{.items = 100'000, .fpr = 0.01, .removals = 10'000, .miss_rate = 0.001};
  hortus::with_removals_filter sessions(plan);
  std::vector<std::uint64_t> record;  // all sessions that ever began
  for (std::uint64_t id = 0; id < 100'000; ++id)
    if (sessions.insert(id)) record.push_back(id);

  unsigned regenerations = 0;
  for (std::uint64_t id = 0; id < 50'000; ++id) {  // five times the planned removals
    sessions.erase(id);
    if (id % 1000 != 0 || !sessions.family().worn({.fpr = 0.02, .miss_rate = 0.001})) continue;
    sessions = regenerated(sessions, record, plan);
    ++regenerations;
  }

  unsigned ended = 0, running = 0;
  for (std::uint64_t id = 0; id < 100'000; ++id) (id < 50'000 ? ended : running) += sessions.may_contain(id) ? 1U : 0U;
  std::printf("regenerated %u times\n", regenerations);
  std::printf("of 50000 that ended %u are found, of 50000 that run %u\n", ended, running);
  std::printf("the last one that ended may begin again: %s\n", sessions.insert(std::uint64_t{49'999}) ? "yes" : "not yet");
}
