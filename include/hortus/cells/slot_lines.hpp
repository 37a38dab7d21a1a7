#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Slots of `width` bits in lines of 64 bytes: as many in each line as fit whole, so that no slot is in two lines. Slot i of a
/// line starts at its bit i * width. The bits past the last slot of a line are unused and stay 0.
class slot_lines {
 public:
  static constexpr unsigned line_bits = 8 * memory::line_bytes;
  static constexpr unsigned max_width = 57;
  static constexpr std::uint64_t max_lines = bit_array::max_bits / line_bits;

  slot_lines() = default;
  /// All slots 0. Throws errc::bad_params past max_lines or max_width.
  slot_lines(std::uint64_t lines, unsigned width) : lines_(lines), width_(width) {
    if (lines > max_lines || width < 1 || width > max_width)
      throw error(errc::bad_params, "slots have 1 to 57 bits, and there are at most 2^42 bits of them");
    memory_ = memory(lines * memory::line_bytes);
  }

  [[nodiscard]] std::uint64_t get(std::uint64_t line, unsigned slot) const noexcept {
    auto const at = window(slot);
    std::uint64_t word = 0;
    std::memcpy(&word, memory_.data() + memory::line_bytes * line + at.byte, sizeof word);
    return word >> at.shift & max();
  }
  /// Pre: value <= max().
  void put(std::uint64_t line, unsigned slot, std::uint64_t value) noexcept {
    auto const at = window(slot);
    auto* const bytes = memory_.data() + memory::line_bytes * line + at.byte;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    word = (word & ~(max() << at.shift)) | value << at.shift;
    std::memcpy(bytes, &word, sizeof word);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t line) const noexcept {
    __builtin_prefetch(memory_.data() + memory::line_bytes * line);
  }
  void clear() noexcept { memory_.clear(); }

  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] unsigned slots_per_line() const noexcept { return line_bits / width_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return ~std::uint64_t{0} >> (64 - width_); }  ///< 2^width - 1
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }

  /// The number of slots that are not 0.
  [[nodiscard]] std::uint64_t used() const noexcept {
    std::uint64_t found = 0;
    for (std::uint64_t line = 0; line < lines_; ++line)
      for (unsigned slot = 0; slot < slots_per_line(); ++slot) found += get(line, slot) != 0 ? 1U : 0U;
    return found;
  }

  bool operator==(slot_lines const&) const = default;

  static void fields(auto& self, auto& io) { io(self.width_, self.lines_, self.memory_); }
  [[nodiscard]] bool valid() const noexcept {
    return width_ >= 1 && width_ <= max_width && lines_ <= max_lines && memory_.size() == lines_ * memory::line_bytes;
  }

 private:
  /// Eight bytes of a line that hold a whole slot. They begin at any byte, so a slot of 57 bits still fits, and no branch asks
  /// whether a slot crosses words. None of them is past the end of the line.
  struct place {
    unsigned byte;
    unsigned shift;
  };
  [[nodiscard]] place window(unsigned slot) const noexcept {
    auto const bit = slot * width_, byte = std::min(bit / 8, unsigned{memory::line_bytes - 8});
    return {byte, bit - 8 * byte};
  }

  std::uint64_t lines_ = 0;
  unsigned width_ = 1;
  memory memory_;
};

}  // namespace hortus
