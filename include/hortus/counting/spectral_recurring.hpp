#pragma once
#include <hortus/cells/bit_array.hpp>
#include <hortus/counting/spectral_cells.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/spectral.hpp>

namespace hortus {

/// Spectral Bloom filter, recurring minimum: if two cells of a key hold its smallest value, that is almost certainly its
/// count. A key with only one smallest cell is in doubt. It is marked, and counted again in a second filter with a lower
/// load.
///
///     primary    0 2 0 2 5 0 1 7 0       x: 2 2 7, recurring: 2      y: 1 5 7, alone: marked, and in the secondary
///     marks      0 0 0 0 1 0 1 1 0       one bit beside each cell; a key is marked if all of its bits are set
///     secondary  0 1 0 0 1 ..            keys in doubt only: y is 1
///
/// Promise  the false-positive rate of spectral_selection, half as many wrong counts, and errors a hundred times smaller;
///          erase. A count is below the true count only for a key that marks and secondary both mistake for a marked one:
///          probability 1e-8 at a rate of 3 %, 1e-16 at 1 %; no key in any test.
/// Price    spectral_selection's cells, half as many again for the secondary, and one bit per cell: 57.8 bits per key at a
///          rate of 1 %.
/// Lacks    merge and fold, after which more keys would look marked. Erasing leaves marks behind. (spectral_selection has
///          all three.)
/// Source   S. Cohen, Y. Matias, "Spectral Bloom filters", SIGMOD 2003, with marks that every update respects. Without
///          them, as in libbf, the secondary goes stale as keys alternate: 2.7 % of keys are counted too low.
template <index_policy Index = multiply_chain>
class spectral_recurring {
 public:
  static constexpr std::string_view name = "spectral_recurring";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary =
      "the smallest counting errors of those that erase; a second filter for keys in doubt";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs =
      verb::insert | verb::insert_times | verb::may_contain | verb::erase | verb::count | verb::estimate;
  static constexpr verb_set kernels = verb::insert | verb::may_contain | verb::erase | verb::count;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;
  static constexpr bool never_undercounts = false;  ///< with the tiny probability that the card gives
  static constexpr bool erase_restores = false;     ///< marks are never cleared

  using goal = probed_goal<>;
  struct params {
    std::uint64_t cells = 0;
    std::uint64_t secondary_cells = 0;
    unsigned probes = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("cells", self.cells);
      io("secondary_cells", self.secondary_cells);
      io("probes", self.probes);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::spectral({g.items, g.fpr}, g.probes);
    return {shape.bits, (shape.bits + 1) / 2, shape.probes};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bloom_fpr({p.cells, p.probes}, items); }
  static std::uint64_t planned_bytes(params p) {
    return compact_counters::planned_bytes(p.cells) + compact_counters::planned_bytes(p.secondary_cells) +
           (p.cells + 63) / 64 * 8;
  }
  static double lines_touched(params p) { return p.probes; }
  static constexpr std::uint64_t max_count() noexcept { return compact_counters::most; }

  spectral_recurring() = default;  ///< the smallest valid one: 1 cell in both, 1 probe
  explicit spectral_recurring(params p) : a_(p.cells, p.probes), b_(p.secondary_cells, p.probes), marks_(p.cells) {
    if (!valid())
      throw error(errc::bad_params, "a spectral_recurring filter needs 1 to 2^40 cells in both its parts and 1 to 64 probes");
  }

