#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <hortus/hash/little_endian.hpp>
#include <hortus/message/code_bytes.hpp>
#include <hortus/sets/coded_symbol.hpp>
#include <hortus/sets/symbol_mapping.hpp>

/// Symbols as bytes: the keys, the 8 bytes of the checksums, then the count as its deviation from what is expected of the
/// number of keys, which takes one or two bytes (zigzag, 7 bits a byte).
namespace hortus::sets {

/// The fewest bytes of a symbol.
template <std::size_t Bytes>
inline constexpr std::size_t least_symbol_bytes = Bytes + 9;

/// Appends symbols, the first of which has the number `first`, of a set of `keys` keys.
template <std::size_t Bytes>
void put_symbols(std::vector<std::byte>& out, std::uint64_t keys, std::uint64_t first,
                 std::span<coded_symbol<Bytes> const> symbols) {
  for (auto const& one : symbols) {
    message::put_bytes(out, one.keys);
    message::put_bytes(out, little_endian_bytes(one.checks));
    auto const deviation = one.count - expected_count(keys, static_cast<symbol_index>(first++));
    message::put_varint(out, deviation << 1 ^ (deviation >> 63 != 0 ? ~std::uint64_t{0} : 0));
  }
}

/// Takes `count` symbols from the front of `in`. Throws errc::corrupt if they are not there. Allocates no more than the input
/// justifies.
template <std::size_t Bytes>
[[nodiscard]] std::vector<coded_symbol<Bytes>> take_symbols(std::span<std::byte const>& in, std::uint64_t keys,
                                                            std::uint64_t first, std::uint64_t count) {
  if (count > in.size() / least_symbol_bytes<Bytes> || first > most_symbols || count > most_symbols - first)
    message::corrupt("the message has fewer symbols than it says");
  std::vector<coded_symbol<Bytes>> symbols(static_cast<std::size_t>(count));
  for (auto& one : symbols) {
    std::memcpy(one.keys.data(), message::take_bytes(in, Bytes).data(), Bytes);
    one.checks = little_endian_load<std::uint64_t>(message::take_bytes(in, 8).data());
    auto const zigzag = message::take_varint(in);
    auto const deviation = zigzag >> 1 ^ ((zigzag & 1) != 0 ? ~std::uint64_t{0} : 0);
    one.count = expected_count(keys, static_cast<symbol_index>(first++)) + deviation;
  }
  return symbols;
}

}  // namespace hortus::sets
