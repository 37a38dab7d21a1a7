#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/frozen/ribbon_builder.hpp>
#include <hortus/frozen/ribbon_kernels.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus {

/// Bumped ribbon filter: the solution of a system of linear equations modulo 2, one equation a key, in hardly more bits than
/// any filter needs.
///
///     column 0   1 0 1 1 0 1 0 0 1 1 0 1          digest --high bits--> start; the others: which of the 64 slots from
///     column 1   0 1 1 0 0 0 1 0 1 0 1 1                                there on, and a fingerprint
///                    ^-- the row of a key --^     in each column these slots add up to a bit of the fingerprint
///
/// Where there are more keys than slots, the keys that start in the left part of a bucket of 128 slots are bumped to a second
/// layer, a twentieth of the first; 2 bits per bucket say which. A third layer has those bumped from the second, and so on.
/// At rates above 2^-4 rows have 128 slots and buckets 512.
///
/// Promise  every key is found. An absent key is found with probability fpr(), which is 2^-columns, whatever the keys are.
///          Keys come in any order and may occur several times: the bytes are those of the set. A build never fails, and
///          takes linear time even if keys were chosen to defeat it; only the filter grows then.
/// Price    r bits per key at a rate of 2^-r, and 0.2 to 0.5 % more from a million keys on, about 1 % more at 10,000 (2 % at
///          rates above 2^-4); at rates in between up to 0.09 bits more. A lookup reads two neighbouring cache lines at rates
///          down to 2^-8. Building takes 8 bytes per key, 0.5 for keys left over, and 16 MiB per thread.
/// Lacks    insert: it is built of all keys at once (cuckoo and blocked take keys one by one). erase, merge.
/// Source   P. Dillinger, L. Huebschle-Schneider, P. Sanders, S. Walzer, "Fast succinct retrieval and approximate membership
///          using ribbon", SEA 2022; P. Dillinger, S. Walzer, "Ribbon filter", 2021.
class ribbon {
 public:
  static constexpr std::string_view name = "ribbon";
  static constexpr std::string_view room = "frozen";
  static constexpr std::string_view summary =
      "known keys in the fewest bits: under 1 % above log2(1/fpr); never fails to build";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::fold;
  static constexpr std::size_t block_keys = hortus::kernels::ribbon_block_keys;
  static constexpr verb_set kernels = verb::may_contain;

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t blocks = 0;  ///< of 64 slots
    unsigned columns = 0;
    std::uint64_t wide_blocks = 0;  ///< with a column more
    std::uint64_t strips = 1;       ///< of the first layer
    std::uint64_t layers = 0;
    unsigned row_slots = 64;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("blocks", self.blocks);
      io("columns", self.columns);
      io("wide_blocks", self.wide_blocks);
      io("strips", self.strips);
      io("layers", self.layers);
      io("row_slots", self.row_slots);
    }
  };

  static params plan(goal g) { return of_shape(plan::ribbon({g.items, g.fpr})); }
  /// Does not depend on the number of keys. Exact without wide blocks, else within half a percent.
  static double planned_fpr(params p, std::uint64_t) { return plan::ribbon_fpr(to_shape(p)); }
  static std::uint64_t planned_bytes(params p) { return to_shape(p).bytes(); }
  /// The columns of two blocks, and a threshold.
  static double lines_touched(params p) { return 1 + std::max(2.0, static_cast<double>(p.columns) / 4); }

  static word_parts parts(std::uint64_t items) noexcept { return {plan::ribbon_log2_parts(items)}; }
  class builder {
   public:
    builder(goal g, std::span<std::uint64_t const> words_per_part)
        : cells_(plan::ribbon({std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0}), g.fpr}),
                 words_per_part) {}
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) { cells_.build_part(part, {words}); }
    ribbon finish() && { return ribbon(std::move(cells_).finish().cells); }

   private:
    ribbon_cells_builder cells_;
  };
  static ribbon build(std::span<digest const> keys, goal g) { return build_of_words<ribbon>(distinct_words(keys), g); }

  ribbon() = default;  ///< without keys

  [[nodiscard]] bool may_contain(digest x) const noexcept { return hortus::kernels::in_ribbon(cells_, x); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    cells_.long_rows() ? cells_.prefetch<2>(cells_.start_in_first<2>(x.bits()))
                       : cells_.prefetch(cells_.start_in_first(x.bits()));
  }
  /// The kernel for a block. Bumped keys become a smaller block for the next layer.
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    std::fill_n(hits, mask_words(xs.size()), 0);
    std::array<digest, block_keys> later;
    std::array<std::uint16_t, block_keys> place;  // of the keys of this layer, in the block
    std::iota(place.begin(), place.end(), std::uint16_t{0});
    bool const far = worth_prefetching(*this);
    for (std::uint64_t layer = 0; layer < cells_.layers() && !xs.empty(); ++layer) {
      hortus::kernels::ribbon_answers answers;
      hortus::kernels::in_ribbon(cells_, layer, xs, next, far, answers);
      bool const last = layer + 1 == cells_.layers();
      std::size_t count = 0;
      for (std::size_t i = 0; i < xs.size(); i += 64) {
        auto const bumped = answers.bumped[i / 64];
        auto found = answers.found[i / 64] & ~bumped;
        if (layer == 0) {
          hits[i / 64] = found;
        } else {
          for (; found != 0; found &= found - 1) set(hits, place[i + static_cast<unsigned>(std::countr_zero(found))]);
        }
        if (last) continue;
        for (auto left = bumped; left != 0; left &= left - 1) {
          auto const at = i + static_cast<unsigned>(std::countr_zero(left));
          later[count] = digest(next_layer(xs[at].bits()));
          place[count++] = place[at];
        }
      }
      if (last && !cells_.kept().empty())
        for (std::size_t i = 0; i < xs.size(); ++i)
          if (cells_.keeps(xs[i].bits())) set(hits, place[i]);
      xs = std::span<digest const>(later).first(count);
      next = {};
    }
  }

  [[nodiscard]] double fpr() const noexcept { return cells_.fpr(plan::ribbon_shape::max_columns); }

  /// Folding drops columns: what is left is the filter that the same keys would have made at the higher rate.
  [[nodiscard]] std::uint64_t fold_width() const noexcept { return std::max(cells_.columns(), 1U); }
  void fold(std::uint64_t by) {
    auto const columns = columns_folded(by);
    if (by != 1) cells_.keep_columns(columns);
  }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const {
    auto const columns = columns_folded(by);
    return by == 1 ? fpr() : cells_.fpr(columns);
  }
  /// The same for any number of columns below that of the filter.
  void keep_columns(unsigned columns) {
    if (columns == 0 || columns > cells_.columns())
      throw error(errc::bad_params, "of " + std::to_string(cells_.columns()) + " columns at least one can be kept, not " +
                                        std::to_string(columns));
    cells_.keep_columns(columns);
  }

  void clear() noexcept { cells_.clear(); }
  [[nodiscard]] params shape() const noexcept { return of_shape(cells_.shape()); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return cells_.bits(); }
  /// Keys for which no layer had room. Hardly ever any, unless keys were chosen to defeat the filter.
  [[nodiscard]] std::size_t kept_words() const noexcept { return cells_.kept().size(); }
  bool operator==(ribbon const&) const = default;

  static void fields(auto& self, auto& io) { io(self.cells_); }
  [[nodiscard]] bool valid() const noexcept { return cells_.valid(); }

 private:
  static void set(std::uint64_t* hits, std::size_t bit) noexcept { hits[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  explicit ribbon(ribbon_cells cells) noexcept : cells_(std::move(cells)) {}
  static params of_shape(plan::ribbon_shape const& s) noexcept {
    return {s.blocks, s.columns, s.wide_blocks, s.strips, s.layers, 64 * s.row_blocks};
  }
  static plan::ribbon_shape to_shape(params const& p) noexcept {
    return {p.blocks, p.columns, p.wide_blocks, p.strips, p.layers, p.row_slots / 64};
  }
  [[nodiscard]] unsigned columns_folded(std::uint64_t by) const {
    if (by == 0 || fold_width() % by != 0)
      throw error(errc::bad_params, "a ribbon filter of " + std::to_string(cells_.columns()) + " columns cannot be folded by " +
                                        std::to_string(by) + ", which does not divide their number");
    return static_cast<unsigned>(fold_width() / by);
  }

  ribbon_cells cells_;
};
static_assert(built_in_parts<ribbon>);

using ribbon_filter = of_keys<ribbon>;

}  // namespace hortus