  void insert(digest x) { insert(x, 1); }
  /// Inserts x `times` times, with the same result as that many inserts in a row. Allocates when counters outgrow their
  /// cells; if that fails, nothing has changed.
  void insert(digest x, std::uint64_t times) { insert(x, cells_of(a_, x).data(), times); }
  std::size_t insert(std::span<digest const> xs, std::span<digest const>) {
    a_.ahead(
        xs, [&](std::size_t i, std::uint64_t const* at) { insert(xs[i], at, 1); }, changes());
    return xs.size();
  }
  bool erase(digest x) noexcept { return erase(x, cells_of(a_, x).data()); }
  std::size_t erase(std::span<digest const> xs, std::span<digest const>) noexcept {
    std::size_t erased = 0;
    a_.ahead(
        xs, [&](std::size_t i, std::uint64_t const* at) { erased += erase(xs[i], at) ? 1U : 0U; }, changes());
    return erased;
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept { return count(x, cells_of(a_, x).data()); }
  void count(std::span<digest const> xs, std::span<digest const>, std::uint64_t* counts) const noexcept {
    a_.ahead(
        xs, [&](std::size_t i, std::uint64_t const* at) { counts[i] = count(xs[i], at); }, first_mark());
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return a_.probing().all_set(a_.cells(), x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    a_.probing().all_set(a_.cells(), xs, next, hits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { a_.probing().prefetch(a_.cells(), x); }

  [[nodiscard]] double fpr() const { return a_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const { return a_.estimate(); }
  /// The number of counters at their maximum, which erase() no longer lowers.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return a_.cells().saturated() + b_.cells().saturated(); }

  void clear() {
    auto fresh = spectral_recurring(shape());
    *this = std::move(fresh);
  }
  [[nodiscard]] params shape() const noexcept { return {a_.cells().size(), b_.cells().size(), a_.probes()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return a_.cells().size_bytes() + b_.cells().size_bytes() + marks_.size_bytes();
  }
  [[nodiscard]] memory const& cells() const noexcept { return a_.cells().cells(); }
  bool operator==(spectral_recurring const&) const = default;

  static void fields(auto& self, auto& io) { io(self.a_, self.b_, self.marks_); }
  [[nodiscard]] bool valid() const noexcept {
    return a_.valid() && b_.valid() && marks_.valid() && b_.probes() == a_.probes() && marks_.size() == a_.cells().size();
  }

 private:
  using places = typename spectral_cells<Index>::places;

  static places cells_of(spectral_cells<Index> const& part, digest x) noexcept {
    places at;
    part.locate(x, at.data());
    return at;
  }
  places second(digest x) const noexcept { return cells_of(b_, x.remixed(1)); }
  [[nodiscard]] bool marked(std::uint64_t const* at) const noexcept {
    return std::all_of(at, at + a_.probes(), [&](std::uint64_t cell) { return marks_.test(cell); });
  }
  [[nodiscard]] auto first_mark() const noexcept {  // enough for most keys: they are unmarked, by their first or second bit
    return [this](std::uint64_t const* at) __attribute__((always_inline)) { marks_.prefetch(at[0]); };
  }

  [[nodiscard]] auto changes() const noexcept {
    return [this](std::uint64_t const* at) __attribute__((always_inline)) { marks_.prefetch(at[0]), a_.prefetch_beyond(at); };
  }

  /// Every insert of a marked key goes into both parts. A key that comes into doubt now enters the secondary with the count
  /// that the primary gives it. All cells of x rise by the same amount, so least_alone() can be asked before they do.
  void insert(digest x, std::uint64_t const* at, std::uint64_t times) {
    if (times == 0) return;
    marks_.prefetch(at[0]);
    auto const [value, alone] = a_.least_alone(at);
    bool const known = marked(at);
    if (!known && !alone) return a_.add(at, times);
    auto const again = second(x);
    b_.prefetch(again.data());
    auto const all = times > compact_counters::most - value ? compact_counters::most : value + times;
    auto const more = known && b_.least(again.data()) > 0 ? times : all;
    b_.make_room(again.data(), more);
    a_.add(at, times);
    b_.add(again.data(), more);
    if (!known) std::for_each(at, at + a_.probes(), [&](std::uint64_t cell) { marks_.set(cell); });
  }
  bool erase(digest x, std::uint64_t const* at) noexcept {
    if (!a_.take(at)) return false;
    if (marked(at)) b_.take(second(x).data());  // changes nothing if x is not in it
    return true;
  }
  [[nodiscard]] std::uint64_t count(digest x, std::uint64_t const* at) const noexcept {
    auto const first = a_.least(at);
    if (first == 0 || !marked(at)) return first;
    auto const again = b_.least(second(x).data());
    return again > 0 ? std::min(first, again) : first;
  }

  spectral_cells<Index> a_;  ///< primary
  spectral_cells<Index> b_;  ///< secondary
  bit_array marks_ = bit_array(1);
};

using spectral_recurring_filter = of_keys<spectral_recurring<>>;

}  // namespace hortus
