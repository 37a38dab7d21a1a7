#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/siphash.hpp>

namespace hortus::sets {

/// A key of fixed size, as the symbols hold it.
template <std::size_t Bytes>
using fixed_key = std::array<std::byte, Bytes>;

/// Keys that share a cell: their number, the exclusive or of their bytes and that of their checksums. The difference of two
/// symbols with the same number holds the keys that only one side has. Counts wrap around, so that no count of a hostile peer
/// overflows.
template <std::size_t Bytes>
struct coded_symbol {
  static_assert(Bytes >= 1, "a key has at least one byte");

  fixed_key<Bytes> keys{};
  std::uint64_t checks = 0;
  std::uint64_t count = 0;

  void toggle(fixed_key<Bytes> const& key, std::uint64_t checksum) noexcept {
    for (std::size_t i = 0; i < Bytes; ++i) keys[i] ^= key[i];
    checks ^= checksum;
  }
  void add(fixed_key<Bytes> const& key, std::uint64_t checksum) noexcept { toggle(key, checksum), ++count; }
  void subtract(fixed_key<Bytes> const& key, std::uint64_t checksum) noexcept { toggle(key, checksum), --count; }
  void subtract(coded_symbol const& other) noexcept { toggle(other.keys, other.checks), count -= other.count; }

  [[nodiscard]] bool empty() const noexcept { return *this == coded_symbol(); }
  bool operator==(coded_symbol const&) const = default;
};

/// The checksum of a key, which also decides which symbols hold it. Keyed: without the key nobody can choose keys that look
/// like another key, or that all share the same symbols.
template <std::size_t Bytes>
[[nodiscard]] std::uint64_t checksum_of(siphash const& hash, fixed_key<Bytes> const& key) noexcept {
  return hash.of_bytes(std::span<std::byte const, Bytes>(key)).bits();
}

/// Orders keys as their bytes, eight at a time.
template <std::size_t Bytes>
[[nodiscard]] bool less_key(fixed_key<Bytes> const& a, fixed_key<Bytes> const& b) noexcept {
  if constexpr (Bytes >= 8) {
    auto const word = [](fixed_key<Bytes> const& key) {
      return __builtin_bswap64(little_endian_load<std::uint64_t>(key.data()));
    };
    if (auto const x = word(a), y = word(b); x != y) return x < y;
  }
  return a < b;
}

}  // namespace hortus::sets
