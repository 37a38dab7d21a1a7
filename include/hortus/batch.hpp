#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>

/// Batches on digests, the same for every family: keys go in blocks, and while one block is worked on the memory of the next is
/// on its way, so that many cache misses are under way at any time. The answers are those of one by one.
namespace hortus {

/// Keys handed to a family at a time: a word of answers, unless it asks for more (a multiple of 64). Short, because a core
/// keeps only a dozen or two misses in flight: while more keys than that are worked on, memory would have nothing to do.
template <family F>
inline constexpr std::size_t block_keys = [] {
  if constexpr (requires { F::block_keys; })
    return std::size_t{F::block_keys};
  else
    return std::size_t{64};
}();

/// Where a core's own cache ends on today's machines, roughly. A filter up to this size gains nothing from asking ahead, and
/// pays for it: docs/performance.md has the measurement.
inline constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// Is it worth asking memory ahead?
template <family F>
bool lies_far(F const& f) noexcept {
  return prefetchable<F> && f.size_bytes() > cached_bytes;
}

/// What a block is for: a lookup may touch less than an insert or a count of the same key.
enum class access { lookup, count, update };

/// Asks memory for what x will touch.
template <access For, family F>
void ask_for(F const& f, digest x) noexcept {
  if constexpr (For != access::lookup && requires { f.prefetch_all(x); })
    f.prefetch_all(x);
  else if constexpr (prefetchable<F>)
    f.prefetch(x);
}

/// act(block, next) for block after block of digests that are there already. `next` is what act should ask memory for, key by
/// key in between its work: the next block, or nothing when the filter is near.
template <access For, family F>
void in_blocks(F const& f, std::span<digest const> xs, auto act) {
  bool const far = lies_far(f);
  if (far)
    for (auto const x : xs.first(std::min(block_keys<F>, xs.size()))) ask_for<For>(f, x);
  for (std::size_t i = 0; i < xs.size(); i += block_keys<F>) {
    auto const rest = xs.subspan(i);
    auto const count = std::min(block_keys<F>, rest.size());
    act(rest.first(count), rest.subspan(count, far ? std::min(block_keys<F>, rest.size() - count) : 0));
  }
}

/// The same over digests to be made: fill(space) makes the next ones, at most space.size(), and says how many there are.
template <access For, family F>
void in_blocks(F const& f, auto fill, auto act) {
  bool const far = lies_far(f);
  alignas(64) std::array<digest, block_keys<F>> space[2];
  auto* now = &space[0];
  auto* next = &space[1];
  auto count = fill(std::span(*now));
  if (far)
    for (auto const x : std::span(*now).first(count)) ask_for<For>(f, x);
  while (count != 0) {
    std::size_t const coming = count == now->size() ? fill(std::span(*next)) : 0;
    act(std::span<digest const>(*now).first(count), std::span<digest const>(*next).first(far ? coming : 0));
    std::swap(now, next);
    count = coming;
  }
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

/// One block; how many went in. Asks memory for `next` on the way.
template <insertable F>
std::size_t insert_block(F& f, std::span<digest const> xs, std::span<digest const> next) {
  if constexpr (batched_insertable<F>) return f.insert(xs, next);
  std::size_t in = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) ask_for<access::update>(f, next[i]);
    in += std::size_t{insert_one(f, xs[i])};
  }
  return in;
}

/// One block: key i as often as times[i] says. A family chosen at run time takes the block whole.
template <weighted F>
void insert_times_block(F& f, std::span<digest const> xs, std::span<digest const> next, times_type<F> const* times) {
  if constexpr (requires { f.insert_times(xs, times); }) return f.insert_times(xs, times);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) ask_for<access::update>(f, next[i]);
    f.insert(xs[i], times[i]);
  }
}

