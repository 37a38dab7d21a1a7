#pragma once
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/cells/counter_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/counting/digit_cells.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/bitwise.hpp>

namespace hortus {

/// Bitwise Bloom filter: a counting filter for each digit of a count, so that frequent keys need no wide cells.
///
///     level 0   1 2 0 1 0 0 1 1      keys whose count is odd            insert: a carry, as in 1 + 1 = 10, moves the key
///     level 1   0 1 0 0 1            keys whose count has bit 1         from level 0 to level 1, and so on; erase borrows
///     level 2   1 0 0                ... a carry past the last level adds a new, small one
///
/// Promise  count() up to 2^64 - 1. If, for every c, at most taper / c of the keys come c times or more, then an absent key
///          counts more than 0 with probability at most fpr. A member's count is wrong no more often than that, mostly too
///          low. The default taper, 2, suits Zipf's law and keys that come up to three times. For keys that come more often
///          use their largest count as taper; 0 suits any keys. A key that is alone in the filter is counted exactly.
/// Price    156 bits per key at a rate of 1 %, four times as much as `counting`; 100 with taper=1, for keys that mostly
///          come once. A few cache misses for every level that is touched.
/// Lacks    may_contain, merge, and one-sided errors: when a false positive on a level carries, it is taken out of that
///          level and lowers other keys' counters. Then erase() may refuse a member. bitwise_frozen never counts too low,
///          and a spectral filter counts better in the same space.
/// Source   A. Lall, M. Ogihara, "The bitwise Bloom filter", TR 927, University of Rochester, 2007.
template <index_policy Index = multiply_chain>
class bitwise {
 public:
  static constexpr std::string_view name = "bitwise";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "a counting filter for each bit of the count; errs to both sides, counts to 2^64";
  static constexpr auto misses = false_negatives::by_chance;
  static constexpr verb_set verbs = verb::insert | verb::erase | verb::count;
  static constexpr verb_set kernels = verb::count;
  static constexpr bool never_undercounts = false;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;
  static constexpr bool erase_restores = false;  ///< not after a false positive on a level has carried

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;    ///< probability that an absent key counts more than 0
    unsigned probes = 0;  ///< on the lowest level; 0: the number that needs the fewest cells
    unsigned widths = 1;  ///< bits of each digit, one decimal place each, lowest digit first: 231 is 2, 3, 1, 1, 1 ...
    unsigned taper = 2;   ///< of all keys at most taper / c come c times or more; 0: all keys may come often
    static void fields(auto& self, auto& io) {
      io("probes", self.probes,
         setting_note{"cells that a key has on the lowest level; by default as many as need the least space", "1 to 64", "5"});
      io("widths", self.widths,
         setting_note{"bits of each digit of a count, from the lowest on; the last repeats (231: 2, 3, 1, 1 ...)",
                      "1 to 9 in each place", "2"});
      io("taper", self.taper,
         setting_note{
             "of all keys at most taper / c come c times or more; 0: any may come often, all levels are as large as the "
             "lowest",
             "0 to 65536", "4"});
    }
  };
  struct params {
    std::uint64_t cells = 0;
    unsigned probes = 0;
    unsigned widths = 1;
    unsigned taper = 2;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("cells", self.cells);
      io("probes", self.probes);
      io("widths", self.widths);
      io("taper", self.taper);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::bitwise({g.items, g.fpr}, g.probes, g.widths, g.taper);
    return {shape.cells, shape.probes, shape.widths, shape.taper};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bitwise_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) {
    std::uint64_t bytes = 0;
    for (auto const& level : first_levels(p)) bytes += counter_array::bytes_for(level.shape.cells, level.shape.cell_bits);
    return bytes;
  }
  static double lines_touched(params p) { return p.probes + 2.0 * static_cast<double>(first_levels(p).size() - 1); }

  bitwise() : bitwise(params{1, 1, 1, 1}) {}  ///< the smallest valid one
  explicit bitwise(params p) : shape_(p) {
    plan::checked(layout(p));
    for (auto const& level : first_levels(p)) levels_.emplace_back(level);
  }

