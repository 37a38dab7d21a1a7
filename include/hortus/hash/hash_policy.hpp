#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <hortus/digest.hpp>

namespace hortus {

/// What the front needs of a hash, also of one that is chosen at run time or that may refuse (any_hash).
template <class Hash>
concept key_hash = std::copyable<Hash> && std::equality_comparable<Hash> &&
    requires(Hash const& hash, std::uint64_t x, std::span<std::byte const> bytes) {
  { hash.of_integer(x) } -> std::same_as<digest>;    // an integer, by value
  { hash.of_bytes(bytes) } -> std::same_as<digest>;  // text and bytes, by content; none at all are a key too
  { hash.seed() } -> std::same_as<std::uint64_t>;    // written to files; 0 where a secret key takes its place
  { hash.check() } -> std::same_as<std::uint64_t>;   // written to files: tells a wrong secret key; 0 without one
};

/// Numbers of hashes from here up belong to users: hortus will never use one. A hash of your own chooses one of them, and keeps
/// it: files name the hash by it.
inline constexpr std::uint32_t first_user_hash_id = 0x8000'0000;

/// A hash is a value: its seed, or its secret key, lives in it, and two that compare equal give equal digests. A hash with a
/// secret key has seed() 0 and a check() that is never 0; the others have check() 0.
template <class Hash>
concept hash_policy = std::regular<Hash> && key_hash<Hash> &&
    requires(Hash const& hash, std::uint64_t x, std::span<std::byte const> bytes) {
  {
    Hash::id
    } -> std::same_as<std::uint32_t const&>;                 // static constexpr: its number in files, never reused;
                                                             // of your own: first_user_hash_id or more
  typename std::integral_constant<std::uint32_t, Hash::id>;  // known at compile time
  { Hash::name } -> std::convertible_to<std::string_view>;   // "xxh3": its name in reports
  requires noexcept(hash.of_integer(x));                     // noexcept: lookups are
  requires noexcept(hash.of_bytes(bytes));                   // noexcept: lookups are
};

/// of_integers(xs, out): a hash that does many integers faster than one by one.
template <class Hash>
concept batched_integer_hash = key_hash<Hash> && requires(Hash const& hash, std::span<std::uint64_t const> xs, digest* out) {
  hash.of_integers(xs, out);
};

/// of_texts(texts, out): a hash that is chosen at run time, and does that once for many keys.
template <class Hash>
concept batched_text_hash = key_hash<Hash> && requires(Hash const& hash, std::span<std::string_view const> texts, digest* out) {
  hash.of_texts(texts, out);
};

/// The number of a hash in files.
template <key_hash Hash>
[[nodiscard]] constexpr std::uint32_t hash_id(Hash const& hash) {
  if constexpr (hash_policy<Hash>)
    return Hash::id;
  else
    return hash.id();
}

}  // namespace hortus
