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

/// Batches of digests, the same for every family. Keys are handled in blocks. While one block is handled, the next is
/// prefetched, so that many cache misses overlap. The answers are the same as one by one.
namespace hortus {

/// Keys handed to a family at a time: one word of answers, unless the family declares more (a multiple of 64). A block is
/// short because a core keeps only 12 to 24 misses in flight: in a longer block those would end early, and memory would be
/// idle during the rest.
template <family F>
inline constexpr std::size_t block_keys = [] {
  if constexpr (requires { F::block_keys; })
    return std::size_t{F::block_keys};
  else
    return std::size_t{64};
}();

/// The approximate size of a core's own cache on today's machines. Prefetching costs time and gains nothing in a filter up to
/// this size: docs/performance-history.md has the measurement.
inline constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// What a block is for: a lookup may touch less memory than an insert or a count of the same key.
enum class access { lookup, count, update };

/// Is it worth prefetching?
template <family F>
bool worth_prefetching(F const& f) noexcept {
  return prefetchable<F> && f.size_bytes() > cached_bytes;
}

/// A family chosen at run time prefetches for several keys in one call.
template <class F>
concept prefetchable_together = family<F> && requires(F const& c, std::span<digest const> xs) {
  { c.in_one_place() } -> std::same_as<bool>;
  c.prefetch(xs);
};

/// Is a key in one place, which a single prefetch fetches?
template <family F>
bool in_one_place(F const& f) noexcept {
  if constexpr (prefetchable_together<F>)
    return f.in_one_place();
  else
    return requires { requires F::writes_its_place_only; };
}

/// Prefetches what an operation on x will touch. Always inlined, as every function should be that only prefetches: g++ 12 takes
/// a call of such a function for one without effect, and drops it.
template <access For, family F>
[[gnu::always_inline]] inline void prefetch_for(F const& f, digest x) noexcept {
  if constexpr (For != access::lookup && requires { f.prefetch_all(x); })
    f.prefetch_all(x);
  else if constexpr (prefetchable<F>)
    f.prefetch(x);
}

/// Calls act(block, next) for one block after another of digests that exist already. act should prefetch `next`, key by key
/// between its own work. `next` is the next block; it is empty when the filter fits the cache.
template <access For, family F>
void in_blocks(F const& f, std::span<digest const> xs, auto act) {
  bool const far = worth_prefetching(f);
  if (far)
    for (auto const x : xs.first(std::min(block_keys<F>, xs.size()))) prefetch_for<For>(f, x);
  for (std::size_t i = 0; i < xs.size(); i += block_keys<F>) {
    auto const rest = xs.subspan(i);
    auto const count = std::min(block_keys<F>, rest.size());
    act(rest.first(count), rest.subspan(count, far ? std::min(block_keys<F>, rest.size() - count) : 0));
  }
}

/// The same for digests computed on the way: fill(space) writes the next digests, at most space.size(), and returns their
/// number. For digests that take little time, such as those of integers.
template <access For, family F>
void in_blocks(F const& f, auto fill, auto act) {
  bool const far = worth_prefetching(f);
  digest_space<block_keys<F>> space[2];
  auto* now = &space[0];
  auto* next = &space[1];
  auto count = fill(now->all());
  if (far)
    for (auto const x : now->all().first(count)) prefetch_for<For>(f, x);
  while (count != 0) {
    std::size_t const coming = count == now->size() ? fill(next->all()) : 0;
    act(std::span<digest const>(now->first(), count), std::span<digest const>(next->first(), far ? coming : 0));
    std::swap(now, next);
    count = coming;
  }
}

/// Digests that take time, such as those of texts. Each key is prefetched when it is hashed, and handled when others have been
/// hashed after it: there is room for `Blocks` blocks, and the oldest is handled when all are full. `AtOnce` keys are
/// prefetched together, a few: a core waits at a series of prefetches as soon as all its misses are in flight, and hashes
/// nothing meanwhile. For the same reason it is only for keys in one place: with more lines a key it takes longer
/// (docs/performance-history.md).
template <access For, family F, std::size_t AtOnce = 2, std::size_t Block = 64, std::size_t Blocks = 2>
class hashed_ahead {
 public:
  explicit hashed_ahead(F const& f) noexcept : f_(f) {}

