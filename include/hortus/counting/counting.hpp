#pragma once
#include <algorithm>
#include <string>

#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/counting/compared_cells.hpp>
#include <hortus/counting/key_cells.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/counting.hpp>

namespace hortus {

/// Counting Bloom filter: a Bloom filter with small counters instead of bits, so that keys can be erased and counted.
///
///     key --> p1 p2 .. pk      0 2 0 0 1 0 0 15 0 0 1 0      insert: each of the key's cells, once, +1
///                                ^p2   ^pk   ^p1             erase:  -1, but none of them if one is 0
///
/// Promise  every key inserted more often than erased is found. count() is never less than inserts minus erases, up to the
///          cells' maximum, and more only with probability fpr(). Merge adds multisets; fold; to_bloom() for readers that
///          need no erase.
/// Price    cell_bits (4) times the bits of bloom, and up to `probes` cache misses per operation. A cell that reaches its
///          maximum stays there for ever. With 4 bits and distinct keys that never happens (plan::expected_saturated); with
///          3 bits a filter should be rebuilt after a hundred turnovers. For keys that come often use a spectral filter.
/// Lacks    growth, and an answer from one cache line. Erasing a key that was never inserted but is found removes
///          plan::lost_per_wrong_erase members, about 0.7 per probe.
/// Source   L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary cache", IEEE/ACM Trans. Networking 8(3), 2000.
template <index_policy Index = multiply_chain>
class counting {
 public:
  static constexpr std::string_view name = "counting";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "bloom with small counters for bits: keys can be erased, and counted up to 15";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::insert_if_new | verb::may_contain | verb::erase |
                                    verb::count | verb::estimate | verb::compare | verb::merge | verb::fold;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr bool never_undercounts = true;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;
    unsigned probes = 0;     ///< 0: the number that needs the fewest cells
    unsigned cell_bits = 4;  ///< 1 to 64
    static void fields(auto& self, auto& io) {
      io("probes", self.probes, probes_note);
      io("cell_bits", self.cell_bits, setting_note{"bits of a counter, which stays at 2^cell_bits - 1", "1 to 64", "8"});
    }
  };
  struct params {
    std::uint64_t cells = 0;
    unsigned probes = 0;
    unsigned cell_bits = 4;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("cells", self.cells);
      io("probes", self.probes);
      io("cell_bits", self.cell_bits);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::counting({g.items, g.fpr}, g.probes, g.cell_bits);
    return {shape.cells, shape.probes, shape.cell_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bloom_fpr({p.cells, p.probes}, items); }
  static std::uint64_t planned_bytes(params p) { return counter_array::bytes_for(p.cells, p.cell_bits); }
  static double lines_touched(params p) { return p.probes; }

  counting() = default;  ///< the smallest valid one: one cell, 1 probe
  explicit counting(params p) : cells_((plan::checked(layout(p)), p.cells), p.cell_bits), probes_(p.probes) {}

  void insert(digest x) noexcept { cells_of(x).add(cells_, 1); }
  /// The same as `times` inserts.
  void insert(digest x, std::uint64_t times) noexcept { cells_of(x).add(cells_, times); }
  /// Always inserts, so that one erase undoes each call.
  bool insert_if_new(digest x) noexcept {
    auto const mine = cells_of(x);
    mine.add(cells_, 1);
    return mine.least() == 0;
  }
  bool erase(digest x) noexcept {
    auto const mine = cells_of(x);
    if (mine.least() == 0) return ++refusals_, false;
    mine.subtract(cells_, 1);
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return probing().all_set(cells_, x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    probing().all_set(cells_, xs, next, hits);
  }
  /// The smallest of the key's cells. max_count() means max_count() or more.
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto least = max_count();
    probing().for_each(x, [&](std::uint64_t cell) { return (least = std::min(least, cells_.get(cell))) != 0; });
    return least;
  }
  [[nodiscard]] std::uint64_t max_count() const noexcept { return cells_.max(); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { probing().prefetch(cells_, x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { probing().prefetch_all(cells_, x); }

  [[nodiscard]] double fpr() const { return plan::fill_fpr(layout(shape()).projection(), cells_.nonzero()); }
  [[nodiscard]] plan::estimate estimate() const {
    return plan::bloom_cardinality(layout(shape()).projection(), cells_.nonzero());
  }
  /// From the counters that are not 0, and from the differences of counters unless some are at their maximum.
  [[nodiscard]] plan::overlap compare(counting const& other) const {
    check_equal_shape(*this, other);
    auto const found = compared_cells::of(cells_, other.cells_);
    auto result = plan::bloom_overlap(layout(shape()).projection(), found.nonzero);
    if (saturations() == 0 && other.saturations() == 0)
      result.by_counters = plan::signed_difference({1, cells_.size(), probes_}, found.difference);
    return result;
  }
  /// The number of cells at their maximum, which erase() no longer lowers.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return cells_.saturated(); }
  /// The number of keys that erase() refused since this object was made or cleared. It is not stored in files, because a
  /// refused erase does not change what the filter holds.
  [[nodiscard]] std::uint64_t refusals() const noexcept { return refusals_; }

  /// The Bloom filter of the same keys, a quarter of the size, for users who only look up.
  [[nodiscard]] bloom<Index> to_bloom() const { return {cells_.nonzero_bits(), probes_}; }

  /// The sum of both multisets.
  void merge(counting const& other) {
    check_equal_shape(*this, other);
    cells_ += other.cells_;
  }

  /// Adds cells up. may_contain answers as if the filter had been made small. If two cells of a key become one, the key
  /// counts twice there. Erasing it takes off only one, so the cell stays too high, and no member is lost.
  void fold(std::uint64_t by) requires Index::folds { cells_ = cells_.folded(plan::checked_fold(fold_width(), by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept requires Index::folds { return cells_.size(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const requires Index::folds {
    auto const small = cells_.nonzero_bits().folded(plan::checked_fold(fold_width(), by));
    return plan::fill_fpr(plan::bloom_shape{small.size(), probes_}, small.ones());
  }

  void clear() noexcept { cells_.clear(), refusals_ = 0; }
  [[nodiscard]] params shape() const noexcept { return {cells_.size(), probes_, cells_.width()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return cells_.cells(); }
  bool operator==(counting const& other) const { return probes_ == other.probes_ && cells_ == other.cells_; }

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    io(self.probes_, self.cells_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return cells_.valid() && cells_.size() >= 1 && probes_ >= 1 && probes_ <= plan::max_probes;
  }

 private:
  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes_, cells_.size(), 0}; }
  [[nodiscard]] key_cells cells_of(digest x) const noexcept { return {cells_, probing(), x}; }
  static plan::counting_shape layout(params p) noexcept { return {p.cells, p.probes, p.cell_bits}; }

  counter_array cells_ = counter_array(1, 4);
  unsigned probes_ = 1;
  std::uint64_t refusals_ = 0;
};

using counting_filter = of_keys<counting<>>;

}  // namespace hortus
