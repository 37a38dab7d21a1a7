#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/frozen/golomb_code.hpp>

namespace hortus {

/// Codes of blocks that follow each other: a whole set, or a part of one that is built apart.
class golomb_writer {
 public:
  explicit golomb_writer(golomb_code code) noexcept : code_(code) {}

  /// Appends a block: its values, in ascending order without duplicates.
  void block(std::span<std::uint64_t const> values) {
    std::uint64_t length = 0;
    for_each_gap(values, [&](std::uint64_t gap) { length += code_.bits(gap); });
    auto begin = bits_, end = bits_ + length;
    bits_ = end;
    words_.resize(bits_ / 64 + 2);
    for_each_gap(values, [&](std::uint64_t gap) {
      auto const remainder = gap % code_.divisor;
      for (auto quotient = gap / code_.divisor; quotient != 0;) {
        auto const ones = quotient < 63 ? quotient : 63;
        put(begin, (std::uint64_t{1} << ones) - 1, static_cast<unsigned>(ones));
        begin += ones;
        quotient -= ones;
      }
      ++begin;  // a zero
      bool const longer = remainder >= code_.cutoff;
      auto const bits = code_.short_bits + (longer ? 1 : 0);
      end -= bits;
      put(end, remainder + (longer ? code_.cutoff : 0), bits);
    });
    lengths_.push_back(length);
    values_ += values.size();
  }

  [[nodiscard]] std::span<std::uint64_t const> lengths() const noexcept { return lengths_; }  ///< bits of each block
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }

  /// Puts all bits into `to`, whose bits from `at` on are zero.
  void copy(std::uint64_t* to, std::uint64_t at) const noexcept {
    auto const shift = at % 64;
    to += at / 64;
    for (std::uint64_t i = 0; i * 64 < bits_; ++i) {
      to[i] |= words_[i] << shift;
      if (shift != 0) to[i + 1] = words_[i] >> (64 - shift);
    }
  }

 private:
  static void for_each_gap(std::span<std::uint64_t const> values, auto act) {
    std::uint64_t next = 0;  // the least that the next value can be
    for (auto const value : values) {
      act(value - next);
      next = value + 1;
    }
  }
  void put(std::uint64_t at, std::uint64_t value, unsigned bits) noexcept {
    auto const shift = at % 64;
    words_[at / 64] |= value << shift;
    if (shift + bits > 64) words_[at / 64 + 1] |= value >> (64 - shift);
  }

  golomb_code code_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t bits_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace hortus
