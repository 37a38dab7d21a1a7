#pragma once
#include <cstdint>
#include <span>

#include <hortus/hash/mix64.hpp>

namespace hortus {

/// All that a family ever sees of a key: 64 well-mixed bits. A type of its own, so that a raw number is never taken for one.
/// Hash once, ask many filters: a digest may be handed to every verb that takes a key.
///
/// may_alias: bytes that were written as std::uint64_t may be read as digests, and the compiler knows it. as_digests() needs
/// that; without it reading them would be undefined.
class [[gnu::may_alias]] digest {
 public:
  constexpr digest() noexcept = default;
  explicit constexpr digest(std::uint64_t well_mixed_bits) noexcept : bits_(well_mixed_bits) {}

  /// From a hash of your own that may be weak (an identity std::hash, a CRC): mixes it first. Without loss: mix64 is bijective.
  static constexpr digest of_hash(std::uint64_t hash) noexcept { return digest(mix64(hash + golden_ratio64)); }

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

  /// An independent digest of the same key: for layers, for a second table.
  [[nodiscard]] constexpr digest remixed(std::uint64_t salt) const noexcept {
    return digest(mix64(bits_ ^ mix64(salt + golden_ratio64)));
  }
  constexpr bool operator==(digest const&) const = default;

 private:
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(digest) == sizeof(std::uint64_t) && alignof(digest) == alignof(std::uint64_t));

/// Hashes of your own as digests, where they lie: nothing is copied. All 64 bits must be well mixed, as those of XXH3, wyhash
/// or MurmurHash3 are. An identity hash, a CRC or a hash of 32 bits would fill filters unevenly: digest::of_hash() mixes such a
/// hash, one by one.
[[nodiscard]] inline std::span<digest const> as_digests(std::span<std::uint64_t const> hashes) noexcept {
  return {reinterpret_cast<digest const*>(hashes.data()), hashes.size()};
}

}  // namespace hortus
