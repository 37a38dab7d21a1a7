#pragma once
#include <cstdint>

#include <hortus/maths/overlap.hpp>

namespace hortus {

/// What a comparison of two filters of counters needs, read in one pass over both.
struct compared_cells {
  plan::set_cells nonzero;
  plan::counter_differences difference;

  /// Pre: both have as many cells.
  template <class Cells>
  static compared_cells of(Cells const& a, Cells const& b) noexcept {
    compared_cells found;
    for (std::uint64_t i = 0; i < a.size(); ++i) {
      auto const in_a = a.get(i), in_b = b.get(i);
      found.nonzero.a += in_a != 0 ? 1 : 0;
      found.nonzero.b += in_b != 0 ? 1 : 0;
      found.nonzero.either += (in_a | in_b) != 0 ? 1 : 0;
      double const more = in_a >= in_b ? static_cast<double>(in_a - in_b) : -static_cast<double>(in_b - in_a);
      found.difference.sum += more;
      found.difference.squares += more * more;
    }
    return found;
  }
};

}  // namespace hortus
