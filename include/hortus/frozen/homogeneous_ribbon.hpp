#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/frozen/homogeneous_builder.hpp>
#include <hortus/frozen/homogeneous_kernels.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/homogeneous_ribbon.hpp>

namespace hortus {

/// Homogeneous ribbon filter: every key is a set of slots that add up to 0 modulo 2 in every column. Nothing else is stored, so
/// a lookup reads two neighbouring blocks and has its answer.
///
///               block i          block i+1
///     column 0   1 0 1 1 0 1 0 0 | 1 1 0 1 0 0 1 0    digest --high bits--> start; the others: which of the slots from
///     column 1   0 1 1 0 0 0 1 0 | 1 0 1 1 1 0 1 1                          there to the end of the next block
///                    ^---- the row of a key ---->     in each column these slots add up to 0
///
/// Rows that are sums of others need nothing: any system without values has a solution, with random bits where no row needs a
/// certain one. An absent row adds up to 0 by chance, or because it is a sum of others, too: where too many keys meet. Slots
/// are planned so that this is 2 % of the rate. A rate below 2^-10 is that of several layers, each a filter of its own.
///
/// Promise  every key is found. An absent key is found with probability fpr(), which build() computes from the rows of the
///          keys; it is the planned one on average. Keys come in any order and may occur several times: the bytes are those of
///          the set. A build never fails, and takes linear time even if keys were chosen to defeat it; only the rate rises
///          then.
/// Price    10 % above log2(1/fpr): 8.8 bits per key at 2^-8, 17.6 at 2^-16; up to 30 % in filters of a few hundred keys. A
///          lookup reads two neighbouring cache lines at rates down to 2^-8. Building takes 8 bytes per key, and 18 MiB per
///          thread.
/// Lacks    insert: it is built of all keys at once (cuckoo and blocked take keys one by one). erase, merge. The last 10 %:
///          ribbon has them.
/// Source   P. Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021, section on homogeneous
///          ribbon. Rows that reach to the end of the next block, and layers, are our own.
class homogeneous_ribbon {
 public:
  static constexpr std::string_view name = "homogeneous_ribbon";
  static constexpr std::string_view room = "frozen";
  static constexpr std::string_view summary = "known keys, the fastest lookups of a frozen filter: 10 % above log2(1/fpr)";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::fold | verb::estimate;
  static constexpr std::size_t block_keys = hortus::kernels::homogeneous_block_keys;
  static constexpr verb_set kernels = verb::may_contain;

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t items = 0;
    unsigned layers = 0;
    unsigned columns = 0;            ///< of a layer
    std::uint64_t strips = 1;        ///< of a layer
    std::uint64_t start_blocks = 0;  ///< of a strip, each of 64 slots; it has one more
    std::uint64_t wide_blocks = 0;   ///< of a layer, with a column more
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      io("layers", self.layers);
      io("columns", self.columns);
      io("strips", self.strips);
      io("start_blocks", self.start_blocks);
      io("wide_blocks", self.wide_blocks);
    }
  };

  static params plan(goal g) { return of_shape(plan::homogeneous_ribbon({g.items, g.fpr})); }
  static double planned_fpr(params p, std::uint64_t items) { return plan::homogeneous_fpr(to_shape(p), items); }
  static std::uint64_t planned_bytes(params p) { return to_shape(p).bytes(); }
  /// The columns of two blocks, in each layer.
  static double lines_touched(params p) { return p.layers * std::max(2.0, static_cast<double>(p.columns) / 4); }

  static word_parts parts(std::uint64_t items) noexcept { return {plan::ribbon_log2_parts(items)}; }
  class builder {
   public:
    builder(goal g, std::span<std::uint64_t const> words_per_part) : cells_(g.fpr, words_per_part) {}
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) { cells_.build_part(part, words); }
    homogeneous_ribbon finish() && { return homogeneous_ribbon(std::move(cells_).finish()); }

   private:
    homogeneous_cells_builder cells_;
  };
  static homogeneous_ribbon build(std::span<digest const> keys, goal g) {
    return build_of_words<homogeneous_ribbon>(distinct_words(keys), g);
  }

  homogeneous_ribbon() = default;  ///< without keys

  [[nodiscard]] bool may_contain(digest x) const noexcept { return hortus::kernels::in_homogeneous(cells_, x); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { cells_.prefetch(x.bits()); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    hortus::kernels::in_homogeneous(cells_, xs, next, worth_prefetching(*this), hits);
  }

  /// Exact: build() computed it from the columns.
  [[nodiscard]] double fpr() const noexcept {
    double rate = cells_.layers() == 0 ? 0 : 1;
    for (auto const chances : cells_.chances()) rate *= cells_.rate(chances);
    return rate;
  }
  /// Exact: the keys were counted.
  [[nodiscard]] plan::estimate estimate() const noexcept {
    auto const items = static_cast<double>(cells_.items());
    return {items, items, items, false};
  }

  /// Folding drops columns, whole layers of them first.
  [[nodiscard]] std::uint64_t fold_width() const noexcept {
    return std::max<std::uint64_t>(std::uint64_t{cells_.layers()} * cells_.columns(), 1);
  }
  void fold(std::uint64_t by) {
    auto const kept = folded(by);
    if (by == 1) return;
    auto fewer = cells_.kept(kept.layers, kept.columns);
    for (unsigned layer = 0; layer < kept.layers; ++layer) fewer.put_chances(layer, chances(layer, kept.columns));
    cells_ = std::move(fewer);
  }
  /// Reads all columns, if some will be dropped.
  [[nodiscard]] double fpr_folded(std::uint64_t by) const {
    auto const kept = folded(by);
    if (by == 1) return fpr();
    double rate = 1;
    for (unsigned layer = 0; layer < kept.layers; ++layer) rate *= cells_.rate(chances(layer, kept.columns));
    return rate;
  }

  void clear() noexcept { cells_ = {}; }
  [[nodiscard]] params shape() const noexcept { return of_shape(cells_.shape()); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return cells_.bits(); }
  bool operator==(homogeneous_ribbon const&) const = default;

  static void fields(auto& self, auto& io) { io(self.cells_); }
  [[nodiscard]] bool valid() const noexcept { return cells_.valid(); }

 private:
  struct layers_and_columns {
    unsigned layers;
    unsigned columns;
  };
  explicit homogeneous_ribbon(homogeneous_cells cells) noexcept : cells_(std::move(cells)) {}
  static params of_shape(plan::homogeneous_shape const& s) noexcept {
    return {s.items, s.layers, s.columns, s.strips, s.start_blocks, s.wide_blocks};
  }
  static plan::homogeneous_shape to_shape(params const& p) noexcept {
    return {p.items, p.layers, p.columns, p.strips, p.start_blocks, p.wide_blocks};
  }
  [[nodiscard]] std::uint64_t chances(unsigned layer, unsigned columns) const noexcept {
    if (columns == cells_.columns()) return cells_.chances()[layer];
    return homogeneous_chances(cells_, layer, 0, std::uint64_t{1} << cells_.strips_log2(), columns);
  }
  /// The fewest layers that have as many columns as are kept.
  [[nodiscard]] layers_and_columns folded(std::uint64_t by) const {
    if (by == 0 || fold_width() % by != 0)
      throw error(errc::bad_params, "a homogeneous ribbon filter of " + std::to_string(fold_width()) +
                                        " columns cannot be folded by " + std::to_string(by) +
                                        ", which does not divide their number");
    auto const columns = static_cast<unsigned>(fold_width() / by);
    unsigned layers = 1;
    while (layers < cells_.layers() && (columns % layers != 0 || columns / layers > cells_.columns())) ++layers;
    return {layers, columns / layers};
  }

  homogeneous_cells cells_;
};
static_assert(built_in_parts<homogeneous_ribbon>);

using homogeneous_ribbon_filter = of_keys<homogeneous_ribbon>;

}  // namespace hortus
