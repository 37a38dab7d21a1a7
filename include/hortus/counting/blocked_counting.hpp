#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <hortus/concepts.hpp>
#include <hortus/counting/block_cells.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/blocked_counting.hpp>

namespace hortus {

/// Blocked counting Bloom filter: the counters of a key lie in one cache line of 256 two-bit cells.
///
///     digest --high bits--> line      0 2 0 0 1 0 0 3 0 0 1 0 ...       insert: each of the key's cells, once, +1
///                                       ^p2   ^pk   ^p1   the rest of a count above 3 is in an overflow table
///
/// Promise  may_contain reads one cache line. Every key inserted more often than erased is found. count() is never less
///          than inserts minus erases, up to 2^64, and more only with probability fpr(). Erasing a member leaves no trace.
///          Merge adds multisets; fold.
/// Price    24.9 bits per key at a rate of 1 %. Changing a full cell also accesses the table: one insert in 40, one erase
///          in five. If keys come so often that the table would outgrow the cells, cells become twice as wide and a block
///          two lines.
/// Lacks    growth. Erasing a key that was never inserted but is found removes members.
/// Source   F. Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", WEA 2007, for the blocks;
///          L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary cache", IEEE/ACM Trans. Networking 8(3), 2000, for the counters.
class blocked_counting {
 public:
  static constexpr std::string_view name = "blocked_counting";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary =
      "counters of a key in one cache line: fast lookups; erases, counts to 2^64, folds";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::insert_if_new | verb::may_contain | verb::erase |
                                    verb::count | verb::estimate | verb::compare | verb::merge | verb::fold;
  static constexpr verb_set kernels = verb::insert | verb::may_contain | verb::erase | verb::count;
  static constexpr bool never_undercounts = true;

  using goal = probed_goal<>;
  struct params {
    std::uint64_t blocks = 0;
    unsigned probes = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("blocks", self.blocks);
      io("probes", self.probes);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::blocked_counting({g.items, g.fpr}, g.probes);
    return {shape.blocks, shape.probes};
  }
  static double planned_fpr(params p, std::uint64_t items) {
    return plan::blocked_fpr({block_cells::layout, p.blocks, p.probes}, items);
  }
  static std::uint64_t planned_bytes(params p) { return block_cells::planned_bytes(p.blocks); }
  static double lines_touched(params) { return 1; }
  static constexpr std::uint64_t max_count() noexcept { return compact_counters::most; }

  blocked_counting() = default;  ///< the smallest valid one: one block, 1 probe
  explicit blocked_counting(params p) : cells_(p.blocks, p.probes) {}

  void insert(digest x) { cells_.add(x); }
  /// Inserts x `times` times. Allocates when counters outgrow their cells; if that fails, nothing has changed.
  void insert(digest x, std::uint64_t times) { cells_.add(cells_.of(x).data(), times); }
  /// Always inserts, so that one erase undoes each call.
  bool insert_if_new(digest x) {
    bool const fresh = !cells_.all_set(x);
    cells_.add(x);
    return fresh;
  }
  bool erase(digest x) noexcept { return cells_.take(x); }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept { return cells_.least(x); }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return cells_.all_set(x); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { cells_.prefetch(x); }

  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) {
    cells_.add(xs, next);
    return xs.size();
  }
  std::size_t erase(std::span<digest const> xs, std::span<digest const> next) noexcept { return cells_.take(xs, next); }
  void count(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* counts) const noexcept {
    cells_.least(xs, next, counts);
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    *hits = cells_.all_set(xs, next);
  }

  [[nodiscard]] double fpr() const noexcept { return cells_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const { return cells_.estimate(); }
  /// From the counters that are not 0, and from the differences of counters.
  [[nodiscard]] plan::overlap compare(blocked_counting const& other) const {
    check_equal_shape(*this, other);
    return cells_.compare(other.cells_);
  }
  /// The number of counters at their maximum, which erase() no longer lowers.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return counters().saturated(); }

  /// The sum of both multisets.
  void merge(blocked_counting const& other) {
    check_equal_shape(*this, other);
    cells_.cells() += other.cells_.cells();
  }

  void fold(std::uint64_t by) { cells_ = cells_.folded(by); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept { return cells_.blocks(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const { return cells_.folded(by).fpr(); }

  /// Shards: see the concept shardable.
  [[nodiscard]] std::uint64_t places() const noexcept { return cells_.blocks(); }
  static std::uint64_t shard_of(digest x, std::uint64_t blocks, std::uint64_t shards) noexcept {
    return block_cells::shard_of(x, blocks, shards);
  }
  [[nodiscard]] blocked_counting shard(std::uint64_t shards, std::uint64_t i) const { return of(cells_.shard(shards, i)); }
  [[nodiscard]] blocked_counting widened(std::uint64_t shards) const { return of(cells_.widened(shards)); }
  void put_shard(std::uint64_t shards, std::uint64_t i, blocked_counting const& part) {
    cells_.put_shard(shards, i, part.cells_);
  }

  void clear() { cells_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {cells_.blocks(), cells_.probes()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return counters().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return counters().cells(); }
  [[nodiscard]] compact_counters const& counters() const noexcept { return cells_.cells(); }
  bool operator==(blocked_counting const&) const = default;

  static void fields(auto& self, auto& io) { io(self.cells_); }
  [[nodiscard]] bool valid() const noexcept { return cells_.valid(); }

 private:
  /// No constructor: {blocks, probes} would be cells, too.
  static blocked_counting of(block_cells cells) {
    blocked_counting made;
    made.cells_ = std::move(cells);
    return made;
  }

  block_cells cells_ = block_cells(1, 1);
};

using blocked_counting_filter = of_keys<blocked_counting>;

}  // namespace hortus
