#pragma once
#include <cstdint>

namespace hortus {

/// The multipliers of mix64.
inline constexpr std::uint64_t mix64_first = 0xbf58476d1ce4e5b9U;
inline constexpr std::uint64_t mix64_second = 0x94d049bb133111ebU;

/// Bijective 64-bit finaliser (David Stafford's Mix13, as in SplitMix64): every input bit affects every output bit.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * mix64_first;
  x = (x ^ (x >> 27)) * mix64_second;
  return x ^ (x >> 31);
}

/// 2^64 divided by the golden ratio: the increment of SplitMix64. Added to an input, it keeps zero from mapping to zero.
inline constexpr std::uint64_t golden_ratio64 = 0x9e3779b97f4a7c15U;

}  // namespace hortus
