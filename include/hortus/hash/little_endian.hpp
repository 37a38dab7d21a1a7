#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Integers as little-endian bytes on every machine: digests must not depend on the machine.
namespace hortus {

/// The 8 bytes of a word.
constexpr std::array<std::byte, 8> little_endian_bytes(std::uint64_t word) noexcept {
  auto bytes = std::bit_cast<std::array<std::byte, 8>>(word);
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  return bytes;
}

/// The integer whose bytes start at `first`.
template <class Word>
constexpr Word little_endian_load(std::byte const* first) noexcept {
  std::array<std::byte, sizeof(Word)> bytes{};
  std::copy_n(first, sizeof(Word), bytes.begin());
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  return std::bit_cast<Word>(bytes);
}

/// The word of the `count` bytes at `first`, zero-extended; reads no other bytes. Loads may overlap: the bits that they share
/// are the same. Pre: count < 8.
constexpr std::uint64_t little_endian_tail(std::byte const* first, std::size_t count) noexcept {
  if (count >= 4) {
    std::uint64_t const low = little_endian_load<std::uint32_t>(first);
    std::uint64_t const high = little_endian_load<std::uint32_t>(first + count - 4);
    return low | high << (8 * (count - 4));
  }
  if (count == 0) return 0;
  auto const at = [first](std::size_t i) { return static_cast<std::uint64_t>(first[i]) << (8 * i); };
  return at(0) | at(count / 2) | at(count - 1);
}

}  // namespace hortus