/// One block: writes what insert_if_new says of each into the bits of `fresh`, ceil(xs.size() / 64) words. In order: of a key
/// that stands twice in the block the second is not new.
template <noticing F>
void insert_if_new_block(F& f, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* fresh) {
  if constexpr (batched_noticing<F>) {
    f.insert_if_new(xs, next, fresh);
  } else {
    std::fill_n(fresh, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) ask_for<access::update>(f, next[i]);
      fresh[i / 64] |= std::uint64_t{f.insert_if_new(xs[i])} << (i % 64);
    }
  }
}

/// One block; how many were erased. In order, so that a key that stands twice in the block is erased twice if it can be.
template <erasable F>
std::size_t erase_block(F& f, std::span<digest const> xs, std::span<digest const> next) {
  if constexpr (batched_erasable<F>) {
    return f.erase(xs, next);
  } else {
    std::size_t erased = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) ask_for<access::update>(f, next[i]);
      erased += std::size_t{f.erase(xs[i])};
    }
    return erased;
  }
}

/// One block: writes the answers for xs into `counts`.
template <countable F>
void count_block(F const& f, std::span<digest const> xs, std::span<digest const> next, count_type<F>* counts) {
  if constexpr (batched_countable<F>) {
    f.count(xs, next, counts);
  } else {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) ask_for<access::count>(f, next[i]);
      counts[i] = f.count(xs[i]);
    }
  }
}

/// One block: writes the answers for xs into the bits of `hits`, ceil(xs.size() / 64) words. Asks memory for `next` on the way.
template <membership F>
void may_contain_block(F const& f, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) {
  if constexpr (batched_membership<F>) {
    f.may_contain(xs, next, hits);
  } else {
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) ask_for<access::lookup>(f, next[i]);
      hits[i / 64] |= std::uint64_t{f.may_contain(xs[i])} << (i % 64);
    }
  }
}

/// Any number of digests; how many went in.
template <insertable F>
std::size_t insert_all(F& f, std::span<digest const> xs) {
  std::size_t in = 0;
  in_blocks<access::update>(f, xs, [&](auto block, auto next) { in += insert_block(f, block, next); });
  return in;
}

/// Any number of digests, digest i as often as times[i] says.
template <weighted F>
void insert_times_all(F& f, std::span<digest const> xs, times_type<F> const* times) {
  in_blocks<access::update>(f, xs, [&](auto block, auto next) {
    insert_times_block(f, block, next, times);
    times += block.size();
  });
}

/// Any number of digests: what insert_if_new says of each goes into the bits of `fresh`, ceil(xs.size() / 64) words.
template <noticing F>
void insert_if_new_all(F& f, std::span<digest const> xs, std::uint64_t* fresh) {
  in_blocks<access::update>(f, xs, [&](auto block, auto next) {
    insert_if_new_block(f, block, next, fresh);
    fresh += block.size() / 64;
  });
}

/// Any number of digests: the answers go into the bits of `hits`, ceil(xs.size() / 64) words.
template <membership F>
void may_contain_all(F const& f, std::span<digest const> xs, std::uint64_t* hits) {
  in_blocks<access::lookup>(f, xs, [&](auto block, auto next) {
    may_contain_block(f, block, next, hits);
    hits += block.size() / 64;
  });
}

/// Any number of digests; how many were erased.
template <erasable F>
std::size_t erase_all(F& f, std::span<digest const> xs) {
  std::size_t erased = 0;
  in_blocks<access::update>(f, xs, [&](auto block, auto next) { erased += erase_block(f, block, next); });
  return erased;
}

/// Any number of digests: act(count) for each, in order.
template <countable F>
void for_each_count(F const& f, std::span<digest const> xs, auto act) {
  std::array<count_type<F>, block_keys<F>> counts;
  in_blocks<access::count>(f, xs, [&](auto block, auto next) {
    count_block(f, block, next, counts.data());
    for (std::size_t i = 0; i < block.size(); ++i) act(counts[i]);
  });
}

}  // namespace hortus
