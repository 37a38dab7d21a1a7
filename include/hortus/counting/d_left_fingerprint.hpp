#pragma once
#include <array>
#include <cstdint>

#include <hortus/digest.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/plan/d_left.hpp>

namespace hortus {

/// The part of a key that a d-left filter stores: a bucket b of the first table, and a nonzero remainder. In table i the
/// fingerprint lies in bucket b + shift_i(remainder), modulo the number of buckets, with the same remainder. For each i
/// this is a bijection of all (bucket, remainder) pairs, for any number of buckets. So a cell belongs to one fingerprint
/// only, and erase cannot remove another key's. Hashing the four places independently would be the classic mistake: a key's
/// remainder could then be in two of its buckets, once for another key. (The paper multiplies the pair, as one number, by
/// odd constants modulo 2^q: a bijection of the same kind, for powers of two.)
struct d_left_fingerprint {
  static constexpr unsigned tables = plan::d_left_shape::tables;

  std::uint64_t bucket;
  std::uint64_t remainder;
  bool operator==(d_left_fingerprint const&) const = default;

  /// Multiplies the digest first, so that keys selected by its top bits, such as those of one shard, use all buckets. Then
  /// the digest, as a fraction, times the number of buckets: the integer part is the bucket, the rest gives the remainder.
  static constexpr d_left_fingerprint of(digest x, std::uint64_t buckets, unsigned remainder_bits) noexcept {
    __extension__ using wide = unsigned __int128;
    auto const product = static_cast<wide>(x.bits() * golden_ratio64) * buckets;
    auto const kinds = (std::uint64_t{1} << remainder_bits) - 1;
    return {static_cast<std::uint64_t>(product >> 64), 1 + fastrange(static_cast<std::uint64_t>(product), kinds)};
  }

  /// The bucket in each table, numbered consecutively across the tables.
  [[nodiscard]] constexpr std::array<std::uint64_t, tables> places(std::uint64_t buckets) const noexcept {
    std::array<std::uint64_t, tables> at{bucket};
    multiply_chain shift(digest::of_hash(remainder), buckets);
    for (unsigned i = 1; i < tables; ++i) at[i] = i * buckets + add_mod(bucket, shift.next(), buckets);
    return at;
  }

  /// The inverse of places(): the fingerprint of which `remainder` is stored in bucket `place`.
  static constexpr d_left_fingerprint in(std::uint64_t place, std::uint64_t remainder, std::uint64_t buckets) noexcept {
    multiply_chain shift(digest::of_hash(remainder), buckets);
    std::uint64_t moved = 0;
    for (auto table = place / buckets; table != 0; --table) moved = shift.next();
    return {add_mod(place % buckets, buckets - moved, buckets), remainder};
  }
};

}  // namespace hortus
