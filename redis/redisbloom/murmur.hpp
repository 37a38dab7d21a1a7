#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hortus/hash/little_endian.hpp>

/// The hashes of RedisBloom's filters: MurmurHash64A and MurmurHash2, by Austin Appleby, who put them into the public domain.
/// Seeded, but no defence against chosen keys.
namespace hortus::redisbloom {

template <class Word>
[[nodiscard]] inline Word little_endian_word(char const* from) noexcept {
  return little_endian_load<Word>(reinterpret_cast<std::byte const*>(from));
}
/// The last bytes of a key, fewer than a word. Pre: bytes < sizeof(Word).
template <class Word>
[[nodiscard]] inline Word little_endian_word(char const* from, std::size_t bytes) noexcept {
  return static_cast<Word>(little_endian_tail(reinterpret_cast<std::byte const*>(from), bytes));
}

[[nodiscard]] inline std::uint64_t murmur64(std::string_view key, std::uint64_t seed) noexcept {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995U;
  constexpr int shift = 47;
  std::uint64_t hash = seed ^ (key.size() * factor);
  auto const* at = key.data();
  for (auto words = key.size() / 8; words != 0; --words, at += 8) {
    auto word = little_endian_word<std::uint64_t>(at) * factor;
    word ^= word >> shift;
    hash = (hash ^ word * factor) * factor;
  }
  if (auto const rest = key.size() % 8; rest != 0) hash = (hash ^ little_endian_word<std::uint64_t>(at, rest)) * factor;
  hash ^= hash >> shift;
  hash *= factor;
  return hash ^ hash >> shift;
}

[[nodiscard]] inline std::uint32_t murmur32(std::string_view key, std::uint32_t seed) noexcept {
  constexpr std::uint32_t factor = 0x5bd1e995U;
  constexpr int shift = 24;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  auto const* at = key.data();
  for (auto words = key.size() / 4; words != 0; --words, at += 4) {
    auto word = little_endian_word<std::uint32_t>(at) * factor;
    word ^= word >> shift;
    hash = hash * factor ^ word * factor;
  }
  if (auto const rest = key.size() % 4; rest != 0) hash = (hash ^ little_endian_word<std::uint32_t>(at, rest)) * factor;
  hash ^= hash >> 13;
  hash *= factor;
  return hash ^ hash >> 15;
}

}  // namespace hortus::redisbloom
