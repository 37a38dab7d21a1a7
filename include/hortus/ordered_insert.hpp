#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/concepts.hpp>
#include <hortus/dealt_words.hpp>
#include <hortus/plan/goal.hpp>

/// Building a filter much larger than the cache. Keys are first partitioned by the part of the filter they belong to. Then
/// each part, which fits the cache, gets its keys. So memory is written in order. A key that changes cells all over the filter
/// is dealt out to the parts of all its cells.
namespace hortus {

/// A family that keeps a key in one place, or near it. Places are numbered in the order of memory.
template <class F>
concept placed = insertable<F> && requires(F const& c, digest x) {
  { c.place(x) } -> std::same_as<std::uint64_t>;  // below places()
  { c.places() } -> std::same_as<std::uint64_t>;
};

/// A family whose inserts read and write the memory of the key's place only. So several threads can handle different parts
/// without atomics: parallel.hpp.
template <class F>
concept separately_placed = placed<F> && requires {
  requires F::writes_its_place_only;
};

/// A family that changes several cells for a key, each on its own and in any order. Cells are numbered in the order of memory,
/// and have at least one bit.
template <class F>
concept scattering = insertable<F> && requires(F& f, F const& c, digest x, std::uint64_t cell) {
  c.for_each_cell(x, [](std::uint64_t) {});  // each below places()
  f.mark(cell);
  { c.places() } -> std::same_as<std::uint64_t>;
};

/// A family whose keys can be inserted in the order of memory.
template <class F>
concept orderable = placed<F> || scattering<F>;

/// One that several threads can fill at once.
template <class F>
concept separable = separately_placed<F> || scattering<F>;

/// How a filter is divided: part i begins at place i * 2^shift.
struct parts_of_filter {
  unsigned shift = 0;
  std::size_t count = 1;

  /// A part takes half of a core's own cache. There are at most 256 parts, so that the lines being written, one for each
  /// part, stay in the first-level cache. Parts begin on cache-line boundaries, so that no two threads write to the same
  /// line.
  template <orderable F>
  explicit parts_of_filter(F const& f) : shift(shift_for(f)), count(static_cast<std::size_t>((f.places() - 1) >> shift) + 1) {}

 private:
  template <orderable F>
  static unsigned shift_for(F const& f) {
    constexpr std::uint64_t part_bytes = cached_bytes / 2;
    constexpr std::uint64_t most_parts = 256;
    auto const fewest = std::clamp<std::uint64_t>(f.size_bytes() / part_bytes, 1, most_parts / 2);
    auto const shift = static_cast<unsigned>(std::bit_width(f.places() / fewest | 1)) - 1;  // up to twice `fewest` parts
    return scattering<F> ? std::clamp(shift, 9U, 32U) : std::max(shift, 4U);  // 512 bits are a line; see dealing_of::word
  }
};

/// What is dealt out for a key: its digest, to its place.
template <orderable F>
struct dealing_of {
  using word = digest;
  static constexpr std::size_t most_words = 1;  // for a key
  static void deal(F const& f, digest x, unsigned shift, dealt_words<word>& to) noexcept {
    to.put(static_cast<std::size_t>(f.place(x) >> shift), x);
  }
  static std::size_t insert(F& f, std::uint64_t, std::span<word const> xs) { return insert_all(f, xs); }
};

/// Or the number of each of its cells, in the part that the cell belongs to.
template <scattering F>
struct dealing_of<F> {
  using word = std::uint32_t;
  static constexpr std::size_t most_words = 64;
  static_assert(plan::max_probes <= most_words);
  static void deal(F const& f, digest x, unsigned shift, dealt_words<word>& to) noexcept {
    auto const within = (std::uint64_t{1} << shift) - 1;
    f.for_each_cell(
        x, [&](std::uint64_t cell) { to.put(static_cast<std::size_t>(cell >> shift), static_cast<word>(cell & within)); });
  }
  static std::size_t insert(F& f, std::uint64_t first, std::span<word const> cells) noexcept {
    for (auto const cell : cells) f.mark(first + cell);
    return 0;  // keys are counted when they are dealt
  }
};

/// Is partitioning worth it for `keys` keys? If there are few of them, or of their cells, per cache line, a line would be
/// fetched for each anyway.
template <orderable F>
bool worth_ordering(F const& f, std::uint64_t keys) noexcept {
  auto const lines = scattering<F> ? F::lines_touched(f.shape()) : 1;
  return f.size_bytes() >= 16 * cached_bytes && lines * static_cast<double>(keys) >= static_cast<double>(f.size_bytes()) / 32;
}

/// One thread's state in an ordered insert. fill(space) writes the next digests, at most space.size(), and returns their
/// number; 0 means that there are no more.
template <orderable F, class Fill>
struct alignas(memory::line_bytes) dealing {
  using of = dealing_of<F>;

