// A hash join that skips rows early: the build side's hashes go into a filter, and of the probe side only rows that may have a
// partner are looked up. Hashes are taken as they are, answers go into a selection vector; nothing is allocated a batch.
#include <array>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include <hortus/bloom/register_blocked.hpp>

// The engine's own hash. All its 64 bits are well mixed, as as_digests() needs; a weaker one goes through digest::of_hash().
std::uint64_t hash_of(std::uint64_t key) {
  key = (key ^ key >> 33) * 0xff51afd7ed558ccdU;
  key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53U;
  return key ^ key >> 33;
}

int main() {
  std::vector<std::uint64_t> customers, orders;  // columns of keys
  for (std::uint64_t i = 0; i < 10'000; ++i) customers.push_back(7 * i);
  for (std::uint64_t i = 0; i < 200'000; ++i) orders.push_back(i);

  std::unordered_map<std::uint64_t, std::uint64_t> table;  // the join's hash table, by hash
  std::vector<std::uint64_t> hashes;
  for (auto const key : customers) hashes.push_back(hash_of(key)), table.emplace(hashes.back(), key);
  hortus::register_blocked_filter filter(hortus::budget{.items = customers.size(), .bits_per_item = 16});
  filter.insert(hortus::as_digests(hashes));

  constexpr std::size_t batch = 1024;
  std::array<std::uint64_t, batch> batch_hashes;
  std::array<std::uint32_t, batch> selected;
  std::size_t looked_up = 0, joined = 0;
  for (std::size_t from = 0; from < orders.size(); from += batch) {
    auto const rows = std::min(batch, orders.size() - from);
    for (std::size_t i = 0; i < rows; ++i) batch_hashes[i] = hash_of(orders[from + i]);
    auto const some = hortus::as_digests(batch_hashes).first(rows);
    auto const count = filter.select(some, selected);
    looked_up += count;
    for (std::size_t i = 0; i < count; ++i) {
      auto const row = from + selected[i];
      auto const partner = table.find(batch_hashes[selected[i]]);
      joined += partner != table.end() && partner->second == orders[row] ? 1U : 0U;
    }
  }
  std::printf("%zu rows, %zu looked up in the hash table, %zu joined\n", orders.size(), looked_up, joined);
}
