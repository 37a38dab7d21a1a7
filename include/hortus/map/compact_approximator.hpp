#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/map/lattice_cells.hpp>
#include <hortus/map/map_goal.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/compact_approximator.hpp>

namespace hortus {

/// Compact approximator: a Bloom filter whose cells hold values. A key's value is found, or a larger one.
///
///     put(x, 5)    0 3 0 0 5 0 0 7 0 0 5 0      join: each cell of x becomes at least 5
///                    ^p1   ^p2   ^p3
///     find(y)      0 3 0 0 5 0 0 7 0 0 5 0      meet: the least of the cells of y, 5; nothing if one is 0
///                          ^p1   ^p2     ^p3
///
/// Promise  find(x) is never less than what was put for x. It is more with probability plan::approximator_error(), which is
///          small for large values, and 0 for the largest. An absent key gets a value with probability
///          plan::approximator_fpr(). Several values put for a key are joined. Order and repetition change no byte. Merge and
///          fold, exactly.
/// Price    value_bits times the bits of bloom, 9.6 cells per key at 1 %, and up to `probes` cache misses per operation.
///          That is much for wide values: bloomier_map is smaller, and exact for its keys, if these are known at once. Cells
///          of one bit are a Bloom filter, byte for byte.
/// Lacks    erase, and values that become smaller. A key of value 0 is an absent key.
/// Source   P. Boldi, S. Vigna, "Mutable strings in Java: design, implementation and lightweight text-search algorithms",
///          Science of Computer Programming 54(1), 2005.
///
/// "Less" is the order of a lattice: numbers (lattice::max), sets of bits (lattice::bit_sets), pairs (lattice::product), or
/// one that is chosen at run time. To be wrong only towards smaller numbers, store them reversed: examples/boyer_moore.cpp.
template <lattice_policy Lattice = lattice::any, index_policy Index = multiply_chain>
class compact_approximator {
 public:
  static constexpr std::string_view name = "compact_approximator";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary = "values that are never too small: bloom with maxima for bits; merges, folds";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs =
      verb::insert | verb::may_contain | verb::find | verb::put | verb::estimate | verb::merge | verb::fold;
  static constexpr verb_set kernels = verb::may_contain | verb::find;
  static constexpr bool finds_bounds = true;
  static constexpr std::size_t block_keys = lattice_cells<Lattice, Index>::block_keys;

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;    ///< probability that an absent key gets a value
    unsigned probes = 0;  ///< 0: the number that needs the fewest cells
    unsigned value_bits = Lattice().bits();
    unsigned lattice = Lattice().kind();
    static void fields(auto& self, auto& io) {
      io("probes", self.probes, probes_note);
      io("value_bits", self.value_bits, setting_note{"bits of a value", "1 to 64", "8"});
      io("lattice", self.lattice,
         setting_note{"0: values are numbers, the largest is kept; 1: values are sets of bits, all are kept", "0 or 1", "1"});
    }
  };
  struct params {
    std::uint64_t cells = 0;
    unsigned probes = 0;
    unsigned value_bits = 0;
    unsigned lattice = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("cells", self.cells);
      io("probes", self.probes);
      io("value_bits", self.value_bits);
      io("lattice", self.lattice);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::compact_approximator({g.items, g.fpr}, g.probes, g.value_bits);
    if (g.lattice > lattice::product_kind)
      throw error(errc::bad_goal, "lattice is " + std::to_string(g.lattice) + ": it is 0 (numbers) or 1 (sets of bits)");
    return {shape.cells, shape.probes, shape.value_bits, g.lattice};
  }
  /// Exact for numbers; at most this for sets and pairs.
  static double planned_fpr(params p, std::uint64_t items) { return plan::approximator_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return counter_array::bytes_for(p.cells, p.value_bits); }
  static double lines_touched(params p) { return p.probes; }

  compact_approximator() = default;  ///< the smallest valid one: 1 cell, 1 probe
  explicit compact_approximator(params p)
      : cells_((plan::checked(layout(p)), p.cells), p.probes, Lattice::made(p.value_bits, p.lattice)) {}

  /// Throws errc::bad_params, and changes nothing, if the value has more than value_bits. Value 0 changes nothing.
  void put(digest x, std::uint64_t value) {
    check_value(value, cells_.lattice().bits());
    cells_.join(x, value);
  }
  /// A key without a value has the least one.
  void insert(digest x) noexcept { cells_.join(x, 1); }
  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    auto const value = cells_.meet(x);
    return value == 0 ? std::nullopt : std::optional(value);
  }
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    cells_.meet(xs, next, values);
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) hits[i / 64] |= std::uint64_t{values[i] != 0} << (i % 64);
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return cells_.meet(x) != 0; }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    std::array<std::uint64_t, block_keys> values;
    find(xs, next, values.data(), hits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { cells_.prefetch(x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { cells_.prefetch_all(x); }

  /// The rate now. Exact for numbers; at most this for sets and pairs.
  [[nodiscard]] double fpr() const noexcept { return cells_.rate(); }
  /// The number of distinct keys.
  [[nodiscard]] plan::estimate estimate() const {
    return plan::bloom_cardinality(layout(shape()).projection(), cells_.cells().nonzero());
  }

  void merge(compact_approximator const& other) {
    check_equal_shape(*this, other);
    cells_.join(other.cells_);
  }
  void fold(std::uint64_t by) requires Index::folds { cells_ = cells_.folded(plan::checked_fold(fold_width(), by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept requires Index::folds { return cells_.cells().size(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const requires Index::folds {
    return cells_.folded(plan::checked_fold(fold_width(), by)).rate();
  }

  [[nodiscard]] unsigned value_bits() const noexcept { return cells_.lattice().bits(); }
  void clear() noexcept { cells_.clear(); }
  [[nodiscard]] params shape() const noexcept {
    return {cells_.cells().size(), cells_.probes(), cells_.lattice().bits(), cells_.lattice().kind()};
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.cells().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return cells_.cells().cells(); }
  bool operator==(compact_approximator const&) const = default;

  static void fields(auto& self, auto& io) { io(self.cells_); }
  [[nodiscard]] bool valid() const noexcept { return cells_.valid(); }

 private:
  static plan::approximator_shape layout(params p) noexcept { return {p.cells, p.probes, p.value_bits}; }

  lattice_cells<Lattice, Index> cells_;
};

using compact_approximator_map = of_keys<compact_approximator<>>;

}  // namespace hortus
