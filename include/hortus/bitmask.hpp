#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hortus {

/// The answers to a batch, one bit a key: hits[i], hits.count().
class bitmask {
 public:
  bitmask() = default;
  explicit bitmask(std::size_t size) : words_(size / 64 + (size % 64 != 0 ? 1 : 0)), size_(size) {}

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
    words_.resize(size / 64 + (size % 64 != 0 ? 1 : 0));
    size_ = size;
  }
  std::uint64_t* data() noexcept { return words_.data(); }
  bool operator==(bitmask const&) const = default;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace hortus
