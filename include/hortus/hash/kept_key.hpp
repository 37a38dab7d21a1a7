#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include <hortus/hash/key_kind.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/hash/little_endian.hpp>

namespace hortus {

/// A key as a family keeps it that tells keys, and not only about them. Of a key that came as a digest nothing is known.
struct kept_key {
  std::span<std::byte const> bytes = {};  ///< text and bytes as they are, an integer as 8 bytes, lowest first
  key_kind kind = key_kind::digests;      ///< one kind, never several
};

/// act(the key as it is kept). Its bytes are there until act returns.
template <digestible Key>
decltype(auto) with_kept_key(Key const& key, auto act) {
  if constexpr (std::same_as<detail::bare<Key>, digest>) {
    return act(kept_key());
  } else if constexpr (custom_key<Key>) {
    auto const& bytes = key_bytes(key);  // an array that is made here lives as long as this
    return act(kept_key{std::span<std::byte const>(bytes), key_kind::bytes});
  } else if constexpr (integer_key<Key>) {
    auto const bytes = little_endian_bytes(detail::integer_value<detail::bare<Key>>(key));
    return act(kept_key{std::span<std::byte const>(bytes), key_kind::integers});
  } else {
    return act(kept_key{std::as_bytes(detail::row_of(key)), key_kind::bytes});
  }
}

}  // namespace hortus
