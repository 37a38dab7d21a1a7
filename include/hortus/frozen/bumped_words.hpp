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
/// only that its word is not among them: two bits of a small Bloom filter say so. Fewer than one lookup in 100 goes on.
class bumped_words {
 public:
  bumped_words() : bumped_words(std::span<std::uint64_t const>(), [](std::uint64_t) { return std::uint64_t{0}; }) {}
  /// hash_of(word) has to be what contains() is told. Pre: the words ascend.
  bumped_words(std::span<std::uint64_t const> words, auto hash_of)
      : size_(words.size()), marks_(marks_for(words.size()) * sizeof(std::uint64_t)), words_(words.size_bytes()) {
    set_up();
    if (!words.empty()) std::memcpy(words_.data(), words.data(), words.size_bytes());
    for (auto const word : words) {
      auto const hash = hash_of(word);
      auto const mark =
          at(marks_, hash & last_mark_) | std::uint64_t{1} << first_bit(hash) | std::uint64_t{1} << second_bit(hash);
      std::memcpy(marks_.data() + (hash & last_mark_) * sizeof mark, &mark, sizeof mark);
    }
  }
  static constexpr std::uint64_t bytes_for(std::uint64_t words) noexcept {
    return (words + marks_for(words)) * sizeof(std::uint64_t);
  }

  /// False: the word is not here. True: most often neither, but found() has to say.
  [[nodiscard]] bool may_contain(std::uint64_t hash) const noexcept {
    auto const mark = at(marks_, hash & last_mark_);
    return (mark >> first_bit(hash) & mark >> second_bit(hash) & 1) != 0;
  }
  [[nodiscard]] bool contains(std::uint64_t word) const noexcept { return place_of(word) != size(); }
  /// Its place in the list; size() if it is not there.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t word) const noexcept {
    std::uint64_t first = 0;
    for (auto count = size(); count != 0;) {
      auto const half = count / 2;
      if (at(words_, first + half) < word)
        first += half + 1, count -= half + 1;
      else
        count = half;
    }
    return first < size() && at(words_, first) == word ? first : size();
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() + marks_.size(); }
  bool operator==(bumped_words const& other) const noexcept { return marks_ == other.marks_ && words_ == other.words_; }

  static void fields(bumped_words const& self, auto& out) { out(self.size_, self.marks_, self.words_); }
  static void fields(bumped_words& self, auto& in) {
    in(self.size_, self.marks_, self.words_);
    self.set_up();
  }
  /// Any content will do: wrong marks, and words in another order, give wrong answers only.
  [[nodiscard]] bool valid() const noexcept {
    return size_ <= words_.size() && words_.size() == size_ * sizeof(std::uint64_t) &&
           marks_.size() == marks_for(size_) * sizeof(std::uint64_t);
  }

 private:
  /// A power of two: 32 to 64 bits for each word.
  static constexpr std::uint64_t marks_for(std::uint64_t words) noexcept { return words < 2 ? 1 : std::bit_ceil(words) / 2; }
  // The first bits of the hash are the fingerprint, so marks are selected by the last ones.
  static unsigned first_bit(std::uint64_t hash) noexcept { return static_cast<unsigned>(hash >> 32 & 63); }
  static unsigned second_bit(std::uint64_t hash) noexcept { return static_cast<unsigned>(hash >> 38 & 63); }
  static std::uint64_t at(memory const& words, std::uint64_t i) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + i * sizeof word, sizeof word);
    return word;
  }
  void set_up() noexcept { last_mark_ = std::max<std::uint64_t>(marks_.size() / sizeof(std::uint64_t), 1) - 1; }

  std::uint64_t size_ = 0;
  memory marks_;
  memory words_;
  std::uint64_t last_mark_ = 0;
};

}  // namespace hortus
