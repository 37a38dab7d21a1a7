#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/compact_counters.hpp>
#include <hortus/counting/compared_cells.hpp>
#include <hortus/counting/pair_kernels.hpp>
#include <hortus/digest.hpp>
#include <hortus/index/block_pattern.hpp>
#include <hortus/maths/blocked_cardinality.hpp>
#include <hortus/plan/blocked.hpp>
#include <hortus/plan/blocked_counting.hpp>

namespace hortus {

/// Compact counters in blocks of 256. A block is one cache line while its cells have 2 bits, and two, four ... lines when
/// they are wider. A key has `probes` cells of one block. A cell that two of its probes hit is changed once.
class block_cells {
 public:
  static constexpr auto layout = plan::layouts::free_256;
  static constexpr std::uint64_t in_a_block = layout.bits();
  static_assert(layout.max_probes <= compact_counters::max_at_once);
  static_assert(layout.max_blocks <= compact_counters::max_cells / in_a_block);

  block_cells(std::uint64_t blocks, unsigned probes)
      : cells_((plan::checked(plan::blocked_shape{layout, blocks, probes}), blocks * in_a_block), table_slots(blocks)),
        probes_(probes) {}
  static std::uint64_t planned_bytes(std::uint64_t blocks) noexcept {
    return compact_counters::planned_bytes(blocks * in_a_block, table_slots(blocks));
  }

  using places = std::array<std::uint64_t, layout.max_probes>;  ///< a key's cells: the first probes() entries
  [[nodiscard]] [[gnu::always_inline]] places of(digest x) const noexcept {
    places at;
    locate(x, at.data());
    return at;
  }
  [[nodiscard]] std::uint64_t least(std::uint64_t const* at) const noexcept { return cells_.least(at, probes_); }
  void add(std::uint64_t const* at, std::uint64_t times) { cells_.add(at, probes_, times); }
  bool take(std::uint64_t const* at) noexcept { return cells_.take(at, probes_); }

  /// For a single key. A kernel works on the cache line. The overflow table is needed only to change a full cell, or to
  /// count a key all of whose cells are full.
  [[nodiscard]] std::uint64_t least(digest x) const noexcept {
    if (is_line()) {
      auto const here = kernels::least_in_pairs(line_of(x), x, probes_);
      if (here < cells_.full()) [[likely]]
        return here;
    }
    return least_beyond(x);
  }
  void add(digest x) {
    if (!is_line() || !kernels::add_to_pairs(line_of(x), x, probes_)) [[unlikely]]
      add_beyond(x);
  }
  bool take(digest x) noexcept {
    if (!is_line()) [[unlikely]]
      return take(of(x).data());
    alignas(64) kernels::line_of_pairs full;
    auto const result = kernels::take_from_pairs(line_of(x), x, probes_, full);
    if (result == kernels::take_result::but_for_full) take_beyond(block_of(x) * 8, full);
    return result != kernels::take_result::refused;
  }
  [[nodiscard]] bool all_set(digest x) const noexcept {
    if (!is_line()) [[unlikely]]
      return all_set_in_wide_cells(x);
    return kernels::in_pairs(line_of(x), x, probes_);
  }
  /// Bit i: are all cells of xs[i] above 0? Pre: at most 64 keys.
  [[nodiscard]] std::uint64_t all_set(std::span<digest const> xs, std::span<digest const> next) const noexcept {
    if (is_line()) return kernels::in_pairs({cells_.pairs(), blocks(), probes_}, xs, next);
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch(next[i]);
      hits |= std::uint64_t{all_set(xs[i])} << i;
    }
    return hits;
  }
  /// Must be inlined: g++ regards a function that only prefetches as having no effect, and drops calls to it.
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { cells_.prefetch(block_of(x) * in_a_block); }

