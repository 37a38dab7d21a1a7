#pragma once
#include <array>
#include <cstdint>

#include <hortus/digest.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/plan/d_left.hpp>

namespace hortus {

/// What a d-left filter keeps of a key: a bucket b of the first table and a remainder other than 0. In table i the fingerprint
/// lies in bucket b + shift_i(remainder) modulo the number of buckets, with the same remainder. For each i that is a bijection
/// of all pairs, for any number of buckets: a cell belongs to one fingerprint only, and erase cannot hit another's. Hashing
/// the four places independently would be the classic mistake: a key's remainder could then lie in one of its buckets twice
/// over, once for somebody else. (The paper multiplies the pair, as one number, by odd constants modulo 2^q, which is of
/// the same kind, for powers of two.)
struct d_left_fingerprint {
  static constexpr unsigned tables = plan::d_left_shape::tables;

  std::uint64_t bucket;
  std::uint64_t remainder;
  bool operator==(d_left_fingerprint const&) const = default;

  /// Multiplied first, so that keys selected by the top bits of their digests, such as those of one shard, meet all buckets.
  /// The bucket is the whole part of a fraction times the number of buckets, the remainder comes from what is left of it.
  static constexpr d_left_fingerprint of(digest x, std::uint64_t buckets, unsigned remainder_bits) noexcept {
    __extension__ using wide = unsigned __int128;
    auto const product = static_cast<wide>(x.bits() * golden_ratio64) * buckets;
    auto const kinds = (std::uint64_t{1} << remainder_bits) - 1;
    return {static_cast<std::uint64_t>(product >> 64), 1 + fastrange(static_cast<std::uint64_t>(product), kinds)};
  }

  /// Its bucket in each table, numbered through all of them.
  [[nodiscard]] constexpr std::array<std::uint64_t, tables> places(std::uint64_t buckets) const noexcept {
    std::array<std::uint64_t, tables> at{bucket};
    multiply_chain shift(digest::of_hash(remainder), buckets);
    for (unsigned i = 1; i < tables; ++i) at[i] = i * buckets + add_mod(bucket, shift.next(), buckets);
    return at;
  }

  /// The fingerprint that has that remainder in that place: what a cell stands for.
  static constexpr d_left_fingerprint in(std::uint64_t place, std::uint64_t remainder, std::uint64_t buckets) noexcept {
    multiply_chain shift(digest::of_hash(remainder), buckets);
    std::uint64_t moved = 0;
    for (auto table = place / buckets; table != 0; --table) moved = shift.next();
    return {add_mod(place % buckets, buckets - moved, buckets), remainder};
  }
};

}  // namespace hortus
