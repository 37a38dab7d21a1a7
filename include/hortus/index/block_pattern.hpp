#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>

/// How the digest of a key becomes bits of a block: what the patterns in bloom/ and the kernels that vectorise them share.
namespace hortus {

/// Spreads a digest's bits for the pattern inside a block. The block is chosen by the high bits alone, and keys may have been
/// selected by their low bits (a shard, a partition): after this every bit depends on bits that neither has fixed.
constexpr std::uint64_t pattern_bits(digest x) noexcept {
  auto const spread = x.bits() * golden_ratio64;
  return spread ^ spread >> 32;
}

/// More of them, when a pattern has used up its 64.
constexpr std::uint64_t more_pattern_bits(std::uint64_t bits) noexcept { return pattern_bits(digest(bits + golden_ratio64)); }

/// act(position) for each probe: `width` bits of pattern are a position, and 64 bits have as many as fit.
template <unsigned Width>
constexpr void for_each_position(std::uint64_t bits, unsigned probes, auto act) noexcept {
  constexpr unsigned at_once = 64 / Width;
  for (;; probes -= at_once, bits = more_pattern_bits(bits)) {
    auto left = bits;
    for (auto i = std::min(probes, at_once); i-- != 0; left >>= Width) act(left & ((std::uint64_t{1} << Width) - 1));
    if (probes <= at_once) return;
  }
}

/// A word with a bit set for each probe.
constexpr std::uint64_t word_mask(std::uint64_t bits, unsigned probes) noexcept {
  std::uint64_t mask = 0;
  for_each_position<6>(bits, probes, [&](std::uint64_t bit) { mask |= std::uint64_t{1} << bit; });
  return mask;
}

/// Parquet's choice of a block, by the upper 32 bits of a digest.
constexpr std::uint64_t split_block_of(digest x, std::uint64_t blocks) noexcept { return ((x.bits() >> 32) * blocks) >> 32; }

/// Parquet's odd multipliers, one a lane.
inline constexpr std::array<std::uint32_t, 8> split_salts{0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                                          0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

/// The bit of a lane, 0 to 31: the lower half of the digest times the lane's salt, the top five bits of that.
constexpr unsigned split_bit(digest x, unsigned lane) noexcept {
  return (static_cast<std::uint32_t>(x.bits()) * split_salts[lane]) >> 27;
}

}  // namespace hortus
