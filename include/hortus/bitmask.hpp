#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hortus {

/// The number of 64-bit words for the answers for `keys` keys, one bit a key.
[[nodiscard]] constexpr std::size_t mask_words(std::size_t keys) noexcept { return keys / 64 + (keys % 64 != 0 ? 1 : 0); }

/// The answers for a batch, one bit a key: hits[i], hits.count().
class bitmask {
 public:
  bitmask() = default;
  explicit bitmask(std::size_t size) : words_(mask_words(size)), size_(size) {}

  bool operator[](std::size_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t n = 0;
    for (auto word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  /// Bit i of the batch is bit i % 64 of word i / 64; bits past size() are zero.
  [[nodiscard]] std::vector<std::uint64_t> const& words() const noexcept { return words_; }

  void resize(std::size_t size) {  ///< new bits are zero
    words_.resize(mask_words(size));
    size_ = size;
  }
  std::uint64_t* data() noexcept { return words_.data(); }
  bool operator==(bitmask const&) const = default;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

/// Writes first + i for every bit i < bits that is set, in ascending order; returns their number. Every position is written,
/// and kept only if its bit is set, so that there is no branch to predict. Therefore `positions` needs room for `bits`
/// positions.
inline std::size_t positions_of(std::uint64_t const* words, std::size_t bits, std::uint32_t first,
                                std::uint32_t* positions) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 0; i < bits; ++i) {
    positions[found] = first + static_cast<std::uint32_t>(i);
    found += words[i / 64] >> (i % 64) & 1;
  }
  return found;
}

}  // namespace hortus
