#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/frozen/golomb_parts.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/golomb_set.hpp>

namespace hortus {

/// Golomb-coded set: every key is a number below items / fpr; the sorted numbers are stored as gaps, in blocks.
///
///     values   3   71  198 | 305 |          512 ...      one block for each range of equal size
///     gaps     3   67  126 | 5   |          12           each in about log2(1/fpr) + 1.45 bits
///     index    ^             ^     ^        ^            where the codes of a block start
///
/// Promise  every key it was built from is found. An absent key is found with probability plan::golomb_set_fpr(), at present
///          exactly fpr(): the share of all numbers that are stored. The bytes depend on the set of keys only. Sets of equal
///          `capacity` and rate merge to the set of all keys, and intersect to the numbers in both. for_each_value() lists
///          the numbers.
/// Price    log2(1/fpr) + 1.9 bits per key: 8.5 at 1 %, 11.9 at 0.1 %, of which 0.5 are the index. A lookup reads two or three
///          cache lines, one after the other, and decodes 14 gaps on average: several times the time of `bloom`. Keys that
///          were chosen to share a block make its lookups slower, up to 28/fpr gaps.
/// Lacks    insert and erase (quotient). Speed: `ribbon` is smaller and faster, but neither merges nor lists what it holds.
/// Source   F. Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", 2007 (section 4.3).
///          S. Golomb, "Run-length encodings", 1966. The form for messages is in bip158.hpp.
class golomb_set {
 public:
  static constexpr std::string_view name = "golomb_set";
  static constexpr std::string_view room = "frozen";
  static constexpr std::string_view summary = "sorted hashes as coded gaps; small, merges and intersects exactly, slow lookups";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs =
      verb::build | verb::may_contain | verb::estimate | verb::compare | verb::merge | verb::intersect;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr std::size_t block_keys = kernels::golomb_lookups::most;

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;
    std::uint64_t capacity = 0;  ///< 0: the number of keys
    static void fields(auto& self, auto& io) {
      io("capacity", self.capacity,
         setting_note{"distinct keys to plan for; sets of equal capacity and rate merge; by default the number of keys",
                      "more than 0", "2000000"});
    }
  };
  struct params {
    std::uint64_t lines = 0;
    unsigned line_blocks = 0;
    std::uint64_t block_range = 0;
    std::uint64_t divisor = 0;
    unsigned field_bits = 0;
    std::uint64_t code_words = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("lines", self.lines);
      io("line_blocks", self.line_blocks);
      io("block_range", self.block_range);
      io("divisor", self.divisor);
      io("field_bits", self.field_bits);
      io("code_words", self.code_words);
    }
  };

  static params plan(goal g) { return params_of(shape_for(g)); }
  static double planned_fpr(params p, std::uint64_t items) { return plan::golomb_set_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return layout(p).index_bytes() + layout(p).code_bytes(); }
  static double lines_touched(params p) {
    return 2 + static_cast<double>(p.code_words) * 64 / static_cast<double>(layout(p).blocks()) / 512;
  }

  class builder;
  static word_parts parts(std::uint64_t items) noexcept { return word_parts::of_at_most(items, std::uint64_t{1} << 18); }
  static golomb_set build(std::span<digest const> keys, goal g);

  golomb_set() : blocks_({1, 1, 1, 1, plan::golomb_set_shape::min_field_bits, 0}) {}  ///< the smallest valid one

  [[nodiscard]] bool may_contain(digest x) const noexcept { return blocks_.contains(blocks_.place_of(x)); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { blocks_.prefetch_index(x); }
  /// Kernel for blocks.
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    *hits = blocks_.contains(xs, next);
  }

  [[nodiscard]] double fpr() const noexcept {
    return static_cast<double>(blocks_.values()) / static_cast<double>(blocks_.shape().range());
  }
  [[nodiscard]] plan::estimate estimate() const { return plan::golomb_set_cardinality(blocks_.shape(), blocks_.values()); }
  /// By the numbers that both hold. Makes the union for that.
  [[nodiscard]] plan::overlap compare(golomb_set const& other) const {
    auto either = *this;
    either.merge(other);
    return plan::fingerprint_overlap(estimate(), other.estimate(), either.estimate());
  }

  /// The number that stands for a key, below range(). Ascending digests have ascending numbers.
  [[nodiscard]] std::uint64_t value_of(digest x) const noexcept {
    auto const at = blocks_.place_of(x);
    return (at.line * blocks_.shape().line_blocks + at.number) * blocks_.shape().block_range + at.value;
  }
  [[nodiscard]] std::uint64_t range() const noexcept { return blocks_.shape().range(); }
  [[nodiscard]] std::uint64_t values() const noexcept { return blocks_.values(); }  ///< how many numbers it holds
  /// Calls act(number) for each number it holds, in ascending order.
  void for_each_value(auto act) const {
    for (std::uint64_t block = 0; block < blocks_.shape().blocks(); ++block)
      blocks_.scan(block, [&](std::uint64_t value) { return act(block * blocks_.shape().block_range + value), false; });
  }

  /// Both throw errc::incompatible, and change nothing, unless the sets have the same capacity and rate.
  void merge(golomb_set const& other) {
    combine(other, [](auto const& a, auto const& b, auto out) { std::set_union(a.begin(), a.end(), b.begin(), b.end(), out); });
  }
  void intersect(golomb_set const& other) {
    combine(other,
            [](auto const& a, auto const& b, auto out) { std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out); });
  }

  void clear() noexcept { blocks_.clear(); }
  [[nodiscard]] params shape() const noexcept { return params_of(blocks_.shape()); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return blocks_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return blocks_.codes(); }
  [[nodiscard]] golomb_blocks const& blocks() const noexcept { return blocks_; }
  bool operator==(golomb_set const&) const = default;

  static void fields(auto& self, auto& io) { io(self.blocks_); }
  [[nodiscard]] bool valid() const noexcept { return blocks_.valid(); }

 private:
  explicit golomb_set(golomb_blocks blocks) noexcept : blocks_(std::move(blocks)) {}

  static plan::golomb_set_shape shape_for(goal g) {
    auto const items = g.capacity != 0 ? g.capacity : g.items;
    return plan::golomb_set({items, g.fpr}, parts(items).count());
  }
  static constexpr plan::golomb_set_shape layout(params p) noexcept {
    return {p.lines, p.line_blocks, p.block_range, p.divisor, p.field_bits, p.code_words};
  }
  static constexpr params params_of(plan::golomb_set_shape s) noexcept {
    return {s.lines, s.line_blocks, s.block_range, s.divisor, s.field_bits, s.code_words};
  }
  void combine(golomb_set const& other, auto put_together) {
    if (!blocks_.shape().same_codes(other.blocks_.shape())) check_equal_shape(*this, other);
    blocks_ = combined(blocks_, other.blocks_, put_together);
  }

  golomb_blocks blocks_;
};

/// Builds the set in parts: see parts.hpp. A part's codes are a stretch of the whole, and are put there when all are known.
class golomb_set::builder {
 public:
  builder(goal g, std::span<std::uint64_t const> words_per_part) : parts_(shape_of(g, words_per_part), words_per_part.size()) {}
  void build_part(std::uint64_t part, std::span<std::uint64_t const> words) { parts_.build(part, words); }
  golomb_set finish() && { return golomb_set(parts_.finish()); }

 private:
  static plan::golomb_set_shape shape_of(goal g, std::span<std::uint64_t const> words_per_part) {
    g.items = std::accumulate(words_per_part.begin(), words_per_part.end(), std::uint64_t{0});
    if (g.capacity != 0 && g.items > g.capacity)
      throw error(errc::bad_goal, "there are " + std::to_string(g.items) + " distinct keys, more than the capacity of " +
                                      std::to_string(g.capacity));
    return shape_for(g);
  }

  golomb_parts parts_;
};

inline golomb_set golomb_set::build(std::span<digest const> keys, goal g) {
  return build_of_words<golomb_set>(distinct_words(keys), g);
}

static_assert(built_in_parts<golomb_set>);

using golomb_set_filter = of_keys<golomb_set>;

}  // namespace hortus
