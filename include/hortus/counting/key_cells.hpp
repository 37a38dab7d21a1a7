#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus {

/// The counters of one key, all read before any is written. Two probes that hit the same cell read the same value and write
/// the same value, so the cell counts the key once. That needs no comparison of positions and no branch.
class key_cells {
 public:
  template <index_policy Index>
  key_cells(counter_array const& cells, scattered<Index> const& probing, digest x) noexcept : probes_(probing.probes) {
    unsigned i = 0;
    probing.for_each(x, [&](std::uint64_t at) { return at_[i] = at, value_[i++] = cells.get(at), true; });
  }

  /// 0: the key is certainly absent.
  [[nodiscard]] std::uint64_t least() const noexcept { return *std::min_element(value_.data(), value_.data() + probes_); }
  /// Adds `amount` to each. Pre: `cells` has not changed since it was read.
  void add(counter_array& cells, std::uint64_t amount) const noexcept {
    for (unsigned i = 0; i < probes_; ++i) cells.put(at_[i], cells.sum(value_[i], amount));
  }
  void subtract(counter_array& cells, std::uint64_t amount) const noexcept {
    for (unsigned i = 0; i < probes_; ++i) cells.put(at_[i], cells.difference(value_[i], amount));
  }

 private:
  unsigned probes_;
  std::array<std::uint64_t, plan::max_probes> at_;  // uninitialised: entries are written before they are read
  std::array<std::uint64_t, plan::max_probes> value_;
};

}  // namespace hortus