  /// Allocates when a new level is needed, and then may throw std::bad_alloc with nothing changed.
  void insert(digest x) {
    for (std::size_t i = 0;; ++i) {
      if (i == levels_.size() && !grow()) return;  // the count is 2^64 - 1 already
      auto& level = levels_[i];
      auto const mine = level.cells_of(x, i);
      if (mine.least() >= level.digit.max()) continue;  // carry
      mine.add(level.cells, 1);
      while (i-- != 0) levels_[i].cells_of(x, i).subtract(levels_[i].cells, levels_[i].digit.max());
      return;
    }
  }
  bool erase(digest x) noexcept {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      auto const mine = levels_[i].cells_of(x, i);
      if (mine.least() == 0) continue;  // borrow
      mine.subtract(levels_[i].cells, 1);
      while (i-- != 0) levels_[i].cells_of(x, i).add(levels_[i].cells, levels_[i].digit.max());
      return true;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) count += levels_[i].value(x, i) << levels_[i].digit.offset;
    return count;
  }
  /// Level by level. Each level prefetches all keys of the block before it reads one, so `next` is not needed.
  void count(std::span<digest const> xs, std::span<digest const>, std::uint64_t* counts) const noexcept {
    std::fill_n(counts, xs.size(), 0);
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      auto const& level = levels_[i];
      if (level.cells.size_bytes() > cached_bytes)
        for (auto const x : xs) level.probing().prefetch(level.cells, level.on_level(x, i));
      for (std::size_t k = 0; k < xs.size(); ++k) counts[k] += level.value(xs[k], i) << level.digit.offset;
    }
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { levels_[0].probing().prefetch_all(levels_[0].cells, x); }

  [[nodiscard]] std::size_t levels() const noexcept { return levels_.size(); }
  void clear() { *this = bitwise(shape_); }
  [[nodiscard]] params shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    std::size_t bytes = 0;
    for (auto const& level : levels_) bytes += level.cells.size_bytes();
    return bytes;
  }
  [[nodiscard]] memory const& cells() const noexcept { return levels_[0].cells.cells(); }
  /// The number of cells at their maximum, which erase() no longer lowers.
  [[nodiscard]] std::uint64_t saturations() const noexcept {
    std::uint64_t cells = 0;
    for (auto const& level : levels_) cells += level.cells.saturated();
    return cells;
  }
  bool operator==(bitwise const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    io(self.shape_.cells, self.shape_.probes, self.shape_.widths, self.shape_.taper);
    io.list(self.levels_, 64);
  }
  [[nodiscard]] bool valid() const {
    if (shape_.taper > plan::max_bitwise_taper || plan::digits_of(shape_.widths).empty() || shape_.probes < 1 ||
        shape_.probes > plan::max_probes || shape_.cells < 1 || shape_.cells > plan::max_bits / 64 ||
        levels_.size() < first_levels(shape_).size())
      return false;
    auto const all = plan::digits_of(shape_.widths);
    if (levels_.size() > all.size()) return false;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      auto const& level = levels_[i];
      auto const planned = plan::bitwise_level(layout(shape_), all[i]);
      if (!level.cells.valid() || level.digit != all[i] || level.shape() != planned) return false;
    }
    return true;
  }

 private:
  static plan::bitwise_shape layout(params p) noexcept { return {p.cells, p.probes, p.widths, p.taper}; }
  static std::vector<digit_plan> first_levels(params p) {
    auto const digits = plan::digits_of(p.widths);
    std::vector<digit_plan> levels;
    for (std::size_t i = 0; i < plan::bitwise_first_levels(layout(p), digits); ++i)
      levels.push_back({digits[i], plan::bitwise_level(layout(p), digits[i])});
    return levels;
  }
  /// Adds a level. False if the levels already cover all 64 bits.
  bool grow() {
    auto const digits = plan::digits_of(shape_.widths);
    if (levels_.size() == digits.size()) return false;
    auto const next = digits[levels_.size()];
    levels_.emplace_back(digit_plan{next, plan::bitwise_level(layout(shape_), next)});
    return true;
  }

  params shape_;
  memory_vector<digit_cells<Index>> levels_;
};

using bitwise_filter = of_keys<bitwise<>>;

}  // namespace hortus
