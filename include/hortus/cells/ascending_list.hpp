#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/select_bit.hpp>
#include <hortus/cells/slot_array.hpp>

namespace hortus {

/// Numbers below 2^42 in ascending order, of which any one can be read. Blocks of 32 numbers, each with its first number. Of
/// the differences to that one, the low bits are stored as they are, and the high bits in unary, in one word for all 32:
/// number i has bit (high bits) + i (P. Elias, R. Fano). As many low bits as the widest block needs: numbers that are spread
/// evenly take log2(mean gap) + 4 to 5 bits each.
class ascending_list {
 public:
  static constexpr std::uint64_t block = 32;

  ascending_list() : ascending_list(std::span<std::uint64_t const>()) {}
  /// Pre: ascending, not necessarily distinct; below 2^42.
  explicit ascending_list(std::span<std::uint64_t const> numbers) : high_((numbers.size() + block - 1) / block * 8) {
    unsigned low_bits = 1;
    for (std::size_t i = 0; i < numbers.size(); i += block) {
      auto const width = numbers[std::min<std::size_t>(i + block, numbers.size()) - 1] - numbers[i];
      while (width >> low_bits > 63 - (block - 1)) ++low_bits;
    }
    auto const last = numbers.empty() ? 0 : numbers.back();
    firsts_ = slot_array(high_.size() / 8, std::max(1U, static_cast<unsigned>(std::bit_width(last))));
    low_ = slot_array(numbers.size(), low_bits);
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto const first = numbers[i / block * block];
      if (i % block == 0) firsts_.put(i / block, first), high = 0;
      low_.put(i, (numbers[i] - first) & low_.max());
      high |= std::uint64_t{1} << (((numbers[i] - first) >> low_bits) + i % block);
      std::memcpy(high_.data() + i / block * 8, &high, sizeof high);
    }
  }

  /// Pre: i < size(). In a list with bytes of another's making, any number.
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const noexcept {
    std::uint64_t high = 0;
    std::memcpy(&high, high_.data() + i / block * 8, sizeof high);
    auto const in_block = static_cast<unsigned>(i % block);
    auto const unary = std::uint64_t{select_bit(high, in_block)} - in_block;
    return firsts_.get(i / block) + (unary << low_.width() | low_.get(i));
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return low_.size(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return high_.size() + firsts_.size_bytes() + low_.size_bytes(); }
  void clear() noexcept {  ///< as many numbers, all of them any number
    high_.clear();
    firsts_.clear();
    low_.clear();
  }
  bool operator==(ascending_list const&) const = default;

  static void fields(auto& self, auto& io) { io(self.high_, self.firsts_, self.low_); }
  /// Any content will do: numbers may be wrong then.
  [[nodiscard]] bool valid() const noexcept {
    return firsts_.valid() && low_.valid() && firsts_.size() == (low_.size() + block - 1) / block &&
           high_.size() == firsts_.size() * 8;
  }

 private:
  memory high_;        // a word for each block
  slot_array firsts_;  // its first number
  slot_array low_;
};

}  // namespace hortus
