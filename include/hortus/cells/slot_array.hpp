#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Slots of `width` bits each, 1 to 57, packed: slot i starts at bit i * width. A slot is read by one load from the byte in
/// which it starts, at any address; so no slot needs a second load, whatever its width. Values are little-endian.
class slot_array {
 public:
  static constexpr unsigned max_width = 57;   // with 7 bits before it in its first byte, a slot fits one word
  static constexpr unsigned pair_width = 28;  // up to here two neighbouring slots do
  static constexpr std::uint64_t max_bits = bit_array::max_bits;

  slot_array() = default;
  slot_array(std::uint64_t slots, unsigned width) : slots_(slots), width_(width) {
    if (!possible()) throw error(errc::bad_params, "slots have 1 to 57 bits, and 2^42 bits in all");
    memory_ = memory(bytes_for(slots, width));
  }
  /// A word more than the slots take, because whole words are read.
  static constexpr std::uint64_t bytes_for(std::uint64_t slots, unsigned width) noexcept {
    return (slots * width + 7) / 8 + sizeof(std::uint64_t);
  }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return word_at(i) & max(); }
  /// Slots i and i + 1 in one word, the second from bit `width` on. The bits above are not zero. Pre: width <= pair_width.
  [[nodiscard]] std::uint64_t get_pair(std::uint64_t i) const noexcept { return word_at(i); }
  /// Slot i from bit 0 on; the bits above are not zero. Reads one Word, as short as possible: it crosses fewer cache lines.
  /// Pre: Word has 7 bits more than a slot.
  template <class Word>
  [[nodiscard]] std::uint64_t bits_from(std::uint64_t i) const noexcept {
    return word_at<Word>(i);
  }
  /// Slot i. Pre: Word has as many bits as a slot.
  template <class Word>
  [[nodiscard]] std::uint64_t whole(std::uint64_t i) const noexcept {
    Word word = 0;
    std::memcpy(&word, memory_.data() + i * sizeof word, sizeof word);
    return word;
  }
  /// Prefetches the cache line in which slot i begins. Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(memory_.data() + i * width_ / 8); }
  /// Pre: value <= max().
  void put(std::uint64_t i, std::uint64_t value) noexcept {
    auto const bit = i * width_;
    auto* const at = memory_.data() + bit / 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word = (word & ~(max() << bit % 8)) | value << bit % 8;
    std::memcpy(at, &word, sizeof word);
  }
  /// Prefetches slots i and i + 1: the cache line in which they begin, and that in which they end. Must be inlined: see
  /// batch.hpp.
  [[gnu::always_inline]] void prefetch_pair(std::uint64_t i) const noexcept {
    auto const bit = i * width_;
    __builtin_prefetch(memory_.data() + bit / 8);
    __builtin_prefetch(memory_.data() + (bit + 2 * width_ - 1) / 8);
  }
  /// Writes `values`, each at most max(), to the slots from `first` on. Both `first` and the number of values are multiples of
  /// 8, so they fill whole bytes: threads may fill neighbouring ranges at once.
  void fill(std::uint64_t first, std::span<std::uint64_t const> values) noexcept {
    auto* at = memory_.data() + first * width_ / 8;
    __extension__ using wide = unsigned __int128;
    wide bits = 0;
    unsigned count = 0;
    for (auto const value : values) {
      bits |= static_cast<wide>(value) << count;
      count += width_;
      if (count < 64) continue;
      auto const word = static_cast<std::uint64_t>(bits);
      std::memcpy(at, &word, sizeof word);
      at += sizeof word;
      bits >>= 64;
      count -= 64;
    }
    auto const rest = static_cast<std::uint64_t>(bits);
    if (count != 0) std::memcpy(at, &rest, count / 8);
  }
  void clear() noexcept { memory_.clear(); }

  [[nodiscard]] std::uint64_t size() const noexcept { return slots_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return ~std::uint64_t{0} >> (64 - width_); }  ///< 2^width - 1
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  [[nodiscard]] std::uint64_t nonzero() const noexcept {  ///< the number of slots that are not 0
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < slots_; ++i) count += std::uint64_t{get(i) != 0};
    return count;
  }
  bool operator==(slot_array const&) const = default;

  static void fields(auto& self, auto& io) { io(self.width_, self.slots_, self.memory_); }
  /// Slots may have any content. What follows the last one is zero, so that equal slots have equal bytes.
  [[nodiscard]] bool valid() const noexcept {
    return possible() && memory_.size() == bytes_for(slots_, width_) && word_at(slots_) == 0 &&
           memory_.bytes().back() == std::byte{0};
  }

 private:
  [[nodiscard]] bool possible() const noexcept { return width_ >= 1 && width_ <= max_width && slots_ <= max_bits / width_; }
  template <class Word = std::uint64_t>
  [[nodiscard]] std::uint64_t word_at(std::uint64_t i) const noexcept {
    auto const bit = i * width_;
    Word word = 0;
    std::memcpy(&word, memory_.data() + bit / 8, sizeof word);
    return word >> bit % 8;
  }

  std::uint64_t slots_ = 0;
  unsigned width_ = 1;
  memory memory_;
};

}  // namespace hortus
