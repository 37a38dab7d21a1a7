#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <hortus/error.hpp>

/// Numbers in messages: little-endian, or of variable length, 7 bits a byte, the lowest first.
namespace hortus::message {

[[noreturn]] inline void corrupt(char const* why) { throw error(errc::corrupt, why); }

inline void put_bytes(std::vector<std::byte>& out, std::span<std::byte const> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}
template <class T>
void put_fixed(std::vector<std::byte>& out, T value) {
  put_bytes(out, std::as_bytes(std::span(&value, 1)));
}
inline void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

/// These take a number from the front of `in`; they throw errc::corrupt if there is none.
inline std::span<std::byte const> take_bytes(std::span<std::byte const>& in, std::uint64_t bytes) {
  if (bytes > in.size()) corrupt("the message ends too early");
  auto const taken = in.first(static_cast<std::size_t>(bytes));
  in = in.subspan(taken.size());
  return taken;
}
template <class T>
[[nodiscard]] T take_fixed(std::span<std::byte const>& in) {
  T value;
  std::memcpy(&value, take_bytes(in, sizeof(T)).data(), sizeof(T));
  return value;
}
/// Only the shortest form of a number is accepted, so that equal contents have equal bytes.
[[nodiscard]] inline std::uint64_t take_varint(std::span<std::byte const>& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto const byte = std::to_integer<std::uint64_t>(take_bytes(in, 1).front());
    if (shift == 63 && byte > 1) corrupt("a number in the message is too large");
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift != 0) corrupt("a number in the message is longer than needed");
      return value;
    }
  }
}

}  // namespace hortus::message
