#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>

/// How the digest of a key becomes bits of a block. Shared by the patterns in bloom/ and the kernels that vectorise them.
namespace hortus {

/// Spreads a digest's bits for the pattern inside a block. The high bits alone choose the block, and keys may have been
/// selected by their low bits (a shard, a partition). After spreading, every bit depends on bits that neither choice has
/// fixed.
constexpr std::uint64_t pattern_bits(digest x) noexcept {
  auto const spread = x.bits() * golden_ratio64;
  return spread ^ spread >> 32;
}

/// The next 64 pattern bits, for patterns that need more than 64.
constexpr std::uint64_t more_pattern_bits(std::uint64_t bits) noexcept { return pattern_bits(digest(bits + golden_ratio64)); }

/// The mask with bit number `bit` mod 64 set. x86 has one instruction for it, which halves the time of a lookup in a word.
/// Compilers do not find it reliably, hence the assembly.
constexpr std::uint64_t with_bit(std::uint64_t mask, std::uint64_t bit) noexcept {
#ifdef __x86_64__
  if (!std::is_constant_evaluated()) {
    asm("btsq %1, %0" : "+r"(mask) : "r"(bit) : "cc");
    return mask;
  }
#endif
  return mask | std::uint64_t{1} << (bit % 64);
}

/// Calls step(i) for i = count - 1 .. 0, unrolled so that every shift is by a constant. One jump to the first step takes the
/// place of a test after each of them, which is a third of the instructions of a lookup. Pre: count <= 10.
constexpr void unrolled(unsigned count, auto step) noexcept {
  // clang-format off
  switch (count) {
    default: step(9U); [[fallthrough]];
    case 9: step(8U); [[fallthrough]];
    case 8: step(7U); [[fallthrough]];
    case 7: step(6U); [[fallthrough]];
    case 6: step(5U); [[fallthrough]];
    case 5: step(4U); [[fallthrough]];
    case 4: step(3U); [[fallthrough]];
    case 3: step(2U); [[fallthrough]];
    case 2: step(1U); [[fallthrough]];
    case 1: step(0U); [[fallthrough]];
    case 0: break;
  }
  // clang-format on
}

/// act(position) for each probe. A position is `Width` pattern bits, and 64 bits hold as many positions as fit. Bits above the
/// lowest `Width` are not cleared; act must ignore them.
template <unsigned Width>
constexpr void for_each_position(std::uint64_t bits, unsigned probes, auto act) noexcept {
  constexpr unsigned at_once = 64 / Width;
  // Forced inline: otherwise a lookup would be a series of calls.
  auto const step = [&](unsigned i) __attribute__((always_inline)) { act(bits >> (i * Width % 64)); };
  for (; probes > at_once; probes -= at_once, bits = more_pattern_bits(bits)) unrolled(at_once, step);
  unrolled(probes, step);
}

/// A word with one bit set for each probe.
constexpr std::uint64_t word_mask(std::uint64_t bits, unsigned probes) noexcept {
  std::uint64_t mask = 0;
  for_each_position<6>(bits, probes, [&](std::uint64_t bit) { mask = with_bit(mask, bit); });
  return mask;
}

/// Parquet's choice of a block by the upper 32 bits of a digest.
constexpr std::uint64_t split_block_of(digest x, std::uint64_t blocks) noexcept { return ((x.bits() >> 32) * blocks) >> 32; }

/// Parquet's odd multipliers, one for each lane.
inline constexpr std::array<std::uint32_t, 8> split_salts{0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                                          0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

/// The bit of a lane, 0 to 31: the top five bits of (lower half of the digest times the lane's salt).
constexpr unsigned split_bit(digest x, unsigned lane) noexcept {
  return (static_cast<std::uint32_t>(x.bits()) * split_salts[lane]) >> 27;
}

}  // namespace hortus
