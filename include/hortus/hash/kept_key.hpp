#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include <hortus/hash/key_kind.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/hash/little_endian.hpp>

namespace hortus {

/// A key as kept by families that can list their keys. If the key came as a digest, there are no bytes.
struct kept_key {
  std::span<std::byte const> bytes = {};  ///< text and bytes unchanged; an integer as 8 bytes, little-endian
  key_kind kind = key_kind::digests;      ///< exactly one kind
};

/// Calls act(kept_key of the key). The bytes are valid until act returns.
template <digestible Key>
decltype(auto) with_kept_key(Key const& key, auto act) {
  if constexpr (digest_key<Key>) {
    return act(kept_key());
  } else if constexpr (custom_key<Key>) {
    auto const& bytes = key_bytes(key);  // extends the lifetime of an array made here
    return act(kept_key{std::span<std::byte const>(bytes), key_kind::bytes});
  } else if constexpr (integer_key<Key>) {
    auto const bytes = little_endian_bytes(detail::integer_value<detail::bare<Key>>(key));
    return act(kept_key{std::span<std::byte const>(bytes), key_kind::integers});
  } else {
    return act(kept_key{std::as_bytes(detail::row_of(key)), key_kind::bytes});
  }
}

}  // namespace hortus
