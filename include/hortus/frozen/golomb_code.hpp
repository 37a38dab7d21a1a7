#pragma once
#include <bit>
#include <cstdint>

#include <hortus/cells/memory.hpp>

namespace hortus {

/// 64 bits of a row of words, from bit `at` on. Reads the word after them, too.
[[gnu::always_inline]] inline std::uint64_t bits_at(std::uint64_t const* words, std::uint64_t at) noexcept {
  auto const shift = at % 64;
  return words[at / 64] >> shift | words[at / 64 + 1] << 1 << (63 - shift);
}

/// Golomb codes: a gap is quotient * divisor + remainder. The quotient is coded in unary, ones that end with a zero. The
/// remainder takes short_bits bits if it is below `cutoff`, else one more (truncated binary). With a divisor of 2^P every
/// remainder is below the cutoff: a Rice code.
///
/// The codes of a block are in one stretch of bits. Quotients start at its begin and go up, remainders start at its end and go
/// down:
///
///     begin | 1 0 0 1 1 0 ...  -->          <--  ... third | second | first | end
///
/// So the two are decoded at the same time: neither has to wait for the length of the other. They meet where the last code
/// ends, which needs no count. A block has no more codes than values, and its last quotient bit is always 0.
struct golomb_code {
  std::uint64_t divisor = 1;
  unsigned short_bits = 0;
  std::uint64_t cutoff = 1;

  golomb_code() = default;
  /// Pre: 1 <= divisor <= 2^63.
  explicit constexpr golomb_code(std::uint64_t by) noexcept
      : divisor(by), short_bits(static_cast<unsigned>(std::bit_width(by)) - 1), cutoff((std::uint64_t{2} << short_bits) - by) {}

  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t gap) const noexcept {
    return gap / divisor + 1 + short_bits + (gap % divisor >= cutoff ? 1 : 0);
  }

  /// Calls act(value) for one value after another, ascending, until it returns true; returns whether it did. The first code
  /// is the first value, the next the gap to the second, less 1, and so on. `words` has a word before bit `begin` and one
  /// after bit `end`. Whatever the bits are, it reads only these, and ends: every code is at least one bit long.
  [[gnu::always_inline]] bool scan(std::uint64_t const* words, std::uint64_t begin, std::uint64_t end, auto act) const noexcept {
    std::uint64_t value = ~std::uint64_t{0};
    while (begin < end) {
      auto quotients = ~bits_at(words, begin);  // complemented: the zeros at the bottom are a quotient
      for (; quotients == 0; quotients = ~bits_at(words, begin)) {
        value += 64 * divisor;
        begin += 64;
        if (begin >= end) return false;
      }
      auto remainders = bits_at(words - 1, end);
      unsigned taken = 0;
      do {
        auto const quotient = static_cast<unsigned>(std::countr_zero(quotients));
        quotients = quotients >> quotient >> 1;
        begin += quotient + 1;
        auto remainder = remainders >> 1 >> (63 - short_bits);
        unsigned const longer = remainder >= cutoff ? 1 : 0;
        remainders <<= short_bits;
        remainder += longer != 0 ? remainder - cutoff + (remainders >> 63) : 0;
        remainders <<= longer;
        taken += short_bits + longer;
        value += quotient * divisor + remainder + 1;
        if (act(value)) return true;
        if (begin + taken >= end) return false;
      } while (quotients != 0 && taken + short_bits < 64);
      end -= taken;
    }
    return false;
  }

  [[nodiscard]] bool finds(std::uint64_t const* words, std::uint64_t begin, std::uint64_t end,
                           std::uint64_t wanted) const noexcept {
    std::uint64_t last = 0;
    return scan(words, begin, end, [&](std::uint64_t value) { return (last = value) >= wanted; }) && last == wanted;
  }
};

}  // namespace hortus
