#pragma once
#include <algorithm>
#include <cstdint>

#include <hortus/cells/quotient_table.hpp>
#include <hortus/digest.hpp>
#include <hortus/plan/quotient.hpp>

namespace hortus {

/// The part of a key that a quotient filter stores: the top p bits of its digest, after a multiplication. So the fingerprint in
/// a filter with shorter fingerprints is a prefix of that in any other: that is why filters of different shapes can be merged.
/// The multiplication lets keys selected by the top bits of their digests, such as those of one shard, use all slots.
///
/// A fingerprint, as a fraction of 2^p, times the number of slots: the integer part is the quotient, the first r bits after the
/// point are the remainder. With r = p - floor(log2(slots)) neighbouring fingerprints are at least 2^-r apart there. So the
/// pair determines the fingerprint, for any number of slots, and is in the same order. Neither way round needs a division on
/// lookups; a power of two is not needed.
struct quotient_fingerprint {
  __extension__ using wide = unsigned __int128;

  /// Its p bits at the top of a word, and zeros below.
  std::uint64_t top;

  static constexpr quotient_fingerprint of(digest x, unsigned bits) noexcept {
    return {x.bits() * golden_ratio64 >> (64 - bits) << (64 - bits)};
  }
  static constexpr quotient_fingerprint from(std::uint64_t number, unsigned bits) noexcept { return {number << (64 - bits)}; }
  /// From 0 to 2^p - 1.
  [[nodiscard]] constexpr std::uint64_t number(unsigned bits) const noexcept { return top >> (64 - bits); }

  /// The fingerprint of fewer bits of the same key. Pre: at least 1.
  [[nodiscard]] constexpr quotient_fingerprint first(unsigned bits) const noexcept {
    return {top >> (64 - bits) << (64 - bits)};
  }

  [[nodiscard]] constexpr quotient_table::pair in(std::uint64_t slots, unsigned remainder_bits) const noexcept {
    auto const product = static_cast<wide>(top) * slots;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product) >> (64 - remainder_bits)};
  }
  /// The inverse of in(): the least fingerprint with a pair that is not below this one. Pairs that no fingerprint has are only
  /// in files that lie; they are taken for a neighbour.
  static quotient_fingerprint at(quotient_table::pair x, plan::quotient_shape shape) noexcept {
    auto const remainder_bits = shape.remainder_bits();
    auto const scaled =
        ((static_cast<wide>(x.quotient) << remainder_bits | x.remainder) << (shape.fingerprint_bits - remainder_bits));
    auto const number = (scaled + shape.slots - 1) / shape.slots;
    auto const last = (static_cast<wide>(1) << shape.fingerprint_bits) - 1;
    return from(static_cast<std::uint64_t>(std::min<wide>(number, last)), shape.fingerprint_bits);
  }
};

}  // namespace hortus