  /// Is it of use for this filter?
  [[nodiscard]] static bool pays(F const& f) noexcept { return in_one_place(f) && f.size_bytes() > cached_bytes; }

  /// Takes all digests that fill(space) writes; it returns their number, less than space.size() at the end only. Calls
  /// act(digests) for blocks of them, in order. The last ones remain, for another take() or for finish().
  void take(auto fill, auto act) {
    for (;;) {
      auto const some = kept_[now_].all().subspan(count_, std::min(AtOnce, Block - count_));
      auto const got = fill(some);
      prefetch(some.first(got));
      count_ += got;
      if (got < some.size()) return;
      if (count_ == Block) next_block(act);
    }
  }
  /// Calls act(digests) for those that remain.
  void finish(auto act) {
    for (; full_ != 0; --full_) act(std::span<digest const>(kept_[(now_ + Blocks - full_) % Blocks].first(), Block));
    if (count_ != 0) act(std::span<digest const>(kept_[now_].first(), count_));
    count_ = 0;
  }

 private:
  void next_block(auto act) {
    count_ = 0;
    now_ = (now_ + 1) % Blocks;
    if (++full_ < Blocks) return;
    act(std::span<digest const>(kept_[now_].first(), Block));
    --full_;
  }
  [[gnu::always_inline]] void prefetch(std::span<digest const> xs) const noexcept {
    if constexpr (prefetchable_together<F>)
      f_.prefetch(xs);
    else
      for (auto const x : xs) prefetch_for<For>(f_, x);
  }

  digest_space<Block> kept_[Blocks];
  F const& f_;
  std::size_t now_ = 0;    // the block that is being filled
  std::size_t count_ = 0;  // digests in it
  std::size_t full_ = 0;   // blocks before it that were not handled
};

/// The same for a whole batch, as in_blocks; act has nothing to prefetch.
template <access For, family F>
void in_blocks_hashed_slowly(F const& f, auto fill, auto act) {
  if (!hashed_ahead<For, F>::pays(f)) return in_blocks<For>(f, fill, act);
  auto const handle = [&](std::span<digest const> xs) { act(xs, std::span<digest const>()); };
  hashed_ahead<For, F> ahead(f);
  ahead.take(fill, handle);
  ahead.finish(handle);
}

/// Inserts one key; returns whether it was inserted. That is always true, unless the family can refuse keys.
template <insertable F>
bool insert_one(F& f, digest x) {
  if constexpr (std::is_void_v<decltype(f.insert(x))>) {
    f.insert(x);
    return true;
  } else {
    return f.insert(x);
  }
}

/// Inserts one block and returns the number of keys inserted. Prefetches `next` on the way.
template <insertable F>
std::size_t insert_block(F& f, std::span<digest const> xs, std::span<digest const> next) {
  if constexpr (batched_insertable<F>) return f.insert(xs, next);
  std::size_t in = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) prefetch_for<access::update>(f, next[i]);
    in += std::size_t{insert_one(f, xs[i])};
  }
  return in;
}

/// Inserts one block: key i times[i] times. A family chosen at run time takes the whole block in one call.
template <weighted F>
void insert_times_block(F& f, std::span<digest const> xs, std::span<digest const> next, times_type<F> const* times) {
  if constexpr (requires { f.insert_times(xs, times); }) return f.insert_times(xs, times);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) prefetch_for<access::update>(f, next[i]);
    f.insert(xs[i], times[i]);
  }
}

/// One block: writes the results of insert_if_new into the bits of `fresh`, ceil(xs.size() / 64) words. Keys are inserted in
/// order: if a key is in the block twice, the second is not new.
template <noticing F>
void insert_if_new_block(F& f, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* fresh) {
  if constexpr (batched_noticing<F>) {
    f.insert_if_new(xs, next, fresh);
  } else {
    std::fill_n(fresh, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch_for<access::update>(f, next[i]);
      fresh[i / 64] |= std::uint64_t{f.insert_if_new(xs[i])} << (i % 64);
    }
  }
}