  /// The same for at most 64 keys, in order. The caller has prefetched the lines of xs; these prefetch those of `next`.
  void add(std::span<digest const> xs, std::span<digest const> next) {
    if (!is_line()) return ahead(xs, next, [&](std::size_t, std::uint64_t const* at) { add(at, 1); });
    kernels::pairs_of_keys of;
    find(xs, of);
    in_groups(xs, next, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        if (is_line()) i = kernels::add_to_pairs(cells_.pairs(), of, i, last);
        if (i < last) add_beyond(xs[i]);
      }
    });
  }
  /// Returns how many of the keys were present.
  std::size_t take(std::span<digest const> xs, std::span<digest const> next) noexcept {
    std::size_t taken = 0;
    if (!is_line()) {
      ahead(xs, next, [&](std::size_t, std::uint64_t const* at) { taken += take(at) ? 1U : 0U; });
      return taken;
    }
    kernels::pairs_of_keys of;
    find(xs, of);
    in_groups(xs, next, [&](std::size_t i, std::size_t last) {
      for (; (i = kernels::take_from_pairs(cells_.pairs(), of, i, last, taken)) < last; ++i)
        take_beyond(of.start[i], of.ones[i]);
    });
    return taken;
  }
  void least(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* counts) const noexcept {
    if (!is_line()) return ahead(xs, next, [&](std::size_t i, std::uint64_t const* at) { counts[i] = least(at); });
    kernels::least_in_pairs({cells_.pairs(), blocks(), probes_}, xs, next, counts);
    for (std::size_t i = 0; i < xs.size(); ++i)
      if (counts[i] == cells_.full()) [[unlikely]]
        counts[i] = least_beyond(xs[i]);
  }

  /// act(number of the key, its cells) for each key in turn, prefetching the lines of `next`. The table entries of a key's
  /// full cells are prefetched `early` keys before its turn, when its line has arrived.
  void ahead(std::span<digest const> xs, std::span<digest const> next, auto act) const {
    constexpr std::size_t early = 8;
    std::array<places, early> ring;
    for (std::size_t i = 0; i < xs.size() + early; ++i) {
      auto* const at = ring[i % early].data();
      if (i >= early) act(i - early, at);
      if (i < next.size()) prefetch(next[i]);
      if (i >= xs.size()) continue;
      locate(xs[i], at);
      for (unsigned k = 0; k < probes_; ++k)
        if (cells_.low(at[k]) == cells_.full()) [[unlikely]]
          cells_.prefetch_beyond(at[k]);
    }
  }

  /// The mean over all blocks at their actual fill: an absent key is equally likely to fall into any of them.
  [[nodiscard]] double fpr() const noexcept {
    double sum = 0;
    for (std::uint64_t first = 0; first < cells_.size(); first += in_a_block)
      sum += std::pow(static_cast<double>(cells_.nonzero(first, in_a_block)) / in_a_block, probes_);
    return sum / static_cast<double>(blocks());
  }
  [[nodiscard]] plan::estimate estimate() const {
    return plan::blocked_cardinality({layout, blocks(), probes_}, cells_.nonzero());
  }
  /// Pre: as many blocks and probes.
  [[nodiscard]] plan::overlap compare(block_cells const& other) const {
    auto const found = compared_cells::of(cells_, other.cells_);
    auto result = plan::blocked_overlap({layout, blocks(), probes_}, found.nonzero);
    result.by_counters = plan::signed_difference({blocks(), in_a_block, probes_}, found.difference);
    return result;
  }

  /// Exact: in a filter of blocks / by blocks a key's block is its present one divided by `by`, and its cells in the block
  /// are the same.
  [[nodiscard]] block_cells folded(std::uint64_t by) const {
    block_cells small(1, probes_);
    small.cells_ = cells_.folded(plan::checked_fold(blocks(), by), in_a_block);
    return small;
  }
  /// Shards: see the concept shardable.
  static std::uint64_t shard_of(digest x, std::uint64_t blocks, std::uint64_t shards) noexcept {
    return fastrange(x.bits(), blocks) - fastrange(x.bits(), blocks / shards) * shards;  // the block mod shards
  }
  [[nodiscard]] block_cells shard(std::uint64_t shards, std::uint64_t i) const {
    block_cells part(1, probes_);
    part.cells_ = cells_.every(plan::checked_shards(blocks(), shards, i), i, in_a_block);
    return part;
  }
  [[nodiscard]] block_cells widened(std::uint64_t shards) const { return {plan::checked_product(blocks(), shards), probes_}; }
  void put_shard(std::uint64_t shards, std::uint64_t i, block_cells const& part) {
    plan::check_part(blocks(), plan::checked_shards(blocks(), shards, i), part.blocks());
    if (part.probes_ != probes_) throw error(errc::incompatible, "the shards of a filter have equal numbers of probes");
    cells_.put_every(shards, i, in_a_block, part.cells_);
  }
  void clear() {
    if (is_line())
      cells_.clear();
    else
      *this = block_cells(blocks(), probes_);  // with 2-bit cells and a table of the planned size again
  }

  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return cells_.size() / in_a_block; }
  [[nodiscard]] compact_counters& cells() noexcept { return cells_; }
  [[nodiscard]] compact_counters const& cells() const noexcept { return cells_; }
  bool operator==(block_cells const&) const = default;

  static void fields(auto& self, auto& io) { io(self.probes_, self.cells_); }
  [[nodiscard]] bool valid() const noexcept {
    return cells_.valid() && cells_.size() >= in_a_block && cells_.size() % in_a_block == 0 && probes_ >= 1 &&
           probes_ <= layout.max_probes;
  }

 private:
  static constexpr std::uint64_t table_slots(std::uint64_t blocks) noexcept { return blocks * in_a_block / plan::cells_a_slot; }

  [[nodiscard]] std::uint64_t block_of(digest x) const noexcept {  // equals fastrange(x, blocks())
    return fastrange(x.bits(), cells_.size()) / in_a_block;
  }
  [[gnu::always_inline]] void locate(digest x, std::uint64_t* at) const noexcept {
    auto const first = block_of(x) * in_a_block;
    for_each_position<8>(
        pattern_bits(x),
        probes_, [&](std::uint64_t bits) __attribute__((always_inline)) { *at++ = first + bits % in_a_block; });
  }
  [[nodiscard]] bool is_line() const noexcept { return cells_.are_pairs(); }
  [[nodiscard]] std::uint64_t* line_of(digest x) noexcept { return cells_.pairs() + block_of(x) * 8; }
  [[nodiscard]] std::uint64_t const* line_of(digest x) const noexcept { return cells_.pairs() + block_of(x) * 8; }

  /// act(cell) for each cell whose lower bit is set in `ones`, usually one cell. Inlined for the reason given at
  /// prefetch().
  [[gnu::always_inline]] static void for_each_cell(std::uint64_t start, kernels::line_of_pairs const& ones, auto act) noexcept {
    unsigned words = 0;
    for (unsigned w = 0; w < 8; ++w) words |= unsigned{ones[w] != 0} << w;
    for (; words != 0; words &= words - 1) {
      auto const w = static_cast<unsigned>(std::countr_zero(words));
      for (auto left = ones[w]; left != 0; left &= left - 1)
        act((start + w) * 32 + static_cast<std::uint64_t>(std::countr_zero(left)) / 2);
    }
  }
  /// Finds the pairs of these keys, and prefetches the table entries of those that are full before any other prefetch.
  [[gnu::always_inline]] void find(std::span<digest const> xs, kernels::pairs_of_keys& of) const noexcept {
    auto const* const words = cells_.pairs();
    auto met = kernels::find_pairs({words, blocks(), probes_}, xs, of);
    if (!cells_.beyond_is_far()) return;
    for (; met != 0; met &= met - 1) {
      auto const i = static_cast<std::size_t>(std::countr_zero(met));
      kernels::line_of_pairs full;
      for (std::size_t w = 0; w < 8; ++w) full[w] = words[of.start[i] + w] & words[of.start[i] + w] >> 1 & of.ones[i][w];
      for_each_cell(
          of.start[i], full, [&](std::uint64_t cell) __attribute__((always_inline)) { cells_.prefetch_beyond(cell); });
    }
  }
  /// act(first, last) for each group of keys in turn. Before each group, prefetches as many keys of `next`.
  void in_groups(std::span<digest const> xs, std::span<digest const> next, auto act) const {
    std::size_t const group = next.empty() ? xs.size() : 16;
    for (std::size_t i = 0; i < xs.size(); i += group) {
      for (auto j = i; j < std::min(i + group, next.size()); ++j) prefetch(next[j]);
      act(i, std::min(i + group, xs.size()));
    }
  }
  /// The slow paths, for keys that need the table and for cells wider than 2 bits.
  [[nodiscard]] [[gnu::noinline]] std::uint64_t least_beyond(digest x) const noexcept { return least(of(x).data()); }
  [[gnu::noinline]] void add_beyond(digest x) { add(of(x).data(), 1); }
  [[gnu::noinline]] void take_beyond(std::uint64_t start, kernels::line_of_pairs const& full) noexcept {
    for_each_cell(start, full, [&](std::uint64_t cell) { cells_.subtract(cell, 1); });
  }
  [[nodiscard]] [[gnu::noinline]] bool all_set_in_wide_cells(digest x) const noexcept { return least(of(x).data()) != 0; }

  compact_counters cells_;
  unsigned probes_;
};

}  // namespace hortus
