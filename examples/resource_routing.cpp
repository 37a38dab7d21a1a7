// Finding resources among peers with attenuated filters: for each neighbour a peer keeps one filter for each distance, of what
// is there beyond that neighbour. A query goes where the nearest filter says yes, instead of to everybody.
// (S. Rhea, J. Kubiatowicz, "Probabilistic location and routing", 2002.)
//
// The filter of distance d is the union of the neighbours' filters of distance d - 1, so the family must merge and be small:
// `hortus plan -n 8000 -p 2% --need insert,merge` recommends `bloom`.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/hash/mix64.hpp>

constexpr std::uint64_t peers = 200, hops = 3, neighbours_each = 4, files = 10'000, copies = 8;

std::string name(std::uint64_t file) { return "file " + std::to_string(file); }
std::uint64_t holder(std::uint64_t file, std::uint64_t copy) { return hortus::mix64(file * copies + copy) % peers; }
std::uint64_t neighbour(std::uint64_t peer, std::uint64_t i) {  // one on each side, and two far away
  std::array<std::uint64_t, neighbours_each> const steps{1, peers - 1, 61, peers - 61};
  return (peer + steps[i]) % peers;
}

int main() {
  // known[d][p]: what is at most d hops from p. All have the same shape, that of the largest, so that they merge.
  auto const empty = hortus::bloom_filter({.items = 8'000, .fpr = 0.02});
  std::vector<std::vector<hortus::bloom_filter>> known(hops, std::vector(peers, empty));
  std::vector<std::unordered_set<std::uint64_t>> holds(peers);
  for (std::uint64_t f = 0; f < files; ++f)
    for (std::uint64_t c = 0; c < copies; ++c) {
      known[0][holder(f, c)].insert(name(f));
      holds[holder(f, c)].insert(f);
    }
  for (std::uint64_t d = 1; d < hops; ++d)
    for (std::uint64_t p = 0; p < peers; ++p) {
      known[d][p] = known[d - 1][p];
      for (std::uint64_t i = 0; i < neighbours_each; ++i) known[d][p].merge(known[d - 1][neighbour(p, i)]);
    }

  std::uint64_t asked = 0, found = 0, messages = 0, wrong_turns = 0;
  for (std::uint64_t q = 0; q < 5'000; ++q) {
    auto const wanted = hortus::mix64(q) % files;
    auto at = hortus::mix64(q + 1'000'000) % peers;
    if (holds[at].contains(wanted)) continue;
    ++asked;
    std::unordered_set<std::uint64_t> visited{at};
    for (std::uint64_t hop = 0; hop < 8 && !holds[at].contains(wanted); ++hop, ++messages) {
      // To the neighbour nearest to the file, as far as filters know; if none says yes, to any that was not visited.
      std::uint64_t best = peers, best_distance = hops + 1;
      for (std::uint64_t i = 0; i < neighbours_each; ++i) {
        auto const next = neighbour(at, i);
        if (visited.contains(next)) continue;
        std::uint64_t distance = 0;
        while (distance < hops && !known[distance][next].may_contain(name(wanted))) ++distance;
        if (distance < best_distance) best = next, best_distance = distance;
      }
      if (best == peers) break;
      wrong_turns += best_distance == 0 && !holds[best].contains(wanted) ? 1U : 0U;
      visited.insert(at = best);
    }
    found += holds[at].contains(wanted) ? 1U : 0U;
  }
  auto const each = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(asked); };
  std::printf("%.1f %% of %llu files found within 8 hops, %.2f messages each; %llu wrong turns at the last hop\n",
              100 * each(found), static_cast<unsigned long long>(asked), each(messages),
              static_cast<unsigned long long>(wrong_turns));
  std::printf("asking everybody within 3 hops takes %llu messages\n",
              static_cast<unsigned long long>(neighbours_each) * (1 + 3 * (1 + 3)));
  std::printf("%zu bytes for the %llu distances of a neighbour; the names of the about %.0f files there: %.0f bytes\n",
              hops * empty.size_bytes(), static_cast<unsigned long long>(hops), known[hops - 1][0].estimate().value,
              10 * known[hops - 1][0].estimate().value);
}
