#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <hortus/cells/memory.hpp>

namespace hortus {

/// The slots under a quotient_table, in blocks of 64.
///
///     block    64 bits  occupied   bit i: some remainder belongs to the quotient of slot i
///              64 bits  end        bit i: a run of remainders ends in slot i
///              16 bits  offset     slots from the first one on that belong to quotients of earlier blocks
///              64 bits  plane 0    the highest bits of the 64 remainders
///              ...                 then their next bits
///              64 bits  plane r    the highest bits of the 64 values, if the slots have values beside remainders
///              ...                 then their next bits
///
/// Planes fill whole words for every width of remainders, compare 64 slots at once, and shift as the word `end` does. Comparing
/// an absent remainder ends after the first planes, which lie beside the other words.
class quotient_blocks {
 public:
  static constexpr std::uint64_t head_bytes = 18;
  static constexpr std::uint64_t occupied = 0, end = 8;  ///< the words, by their place in a block
  static constexpr std::uint64_t plane(unsigned i) noexcept { return head_bytes + 8 * i; }

  /// Slots [begin, end).
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
    [[nodiscard]] bool empty() const noexcept { return end <= begin; }
  };

  quotient_blocks() = default;
  /// Pre: whole blocks.
  quotient_blocks(memory cells, unsigned remainder_bits, unsigned value_bits = 0) noexcept
      : bits_(remainder_bits), planes_(remainder_bits + value_bits), memory_(std::move(cells)) {}
  static constexpr std::uint64_t bytes(std::uint64_t blocks, unsigned remainder_bits, unsigned value_bits = 0) noexcept {
    return blocks * (head_bytes + 8 * std::uint64_t{remainder_bits + value_bits});
  }

