#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <hortus/concepts.hpp>

/// Batches on digests, the same for every family: memory is asked for some keys ahead of the key being worked on, so that many
/// cache misses are under way at once. The answers are those of one by one.
namespace hortus {

/// Keys hashed and handed on together. A multiple of 64, so that blocks fill whole words of a bitmask.
inline constexpr std::size_t block_keys = 256;

/// How many keys ahead to ask. A core has a dozen or so misses in flight; past that the requests only queue.
inline constexpr std::size_t prefetch_distance = 16;

/// Where a core's own cache ends on today's machines, roughly. A filter up to this size gains nothing from asking ahead, and
/// pays for it: docs/performance.md has the measurement.
inline constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// act(i) for every i, with the memory of xs[i + distance] already asked for.
template <family F>
void ahead(F const& f, std::span<digest const> xs, auto act) {
  if constexpr (prefetchable<F>) {
    auto const head = f.size_bytes() <= cached_bytes ? 0 : std::min(prefetch_distance, xs.size());
    for (std::size_t i = 0; i < head; ++i) f.prefetch(xs[i]);
    if (head != 0) {
      for (std::size_t i = 0; i + head < xs.size(); ++i) {
        f.prefetch(xs[i + head]);
        act(i);
      }
      for (std::size_t i = xs.size() - head; i < xs.size(); ++i) act(i);
      return;
    }
  }
  for (std::size_t i = 0; i < xs.size(); ++i) act(i);
}

/// Inserts one key; did it go in? Always, unless the family can be full.
template <insertable F>
bool insert_one(F& f, digest x) {
  if constexpr (std::is_void_v<decltype(f.insert(x))>) {
    f.insert(x);
    return true;
  } else {
    return f.insert(x);
  }
}

/// How many went in.
template <insertable F>
std::size_t insert_block(F& f, std::span<digest const> xs) {
  if constexpr (batched_insertable<F>) return f.insert(xs);
  std::size_t in = 0;
  ahead(f, xs, [&](std::size_t i) { in += std::size_t{insert_one(f, xs[i])}; });
  return in;
}

/// How many were erased. In order, so that a key that stands twice in the block is erased twice if it can be.
template <erasable F>
std::size_t erase_block(F& f, std::span<digest const> xs) {
  if constexpr (batched_erasable<F>) {
    return f.erase(xs);
  } else {
    std::size_t erased = 0;
    ahead(f, xs, [&](std::size_t i) { erased += std::size_t{f.erase(xs[i])}; });
    return erased;
  }
}

/// Writes the answers for xs into `counts`.
template <countable F>
void count_block(F const& f, std::span<digest const> xs, count_type<F>* counts) {
  if constexpr (batched_countable<F>)
    f.count(xs, counts);
  else
    ahead(f, xs, [&](std::size_t i) { counts[i] = f.count(xs[i]); });
}

/// Writes the answers for xs into the bits of `hits`, ceil(xs.size() / 64) words.
template <membership F>
void may_contain_block(F const& f, std::span<digest const> xs, std::uint64_t* hits) {
  if constexpr (batched_membership<F>) {
    f.may_contain(xs, hits);
  } else {
    std::fill_n(hits, xs.size() / 64 + (xs.size() % 64 != 0 ? 1 : 0), 0);
    ahead(f, xs, [&](std::size_t i) { hits[i / 64] |= std::uint64_t{f.may_contain(xs[i])} << (i % 64); });
  }
}

}  // namespace hortus
