#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/stable.hpp>

namespace hortus {

/// Stable Bloom filter: every insert lowers a few randomly chosen cells by 1, and then sets the key's cells to their maximum.
///
///     insert:  a run of cells from a random start, each -1      3 0 1[2 0 3 1]0 0 3 2      then the key's cells = max
///                                                               3 0 1 1 0 2 0 0 0 3 2
///
/// Promise  a false-positive rate that stays below fpr for ever, however long the stream. A key just inserted is found. A key
///          inserted `items` inserts ago is missed with probability at most fnr (10 %); plan::stable_fnr() gives it for every
///          age.
/// Price    68 bits for each of the `items`, three times the space of active_active, which misses no key of its window. Up to
///          `probes` + 2 cache misses per insert. Repeated keys age the others, too.
/// Lacks    a window without misses (active_active, age_partitioned), estimate, merge. The cells to lower are drawn by a
///          generator whose state is stored in the file, so a loaded filter continues as if it had never been saved.
/// Source   F. Deng, D. Rafiei, "Approximately detecting duplicates for streaming data using stable Bloom filters",
///          SIGMOD 2006.
template <index_policy Index = multiply_chain>
class stable {
 public:
  static constexpr std::string_view name = "stable";
  static constexpr std::string_view room = "aging";
  static constexpr std::string_view summary = "cells that fade: for endless streams, with misses that grow with a key's age";
  static constexpr auto misses = false_negatives::by_chance;  ///< also keys of the window
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain;
  static constexpr verb_set kernels = verb::insert | verb::may_contain;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;

  struct goal {
    std::uint64_t items = 0;  ///< the age, in inserts, at which fnr holds
    double fpr = 0.01;
    double fnr = 0.1;        ///< probability that a key of that age is missed
    unsigned probes = 0;     ///< 0: the number that needs the fewest bits
    unsigned cell_bits = 0;  ///< 1 to 8; 0: whichever of 1, 2 and 4 needs the fewest bits
    std::uint64_t seed = 0;  ///< of the generator that chooses the cells to lower
    static void fields(auto& self, auto& io) {
      io("fnr", self.fnr,
         setting_note{"chance that a key is missed when as many others have come after it as were planned for",
                      "above 0, below 1", "0.01"});
      io("probes", self.probes, probes_note);
      io("cell_bits", self.cell_bits,
         setting_note{"bits of a cell; by default of 1, 2 and 4 what needs the least space", "1 to 8", "3"});
      io("seed", self.seed, setting_note{"start of the generator that chooses the cells to lower", "0 to 2^64 - 1", "7"});
    }
  };
  struct params {
    std::uint64_t cells = 0;
    unsigned cell_bits = 0;
    unsigned probes = 0;
    std::uint64_t decrements = 0;
    std::uint64_t seed = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("cells", self.cells);
      io("cell_bits", self.cell_bits);
      io("probes", self.probes);
      io("decrements", self.decrements);
      io("seed", self.seed);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::stable({g.items, g.fpr}, g.fnr, g.cell_bits, g.probes);
    return {shape.cells, shape.cell_bits, shape.probes, shape.decrements, g.seed};
  }
  /// The rate at the stable point, which further keys do not change.
  static double planned_fpr(params p, std::uint64_t) { return plan::stable_fpr(layout(p)); }
  /// The probability that a key is missed `age` inserts after its own.
  static double planned_fnr(params p, std::uint64_t age) { return plan::stable_fnr(layout(p), age); }
  static std::uint64_t planned_bytes(params p) { return counter_array::bytes_for(p.cells, p.cell_bits); }
  static double lines_touched(params p) { return p.probes; }

  stable() : stable(params{2, 1, 1, 1, 0}) {}  ///< the smallest valid one: two cells of one bit
  explicit stable(params p)
      : cells_((plan::checked(layout(p)), p.cells), p.cell_bits), probes_(p.probes), decrements_(p.decrements), seed_(p.seed) {}

  /// Lowers cells first and sets the key's cells then. In the other order the key's own cells could be lowered at once.
  void insert(digest x) noexcept {
    fade();
    probing().for_each(x, [&](std::uint64_t cell) { return cells_.put(cell, cells_.max()), true; });
  }
  bool insert_if_new(digest x) noexcept {
    bool const fresh = !may_contain(x);
    insert(x);
    return fresh;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return probing().all_set(cells_, x); }
  /// Also prefetches the runs that will be lowered when `next` is inserted. They are known in advance, by the number of the
  /// draw.
  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) noexcept {
    auto const draws = draws_;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) {
        prefetch_all(next[i]);
        auto const start = run_start(draws + xs.size() + i);
        cells_.prefetch(start);
        cells_.prefetch(std::min(start + decrements_, cells_.size()) - 1);
      }
      insert(xs[i]);
    }
    return xs.size();
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    probing().all_set(cells_, xs, next, hits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { probing().prefetch(cells_, x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { probing().prefetch_all(cells_, x); }

  [[nodiscard]] double fpr() const { return plan::fill_fpr(plan::bloom_shape{cells_.size(), probes_}, cells_.nonzero()); }
  /// Can a key be missed by now? Only after enough inserts to lower a cell from its maximum to 0.
  [[nodiscard]] bool has_forgotten() const noexcept { return draws_ > cells_.max(); }

  void clear() noexcept {
    cells_.clear();
    draws_ = 0;
  }
  [[nodiscard]] params shape() const noexcept { return {cells_.size(), cells_.width(), probes_, decrements_, seed_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return cells_.cells(); }
  bool operator==(stable const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    io(self.probes_, self.decrements_, self.seed_, self.draws_, self.cells_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return cells_.valid() && cells_.width() <= plan::max_stable_cell_bits && probes_ >= 1 && probes_ <= plan::max_probes &&
           cells_.size() > probes_ && decrements_ >= 1 && decrements_ <= cells_.size();
  }

 private:
  static plan::stable_shape layout(params p) noexcept { return {p.cells, p.cell_bits, p.probes, p.decrements}; }
  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes_, cells_.size(), 0}; }

  /// Draw number `draw` of the generator, SplitMix64, whose state is a counter.
  [[nodiscard]] std::uint64_t run_start(std::uint64_t draw) const noexcept {
    return fastrange(mix64(seed_ + (draw + 1) * golden_ratio64), cells_.size());
  }
  /// Lowers a run of adjacent cells from one random start, wrapping around at the end. Every cell is lowered as often as by
  /// independent draws, but only one or two cache lines are touched (section 4.1 of the paper).
  void fade() noexcept {
    auto const start = run_start(draws_++);
    auto const to_the_end = std::min(decrements_, cells_.size() - start);
    cells_.lower(start, start + to_the_end);
    cells_.lower(0, decrements_ - to_the_end);
  }

  counter_array cells_;
  unsigned probes_ = 1;
  std::uint64_t decrements_ = 1;
  std::uint64_t seed_ = 0;
  std::uint64_t draws_ = 0;  // inserts so far
};

using stable_filter = of_keys<stable<>>;

}  // namespace hortus
