#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/hash/mix64.hpp>
#include <hortus/hash/secret_key.hpp>
#include <hortus/sets/coded_symbol.hpp>

/// Keys for tests of reconciliation.
namespace hortus::testing {

inline secret_key secret_of(std::uint64_t seed) {
  std::array<std::byte, 16> bytes{};
  std::memcpy(bytes.data(), &seed, sizeof seed);
  return secret_key(bytes);
}

/// Key number i of fixed size.
template <std::size_t Bytes>
sets::fixed_key<Bytes> numbered_key(std::uint64_t i) {
  sets::fixed_key<Bytes> key{};
  for (std::size_t at = 0; at < Bytes; at += 8) {
    auto const word = mix64(i * golden_ratio64 + at + 1);
    std::memcpy(key.data() + at, &word, std::min<std::size_t>(8, Bytes - at));
  }
  return key;
}

template <std::size_t Bytes>
std::vector<sets::fixed_key<Bytes>> numbered_keys(std::uint64_t from, std::uint64_t count) {
  std::vector<sets::fixed_key<Bytes>> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back(numbered_key<Bytes>(from + i));
  return keys;
}

template <class Key>
std::vector<Key> sorted(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Texts of many lengths, the empty one and any bytes among them.
inline std::vector<std::string> texts(std::uint64_t from, std::uint64_t count) {
  std::vector<std::string> all;
  for (std::uint64_t i = from; i < from + count; ++i) {
    if (i == 0)
      all.emplace_back();
    else
      all.push_back(std::string(i % 7, static_cast<char>(i * 37)) + "key " + std::to_string(i));
  }
  return all;
}
inline std::vector<std::string_view> views(std::vector<std::string> const& keys) { return {keys.begin(), keys.end()}; }

}  // namespace hortus::testing