  [[nodiscard]] std::uint64_t load(std::uint64_t block, std::uint64_t word) const noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory_.data() + place(block) + word, sizeof bits);
    return bits;
  }
  void store(std::uint64_t block, std::uint64_t word, std::uint64_t bits) noexcept {
    std::memcpy(memory_.data() + place(block) + word, &bits, sizeof bits);
  }
  [[nodiscard]] bool bit(std::uint64_t slot, std::uint64_t word) const noexcept {
    return (load(slot / 64, word) >> slot % 64 & 1) != 0;
  }
  void flip(std::uint64_t slot, std::uint64_t word) noexcept {
    store(slot / 64, word, load(slot / 64, word) ^ std::uint64_t{1} << slot % 64);
  }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const noexcept {
    std::uint16_t slots = 0;
    std::memcpy(&slots, memory_.data() + place(block) + offset_at, sizeof slots);
    return slots;
  }
  void set_offset(std::uint64_t block, std::uint64_t slots) noexcept {
    auto const narrow = static_cast<std::uint16_t>(slots);
    std::memcpy(memory_.data() + place(block) + offset_at, &narrow, sizeof narrow);
  }
  /// The highest bit of a word in the block before; 0 for the first block.
  [[nodiscard]] std::uint64_t carry(std::uint64_t block, std::uint64_t word) const noexcept {
    return block == 0 ? 0 : load(block - 1, word) >> 63;
  }

  [[nodiscard]] std::uint64_t remainder(std::uint64_t slot) const noexcept {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits_; ++i) value = value << 1 | std::uint64_t{bit(slot, plane(i))};
    return value;
  }
  /// Pre: the remainder of the slot is 0.
  void set_remainder(std::uint64_t slot, std::uint64_t value) noexcept {
    for (unsigned i = 0; i < bits_; ++i)
      if ((value >> (bits_ - 1 - i) & 1) != 0) flip(slot, plane(i));
  }

  [[nodiscard]] std::uint64_t value(std::uint64_t slot) const noexcept {
    std::uint64_t value = 0;
    for (auto i = bits_; i < planes_; ++i) value = value << 1 | std::uint64_t{bit(slot, plane(i))};
    return value;
  }
  void set_value(std::uint64_t slot, std::uint64_t value) noexcept {
    for (auto i = bits_; i < planes_; ++i)
      if (((value >> (planes_ - 1 - i) & 1) != 0) != bit(slot, plane(i))) flip(slot, plane(i));
  }

  /// A mask of the lowest bits. Pre: at most 63.
  static constexpr std::uint64_t below(std::uint64_t bits) noexcept { return (std::uint64_t{1} << bits) - 1; }
  /// The slots of a range that are in the block, as a mask.
  static std::uint64_t mask(range r, std::uint64_t block) noexcept {
    auto const from = r.begin > 64 * block ? r.begin - 64 * block : 0;
    auto const to = r.end > 64 * block ? r.end - 64 * block : 0;
    if (from >= std::min<std::uint64_t>(to, 64)) return 0;
    return ~below(from) & (to >= 64 ? ~std::uint64_t{0} : below(to));
  }
  /// Calls act(block, mask) for each block that the range is in.
  static void in_blocks(range r, auto act) {
    for (auto block = r.begin / 64; 64 * block < r.end && !r.empty(); ++block) act(block, mask(r, block));
  }
  /// Which slots among those in the mask have this remainder?
  [[nodiscard]] std::uint64_t equal(std::uint64_t block, std::uint64_t remainder, std::uint64_t among) const noexcept {
    auto wanted = remainder << (64 - bits_);  // its highest bit is compared with the next plane
    auto const* at = memory_.data() + place(block) + head_bytes;
    // Four planes at a time: one in sixteen slots with another remainder passes them, so that the branch is predictable.
    for (unsigned i = 0; i < bits_ && among != 0;)
      for (auto const stop = std::min(i + 4, bits_); i < stop; ++i, at += 8, wanted <<= 1) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, at, sizeof bits);
        among &= ~(bits ^ (std::uint64_t{0} - (wanted >> 63)));
      }
    return among;
  }
  /// Which slots among those in the mask have a smaller remainder?
  [[nodiscard]] std::uint64_t smaller(std::uint64_t block, std::uint64_t remainder, std::uint64_t among) const noexcept {
    std::uint64_t less = 0;
    for (unsigned i = 0; i < bits_ && among != 0; ++i) {
      auto const bits = load(block, plane(i));
      bool const one = (remainder >> (bits_ - 1 - i) & 1) != 0;
      less |= one ? among & ~bits : 0;
      among &= one ? bits : ~bits;
    }
    return less;
  }

  /// Moves remainders, values and ends of slots [at, free) up by one. Slot `at` gets the remainder and the value 0, and no run
  /// ends there.
  void shift_up(std::uint64_t at, std::uint64_t free, std::uint64_t remainder) noexcept {
    for (auto block = free / 64 + 1; block-- > at / 64;) {
      bool const first = block == at / 64;
      auto const lowest = std::uint64_t{1} << (first ? at % 64 : 0);
      auto const moved = mask({at, free + 1}, block);
      auto const shift = [&](std::uint64_t word, std::uint64_t low) {
        auto const bits = load(block, word);
        store(block, word, (bits & ~moved) | (bits << 1 & moved & ~lowest) | (low != 0 ? lowest : 0));
      };
      shift(end, first ? 0 : carry(block, end));
      for (unsigned i = 0; i < bits_; ++i) shift(plane(i), first ? remainder >> (bits_ - 1 - i) & 1 : carry(block, plane(i)));
      for (auto i = bits_; i < planes_; ++i) shift(plane(i), first ? 0 : carry(block, plane(i)));
    }
  }
  /// Moves remainders, values and ends of slots (at, gap) down by one. The slot before `gap` becomes free.
  void shift_down(std::uint64_t at, std::uint64_t gap) noexcept {
    for (auto block = at / 64; block <= (gap - 1) / 64; ++block) {
      bool const last = block == (gap - 1) / 64;
      auto const highest = std::uint64_t{1} << (last ? (gap - 1) % 64 : 63);
      auto const moved = mask({at, gap}, block);
      auto const shift = [&](std::uint64_t word) {
        auto const bits = load(block, word);
        bool const high = !last && (load(block + 1, word) & 1) != 0;
        store(block, word, (bits & ~moved) | (bits >> 1 & moved & ~highest) | (high ? highest : 0));
      };
      shift(end);
      for (unsigned i = 0; i < planes_; ++i) shift(plane(i));
    }
  }

  [[gnu::always_inline]] void prefetch(std::uint64_t block) const noexcept {
    auto const* const from = memory_.data() + place(block);
    for (std::uint64_t at = 0; at < block_bytes(); at += memory::line_bytes) __builtin_prefetch(from + at);
    __builtin_prefetch(from + block_bytes() - 1);
  }
  void clear() noexcept { memory_.clear(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return memory_.size() / block_bytes(); }
  [[nodiscard]] unsigned remainder_bits() const noexcept { return bits_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return planes_ - bits_; }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  bool operator==(quotient_blocks const&) const = default;

 private:
  static constexpr std::uint64_t offset_at = 16;

  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return head_bytes + 8 * planes_; }
  [[nodiscard]] std::uint64_t place(std::uint64_t block) const noexcept { return block * block_bytes(); }

  unsigned bits_ = 1;    // of a remainder
  unsigned planes_ = 1;  // those of remainders, then those of values
  memory memory_;
};

}  // namespace hortus
