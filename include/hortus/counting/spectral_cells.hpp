#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/compact_counters.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus {

/// The shape of spectral_increase and spectral_selection.
struct spectral_params {
  std::uint64_t cells = 0;
  unsigned probes = 0;
  bool operator==(spectral_params const&) const = default;
  static void fields(auto& self, auto& io) {
    io("cells", self.cells);
    io("probes", self.probes);
  }
};

/// The cells of spectral filters: compact counters, of which a key has `probes`. A cell that two of its probes hit is
/// changed once, by insert and by erase.
template <index_policy Index>
class spectral_cells {
 public:
  static_assert(plan::max_probes <= compact_counters::max_at_once);
  using places = std::array<std::uint64_t, plan::max_probes>;  ///< a key's cells: the first probes() entries

  spectral_cells() = default;
  spectral_cells(std::uint64_t cells, unsigned probes) : cells_(cells), probes_(probes) {}

  void locate(digest x, std::uint64_t* at) const noexcept {
    Index next(x, cells_.size());
    for (unsigned i = 0; i < probes_; ++i) at[i] = next.next();
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t const* at) const noexcept {
    for (unsigned i = 0; i < probes_; ++i) cells_.prefetch(at[i]);
  }
  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes_, cells_.size(), 0}; }

  /// The smallest value of a key's cells, and whether only one of its cells holds it.
  struct lowest {
    std::uint64_t value;
    bool alone;
  };
  [[nodiscard]] std::uint64_t least(std::uint64_t const* at) const noexcept { return cells_.least(at, probes_); }
  [[nodiscard]] lowest least_alone(std::uint64_t const* at) const noexcept {
    auto const found = lowest_of(at, [&](std::uint64_t cell) { return cells_.low(cell); });
    return found.value < cells_.full() ? found : lowest_of(at, [&](std::uint64_t cell) { return cells_.get(cell); });
  }
  void add(std::uint64_t const* at, std::uint64_t times) { cells_.add(at, probes_, times); }
  void raise_least(std::uint64_t const* at, std::uint64_t times) { cells_.raise_least(at, probes_, times); }
  bool take(std::uint64_t const* at) noexcept { return cells_.take(at, probes_); }
  void make_room(std::uint64_t const* at, std::uint64_t times) { cells_.make_room(at, probes_, times); }

  /// act(number of the key, its cells) for each key in turn. Prefetches the cells some keys ahead. When they have arrived,
  /// early(its cells) is called and may prefetch what they show to be needed.
  template <class Act, class Early>
  void ahead(std::span<digest const> xs, Act act, Early early) const {
    if (cells_.size_bytes() <= cached_bytes) {
      places at;
      for (std::size_t i = 0; i < xs.size(); ++i) locate(xs[i], at.data()), act(i, at.data());
      return;
    }
    constexpr std::size_t first = 32, second = 8;  // how many keys ahead: prefetch of the cells, early()
    std::array<std::uint64_t, 2 * first * plan::max_probes> ring;
    auto const of = [&](std::size_t i) { return ring.data() + i % (2 * first) * probes_; };
    for (std::size_t i = 0; i < xs.size() + first; ++i) {
      if (i < xs.size()) locate(xs[i], of(i)), prefetch(of(i));
      if (auto const k = i - (first - second); i >= first - second && k < xs.size()) early(of(k));
      if (i >= first) act(i - first, of(i - first));
    }
  }
  void ahead(std::span<digest const> xs, auto act) const {
    ahead(xs, act, [](std::uint64_t const*) {});
  }
  /// Prefetches the table entries of full cells. Must be inlined, and so must a caller that does nothing else: g++ regards
  /// a function that only prefetches as having no effect, and drops calls to it.
  [[gnu::always_inline]] void prefetch_beyond(std::uint64_t const* at) const noexcept {
    for (unsigned i = 0; i < probes_; ++i)
      if (cells_.low(at[i]) == cells_.full()) cells_.prefetch_beyond(at[i]);
  }
  [[nodiscard]] auto beyond() const noexcept {
    return [this](std::uint64_t const* at) __attribute__((always_inline)) { prefetch_beyond(at); };
  }

  [[nodiscard]] double fpr() const { return plan::fill_fpr(layout(), cells_.nonzero()); }
  [[nodiscard]] plan::estimate estimate() const { return plan::bloom_cardinality(layout(), cells_.nonzero()); }
  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  [[nodiscard]] compact_counters& cells() noexcept { return cells_; }
  [[nodiscard]] compact_counters const& cells() const noexcept { return cells_; }
  bool operator==(spectral_cells const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    io(self.probes_, self.cells_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return cells_.valid() && cells_.size() >= 1 && probes_ >= 1 && probes_ <= plan::max_probes;
  }

 private:
  [[nodiscard]] plan::bloom_shape layout() const noexcept { return {cells_.size(), probes_}; }
  /// Two cells hold the least value if the first and the last position that hold it differ. No branch depends on the
  /// values.
  [[nodiscard]] lowest lowest_of(std::uint64_t const* at, auto value_of) const noexcept {
    places value;
    auto least = value[0] = value_of(at[0]);
    for (unsigned i = 1; i < probes_; ++i) least = std::min(least, value[i] = value_of(at[i]));
    auto first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (unsigned i = 0; i < probes_; ++i) {
      first = std::min(first, value[i] == least ? at[i] : first);
      last = std::max(last, value[i] == least ? at[i] : last);
    }
    return {least, first == last};
  }

  compact_counters cells_ = compact_counters(1);
  unsigned probes_ = 1;
};

}  // namespace hortus
