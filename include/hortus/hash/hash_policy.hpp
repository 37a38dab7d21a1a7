#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <hortus/digest.hpp>

namespace hortus {

/// What of_keys needs of a hash, including one that is chosen at run time or that may throw (any_hash).
template <class Hash>
concept key_hash = std::copyable<Hash> && std::equality_comparable<Hash> &&
    requires(Hash const& hash, std::uint64_t x, std::span<std::byte const> bytes) {
  { hash.of_integer(x) } -> std::same_as<digest>;    // an integer, by value
  { hash.of_bytes(bytes) } -> std::same_as<digest>;  // text and bytes, by content; the empty string is a key too
  { hash.seed() } -> std::same_as<std::uint64_t>;    // written to files; 0 for a hash with a secret key
  { hash.check() } -> std::same_as<std::uint64_t>;   // written to files, to detect a wrong secret key; 0 without one
};

/// Hash ids from here up are reserved for users: hortus will never use one. A user-defined hash chooses one of them and must
/// keep it, because files identify the hash by it.
inline constexpr std::uint32_t first_user_hash_id = 0x8000'0000;

/// A hash is a value: it contains its seed or its secret key, and two hashes that compare equal give equal digests. A hash
/// with a secret key has seed() 0 and a check() that is never 0; the others have check() 0.
template <class Hash>
concept hash_policy = std::regular<Hash> && key_hash<Hash> &&
    requires(Hash const& hash, std::uint64_t x, std::span<std::byte const> bytes) {
  { Hash::id } -> std::same_as<std::uint32_t const&>;        // its number in files, never reused; users: from 0x80000000
  typename std::integral_constant<std::uint32_t, Hash::id>;  // known at compile time
  { Hash::name } -> std::convertible_to<std::string_view>;   // "xxh3": its name in reports
  requires noexcept(hash.of_integer(x));                     // noexcept: lookups are
  requires noexcept(hash.of_bytes(bytes));                   // noexcept: lookups are
};

/// of_integers(xs, out): for a hash that is faster on many integers than one by one.
template <class Hash>
concept batched_integer_hash = key_hash<Hash> && requires(Hash const& hash, std::span<std::uint64_t const> xs, digest* out) {
  hash.of_integers(xs, out);
};

/// of_texts(texts, out): for a hash chosen at run time, so that the choice is made once for many keys.
template <class Hash>
concept batched_text_hash = key_hash<Hash> && requires(Hash const& hash, std::span<std::string_view const> texts, digest* out) {
  hash.of_texts(texts, out);
};

/// The id of a hash in files.
template <key_hash Hash>
[[nodiscard]] constexpr std::uint32_t hash_id(Hash const& hash) {
  if constexpr (hash_policy<Hash>)
    return Hash::id;
  else
    return hash.id();
}

}  // namespace hortus
