#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/frozen/ribbon_cells.hpp>

namespace hortus {

/// The keys of a range of blocks. `words << shift` is their place in it; the words are in ascending order.
struct ribbon_strip {
  ribbon_range range;
  unsigned shift;
  std::span<std::uint64_t const> words;
};

/// What to do with a key for which there is no room.
enum class ribbon_overflow {
  by_threshold,  ///< raise the threshold of its bucket: all keys below are left over
  one_by_one,    ///< leave this key over: the last layer has no thresholds
};

/// Solves the system of one strip or of four neighbouring ones: writes thresholds and columns, and appends the keys that are
/// left over to `left`. Takes time linear in the number of keys, whatever the keys are. Temporarily takes 16 bytes per slot.
void solve_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode,
                  std::vector<std::uint64_t>& left);

}  // namespace hortus
