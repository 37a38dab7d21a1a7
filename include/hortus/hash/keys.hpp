#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/key_kind.hpp>

/// Which types can be keys, and the one place where a key becomes a digest. A key is
///
///     an integer           42, 42u, 42ull: by value, whatever its width. -1 and 2^64-1 are one key.
///     text                 "ab", char const*, std::string, std::string_view, u8"ab": by content
///     bytes                a contiguous range of std::byte, of any char, of std::uint8_t: the same content is the same key
///     a type of your own   with a function key_bytes(x) beside it that returns its bytes
///
/// and nothing else: pointers, floating point, enums and structs have no obvious byte form, and padding is not content.
namespace hortus {

namespace detail {

template <class T>
using bare = std::remove_cvref_t<T>;
template <class T>
using const_ref = bare<T> const&;

template <class T, class... Some>
concept one_of = (std::same_as<T, Some> || ...);

/// A range of these is one key, never a batch of small integers.
template <class T>
concept byte_like = one_of<T, char, signed char, unsigned char, std::byte, char8_t>;

template <class T>
concept character = one_of<T, char, char8_t>;

/// A C array of characters: text up to its first NUL, as C functions read it, or all of it if there is no NUL.
template <class T>
concept c_string = std::is_bounded_array_v<T> && character<std::remove_extent_t<T>>;

template <class T>
concept wide_character = one_of<T, wchar_t, char16_t, char32_t>;

}  // namespace detail

/// Integers are keys by value, whatever their width. bool is 0 or 1. A single char is the unsigned value of its byte, because
/// the sign of char differs between machines. Wide characters are excluded, so that a std::wstring is not a batch of integers.
template <class Key>
concept integer_key = std::integral<detail::bare<Key>> && !detail::wide_character<detail::bare<Key>> &&
                      sizeof(Key) <= sizeof(std::uint64_t);  // a 128-bit integer would lose its upper half

/// Text: every type that converts to std::string_view. A char const* must not be null; nullptr itself does not compile.
template <class Key>
concept text_key = detail::c_string<detail::bare<Key>> ||
    (std::convertible_to<detail::const_ref<Key>, std::string_view> && !std::is_null_pointer_v<detail::bare<Key>>);

/// A byte range counts with all its bytes, also a std::array<char, 4> with a NUL inside. Only a C array of char ends at its
/// NUL.
template <class Key>
concept byte_row_key = std::ranges::contiguous_range<detail::const_ref<Key>> &&
    std::ranges::sized_range<detail::const_ref<Key>> && detail::byte_like<std::ranges::range_value_t<detail::const_ref<Key>>>;

/// Text and bytes are keys by content, however they are held.
template <class Key>
concept bytes_key = text_key<Key> || byte_row_key<Key>;

/// A type of your own provides key_bytes(), which is found by argument-dependent lookup. It may return a view of the object, or
/// an array by value if the bytes have to be computed (a double with one zero and one NaN, the fields of a padded struct).
template <class Key>
concept custom_key = requires(detail::const_ref<Key> key) {
  { key_bytes(key) } -> std::convertible_to<std::span<std::byte const>>;  // std::span<std::byte const> key_bytes(Key const&)
};

/// A key that a hash can turn into a digest.
template <class Key>
concept hashable = integer_key<Key>  // an integer of at most 64 bits
    || bytes_key<Key>                // text or a byte range; pointers other than char const* have no content
    || custom_key<Key>;              // or a type with key_bytes(x); structs, floating point and enums need that

/// A digest, or one of which more is known.
template <class Key>
concept digest_key = std::derived_from<detail::bare<Key>, digest>;

/// The argument of every verb: a key, or the digest of one. A key can be hashed once and looked up in many filters.
template <class Key>
concept digestible = digest_key<Key> || hashable<Key>;  // integer, text, bytes, or has key_bytes(x)

/// The kind of Key, which files store.
template <digestible Key>
inline constexpr key_kind kind_of = std::same_as<detail::bare<Key>, digest>                               ? key_kind::digests
                                    : integer_key<Key> || std::same_as<detail::bare<Key>, integer_digest> ? key_kind::integers
                                                                                                          : key_kind::bytes;

namespace detail {

constexpr std::uint64_t integer_value(integer_key auto key) noexcept {
  if constexpr (std::same_as<decltype(key), char>)
    return static_cast<unsigned char>(key);
  else
    return static_cast<std::uint64_t>(key);
}

template <bytes_key Key>
constexpr auto row_of(Key const& key) {
  if constexpr (c_string<Key>) {
    using character = std::remove_extent_t<Key>;
    auto const* const end = std::char_traits<character>::find(key, std::extent_v<Key>, character{});
    return std::span(key, end != nullptr ? static_cast<std::size_t>(end - key) : std::extent_v<Key>);
  } else if constexpr (text_key<Key>) {
    return std::span(static_cast<std::string_view>(key));
  } else {
    return std::span(std::ranges::data(key), std::ranges::size(key));
  }
}

/// Are the bytes of a key still there when the iterator has gone on? Not if it made the key.
template <class Iterator>
concept bytes_stay = std::forward_iterator<Iterator> &&
    (std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> || std::ranges::borrowed_range<std::iter_value_t<Iterator>>);

}  // namespace detail

/// Is digest_of noexcept? It throws only where the hash does, or the key type: its key_bytes(), or its conversion to text or to
/// a range.
template <key_hash Hash, digestible Key>
inline constexpr bool hashes_nothrow = [] {
  [[maybe_unused]] Hash const* hash = nullptr;
  [[maybe_unused]] Key const* key = nullptr;
  if constexpr (digest_key<Key>)
    return true;
  else if constexpr (custom_key<Key>)
    return noexcept(hash->of_bytes(std::span<std::byte const>(key_bytes(*key))));
  else if constexpr (integer_key<Key>)
    return noexcept(hash->of_integer(0));
  else if constexpr (std::is_array_v<Key> || std::is_pointer_v<Key>)
    return noexcept(hash->of_bytes({}));
  else if constexpr (text_key<Key>)
    return noexcept(hash->of_bytes({}))&& noexcept(static_cast<std::string_view>(*key));
  else
    return noexcept(hash->of_bytes({}))&& noexcept(std::ranges::data(*key))&& noexcept(std::ranges::size(*key));
}();

/// The digest of a key under a hash. A digest is returned as it is.
template <key_hash Hash, digestible Key>
[[nodiscard]] constexpr digest digest_of(Hash const& hash, Key const& key) noexcept(hashes_nothrow<Hash, Key>) {
  if constexpr (digest_key<Key>)
    return key;
  else if constexpr (custom_key<Key>)  // first, so that a type's own key_bytes() takes precedence
    return hash.of_bytes(std::span<std::byte const>(key_bytes(key)));
  else if constexpr (integer_key<Key>)
    return hash.of_integer(detail::integer_value<detail::bare<Key>>(key));
  else
    return hash.of_bytes(std::as_bytes(detail::row_of(key)));
}

namespace detail {

/// Prefetches `count` keys, those 2 KiB after the first. The processor does that by itself only while nothing else is read in
/// between, such as the filter.
[[gnu::always_inline]] inline void prefetch_later_keys(std::span<std::uint64_t const> keys, std::size_t count) noexcept {
  constexpr std::size_t later = 2048 / sizeof(std::uint64_t);
  constexpr std::size_t in_a_line = 64 / sizeof(std::uint64_t);
  if (keys.size() <= later) return;
  auto const end = std::min(later + count, keys.size());
  for (auto i = later; i < end; i += in_a_line) __builtin_prefetch(keys.data() + i);
}

}  // namespace detail

/// Writes the digests of the next keys to `space`, until it is full or the keys end. Moves `key` past them and returns their
/// number.
template <key_hash Hash, std::input_iterator Iterator>
requires digestible<std::iter_value_t<Iterator>> std::size_t digests_of(Hash const& hash, Iterator& key,
                                                                        std::sentinel_for<Iterator> auto const& end,
                                                                        std::span<digest> space) {
  using key_type = std::iter_value_t<Iterator>;
  if constexpr (batched_integer_hash<Hash> && std::contiguous_iterator<Iterator> && integer_key<key_type> &&
                sizeof(key_type) == sizeof(std::uint64_t)) {
    constexpr std::size_t piece = 64;
    std::span const keys(reinterpret_cast<std::uint64_t const*>(std::to_address(key)), static_cast<std::size_t>(end - key));
    auto const count = std::min(space.size(), keys.size());
    for (std::size_t i = 0; i < count; i += piece) {
      auto const some = std::min(piece, count - i);
      detail::prefetch_later_keys(keys.subspan(i), some);
      hash.of_integers(keys.subspan(i, some), space.data() + i);
    }
    key += static_cast<std::iter_difference_t<Iterator>>(count);
    return count;
  } else if constexpr (batched_text_hash<Hash> && std::contiguous_iterator<Iterator> &&
                       std::same_as<key_type, std::string_view>) {
    auto const count = std::min(space.size(), static_cast<std::size_t>(end - key));
    hash.of_texts({std::to_address(key), count}, space.data());
    key += static_cast<std::iter_difference_t<Iterator>>(count);
    return count;
  } else if constexpr (batched_text_hash<Hash> && detail::bytes_stay<Iterator> && bytes_key<key_type> &&
                       !custom_key<key_type>) {
    std::array<std::string_view, 64> texts;
    std::size_t count = 0;
    while (count < space.size() && key != end) {
      std::size_t some = 0;
      for (; some < std::min(texts.size(), space.size() - count) && key != end; ++key) {
        auto const row = std::as_bytes(detail::row_of<key_type>(*key));
        texts[some++] = {reinterpret_cast<char const*>(row.data()), row.size()};
      }
      hash.of_texts(std::span(texts).first(some), space.data() + count);
      count += some;
    }
    return count;
  } else {
    std::size_t count = 0;
    for (; count < space.size() && key != end; ++key) space[count++] = digest_of(hash, *key);
    return count;
  }
}

/// The digests of all keys of a range, in their order.
template <key_hash Hash, std::ranges::input_range Keys>
std::vector<digest> all_digests(Hash const& hash, Keys const& keys) {
  std::vector<digest> all;
  if constexpr (std::ranges::sized_range<Keys const>) all.reserve(std::ranges::size(keys));
  auto key = std::ranges::begin(keys);
  auto const end = std::ranges::end(keys);
  std::array<digest, 256> space;
  while (auto const count = digests_of(hash, key, end, space))
    all.insert(all.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(count));
  return all;
}

}  // namespace hortus
