#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/counting/key_cells.hpp>
#include <hortus/plan/bitwise.hpp>

namespace hortus {

/// The planned shape of a level of a bitwise filter.
struct digit_plan {
  plan::digit digit;
  plan::counting_shape shape;
};

/// A level of a bitwise filter: the counters of one digit of every key.
template <index_policy Index>
struct digit_cells {
  digit_cells() = default;
  explicit digit_cells(digit_plan p) : digit(p.digit), probes(p.shape.probes), cells(p.shape.cells, p.shape.cell_bits) {}

  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes, cells.size(), 0}; }
  /// Makes the positions on different levels independent.
  static digest on_level(digest x, std::size_t level) noexcept { return level == 0 ? x : x.remixed(level); }
  [[nodiscard]] key_cells cells_of(digest x, std::size_t level) const noexcept {
    return {cells, probing(), on_level(x, level)};
  }
  /// The key's digit. Most digits are 0, so the search stops at the first cell that is 0.
  [[nodiscard]] std::uint64_t value(digest x, std::size_t level) const noexcept {
    auto least = digit.max();
    probing().for_each(on_level(x, level), [&](std::uint64_t at) { return (least = std::min(least, cells.get(at))) != 0; });
    return least;
  }
  [[nodiscard]] plan::counting_shape shape() const noexcept { return {cells.size(), probes, cells.width()}; }
  bool operator==(digit_cells const&) const = default;

  static void fields(auto& self, auto& io) { io(self.digit.offset, self.digit.width, self.probes, self.cells); }

  plan::digit digit;
  unsigned probes = 0;
  counter_array cells;
};

}  // namespace hortus
