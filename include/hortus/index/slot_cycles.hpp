#pragma once
#include <array>
#include <cstdint>
#include <numeric>

namespace hortus {

/// Ways through the slots of a line: for each step from 1 to slots - 1, one cycle through all slots, for any number of slots.
///
/// Slot a is followed by a + step, mod slots. If step and slots share the divisor g, that makes g cycles, of the slots with
/// equal remainders mod g. They are joined: what would come back to slot r, below g, goes on to slot r + 1, mod g, instead.
/// Only steps without a common divisor would be simpler, but of 42 slots there are 12 of these. Many keys would then share a
/// way, and pile up on it: the rate was 5 % higher.
class slot_cycles {
 public:
  static constexpr unsigned max_slots = 128;

  /// Pre: 2 <= slots <= max_slots.
  explicit constexpr slot_cycles(unsigned slots) noexcept : slots_(slots) {
    for (unsigned step = 1; step < slots; ++step) divisors_[step] = static_cast<std::uint8_t>(std::gcd(step, slots));
  }
  /// The number of ways, numbered from 0.
  [[nodiscard]] constexpr unsigned count() const noexcept { return slots_ - 1; }

  /// Pre: slot < slots, way < count().
  [[nodiscard]] constexpr unsigned next(unsigned slot, unsigned way) const noexcept {
    auto const to = slot + way + 1;
    auto const there = to < slots_ ? to : to - slots_;
    unsigned const divisor = divisors_[way + 1];
    if (there >= divisor) return there;
    return there + 1 < divisor ? there + 1 : 0;
  }
  [[nodiscard]] constexpr unsigned previous(unsigned slot, unsigned way) const noexcept {
    unsigned const divisor = divisors_[way + 1];
    if (slot < divisor) slot = slot == 0 ? divisor - 1 : slot - 1;
    return slot > way ? slot - way - 1 : slot + slots_ - way - 1;
  }
  bool operator==(slot_cycles const&) const = default;

 private:
  unsigned slots_;
  std::array<std::uint8_t, max_slots> divisors_{};
};

}  // namespace hortus
