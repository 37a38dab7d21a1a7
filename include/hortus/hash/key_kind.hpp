#pragma once
#include <cstdint>

namespace hortus {

/// What kinds of keys a filter was given: flags, because one filter may be given several. Files remember them, so that asking a
/// filter of integers with text can be refused instead of answered "no". Values are written to files; append-only.
enum class key_kind : std::uint8_t {
  none = 0,      ///< nothing yet
  bytes = 1,     ///< text, rows of bytes, types with key_bytes
  integers = 2,  ///< integers, by value
  digests = 4,   ///< digests handed in: what was hashed, and how, only the caller knows
};

constexpr key_kind operator|(key_kind a, key_kind b) noexcept {
  return static_cast<key_kind>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr key_kind operator&(key_kind a, key_kind b) noexcept {
  return static_cast<key_kind>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
constexpr key_kind& operator|=(key_kind& a, key_kind b) noexcept { return a = a | b; }

}  // namespace hortus
