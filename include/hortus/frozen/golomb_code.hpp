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
  unsigned per_window = 64;  ///< remainders that are certainly in 64 bits; always as many, so that branches are predicted

  golomb_code() = default;
  /// Pre: 1 <= divisor <= 2^63.
  explicit constexpr golomb_code(std::uint64_t by) noexcept
      : divisor(by),
        short_bits(static_cast<unsigned>(std::bit_width(by)) - 1),
        cutoff((std::uint64_t{2} << short_bits) - by),
        per_window(64 / (short_bits + 1)) {}

  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t gap) const noexcept {
    return gap / divisor + 1 + short_bits + (gap % divisor >= cutoff ? 1 : 0);
  }

  /// Calls act(value) for one value after another, ascending, until it returns true; returns whether it did. The first code
  /// is the first value, the next the gap to the second, less 1, and so on. `words` has a word before bit `begin` and one
  /// after bit `end`. Whatever the bits are, it reads only these, and ends: every code is at least one bit long.
  [[gnu::always_inline]] bool scan(std::uint64_t const* words, std::uint64_t begin, std::uint64_t end, auto act) const {
    auto sum = ~std::uint64_t{0}, value = sum;
    while (begin < end) {
      auto quotients = ~bits_at(words, begin);  // complemented: the zeros at the bottom are a quotient
      for (; quotients == 0; quotients = ~bits_at(words, begin)) {
        sum += 64 * divisor;
        begin += 64;
        if (begin >= end) return false;
      }
      auto remainders = bits_at(words - 1, end);
      unsigned taken = 0, position = 0;
      for (auto left = per_window; left != 0 && quotients != 0; --left) {
        // A window's zero number i is at bit (sum of quotients up to it) + i: so no quotient waits for the one before it.
        position = static_cast<unsigned>(std::countr_zero(quotients));
        quotients &= quotients - 1;
        auto remainder = remainders >> 1 >> (63 - short_bits);
        std::uint64_t const longer = remainder >= cutoff ? 1 : 0;
        remainders <<= short_bits;
        remainder += (remainder - cutoff + (remainders >> 63)) & -longer;  // a branch would be mispredicted
        remainders <<= longer;
        taken += short_bits + static_cast<unsigned>(longer);
        sum += remainder + 1;
        value = sum + position * divisor;
        if (act(value)) return true;
        if (begin + position + 1 + taken >= end) return false;
        sum -= divisor;
      }
      sum = value;
      begin += position + 1;
      end -= taken;
    }
    return false;
  }

  /// Is a value there? Always inlined, so that it is compiled for the instruction set of its caller.
  [[nodiscard, gnu::always_inline]] bool finds(std::uint64_t const* words, std::uint64_t begin, std::uint64_t end,
                                               std::uint64_t wanted) const noexcept {
    std::uint64_t last = 0;
    auto const enough = [&](std::uint64_t value) __attribute__((always_inline)) { return (last = value) >= wanted; };
    return scan(words, begin, end, enough) && last == wanted;
  }
};

}  // namespace hortus
