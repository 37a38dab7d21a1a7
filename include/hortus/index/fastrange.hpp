#pragma once
#include <cstdint>

namespace hortus {

/// Maps a 64-bit word to [0, range) by its high bits, without division (Lemire, "Fast random integer generation in an
/// interval", 2019). Monotone in the word, and nested: fastrange(w, n) / d == fastrange(w, n / d) whenever d divides n.
/// Folding a filter, cutting it into shards and building it in memory order rely on that.
constexpr std::uint64_t fastrange(std::uint64_t word, std::uint64_t range) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<wide>(word) * range) >> 64);
}

}  // namespace hortus
