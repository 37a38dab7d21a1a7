#pragma once
#include <cstdint>

namespace hortus {

/// The kinds of keys that a filter was given. They are flags, because a filter may be given several. Files store them, so that
/// looking up text in a filter of integers can be refused instead of answered "no". Values are append-only: they are in files.
enum class key_kind : std::uint8_t {
  none = 0,      ///< no keys yet
  bytes = 1,     ///< text, byte ranges, types with key_bytes
  integers = 2,  ///< integers, by value
  digests = 4,   ///< digests from the caller: only the caller knows what was hashed, and how
};

constexpr key_kind operator|(key_kind a, key_kind b) noexcept {
  return static_cast<key_kind>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr key_kind operator&(key_kind a, key_kind b) noexcept {
  return static_cast<key_kind>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
constexpr key_kind& operator|=(key_kind& a, key_kind b) noexcept { return a = a | b; }

}  // namespace hortus