/// Erases one block and returns the number of keys erased. In order, so that a key that is in the block twice is erased twice
/// if possible.
template <erasable F>
std::size_t erase_block(F& f, std::span<digest const> xs, std::span<digest const> next) {
  if constexpr (batched_erasable<F>) {
    return f.erase(xs, next);
  } else {
    std::size_t erased = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch_for<access::update>(f, next[i]);
      erased += std::size_t{f.erase(xs[i])};
    }
    return erased;
  }
}

/// One block: writes the counts of xs into `counts`.
template <countable F>
void count_block(F const& f, std::span<digest const> xs, std::span<digest const> next, count_type<F>* counts) {
  if constexpr (batched_countable<F>) {
    f.count(xs, next, counts);
  } else {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch_for<access::count>(f, next[i]);
      counts[i] = f.count(xs[i]);
    }
  }
}

/// One block: writes the answers for xs into the bits of `hits`, ceil(xs.size() / 64) words. Prefetches `next` on the way.
template <membership F>
void may_contain_block(F const& f, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) {
  if constexpr (batched_membership<F>) {
    f.may_contain(xs, next, hits);
  } else {
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch_for<access::lookup>(f, next[i]);
      hits[i / 64] |= std::uint64_t{f.may_contain(xs[i])} << (i % 64);
    }
  }
}

/// One block: writes the values of xs into `values`, and into the bits of `hits` which of them have one. Prefetches `next` on
/// the way.
template <finding F>
void find_block(F const& f, std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
                std::uint64_t* hits) {
  if constexpr (batched_finding<F>) {
    f.find(xs, next, values, hits);
  } else {
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch_for<access::lookup>(f, next[i]);
      auto const value = f.find(xs[i]);
      values[i] = value.value_or(0);
      hits[i / 64] |= std::uint64_t{value.has_value()} << (i % 64);
    }
  }
}

/// Inserts any number of digests; returns the number inserted.
template <insertable F>
std::size_t insert_all(F& f, std::span<digest const> xs) {
  std::size_t in = 0;
  in_blocks<access::update>(f, xs, [&](auto block, auto next) { in += insert_block(f, block, next); });
  return in;
}

/// Inserts any number of digests, digest i times[i] times.
template <weighted F>
void insert_times_all(F& f, std::span<digest const> xs, times_type<F> const* times) {
  in_blocks<access::update>(f, xs, [&](auto block, auto next) {
    insert_times_block(f, block, next, times);
    times += block.size();
  });
}

/// Any number of digests: writes the results of insert_if_new into the bits of `fresh`, ceil(xs.size() / 64) words.
template <noticing F>
void insert_if_new_all(F& f, std::span<digest const> xs, std::uint64_t* fresh) {
  in_blocks<access::update>(f, xs, [&](auto block, auto next) {
    insert_if_new_block(f, block, next, fresh);
    fresh += block.size() / 64;
  });
}

/// Any number of digests: writes the answers into the bits of `hits`, ceil(xs.size() / 64) words.
template <membership F>
void may_contain_all(F const& f, std::span<digest const> xs, std::uint64_t* hits) {
  in_blocks<access::lookup>(f, xs, [&](auto block, auto next) {
    may_contain_block(f, block, next, hits);
    hits += block.size() / 64;
  });
}

/// Any number of digests: writes their values, and into the bits of `hits` which of them have one.
template <finding F>
void find_all(F const& f, std::span<digest const> xs, std::uint64_t* values, std::uint64_t* hits) {
  in_blocks<access::lookup>(f, xs, [&](auto block, auto next) {
    find_block(f, block, next, values, hits);
    values += block.size();
    hits += block.size() / 64;
  });
}

/// Erases any number of digests; returns the number erased.
template <erasable F>
std::size_t erase_all(F& f, std::span<digest const> xs) {
  std::size_t erased = 0;
  in_blocks<access::update>(f, xs, [&](auto block, auto next) { erased += erase_block(f, block, next); });
  return erased;
}

/// Any number of digests: calls act(count) for each, in order.
template <countable F>
void for_each_count(F const& f, std::span<digest const> xs, auto act) {
  std::array<count_type<F>, block_keys<F>> counts;
  in_blocks<access::count>(f, xs, [&](auto block, auto next) {
    count_block(f, block, next, counts.data());
    for (std::size_t i = 0; i < block.size(); ++i) act(counts[i]);
  });
}

}  // namespace hortus
