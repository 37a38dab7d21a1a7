#pragma once
#include <hortus/counting/spectral_cells.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/spectral.hpp>

namespace hortus {

/// Spectral Bloom filter, minimal increase: an insert raises only the smallest of the key's cells, which alone give its
/// count.
///
///     insert x: cells 2 5 7 become 3 5 7      0 3 0 1 5 0 1 7 0        count(x) = min(3, 5, 7) = 3
///                                               ^x    ^x    ^x
///
/// Promise  count(x) is never below the true count and never above that of spectral_selection. If keys come once it is
///          wrong about 1/probes as often. The false-positive rate is that of spectral_selection.
/// Price    as spectral_selection or less. The cells depend on the order of inserts, not only on the keys.
/// Lacks    erase (spectral_selection, spectral_recurring), merge and fold: a cell does not hold the sum of its keys'
///          counts.
/// Source   S. Cohen, Y. Matias, "Spectral Bloom filters", SIGMOD 2003; C. Estan, G. Varghese, "New directions in traffic
///          measurement and accounting", SIGCOMM 2002 (as conservative update).
template <index_policy Index = multiply_chain>
class spectral_increase {
 public:
  static constexpr std::string_view name = "spectral_increase";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "counts that are never too low and seldom too high; cannot erase";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::may_contain | verb::count | verb::estimate;
  static constexpr verb_set kernels = verb::insert | verb::may_contain | verb::count;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;
  static constexpr bool never_undercounts = true;

  using goal = probed_goal<>;
  using params = spectral_params;

  static params plan(goal g) {
    auto const shape = plan::spectral({g.items, g.fpr}, g.probes);
    return {shape.bits, shape.probes};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bloom_fpr({p.cells, p.probes}, items); }
  static std::uint64_t planned_bytes(params p) { return compact_counters::planned_bytes(p.cells); }
  static double lines_touched(params p) { return p.probes; }
  static constexpr std::uint64_t max_count() noexcept { return compact_counters::most; }

  spectral_increase() = default;  ///< the smallest valid one: 1 cell, 1 probe
  explicit spectral_increase(params p) : a_(p.cells, p.probes) {
    if (!valid()) throw error(errc::bad_params, "a spectral_increase filter needs 1 to 2^40 cells and 1 to 64 probes");
  }

  void insert(digest x) { insert(x, 1); }
  /// Inserts x `times` times, with the same result as that many inserts in a row. Allocates when counters outgrow their
  /// cells; if that fails, nothing has changed.
  void insert(digest x, std::uint64_t times) { a_.raise_least(of(x).data(), times); }
  std::size_t insert(std::span<digest const> xs, std::span<digest const>) {
    a_.ahead(xs, [&](std::size_t, std::uint64_t const* at) { a_.raise_least(at, 1); });
    return xs.size();
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept { return a_.least(of(x).data()); }
  void count(std::span<digest const> xs, std::span<digest const>, std::uint64_t* counts) const noexcept {
    a_.ahead(xs, [&](std::size_t i, std::uint64_t const* at) { counts[i] = a_.least(at); });
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return a_.probing().all_set(a_.cells(), x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    a_.probing().all_set(a_.cells(), xs, next, hits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { a_.probing().prefetch(a_.cells(), x); }

  [[nodiscard]] double fpr() const { return a_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const { return a_.estimate(); }
  /// The number of counters at their maximum, where they stay.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return a_.cells().saturated(); }

  void clear() { a_.cells().clear(); }
  [[nodiscard]] params shape() const noexcept { return {a_.cells().size(), a_.probes()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return a_.cells().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return a_.cells().cells(); }
  [[nodiscard]] compact_counters const& counters() const noexcept { return a_.cells(); }
  bool operator==(spectral_increase const&) const = default;

  static void fields(auto& self, auto& io) { io(self.a_); }
  [[nodiscard]] bool valid() const noexcept { return a_.valid(); }

 private:
  [[nodiscard]] auto of(digest x) const noexcept {
    typename spectral_cells<Index>::places at;
    a_.locate(x, at.data());
    return at;
  }

  spectral_cells<Index> a_;
};

using spectral_increase_filter = of_keys<spectral_increase<>>;

}  // namespace hortus
