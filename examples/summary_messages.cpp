// The messages of a summary cache: how long they are if a proxy sends its whole directory, or what has changed since the last
// message, in a filter planned for memory or for its message. summary_cache.cpp is the exchange between several proxies.
// (L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary cache", 2000; M. Mitzenmacher, "Compressed Bloom filters", 2002.)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <hortus/counting/counting.hpp>
#include <hortus/message/message.hpp>
#include <hortus/plan/compressed.hpp>

std::string page(std::uint64_t number) { return "https://www.example.org/articles/" + std::to_string(number); }

constexpr std::uint64_t cached = 100'000, replaced = 2'000, rounds = 20;  // 2 % of the pages change between two messages

// Pages first ... first + cached - 1 are in the cache. Those that come next replace the oldest ones.
struct one_proxy {
  hortus::counting_filter directory;
  std::uint64_t first = 0;

  explicit one_proxy(hortus::plan::bloom_shape shape)
      : directory(hortus::counting<>({.cells = shape.bits, .probes = shape.probes, .cell_bits = 4})) {
    for (std::uint64_t i = 0; i < cached; ++i) directory.insert(page(i));
  }
  void serve() {
    for (std::uint64_t i = 0; i < replaced; ++i, ++first) {
      directory.erase(page(first));
      directory.insert(page(first + cached));
    }
  }
  [[nodiscard]] hortus::bloom_filter summary() const { return hortus::bloom_filter(directory.family().to_bloom()); }
};

void exchange(char const* name, hortus::plan::bloom_shape shape) {
  one_proxy mine(shape);
  auto sent = mine.summary();
  auto const first = hortus::pack(sent);
  auto theirs = hortus::unpack<hortus::bloom_filter>(first);  // what the neighbour keeps of this proxy
  std::size_t whole = 0, changes = 0, false_hits = 0, lost = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    mine.serve();
    auto const now = mine.summary();
    auto const change = hortus::pack(now, sent);
    theirs = hortus::unpack(change, theirs);
    sent = now;
    changes += change.size();
    whole += hortus::pack(now).size();
    for (std::uint64_t i = 0; i < 5'000; ++i) {
      lost += theirs.may_contain(page(mine.first + i)) ? 0U : 1U;
      false_hits += theirs.may_contain(page(1'000'000'000 + round * 5'000 + i)) ? 1U : 0U;
    }
  }
  auto const each = [](std::size_t bytes) { return static_cast<double>(bytes) / rounds / 1000; };
  std::printf("%-28s %5.1f KB a change, %6.1f KB a summary, %.2f %% false hits, %zu lost\n", name, each(changes), each(whole),
              100.0 * static_cast<double>(false_hits) / (rounds * 5'000), lost);
}

int main() {
  // Both have a rate of 2 %. The second one has more bits in memory, which are mostly 0: it is planned for its message.
  exchange("planned for memory:", hortus::plan::bloom({cached, 0.02}));
  auto const plan = hortus::plan::compressed({.items = cached, .fpr = 0.02, .memory_bits = 50 * cached});
  exchange("planned for its message:", plan.shape);

  // The plain way: addresses as text, or their 16-byte hashes, of the pages that came and of those that went.
  std::size_t text = 0;
  for (std::uint64_t i = 0; i < replaced; ++i) text += page(i).size() + page(cached + i).size() + 2;
  std::printf("as lists:                    %5.1f KB a change as text, %.1f KB as hashes of 16 bytes\n",
              static_cast<double>(text) / 1000, 2 * replaced * 16 / 1000.0);

  // A change of the filter has m H(share of bits that differ) bits, with the bits that are set before and after.
  auto const n = static_cast<double>(cached), m = static_cast<double>(plan.shape.bits);
  double const per_key = plan.shape.probes / m, gone = 1 - std::exp(-per_key * replaced), free = std::exp(-per_key * n);
  std::printf("predicted:                   %5.1f KB a change planned for its message\n",
              m * hortus::plan::bit_entropy(2 * free * gone) / 8 / 1000);
}
