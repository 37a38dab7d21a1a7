#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/mix64.hpp>

/// The input of the golden values of every hash.
namespace hash_test {

/// The fixed pattern: byte i is 131 i + 7 floor(i / 256) + 89 mod 256.
inline std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 131 + (i >> 8) * 7 + 89);
  return bytes;
}

/// The digests of the pattern's first 0, 1, ... 256 bytes combined into one number, which changes if any of them does.
inline std::uint64_t fold_0_to_256(hortus::hash_policy auto const& hash) {
  auto const bytes = pattern(256);
  std::uint64_t fold = 0;
  for (std::size_t n = 0; n <= 256; ++n) fold = hortus::mix64(fold ^ hash.of_bytes(std::span(bytes).first(n)).bits()) + n;
  return fold;
}

}  // namespace hash_test
