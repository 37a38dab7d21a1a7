#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>

#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// An array of blocks of `Words` 64-bit words. A block of eight words is one cache line, and aligned to it.
template <unsigned Words>
class block_array {
 public:
  static constexpr std::uint64_t block_bytes = Words * sizeof(std::uint64_t);
  static constexpr std::uint64_t max_blocks = bit_array::max_bits / (8 * block_bytes);

  block_array() = default;
  explicit block_array(std::uint64_t blocks) : blocks_(blocks) {
    if (blocks > max_blocks)
      throw error(errc::bad_params, "a filter has at most 2^42 bits, not " + std::to_string(blocks) + " blocks");
    memory_ = memory(blocks * block_bytes);
  }

  [[nodiscard]] std::uint64_t* operator[](std::uint64_t block) noexcept { return words() + block * Words; }
  [[nodiscard]] std::uint64_t const* operator[](std::uint64_t block) const noexcept { return words() + block * Words; }
  [[gnu::always_inline]] void prefetch(std::uint64_t block) const noexcept {
    for (std::uint64_t line = 0; line < block_bytes; line += memory::line_bytes)
      __builtin_prefetch(memory_.data() + block * block_bytes + line);
  }
  void clear() noexcept { memory_.clear(); }

  [[nodiscard]] std::uint64_t size() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  [[nodiscard]] std::uint64_t ones() const noexcept {
    return std::transform_reduce(words(), words() + blocks_ * Words, std::uint64_t{0}, std::plus<>(),
                                 [](std::uint64_t word) { return static_cast<std::uint64_t>(std::popcount(word)); });
  }

  /// The number of bits that are set here or in `other`. Pre: size() == other.size().
  [[nodiscard]] std::uint64_t ones_of_either(block_array const& other) const noexcept {
    return std::transform_reduce(
        words(), words() + blocks_ * Words, other.words(), std::uint64_t{0}, std::plus<>(),
        [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(std::popcount(a | b)); });
  }

  /// Pre: size() == other.size().
  block_array& operator|=(block_array const& other) noexcept {
    std::transform(words(), words() + blocks_ * Words, other.words(), words(), std::bit_or<>());
    return *this;
  }
  block_array& operator&=(block_array const& other) noexcept {
    std::transform(words(), words() + blocks_ * Words, other.words(), words(), std::bit_and<>());
    return *this;
  }

  /// Block i of the result is the OR of blocks i * by ... i * by + by - 1. Pre: `by` divides size().
  [[nodiscard]] block_array folded(std::uint64_t by) const {
    block_array small(blocks_ / by);
    for (std::uint64_t i = 0; i < blocks_; ++i)
      for (unsigned w = 0; w < Words; ++w) small[i / by][w] |= (*this)[i][w];
    return small;
  }

  /// Block i of the result is block i * step + first. Pre: `step` divides size(), first < step.
  [[nodiscard]] block_array every(std::uint64_t step, std::uint64_t first) const {
    block_array some(blocks_ / step);
    for (std::uint64_t i = 0; i < some.blocks_; ++i) std::copy_n((*this)[i * step + first], Words, some[i]);
    return some;
  }
  /// The reverse: block i * step + first becomes block i of `some`. Pre: size() == some.size() * step, first < step.
  void put_every(std::uint64_t step, std::uint64_t first, block_array const& some) noexcept {
    for (std::uint64_t i = 0; i < some.blocks_; ++i) std::copy_n(some[i], Words, (*this)[i * step + first]);
  }

  bool operator==(block_array const&) const = default;

  static void fields(auto& self, auto& io) { io(self.blocks_, self.memory_); }
  [[nodiscard]] bool valid() const noexcept { return blocks_ <= max_blocks && memory_.size() == blocks_ * block_bytes; }

 private:
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(memory_.data()); }

  std::uint64_t blocks_ = 0;
  memory memory_;
};

}  // namespace hortus
