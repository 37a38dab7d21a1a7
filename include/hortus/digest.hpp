#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/hash/mix64.hpp>

namespace hortus {

/// The 64 well-mixed bits that are all a family sees of a key. It is a type of its own, so that a raw number cannot be
/// mistaken for a digest. Every verb that takes a key also takes a digest, so a key can be hashed once for many filters.
///
/// may_alias: the compiler must allow bytes written as std::uint64_t to be read as digests. as_digests() needs that; without
/// it the reads would be undefined behaviour.
class [[gnu::may_alias]] digest {
 public:
  constexpr digest() noexcept = default;
  explicit constexpr digest(std::uint64_t well_mixed_bits) noexcept : bits_(well_mixed_bits) {}

  /// From a hash of your own that may be weak (an identity std::hash, a CRC): mixes it first. mix64 is bijective, so nothing
  /// is lost.
  static constexpr digest of_hash(std::uint64_t hash) noexcept { return digest(mix64(hash + golden_ratio64)); }

  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

  /// An independent digest of the same key, for layers or for a second table.
  [[nodiscard]] constexpr digest remixed(std::uint64_t salt) const noexcept {
    return digest(mix64(bits_ ^ mix64(salt + golden_ratio64)));
  }
  constexpr bool operator==(digest const&) const = default;

 private:
  std::uint64_t bits_ = 0;
};
/// A digest of which it is known that a filter's own hash made it of text, or of an integer. The filter then records keys of
/// that kind, so that its file can be asked with such keys.
struct [[gnu::may_alias]] text_digest : digest {
  using digest::digest;
};
struct [[gnu::may_alias]] integer_digest : digest {
  using digest::digest;
};
static_assert(sizeof(digest) == sizeof(std::uint64_t));
static_assert(alignof(digest) == alignof(std::uint64_t));
static_assert(sizeof(text_digest) == sizeof(digest) && sizeof(integer_digest) == sizeof(digest));

/// Uses hashes of your own as digests in place: nothing is copied. All 64 bits must be well mixed, as those of XXH3, wyhash
/// or MurmurHash3 are. An identity hash, a CRC or a 32-bit hash would fill filters unevenly: digest::of_hash() mixes such
/// hashes one by one.
[[nodiscard]] inline std::span<digest const> as_digests(std::span<std::uint64_t const> hashes) noexcept {
  return {reinterpret_cast<digest const*>(hashes.data()), hashes.size()};
}

/// Digests of which the caller knows that the filter's own hash made them of text, or of integers, perhaps in other threads.
/// Nothing is copied.
[[nodiscard]] inline std::span<text_digest const> as_text_digests(std::span<digest const> digests) noexcept {
  return {reinterpret_cast<text_digest const*>(digests.data()), digests.size()};
}
[[nodiscard]] inline std::span<integer_digest const> as_integer_digests(std::span<digest const> digests) noexcept {
  return {reinterpret_cast<integer_digest const*>(digests.data()), digests.size()};
}

/// The other way round: the bits of digests in place.
[[nodiscard]] inline std::span<std::uint64_t const> as_words(std::span<digest const> digests) noexcept {
  return {reinterpret_cast<std::uint64_t const*>(digests.data()), digests.size()};
}

/// Room for some digests. It is not initialised: to set a block of digests to zero takes as long as several lookups, and a
/// batch may have one key.
template <std::size_t Count>
class digest_space {
 public:
  digest_space() noexcept {}  // NOLINT(cppcoreguidelines-pro-type-member-init,modernize-use-equals-default)
  digest& operator[](std::size_t i) noexcept { return first()[i]; }
  digest const& operator[](std::size_t i) const noexcept { return first()[i]; }
  [[nodiscard]] digest* first() noexcept { return reinterpret_cast<digest*>(words_); }
  [[nodiscard]] digest const* first() const noexcept { return reinterpret_cast<digest const*>(words_); }
  [[nodiscard]] static constexpr std::size_t size() noexcept { return Count; }
  [[nodiscard]] std::span<digest> all() noexcept { return {first(), Count}; }

 private:
  alignas(64) std::uint64_t words_[Count];
};

}  // namespace hortus
