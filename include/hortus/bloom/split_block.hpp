#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include <hortus/bloom/in_block.hpp>

namespace hortus {

/// Split block Bloom filter, the one of Parquet: a block is eight lanes of 32 bits, and a key sets one bit in each.
///
///     block of 256 bits     lane 0   lane 1   lane 2   ...   lane 7
///                          ..1....  ....1..  1......        .....1.     a lane's bit: the low half of the digest times its
///                                                                       salt, the top five bits
/// Promise  as bloom, with one cache miss. Hashed by XXH64 with seed 0, the bytes are those of a Parquet bitset of that size.
/// Price    10.5 bits a key at 1 %, 16.9 at 0.1 %, 26.3 at 1e-4: see blocked for less.
/// Lacks    erase, growth, a choice of probes: they are eight.
/// Source   Apache Parquet's BloomFilter specification; Polychroniou, Ross, "Vectorized Bloom filters", DaMoN 2014.
struct split_block_pattern {
  static constexpr std::string_view name = "split_block";
  static constexpr std::string_view summary = "Parquet's: one bit in each of eight lanes of a 32-byte block";
  static constexpr auto layout = plan::layouts::split;

  /// Parquet's own reduction, by the upper 32 bits; past 2^32 blocks it could not reach them all, so there are no more.
  static constexpr std::uint64_t block_of(digest x, std::uint64_t blocks) noexcept { return ((x.bits() >> 32) * blocks) >> 32; }

  static constexpr void for_each_mask(digest x, unsigned, auto act) noexcept {
    for (unsigned lane = 0; lane < 8; lane += 2) act(lane / 2, bit(x, lane) | bit(x, lane + 1) << 32);
  }

  static double chance(std::uint64_t const* block, unsigned) noexcept {
    double all = 1;
    for (unsigned lane = 0; lane < 8; ++lane)
      all *= std::popcount(static_cast<std::uint32_t>(block[lane / 2] >> (lane % 2 * 32))) / 32.0;
    return all;
  }

 private:
  static constexpr std::array<std::uint32_t, 8> salts{0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                                      0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  static constexpr std::uint64_t bit(digest x, unsigned lane) noexcept {
    return std::uint64_t{1} << ((static_cast<std::uint32_t>(x.bits()) * salts[lane]) >> 27);
  }
};

using split_block = in_block<split_block_pattern>;
using split_block_filter = of_keys<split_block>;

}  // namespace hortus
