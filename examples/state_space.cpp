// Breadth-first search of a state space, with the set of visited states in a filter: the 8-puzzle, 181440 states from its
// solution. `hortus plan -n 181440 -p 0.1% --need insert_if_new` lists `bloom` first and `hash_compaction` as a smaller one
// that can be full; a search that stops is better than one that silently omits more and more.
//
// A state that is new but found (an omission) is not searched. Explicit-state model checkers accept that, at a rate they
// choose, for the memory that whole states would take. Time goes to standard error, because it is different every time.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <unordered_set>
#include <utility>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/fingerprint/hash_compaction.hpp>

using state = std::uint64_t;  // nine tiles of four bits, 0 is the gap

/// The states that one move away lead to.
template <class Act>
void for_each_move(state s, Act act) {
  unsigned gap = 0;
  while ((s >> 4 * gap & 15) != 0) ++gap;
  auto const move = [&](unsigned from) {
    auto const tile = s >> 4 * from & 15;
    act(s ^ tile << 4 * from ^ tile << 4 * gap);
  };
  if (gap % 3 != 0) move(gap - 1);
  if (gap % 3 != 2) move(gap + 1);
  if (gap >= 3) move(gap - 3);
  if (gap < 6) move(gap + 3);
}

/// The number of states found. is_new(state) marks a state as visited, and says whether it was new.
template <class IsNew>
std::uint64_t search(IsNew is_new) {
  state const solved = 0x012345678;
  std::uint64_t found = is_new(solved) ? 1 : 0;
  std::vector<state> now{solved}, next;
  for (; !now.empty(); std::swap(now, next), next.clear())
    for (auto const s : now)
      for_each_move(s, [&](state to) {
        if (!is_new(to)) return;
        ++found;
        next.push_back(to);
      });
  return found;
}

template <class IsNew>
void report(char const* visited, std::size_t bytes, IsNew is_new) {
  auto const start = std::chrono::steady_clock::now();
  try {
    auto const found = search(is_new);
    std::chrono::duration<double, std::nano> const time = std::chrono::steady_clock::now() - start;
    std::printf("%-38s %8zu bytes  %6llu states  %5llu omitted\n", visited, bytes, static_cast<unsigned long long>(found),
                static_cast<unsigned long long>(181440 - found));
    std::fprintf(stderr, "%-38s %.0f ns a state\n", visited, time.count() / static_cast<double>(found));
  } catch (hortus::error const& e) {  // errc::full
    std::printf("%-38s %8zu bytes  stops: %s\n", visited, bytes, e.what());
  }
}

int main() {
  std::unordered_set<state> exact;
  report("exact set", 181440 * sizeof(state), [&](state s) { return exact.insert(s).second; });

  // The number of states is known, and they are all searched; or there are 1.5 times as many as planned.
  for (std::uint64_t const planned : {181'440U, 120'960U}) {
    std::printf("planned for %llu states at 0.1 %%:\n", static_cast<unsigned long long>(planned));
    hortus::hash_compaction_filter compact({.items = planned, .fpr = 0.001});
    report("  hash_compaction", compact.size_bytes(), [&](state s) { return compact.insert_if_new(s); });
    hortus::bloom_filter bits(hortus::budget{.items = planned, .bytes = compact.size_bytes()});
    report("  bloom of as many bytes", bits.size_bytes(), [&](state s) { return bits.insert_if_new(s); });
  }
}
