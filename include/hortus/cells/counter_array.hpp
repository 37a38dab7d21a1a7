#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/memory.hpp>

namespace hortus {

/// Counters of `width` bits each, 1 to 64, packed into 64-bit words: cell i starts at bit i * width. If the width divides
/// 64, no cell crosses a word, and operations on the whole array work a word at a time. The bits past the last cell are
/// always zero, so that equal arrays have equal bytes.
///
/// A cell that reaches its maximum stays there, whatever is added or subtracted: its true value is unknown, so it must not be
/// lowered. Cells of one bit therefore behave as the bits of a Bloom filter.
class counter_array {
 public:
  static constexpr std::uint64_t max_bits = bit_array::max_bits;
  static constexpr unsigned max_width = 64;

  counter_array() = default;
  counter_array(std::uint64_t cells, unsigned width);  ///< all zero; throws errc::bad_params past max_bits or max_width

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    if (width_ == 4) return words()[i / 16] >> i % 16 * 4 & 15;  // constant shifts: lookups take a quarter less time
    auto const at = place_of(i);
    auto value = words()[at.word] >> at.shift;
    if (crosses(at)) value |= words()[at.word + 1] << (64 - at.shift);
    return value & max();
  }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return get(i) != 0; }

  /// Pre: value <= max().
  void put(std::uint64_t i, std::uint64_t value) noexcept {
    auto const at = width_ == 4 ? place{i / 16, static_cast<unsigned>(i % 16 * 4)} : place_of(i);
    auto& word = words()[at.word];
    word = (word & ~(max() << at.shift)) | value << at.shift;
    if (crosses(at)) {
      auto& next = words()[at.word + 1];
      next = (next & ~(max() >> (64 - at.shift))) | value >> (64 - at.shift);
    }
  }

  /// The value of a cell that holds `value` after adding, or subtracting, `amount`.
  [[nodiscard]] std::uint64_t sum(std::uint64_t value, std::uint64_t amount) const noexcept {
    return value + std::min(amount, max() - value);
  }
  [[nodiscard]] std::uint64_t difference(std::uint64_t value, std::uint64_t amount) const noexcept {
    return value == max() ? value : value - std::min(amount, value);
  }
  void add(std::uint64_t i, std::uint64_t amount) noexcept { put(i, sum(get(i), amount)); }
  void subtract(std::uint64_t i, std::uint64_t amount) noexcept { put(i, difference(get(i), amount)); }
  void increment(std::uint64_t i) noexcept { add(i, 1); }
  void decrement(std::uint64_t i) noexcept { subtract(i, 1); }
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(words() + place_of(i).word); }
  void clear() noexcept { memory_.clear(); }

  /// Subtracts 1 from each cell in [first, last) that is not 0, even from one at its maximum: for cells that age, not count.
  void lower(std::uint64_t first, std::uint64_t last) noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return cells_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return ~std::uint64_t{0} >> (64 - width_); }  ///< 2^width - 1
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }

  [[nodiscard]] std::uint64_t nonzero() const noexcept;    ///< the number of cells that are not 0
  [[nodiscard]] std::uint64_t saturated() const noexcept;  ///< the number of cells at max()
  [[nodiscard]] bit_array nonzero_bits() const;            ///< bit i is set where cell i is not 0

  /// Adds cell by cell, as add does. Pre: size and width are equal.
  counter_array& operator+=(counter_array const& other) noexcept;

  /// Cell i of the result is the sum of cells i * by ... i * by + by - 1, at most max(). Pre: `by` divides size().
  [[nodiscard]] counter_array folded(std::uint64_t by) const;

  bool operator==(counter_array const&) const = default;

  static void fields(auto& self, auto& io) { io(self.width_, self.cells_, self.memory_); }
  [[nodiscard]] bool valid() const noexcept {
    return width_ >= 1 && width_ <= max_width && cells_ <= max_bits / width_ && memory_.size() == bytes_for(cells_, width_) &&
           (cells_ * width_ % 64 == 0 || words()[cells_ * width_ / 64] >> (cells_ * width_ % 64) == 0);
  }

  static constexpr std::uint64_t bytes_for(std::uint64_t cells, unsigned width) noexcept {
    return (cells * width + 63) / 64 * sizeof(std::uint64_t);
  }

 private:
  struct place {
    std::uint64_t word;
    unsigned shift;
  };
  [[nodiscard]] place place_of(std::uint64_t i) const noexcept {
    auto const bit = i * width_;
    return {bit / 64, static_cast<unsigned>(bit % 64)};
  }
  [[nodiscard]] bool crosses(place at) const noexcept { return at.shift + width_ > 64; }

  [[nodiscard]] bool whole_in_words() const noexcept { return 64 % width_ == 0; }
  [[nodiscard]] std::uint64_t words_used() const noexcept { return memory_.size() / sizeof(std::uint64_t); }
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(memory_.data()); }
  [[nodiscard]] counter_array halved() const;

  std::uint64_t cells_ = 0;
  unsigned width_ = 1;
  memory memory_;
};

}  // namespace hortus
