#include <algorithm>
#include <array>

#include <hortus/sets/key_source.hpp>

namespace hortus::sets {

secret_key key_digester::derived(secret_key const& secret, std::uint64_t purpose) noexcept {
  siphash24 const hash(secret);
  auto const low = little_endian_bytes(hash.of_integer(2 * purpose).bits());
  auto const high = little_endian_bytes(hash.of_integer(2 * purpose + 1).bits());
  std::array<std::byte, secret_key::size> bytes{};
  std::copy(low.begin(), low.end(), bytes.begin());
  std::copy(high.begin(), high.end(), bytes.begin() + 8);
  return secret_key(bytes);
}

key_digest key_digester::operator()(std::string_view key) const noexcept {
  auto const bytes = std::as_bytes(std::span(key.data(), key.size()));
  auto const low = little_endian_bytes(low_.of_bytes(bytes).bits());
  auto const high = little_endian_bytes(high_.of_bytes(bytes).bits());
  key_digest both;
  std::copy(low.begin(), low.end(), both.begin());
  std::copy(high.begin(), high.end(), both.begin() + 8);
  return both;
}

std::uint64_t find_keys(key_source const& source, key_digester const& digest, std::span<key_digest const> wanted,
                        std::function<void(std::string_view)> const& act) {
  std::vector<key_digest> sorted(wanted.begin(), wanted.end());
  std::sort(sorted.begin(), sorted.end(), less_key<16>);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  // Most keys are not wanted: one bit, of 16 for each wanted key, says so without a search.
  std::size_t bits = 1024;
  while (bits < 16 * sorted.size()) bits *= 2;
  std::vector<bool> maybe(bits);
  auto const slot = [&](key_digest const& x) { return little_endian_load<std::uint64_t>(x.data() + 8) & (bits - 1); };
  for (auto const& x : sorted) maybe[slot(x)] = true;
  std::vector<bool> found(sorted.size());
  std::uint64_t count = 0;
  if (sorted.empty()) return 0;
  source.for_each_block([&](std::span<std::string_view const> keys) {
    for (auto const key : keys) {
      auto const x = digest(key);
      if (!maybe[slot(x)]) continue;
      auto const at = std::lower_bound(sorted.begin(), sorted.end(), x, less_key<16>);
      if (at == sorted.end() || *at != x || found[static_cast<std::size_t>(at - sorted.begin())]) continue;
      found[static_cast<std::size_t>(at - sorted.begin())] = true;
      ++count;
      act(key);
    }
  });
  return count;
}

}  // namespace hortus::sets
