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

/// Building a filter much larger than the cache: digests are first dealt into parts by where they will go, and then each part,
/// which fits the cache, gets its own. Memory is written in order, and parts share nothing, so that several threads can take
/// some each without an atomic: parallel.hpp.
namespace hortus {

/// A family that keeps a key in one place, places being numbered in the order of memory.
template <class F>
concept placed = insertable<F> && requires(F const& c, digest x) {
  { c.place(x) } -> std::same_as<std::uint64_t>;  // below places()
  { c.places() } -> std::same_as<std::uint64_t>;
};

/// How a filter is cut: part i has the places i * 2^shift and on.
struct parts_of_filter {
  unsigned shift = 0;
  std::size_t count = 1;

  /// Of half a core's own cache each, but not so many that the lines being written to, one a part, would leave the first-level
  /// cache. A part boundary is a multiple of a cache line, so that threads do not write to the same one.
  template <placed F>
  explicit parts_of_filter(F const& f) : shift(shift_for(f)), count(static_cast<std::size_t>((f.places() - 1) >> shift) + 1) {}

 private:
  template <placed F>
  static unsigned shift_for(F const& f) {
    constexpr std::uint64_t part_bytes = cached_bytes / 2;
    constexpr std::uint64_t most_parts = 256;
    auto const fewest = std::clamp<std::uint64_t>(f.size_bytes() / part_bytes, 1, most_parts / 2);
    return std::max<unsigned>(static_cast<unsigned>(std::bit_width(f.places() / fewest)), 5) - 1;  // up to twice as many
  }
};

/// One thread's digests, dealt into parts.
class dealt_digests {
 public:
  /// Room for `digests` of them, if they spread evenly.
  dealt_digests(parts_of_filter parts, std::uint64_t digests)
      : shift_(parts.shift),
        capacity_(std::max<std::size_t>(digests / parts.count / line + 1, 16) * line),
        lines_(parts.count),
        sizes_(parts.count),
        space_(parts.count * capacity_ * sizeof(digest)) {}

  /// Takes digests as long as there is room in every part; how many it took.
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

  /// The digests of a part: act(span), then it is empty again.
  void take(std::size_t part, auto act) {
    auto& size = sizes_[part];
    auto const whole = size / line * line;
    act(std::span<digest const>(begin(part), whole));
    act(std::span<digest const>(lines_[part]).first(size - whole));
    size = 0;
  }
  /// After every part was taken.
  void start_again() noexcept { full_ = false; }

 private:
  static constexpr std::size_t line = 16;  // two cache lines: a branch that is hard to guess is taken once in so many

  [[nodiscard]] digest* begin(std::size_t part) noexcept { return reinterpret_cast<digest*>(space_.data()) + part * capacity_; }

  /// Whole lines at once and past the caches, which need not read what is about to be overwritten.
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

/// Is it worth dealing so many keys out? Where they are few to a line, a line would be fetched for each of them anyway.
template <family F>
bool worth_ordering(F const& f, std::uint64_t keys) noexcept {
  return placed<F> && f.size_bytes() >= 16 * cached_bytes && keys >= f.size_bytes() / 32;
}

/// One thread's part of an ordered insert. fill(space) makes the next digests, at most space.size(), and says how many; none
/// means that there are no more.
template <class Fill>
struct alignas(memory::line_bytes) dealing {
  Fill& fill;
  dealt_digests dealt;
  std::array<digest, 1024> space;
  std::span<digest const> rest = {};  // made, not yet dealt
  bool more = true;
  std::exception_ptr failure = nullptr;

  [[nodiscard]] bool pending() const noexcept { return more || !rest.empty(); }

  /// Until a part is full or there are no more.
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
    } catch (...) {  // a key that cannot say its bytes; what was dealt before it goes in
      failure = std::current_exception();
      more = false;
    }
  }
};

/// Room for the digests of one of `threads`: together about as much memory as the filter itself.
template <placed F>
[[nodiscard]] dealt_digests room_to_deal(F const& f, parts_of_filter parts, std::size_t threads) {
  return {parts, f.size_bytes() / sizeof(digest) / threads};
}

/// Inserts what `fill` makes in the order of memory. Adds to `in` how many went in, also when fill throws: then what was made
/// before goes in.
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

/// Any number of digests, in the order of memory where that is worth it. Returns how many went in.
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
