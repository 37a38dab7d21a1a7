#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <hortus/batch.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/concepts.hpp>

/// Building a filter much larger than the cache. Digests are first partitioned by the part of the filter they belong to. Then
/// each part, which fits the cache, gets its digests. So memory is written in order.
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

/// How a filter is divided: part i begins at place i * 2^shift.
struct parts_of_filter {
  unsigned shift = 0;
  std::size_t count = 1;

  /// A part takes half of a core's own cache. There are at most 256 parts, so that the lines being written, one for each
  /// part, stay in the first-level cache. Parts begin on cache-line boundaries, so that no two threads write to the same
  /// line.
  template <placed F>
  explicit parts_of_filter(F const& f) : shift(shift_for(f)), count(static_cast<std::size_t>((f.places() - 1) >> shift) + 1) {}

 private:
  template <placed F>
  static unsigned shift_for(F const& f) {
    constexpr std::uint64_t part_bytes = cached_bytes / 2;
    constexpr std::uint64_t most_parts = 256;
    auto const fewest = std::clamp<std::uint64_t>(f.size_bytes() / part_bytes, 1, most_parts / 2);
    return std::max<unsigned>(static_cast<unsigned>(std::bit_width(f.places() / fewest)), 5) -
           1;  // gives up to twice `fewest` parts
  }
};

/// One thread's digests, partitioned.
class dealt_digests {
 public:
  /// Has room for `digests` digests, if they spread evenly.
  dealt_digests(parts_of_filter parts, std::uint64_t digests)
      : shift_(parts.shift),
        capacity_(std::max<std::size_t>(digests / parts.count / line + 1, 16) * line),
        lines_(parts.count),
        sizes_(parts.count),
        space_(parts.count * capacity_ * sizeof(digest)) {}

  /// Takes digests while there is room in every part; returns how many it took.
  template <placed F>
  std::size_t deal(F const& f, std::span<digest const> xs) noexcept {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      auto const part = static_cast<std::size_t>(f.place(xs[i]) >> shift_);
      auto& size = sizes_[part];
      lines_[part][size % line] = xs[i];
      if (++size % line == 0) {
        stream_lines(part, size - line);
        if (size == capacity_) return full_ = true, i + 1;
      }
    }
    return xs.size();
  }
  [[nodiscard]] bool full() const noexcept { return full_; }

  /// Calls act(span) with the digests of a part, then empties the part.
  void take(std::size_t part, auto act) {
    auto& size = sizes_[part];
    auto const whole = size / line * line;
    act(std::span<digest const>(begin(part), whole));
    act(std::span<digest const>(lines_[part]).first(size - whole));
    size = 0;
  }
  /// Pre: every part was taken.
  void start_again() noexcept { full_ = false; }

 private:
  static constexpr std::size_t line = 16;  // digests, two cache lines: the branch that is hard to predict is taken once in 16

  [[nodiscard]] digest* begin(std::size_t part) noexcept { return reinterpret_cast<digest*>(space_.data()) + part * capacity_; }

  /// Writes whole lines, bypassing the caches, so that lines about to be overwritten are not read first.
  void stream_lines(std::size_t part, std::size_t at) noexcept {
    auto* const to = begin(part) + at;
#ifdef __SSE2__
    auto const* const from = reinterpret_cast<__m128i const*>(lines_[part].data());
    for (int i = 0; i < 8; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, _mm_load_si128(from + i));
#else
    std::memcpy(to, lines_[part].data(), sizeof(digest_lines));
#endif
  }

  struct alignas(memory::line_bytes) digest_lines : std::array<digest, line> {};

  unsigned shift_;
  std::size_t capacity_;  // of a part, in digests
  std::vector<digest_lines> lines_;
  std::vector<std::size_t> sizes_;
  memory space_;
  bool full_ = false;
};

/// Is partitioning worth it for `keys` keys? If there are few keys per cache line, a line would be fetched for each key
/// anyway.
template <family F>
bool worth_ordering(F const& f, std::uint64_t keys) noexcept {
  return placed<F> && f.size_bytes() >= 16 * cached_bytes && keys >= f.size_bytes() / 32;
}

/// One thread's state in an ordered insert. fill(space) writes the next digests, at most space.size(), and returns their
/// number; 0 means that there are no more.
template <class Fill>
struct alignas(memory::line_bytes) dealing {
  Fill& fill;
  dealt_digests dealt;
  std::array<digest, 1024> space;
  std::span<digest const> rest = {};  // computed, not yet partitioned
  bool more = true;
  std::exception_ptr failure = nullptr;

  [[nodiscard]] bool pending() const noexcept { return more || !rest.empty(); }

  /// Partitions digests until a part is full or there are no more.
  template <placed F>
  void deal(F const& f) noexcept {
    try {
      while (!dealt.full()) {
        if (rest.empty()) {
          auto const made = more ? fill(std::span<digest>(space)) : 0;
          more = made != 0;
          if (!more) return;
          rest = std::span<digest const>(space).first(made);
        }
        rest = rest.subspan(dealt.deal(f, rest));
      }
    } catch (...) {  // a key whose conversion to bytes throws; the digests before it are still inserted
      failure = std::current_exception();
      more = false;
    }
  }
};

/// Room for the digests of one of `threads` threads: together about as much memory as the filter itself.
template <placed F>
[[nodiscard]] dealt_digests room_to_deal(F const& f, parts_of_filter parts, std::size_t threads) {
  return {parts, f.size_bytes() / sizeof(digest) / threads};
}

/// Inserts the digests that `fill` writes, in the order of memory. Adds the number inserted to `in`. If fill throws, the
/// digests written before are still inserted and counted.
template <placed F, class Fill>
void insert_ordered(F& f, Fill& fill, std::size_t& in) {
  parts_of_filter const parts(f);
  dealing<Fill> mine{.fill = fill, .dealt = room_to_deal(f, parts, 1), .space = {}};
  while (mine.pending()) {
    mine.deal(f);
    for (std::size_t part = 0; part < parts.count; ++part) mine.dealt.take(part, [&](auto xs) { in += insert_all(f, xs); });
    mine.dealt.start_again();
  }
  if (mine.failure) std::rethrow_exception(mine.failure);
}

/// Inserts any number of digests, in the order of memory where that is worth it. Returns the number inserted.
template <insertable F>
std::size_t insert_many(F& f, std::span<digest const> xs) {
  if constexpr (placed<F>)
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
