#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <hortus/cells/memory.hpp>

namespace hortus {

/// The words that a build could not place, exactly, in ascending order. They are few, and nearly every lookup needs to know
/// only that its word is not among them: it reads one bit, selected by the first bits of the word, and goes on only if that is
/// set.
class bumped_words {
 public:
  static constexpr unsigned max_prefix_bits = 40;

  bumped_words() : bumped_words(std::span<std::uint64_t const>()) {}
  /// Pre: the words ascend.
  explicit bumped_words(std::span<std::uint64_t const> words)
      : prefix_bits_(prefix_bits_for(words.size())), marks_(mark_bytes(prefix_bits_)), words_(words.size_bytes()) {
    if (!words.empty()) std::memcpy(words_.data(), words.data(), words.size_bytes());
    for (auto const word : words) marks_.data()[mark(word) / 8] |= static_cast<std::byte>(1U << mark(word) % 8);
  }
  /// The bytes for so many words: at least 16 bits of marks for each, so that at most one lookup in 16 goes on.
  static constexpr std::uint64_t bytes_for(std::uint64_t words) noexcept {
    return words * sizeof(std::uint64_t) + mark_bytes(prefix_bits_for(words));
  }

  [[nodiscard]] bool contains(std::uint64_t word) const noexcept {
    auto const bit = mark(word);
    return (static_cast<unsigned>(marks_.data()[bit / 8]) >> bit % 8 & 1) != 0 && found(word);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return words_.size() / sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() + marks_.size(); }
  void clear() noexcept { marks_.clear(); }
  bool operator==(bumped_words const&) const = default;

  static void fields(auto& self, auto& io) { io(self.prefix_bits_, self.marks_, self.words_); }
  /// Any content will do: wrong marks and words in another order give wrong answers only.
  [[nodiscard]] bool valid() const noexcept {
    return words_.size() % sizeof(std::uint64_t) == 0 && prefix_bits_ == prefix_bits_for(size()) &&
           marks_.size() == mark_bytes(prefix_bits_);
  }

 private:
  static constexpr unsigned prefix_bits_for(std::uint64_t words) noexcept {
    return words == 0 ? 0 : std::min(static_cast<unsigned>(std::bit_width(words)) + 4, max_prefix_bits);
  }
  static constexpr std::uint64_t mark_bytes(unsigned prefix_bits) noexcept {
    return std::max<std::uint64_t>((std::uint64_t{1} << prefix_bits) / 8, 8);
  }
  [[nodiscard]] std::uint64_t mark(std::uint64_t word) const noexcept { return word >> 1 >> (63 - prefix_bits_); }
  [[nodiscard]] std::uint64_t word_at(std::uint64_t i) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, words_.data() + i * sizeof word, sizeof word);
    return word;
  }
  [[gnu::noinline]] [[nodiscard]] bool found(std::uint64_t word) const noexcept {
    std::uint64_t first = 0;
    for (auto count = size(); count != 0;) {
      auto const half = count / 2;
      if (word_at(first + half) < word)
        first += half + 1, count -= half + 1;
      else
        count = half;
    }
    return first < size() && word_at(first) == word;
  }

  unsigned prefix_bits_ = 0;
  memory marks_;
  memory words_;
};

}  // namespace hortus
