#pragma once
#include <cstdint>

namespace hortus {

/// (a + b) mod range, for a below range and b at most range: one comparison, no division, no overflow at any range.
constexpr std::uint64_t add_mod(std::uint64_t a, std::uint64_t b, std::uint64_t range) noexcept {
  auto const room = range - b;
  return a < room ? a + b : a - room;
}

}  // namespace hortus
