#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

/// What bloom_chain and cuckoo_chain share when they read saved filters, of which every byte may be hostile.
namespace hortus::redisbloom {

/// Throws hortus::error with the code corrupt.
[[noreturn]] void refuse_saved(char const* why);

template <class To>
[[nodiscard]] To narrow(std::uint64_t number) {
  if (number > std::numeric_limits<To>::max()) refuse_saved("a number is too large");
  return static_cast<To>(number);
}

[[nodiscard]] inline std::uint64_t used_slots(std::span<std::uint8_t const> slots) noexcept {
  return slots.size() - static_cast<std::uint64_t>(std::ranges::count(slots, std::uint8_t{0}));
}

}  // namespace hortus::redisbloom
