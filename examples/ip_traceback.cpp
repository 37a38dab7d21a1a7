// IP traceback: every router keeps a filter of the packets of each second, for a minute. When an attack is reported, one packet
// is enough to ask the routers backwards which way it came.
//
// A second's filter is written once and asked rarely; `hortus plan -n 20k -p 0.1% --need insert` lists the Bloom filters.
// Filters of a second are dropped whole, so a ring of `blocked` filters is enough. With f the rate, d the routers next to each
// and s the seconds asked, d s f of them answer wrongly at each hop.
#include <cstdint>
#include <cstdio>
#include <set>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/hash/mix64.hpp>

constexpr std::uint64_t routers = 64, seconds = 60, packets_a_second = 2'000;

// The routers next to r: a ring with chords, every router has four neighbours.
std::vector<std::uint64_t> neighbours(std::uint64_t r) {
  return {(r + 1) % routers, (r + routers - 1) % routers, (r + 9) % routers, (r + routers - 9) % routers};
}

// The minute before now, a filter for each second.
class digests {
 public:
  explicit digests(double fpr) : ring_(seconds, hortus::blocked_filter({.items = packets_a_second, .fpr = fpr})) {}
  void next_second() { ring_[++now_ % seconds].clear(); }
  void saw(std::uint64_t packet) { ring_[now_ % seconds].insert(packet); }
  [[nodiscard]] bool may_have_seen(std::uint64_t packet, std::uint64_t second) const {
    return second + seconds > now_ && second <= now_ && ring_[second % seconds].may_contain(packet);
  }
  [[nodiscard]] std::size_t bytes() const { return seconds * ring_.front().size_bytes(); }

 private:
  std::vector<hortus::blocked_filter> ring_;
  std::uint64_t now_ = 0;
};

int main() {
  for (double const fpr : {0.05, 0.001}) {
    std::vector<digests> network(routers, digests(fpr));
    std::uint64_t const attack = 0xbad, source = 37;
    std::vector<std::uint64_t> way;  // of the attacker's packet, in second 40
    for (std::uint64_t second = 1; second < seconds; ++second) {
      for (auto& router : network) router.next_second();
      for (std::uint64_t r = 0; r < routers; ++r)
        for (std::uint64_t i = 0; i < packets_a_second; ++i) network[r].saw(hortus::mix64(r << 40 | second << 20 | i));
      if (second != 40) continue;
      for (auto r = source; r != 0; r = r >= 9 ? r - 9 : r - 1) way.push_back(r), network[r].saw(attack);
    }
    // The victim is next to router 1. From there, every neighbour is asked about the seconds around the attack.
    std::set<std::uint64_t> found{way.back()};
    std::vector<std::uint64_t> ask{way.back()};
    std::uint64_t questions = 0;
    while (!ask.empty()) {
      auto const r = ask.back();
      ask.pop_back();
      for (auto const next : neighbours(r)) {
        bool seen = false;
        for (std::uint64_t second = 39; second <= 41; ++second, ++questions)
          seen = seen || network[next].may_have_seen(attack, second);
        if (seen && found.insert(next).second) ask.push_back(next);
      }
    }
    std::uint64_t on_the_way = 0;
    for (auto const r : way) on_the_way += found.contains(r) ? 1U : 0U;
    std::printf(
        "rate %.3f: %zu bytes a router for a minute (%llu as 8-byte hashes); the way has %zu routers, %llu found, %zu others; "
        "%llu questions\n",
        fpr, network.front().bytes(), 8ULL * seconds * packets_a_second, way.size(),
        static_cast<unsigned long long>(on_the_way), found.size() - on_the_way, static_cast<unsigned long long>(questions));
  }
}
