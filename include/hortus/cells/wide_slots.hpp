#pragma once
#include <cstdint>

#include <hortus/cells/slot_array.hpp>

namespace hortus {

/// Reads slots by one Word each, as short as possible: a word that crosses into the next cache line costs a second miss. Whole:
/// a slot is a Word. Otherwise it begins anywhere in the first byte of one.
template <class Word, bool Whole>
struct slot_reader {
  slot_array const& slots;

  /// Slot i from bit 0 on; the bits above are not zero.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const noexcept {
    if constexpr (Whole)
      return slots.template whole<Word>(i);
    else
      return slots.template bits_from<Word>(i);
  }
  /// Both cache lines, if the word is in two. Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept {
    auto const* const at = slots.cells().data() + (Whole ? i * sizeof(Word) : i * slots.width() / 8);
    __builtin_prefetch(at);
    if constexpr (!Whole) __builtin_prefetch(at + sizeof(Word) - 1);
  }
};

/// Reads slots of no bits.
struct no_slot_reader {
  [[nodiscard]] std::uint64_t operator()(std::uint64_t) const noexcept { return 0; }
  void prefetch(std::uint64_t) const noexcept {}
};

/// Slots of 0 to 64 bits each. Up to 57 bits they are packed, as in slot_array; wider ones take a whole word, stored as two
/// halves. Slots of 0 bits take no memory, and hold 0.
class wide_slots {
 public:
  wide_slots() : wide_slots(0, 0) {}
  wide_slots(std::uint64_t slots, unsigned width) : width_(width), halves_(places(slots, width), stored_width(width)) {}
  static constexpr std::uint64_t bytes_for(std::uint64_t slots, unsigned width) noexcept {
    return slot_array::bytes_for(places(slots, width), stored_width(width));
  }

  /// act(reader), with the reader for this width. Chosen once for a block of keys.
  decltype(auto) with_reader(auto act) const noexcept {
    if (width_ == 16) return act(slot_reader<std::uint16_t, true>{halves_});
    if (width_ == 8) return act(slot_reader<std::uint8_t, true>{halves_});
    if (width_ == 32) return act(slot_reader<std::uint32_t, true>{halves_});
    if (width_ == 0) return act(no_slot_reader{});
    if (width_ <= 9) return act(slot_reader<std::uint16_t, false>{halves_});
    if (width_ <= 25) return act(slot_reader<std::uint32_t, false>{halves_});
    if (!in_halves(width_)) return act(slot_reader<std::uint64_t, false>{halves_});
    return act(slot_reader<std::uint64_t, true>{halves_});
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    return with_reader([&](auto read) { return read(i); }) & max();
  }
  /// Pre: value <= max().
  void put(std::uint64_t i, std::uint64_t value) noexcept {
    if (width_ == 0) return;
    if (!in_halves(width_)) return halves_.put(i, value);
    halves_.put(2 * i, value & 0xffff'ffff);
    halves_.put(2 * i + 1, value >> 32);
  }

  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return width_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - width_); }
  [[nodiscard]] bool holds(std::uint64_t slots) const noexcept { return halves_.size() == places(slots, width_); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return halves_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return halves_.cells(); }
  void clear() noexcept { halves_.clear(); }
  bool operator==(wide_slots const&) const = default;

  static void fields(auto& self, auto& io) { io(self.width_, self.halves_); }
  [[nodiscard]] bool valid() const noexcept {
    return width_ <= 64 && halves_.valid() && halves_.width() == stored_width(width_);
  }

 private:
  static constexpr bool in_halves(unsigned width) noexcept { return width > slot_array::max_width; }
  static constexpr unsigned stored_width(unsigned width) noexcept { return in_halves(width) ? 32 : width == 0 ? 1 : width; }
  static constexpr std::uint64_t places(std::uint64_t slots, unsigned width) noexcept {
    return in_halves(width) ? 2 * slots : width == 0 ? 0 : slots;
  }

  unsigned width_ = 0;
  slot_array halves_;
};

}  // namespace hortus
