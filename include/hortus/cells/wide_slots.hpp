#pragma once
#include <cstdint>

#include <hortus/cells/slot_array.hpp>

namespace hortus {

/// Slots of 0 to 64 bits each. Up to 57 bits they are packed, as in slot_array; wider ones take a whole word, stored as two
/// halves. Slots of 0 bits take no memory, and hold 0.
class wide_slots {
 public:
  wide_slots() : wide_slots(0, 0) {}
  wide_slots(std::uint64_t slots, unsigned width) : width_(width), halves_(places(slots, width), stored_width(width)) {}
  static constexpr std::uint64_t bytes_for(std::uint64_t slots, unsigned width) noexcept {
    return slot_array::bytes_for(places(slots, width), stored_width(width));
  }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    if (width_ == 0) return 0;
    if (!in_halves(width_)) return halves_.get(i);
    return halves_.whole<std::uint64_t>(i);
  }
  /// Pre: value <= max().
  void put(std::uint64_t i, std::uint64_t value) noexcept {
    if (width_ == 0) return;
    if (!in_halves(width_)) return halves_.put(i, value);
    halves_.put(2 * i, value & 0xffff'ffff);
    halves_.put(2 * i + 1, value >> 32);
  }
  /// Prefetches the cache line in which slot i begins. Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { halves_.prefetch(in_halves(width_) ? 2 * i : i); }

  /// Of 1 to 57 bits: a caller that knows may read the packed slots themselves.
  [[nodiscard]] bool is_packed() const noexcept { return width_ != 0 && !in_halves(width_); }
  [[nodiscard]] slot_array const& packed() const noexcept { return halves_; }
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
