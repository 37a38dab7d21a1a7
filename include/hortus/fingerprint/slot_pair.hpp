#pragma once
#include <cstdint>

namespace hortus {

/// Compares two neighbouring slots at once, in a word as slot_array::get_pair() returns it. No branch can be mispredicted.
struct slot_pair {
  std::uint64_t ones = 0;    // the lowest bit of both slots: a value times `ones` is that value in both
  std::uint64_t highs = 0;   // the highest bit of both slots
  std::uint64_t first = 0;   // all bits of the first slot
  std::uint64_t second = 0;  // all bits of the second

  constexpr slot_pair() noexcept = default;
  /// Pre: width <= slot_array::pair_width.
  explicit constexpr slot_pair(unsigned width) noexcept
      : ones((std::uint64_t{1} << width) + 1), highs(ones << (width - 1)), first(ones - 2), second(first << width) {}

  /// The values that the tag has in the two slots of its first window: tag * 4 and tag * 4 + 1.
  [[nodiscard]] constexpr std::uint64_t values(std::uint64_t tag) const noexcept { return 4 * tag * ones + (ones - 1); }
  /// How the values in the second window differ from those: ways 2 and 3 instead of 0 and 1.
  [[nodiscard]] constexpr std::uint64_t second_window() const noexcept { return 2 * ones; }

  /// Not 0 if a slot is 0: subtracting 1 from it sets its highest bit.
  [[nodiscard]] constexpr std::uint64_t any_zero(std::uint64_t pair) const noexcept { return (pair - ones) & ~pair & highs; }
  /// Bit 0: the first slot is 0. Bit 1: the second one is.
  [[nodiscard]] constexpr unsigned which_zeros(std::uint64_t pair) const noexcept {
    return unsigned{(pair & first) == 0} | unsigned{(pair & second) == 0} << 1;
  }
};

}  // namespace hortus
