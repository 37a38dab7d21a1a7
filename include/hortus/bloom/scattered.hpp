#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <hortus/batch.hpp>
#include <hortus/cells/bit_array.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// An array of bits or counters in which a key probes several cells.
template <class Cells>
concept probed_cells = requires(Cells const& cells, std::uint64_t i) {
  { cells.test(i) } -> std::same_as<bool>;  // is the bit set, or the counter above 0?
  cells.prefetch(i);
  { cells.size_bytes() } -> std::same_as<std::size_t>;
};

/// The loops of Bloom filters whose probes are scattered over one array of cells. Probe i of a key is the next position of
/// its Index within the `width` cells that start at i * stride: the whole array each time (bloom, stride 0), or slice i
/// (partitioned).
template <index_policy Index>
struct scattered {
  static constexpr std::size_t block_keys =
      256;  // rounds get shorter; with fewer keys the last rounds would only wait for memory

  unsigned probes;
  std::uint64_t width;
  std::uint64_t stride;

  /// Calls act(position) for each probe of x until it returns false. True if it never did.
  bool for_each(digest x, auto act) const noexcept {
    Index at(x, width);
    for (std::uint64_t i = 0, start = 0; i < probes; ++i, start += stride)
      if (!act(start + at.next())) return false;
    return true;
  }

  void set(bit_array& bits, digest x) const noexcept {
    for_each(x, [&](std::uint64_t bit) { return bits.set(bit), true; });
  }
  /// Sets all bits of x. True if one of them was not set before.
  bool set_new(bit_array& bits, digest x) const noexcept {
    bool fresh = false;
    for_each(x, [&](std::uint64_t bit) { return fresh |= !bits.test(bit), bits.set(bit), true; });
    return fresh;
  }
  bool set_new_shared(bit_array& bits, digest x) const noexcept {
    bool fresh = false;
    for_each(x, [&](std::uint64_t bit) { return fresh |= bits.set_shared(bit), true; });
    return fresh;
  }
  bool all_set_shared(bit_array const& bits, digest x) const noexcept {
    return for_each(x, [&](std::uint64_t bit) { return bits.test_shared(bit); });
  }
  bool all_set(probed_cells auto const& cells, digest x) const noexcept {
    return for_each(x, [&](std::uint64_t i) { return cells.test(i); });
  }
  /// Prefetches only the first cell of a lookup: most absent keys need no more.
  [[gnu::always_inline]] void prefetch(probed_cells auto const& cells, digest x) const noexcept {
    cells.prefetch(Index(x, width).next());
  }
  [[gnu::always_inline]] void prefetch_all(probed_cells auto const& cells, digest x) const noexcept {
    for_each(x, [&](std::uint64_t i) { return cells.prefetch(i), true; });
  }

  /// Looks up a block of keys without hard-to-predict branches. If the filter fits the cache, every key reads all its
  /// cells: that costs less than mispredicting where to stop. In a larger filter every cache line counts, so keys go in
  /// rounds.
  /// Pre: at most block_keys keys.
  void all_set(probed_cells auto const& cells, std::span<digest const> xs, std::span<digest const> next,
               std::uint64_t* hits) const noexcept {
    assert(xs.size() <= block_keys);
    if (cells.size_bytes() > cached_bytes) return all_set_in_rounds(cells, xs, next, hits);
    std::fill_n(hits, (xs.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      bool found = true;
      for_each(xs[i], [&](std::uint64_t at) { return found &= cells.test(at), true; });
      hits[i / 64] |= std::uint64_t{found} << (i % 64);
    }
  }

 private:
  /// Round 1 tests every key's first cell, round 2 the second cell of the keys that passed, and so on. Each round
  /// prefetches all its lines before it reads one (the caller has prefetched those of round 1), so many cache misses
  /// overlap. An absent key reads about two lines, a member all of its own.
  void all_set_in_rounds(probed_cells auto const& cells, std::span<digest const> xs, std::span<digest const> next,
                         std::uint64_t* hits) const noexcept {
    struct lookup {
      lookup() noexcept {}  // leaves members uninitialised: they are written before they are read
      union {
        Index at;
      };
      std::uint64_t cell;
    };
    static_assert(std::is_trivially_copyable_v<Index>);
    std::array<lookup, block_keys> alive;
    std::array<std::uint8_t, block_keys> key;
    static_assert(block_keys <= 256, "a key's number is kept in a byte");
    auto count = xs.size();
    for (std::size_t i = 0; i < count; ++i) {
      alive[i].at = Index(xs[i], width);
      alive[i].cell = alive[i].at.next();
      key[i] = static_cast<std::uint8_t>(i);
    }
    for (std::uint64_t round = 1; count != 0; ++round) {
      std::size_t survivors = 0;
      for (std::size_t i = 0; i < count; ++i) {
        bool const set = cells.test(alive[i].cell);
        alive[survivors].at = alive[i].at;
        key[survivors] = key[i];
        survivors += std::size_t{set};
      }
      count = survivors;
      if (round == probes) break;
      for (std::size_t i = 0; i < count; ++i) cells.prefetch(alive[i].cell = round * stride + alive[i].at.next());
    }
    for (auto const x : next) prefetch(cells, x);
    std::fill_n(hits, (xs.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < count; ++i) hits[key[i] / 64] |= std::uint64_t{1} << (key[i] % 64);
  }
};

}  // namespace hortus
