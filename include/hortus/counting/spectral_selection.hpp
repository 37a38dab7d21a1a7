#pragma once
#include <hortus/counting/spectral_cells.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/spectral.hpp>

namespace hortus {

/// Spectral Bloom filter, minimum selection: a counter for each bit of a Bloom filter. A key's count is the smallest of its
/// cells.
///
///     insert x: every cell of x one more      0 2 0 1 5 0 1 7 0        count(x) = min(2, 5, 7) = 2
///                                               ^x    ^x    ^x
///
/// Promise  count(x) is never below the true count, and above it only if other keys share every cell of x: probability
///          fpr(). Erasing a member leaves no trace. Merge adds multisets; fold.
/// Price    3.3 bits for each bit of a Bloom filter, 32 per key at a rate of 1 %; grows with the logarithm of the counts.
/// Lacks    small errors: an error is another key's whole count (spectral_increase and spectral_recurring have smaller
///          ones).
/// Source   S. Cohen, Y. Matias, "Spectral Bloom filters", SIGMOD 2003.
template <index_policy Index = multiply_chain>
class spectral_selection {
 public:
  static constexpr std::string_view name = "spectral_selection";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "counts that are never too low, to 2^64; erases, merges and folds";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::may_contain | verb::erase | verb::count |
                                    verb::estimate | verb::merge | verb::fold;
  static constexpr verb_set kernels = verb::insert | verb::may_contain | verb::erase | verb::count;
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

  spectral_selection() = default;  ///< the smallest valid one: 1 cell, 1 probe
  explicit spectral_selection(params p) : a_(p.cells, p.probes) {
    if (!valid()) throw error(errc::bad_params, "a spectral_selection filter needs 1 to 2^40 cells and 1 to 64 probes");
  }

  void insert(digest x) { insert(x, 1); }
  /// Inserts x `times` times. Allocates when counters outgrow their cells; if that fails, nothing has changed.
  void insert(digest x, std::uint64_t times) { a_.add(of(x).data(), times); }
  std::size_t insert(std::span<digest const> xs, std::span<digest const>) {
    a_.ahead(
        xs, [&](std::size_t, std::uint64_t const* at) { a_.add(at, 1); }, a_.beyond());
    return xs.size();
  }
  bool erase(digest x) noexcept { return a_.take(of(x).data()); }
  std::size_t erase(std::span<digest const> xs, std::span<digest const>) noexcept {
    std::size_t erased = 0;
    a_.ahead(
        xs, [&](std::size_t, std::uint64_t const* at) { erased += a_.take(at) ? 1U : 0U; }, a_.beyond());
    return erased;
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
  /// The number of counters at their maximum, which erase() no longer lowers.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return counters().saturated(); }

  void merge(spectral_selection const& other) {
    check_equal_shape(*this, other);
    a_.cells() += other.a_.cells();
  }

  /// Exact for keys whose cells stay distinct. If two cells of a key become one, that cell counts the key twice: never too
  /// low.
  void fold(std::uint64_t by) requires Index::folds { a_.cells() = a_.cells().folded(plan::checked_fold(fold_width(), by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept requires Index::folds { return a_.cells().size(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const requires Index::folds {
    auto const small = a_.cells().folded(plan::checked_fold(fold_width(), by));
    return plan::fill_fpr(plan::bloom_shape{small.size(), a_.probes()}, small.nonzero());
  }

  void clear() { a_.cells().clear(); }
  [[nodiscard]] params shape() const noexcept { return {a_.cells().size(), a_.probes()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return a_.cells().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return a_.cells().cells(); }
  [[nodiscard]] compact_counters const& counters() const noexcept { return a_.cells(); }
  bool operator==(spectral_selection const&) const = default;

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

using spectral_selection_filter = of_keys<spectral_selection<>>;

}  // namespace hortus
