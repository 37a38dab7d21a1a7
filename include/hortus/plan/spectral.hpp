#pragma once
#include <cstdint>

#include <hortus/cells/compact_counters.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/plan/bloom.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// Cells and probes of a spectral filter: those of the bloom filter for as many distinct keys. An absent key is counted above
/// zero exactly if that bloom filter finds it, and a member is counted too high at most that often. `probes` 0: the number that
/// needs the fewest cells.
[[nodiscard]] inline bloom_shape spectral(goal g, unsigned probes = 0) {
  auto const shape = probes == 0 ? bloom(g) : bloom_shape{with_divisors(bloom_bits(g.items, g.fpr, probes)), probes};
  if (shape.bits > compact_counters::max_cells)
    throw error(errc::bad_goal, "a spectral filter for that goal needs " + text(static_cast<double>(shape.bits)) +
                                    " cells: the most is 2^40 (1.1e+12); ask for fewer items or a higher fpr");
  return shape;
}

/// The probability that minimum selection counts a member too high: all its cells are shared with other keys, with probability
/// (1 - e^-load)^probes, load = probes * items / cells. That is the rate for an absent key.
[[nodiscard]] inline double spectral_wrong(bloom_shape shape, std::uint64_t items) {
  return items < 2 ? 0 : bloom_fpr(shape, items - 1);
}

}  // namespace hortus::plan
