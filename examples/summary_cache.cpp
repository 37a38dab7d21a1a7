// Summary cache: proxies tell each other what they have cached. A proxy asks a neighbour only if the neighbour's summary says
// that it may have the page. Pages come and go: `hortus plan -n 100k -p 2% --need erase` lists the families, and of these
// `counting` projects to a Bloom filter. That is what is sent, and after the first time only what has changed.
// (L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary cache", 2000; M. Mitzenmacher, "Compressed Bloom filters", 2002.)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/counting/counting.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/message/message.hpp>
#include <hortus/plan/compressed.hpp>

std::string page(std::uint64_t number) { return "https://www.example.org/articles/" + std::to_string(number); }

constexpr std::uint64_t proxies = 8, room = 10'000, pages = 100'000, requests = 400'000;

// A cache that drops its oldest page, the directory of it, and its summary as the others have it.
struct proxy {
  std::unordered_set<std::uint64_t> pages_here;
  std::deque<std::uint64_t> oldest_first;
  hortus::counting_filter directory;
  hortus::bloom_filter summary;
  std::uint64_t changes = 0;

  explicit proxy(hortus::plan::bloom_shape shape)
      : directory(hortus::counting<>({.cells = shape.bits, .probes = shape.probes, .cell_bits = 4})),
        summary(directory.family().to_bloom()) {}
  void keep(std::uint64_t number) {
    pages_here.insert(number);
    oldest_first.push_back(number);
    directory.insert(page(number));
    ++changes;
    if (oldest_first.size() <= room) return;
    pages_here.erase(oldest_first.front());
    directory.erase(page(oldest_first.front()));
    oldest_first.pop_front();
  }
  // After `every` new pages a change is sent, or nothing. Returns its bytes.
  std::size_t tell(std::uint64_t every) {
    if (changes < every) return 0;
    changes = 0;
    hortus::bloom_filter const now(directory.family().to_bloom());
    auto const bytes = hortus::pack(now, summary).size();
    summary = now;
    return bytes;
  }
};

void cooperate(hortus::plan::bloom_shape shape, std::uint64_t every) {
  std::vector<proxy> all(proxies, proxy(shape));
  std::uint64_t local = 0, remote = 0, false_hits = 0, stale_hits = 0, missed = 0, misses = 0, questions = 0, bytes = 0;
  for (std::uint64_t i = 0; i < requests; ++i) {
    auto const here = hortus::mix64(i) % proxies;
    // Zipf's law: page number r is asked for as often as 1/r says.
    auto const rank = std::exp(static_cast<double>(hortus::mix64(~i) >> 11) * 0x1p-53 * std::log(static_cast<double>(pages)));
    auto const wanted = static_cast<std::uint64_t>(rank);
    if (all[here].pages_here.contains(wanted)) {
      ++local;
      continue;
    }
    ++misses;
    bool found = false, exists = false;
    for (std::uint64_t p = 0; p < proxies; ++p) {
      if (p == here) continue;
      bool const has = all[p].pages_here.contains(wanted);
      exists = exists || has;
      if (found || !all[p].summary.may_contain(page(wanted))) continue;
      ++questions;
      found = has;
      if (!has) ++(all[p].directory.may_contain(page(wanted)) ? false_hits : stale_hits);
    }
    remote += found ? 1U : 0U;
    missed += exists && !found ? 1U : 0U;
    all[here].keep(wanted);
    bytes += (proxies - 1) * all[here].tell(every);
  }
  auto const share = [&](std::uint64_t some) { return 100.0 * static_cast<double>(some) / static_cast<double>(requests); };
  std::printf(
      "told after %4llu new pages: %.1f %% of requests found here, %.1f %% at others, %.2f %% missed there; of %llu questions "
      "(%llu without summaries) %llu are false hits, %llu stale; %.0f KB sent, %.0f KB as lists of hashes\n",
      static_cast<unsigned long long>(every), share(local), share(remote), share(missed),
      static_cast<unsigned long long>(questions), static_cast<unsigned long long>(misses) * (proxies - 1),
      static_cast<unsigned long long>(false_hits), static_cast<unsigned long long>(stale_hits),
      static_cast<double>(bytes) / 1000, static_cast<double>(misses * (proxies - 1) * 2 * 16) / 1000);
}

int main() {
  std::printf("%llu proxies of %llu pages, %llu requests:\n", static_cast<unsigned long long>(proxies),
              static_cast<unsigned long long>(room), static_cast<unsigned long long>(requests));
  auto const shape = hortus::plan::compressed({.items = room, .fpr = 0.02, .memory_bits = 50 * room}).shape;
  for (std::uint64_t const every : {100U, 1'000U, 5'000U}) cooperate(shape, every);
}
