#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <span>
#include <utility>

#include <hortus/concepts.hpp>
#include <hortus/hash/kept_key.hpp>

/// What of_keys does, besides hashing, for families that keep the bytes of their keys.
namespace hortus {

/// insert(x, key): as insert(x), and keeps the key's bytes, for families that can list keys. In a family chosen at run time,
/// keeps_keys() says whether it keeps them; one that does not takes the digest alone.
template <class F>
concept key_keeping = insertable<F> && requires(F& f, F const& c, digest x, kept_key const& key) {
  f.insert(x, key);
  f.insert(x, key, 1);  // the number of times
  { c.keeps_keys() } -> std::same_as<bool>;
  c.prefetch_kept(x);  // prefetches what insert(x, key) reads first
};

/// Is the insert of a single key noexcept? Not if its bytes are kept, because that may allocate.
template <insertable F>
inline constexpr bool inserts_nothrow = !key_keeping<F>&& noexcept(std::declval<F&>().insert(digest()));

/// Inserts one key with digest x, and its bytes where the family keeps them.
template <insertable F, digestible Key>
decltype(auto) insert_key(F& f, digest x, Key const& key) {
  if constexpr (key_keeping<F>)
    return with_kept_key(key, [&](kept_key const& kept) -> decltype(auto) { return f.insert(x, kept); });
  else
    return f.insert(x);
}

/// The same as `times` inserts of that key.
template <weighted F, digestible Key>
void insert_key(F& f, digest x, Key const& key, times_type<F> times) {
  if constexpr (key_keeping<F>)
    with_kept_key(key, [&](kept_key const& kept) { f.insert(x, kept, times); });
  else
    f.insert(x, times);
}

/// Inserts a batch, with the same results as one by one. Keys are hashed in blocks, so that they can be prefetched. Calls
/// note() after each key.
template <key_keeping F, key_hash Hash, std::ranges::input_range Keys>
std::size_t insert_kept(F& f, Hash const& hash, Keys const& keys, auto note) {
  constexpr std::size_t ahead = 16;  // as many misses as a core keeps in flight
  std::size_t inserted = 0;
  if constexpr (std::ranges::forward_range<Keys const>) {
    std::array<digest, 256> block;
    auto key = std::ranges::begin(keys);
    // NOLINTNEXTLINE(bugprone-infinite-loop): digests_of advances to_hash
    for (auto to_hash = key; auto const count = digests_of(hash, to_hash, std::ranges::end(keys), block);) {
      for (std::size_t i = 0; i < std::min(ahead, count); ++i) f.prefetch_kept(block[i]);
      for (std::size_t i = 0; i < count; ++i, ++key, ++inserted) {
        if (i + ahead < count) f.prefetch_kept(block[i + ahead]);
        (void)insert_key(f, block[i], *key);
        note();
      }
    }
  } else {
    for (auto const& key : keys) {
      (void)insert_key(f, digest_of(hash, key), key);
      note();
      ++inserted;
    }
  }
  return inserted;
}

}  // namespace hortus