  Fill& fill;
  dealt_words<typename of::word> dealt;
  std::array<digest, 1024> space;
  std::span<digest const> rest = {};  // computed, not yet partitioned
  std::size_t keys = 0;               // partitioned
  bool more = true;
  std::exception_ptr failure = nullptr;

  [[nodiscard]] bool pending() const noexcept { return more || !rest.empty(); }

  /// Partitions up to a thousand digests. Returns false when a part is full or there are no more digests.
  bool deal_some(F const& f, parts_of_filter parts) noexcept {
    try {
      if (rest.empty()) {
        auto const made = more ? fill(std::span<digest>(space)) : 0;
        more = made != 0;
        rest = std::span<digest const>(space).first(made);
      }
    } catch (...) {  // a key whose conversion to bytes throws; the digests before it are still inserted
      failure = std::current_exception();
      more = false;
    }
    std::size_t done = 0;
    while (done < rest.size() && !dealt.full()) of::deal(f, rest[done++], parts.shift, dealt);
    keys += done;
    rest = rest.subspan(done);
    return more && !dealt.full();
  }
  /// Inserts what was dealt to a part. Returns the number of keys that went in, of a family that is given keys.
  std::size_t insert_part(F& f, parts_of_filter parts, std::size_t part) {
    std::size_t in = 0;
    dealt.take(part, [&](auto words) { in += of::insert(f, std::uint64_t{part} << parts.shift, words); });
    return in;
  }
};

/// The memory in which keys are dealt out, in bytes: as much as the filter itself, so that every part is visited seldom. Cells
/// are many for a key, so that a large filter needs less.
template <orderable F>
[[nodiscard]] std::uint64_t dealing_bytes(F const& f) noexcept {
  constexpr std::uint64_t enough_for_cells = std::uint64_t{512} << 20;
  std::uint64_t const filter = f.size_bytes();
  return scattering<F> ? std::min(filter, std::max(filter / 4, enough_for_cells)) : filter;
}

/// Room for what one of `threads` threads deals out.
template <orderable F>
[[nodiscard]] auto room_to_deal(F const& f, parts_of_filter parts, std::size_t threads) {
  using word = typename dealing_of<F>::word;
  return dealt_words<word>(parts.count, dealing_bytes(f) / sizeof(word) / threads, dealing_of<F>::most_words);
}

/// Inserts the digests that `fill` writes, in the order of memory. Adds the number inserted to `in`. If fill throws, the
/// digests written before are still inserted and counted.
template <orderable F, class Fill>
void insert_ordered(F& f, Fill& fill, std::size_t& in) {
  parts_of_filter const parts(f);
  dealing<F, Fill> mine{.fill = fill, .dealt = room_to_deal(f, parts, 1), .space = {}};
  while (mine.pending()) {
    while (mine.deal_some(f, parts)) {
    }
    for (std::size_t part = 0; part < parts.count; ++part) in += mine.insert_part(f, parts, part);
    mine.dealt.start_again();
  }
  if (scattering<F>) in += mine.keys;
  if (mine.failure) std::rethrow_exception(mine.failure);
}

/// Inserts any number of digests, in the order of memory where that is worth it. Returns the number inserted.
template <insertable F>
std::size_t insert_many(F& f, std::span<digest const> xs) {
  if constexpr (orderable<F>)
    if (worth_ordering(f, xs.size())) {
      auto next = [&](std::span<digest> space) {
        auto const count = std::min(space.size(), xs.size());
        std::copy_n(xs.begin(), count, space.begin());
        xs = xs.subspan(count);
        return count;
      };
      std::size_t in = 0;
      insert_ordered(f, next, in);
      return in;
    }
  return insert_all(f, xs);
}

}  // namespace hortus
