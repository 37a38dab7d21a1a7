#pragma once
#include <bit>
#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace hortus {

/// The position of set bit number `rank`, 0 for the lowest, without branches. The portable form counts the bits of all bytes at
/// once, finds the byte, spreads it over a word, one bit in each byte, and does the same again (S. Vigna, "Broadword
/// implementation of rank/select queries", 2008). Pre: the word has more than `rank` set bits.
[[nodiscard]] inline unsigned portable_select_bit(std::uint64_t word, unsigned rank) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  // The number of the first byte that is above `limit`, times 8. Pre: no byte is above 127.
  auto const first_above = [](std::uint64_t bytes, std::uint64_t limit) {
    return static_cast<unsigned>(std::countr_zero(((bytes | tops) - (limit + 1) * ones) & tops)) - 7;
  };
  auto counts = word - (word >> 1 & 0x5555555555555555);
  counts = (counts & 0x3333333333333333) + (counts >> 2 & 0x3333333333333333);
  counts = (counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0f;
  auto const sums = counts * ones;  // byte i: the set bits of bytes 0 to i
  auto const at = first_above(sums, rank);
  auto const left = rank - (sums << 8 >> at & 0xff);
  auto const spread = (((word >> at & 0xff) * ones & 0x8040201008040201) + 0x7f * ones) >> 7 & ones;
  return at + first_above(spread * ones, left) / 8;
}

[[nodiscard]] inline unsigned select_bit(std::uint64_t word, unsigned rank) noexcept {
#ifdef __BMI2__
  return static_cast<unsigned>(std::countr_zero(_pdep_u64(std::uint64_t{1} << rank, word)));
#else
  return portable_select_bit(word, rank);
#endif
}

}  // namespace hortus
