#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <hortus/cells/memory.hpp>

namespace hortus {

/// Words that are partitioned: each is appended to one of several parts, and later taken from there. So many words can be
/// visited in the order of parts, with all memory read and written in order.
template <class Word>
class dealt_words {
 public:
  /// Has room for `words` words, if they spread evenly. `at_once` words may be put between two calls of full().
  dealt_words(std::size_t parts, std::uint64_t words, std::size_t at_once)
      : capacity_(std::max<std::size_t>(words / parts / line + 1, fewest_lines) * line),
        last_(capacity_ - (at_once + line - 1) / line * line),
        lines_(parts),
        sizes_(parts),
        space_(parts * capacity_ * sizeof(Word)) {}

  [[gnu::always_inline]] void put(std::size_t part, Word word) noexcept {
    auto& size = sizes_[part];
    lines_[part][size % line] = word;
    if (++size % line == 0) {
      stream_lines(part, size - line);
      full_ |= size > last_;
    }
  }
  /// A part may not have room for another `at_once` words.
  [[nodiscard]] bool full() const noexcept { return full_; }

  /// Calls act(span) with the words of a part, then empties the part.
  void take(std::size_t part, auto act) {
    auto& size = sizes_[part];
    auto const whole = size / line * line;
    act(std::span<Word const>(begin(part), whole));
    act(std::span<Word const>(lines_[part]).first(size - whole));
    size = 0;
  }
  /// Pre: every part was taken.
  void start_again() noexcept { full_ = false; }

 private:
  /// In words; two cache lines, so that the branch that is hard to predict is seldom taken.
  static constexpr std::size_t line = 2 * memory::line_bytes / sizeof(Word);
  static constexpr std::size_t fewest_lines = 16;

  [[nodiscard]] Word* begin(std::size_t part) noexcept { return reinterpret_cast<Word*>(space_.data()) + part * capacity_; }

  /// Writes whole lines, bypassing the caches, so that lines about to be overwritten are not read first.
  void stream_lines(std::size_t part, std::size_t at) noexcept {
    auto* const to = begin(part) + at;
#ifdef __SSE2__
    auto const* const from = reinterpret_cast<__m128i const*>(lines_[part].data());
    for (int i = 0; i < 8; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, _mm_load_si128(from + i));
#else
    std::memcpy(to, lines_[part].data(), sizeof(word_lines));
#endif
  }

  struct alignas(memory::line_bytes) word_lines : std::array<Word, line> {};

  std::size_t capacity_;  // of a part, in words
  std::size_t last_;      // a part with more words has no room for at_once more
  std::vector<word_lines> lines_;
  std::vector<std::size_t> sizes_;
  memory space_;
  bool full_ = false;
};

}  // namespace hortus
