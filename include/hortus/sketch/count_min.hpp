#pragma once
#include <algorithm>
#include <limits>

#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/count_min.hpp>
#include <hortus/sketch/counter_rows.hpp>

namespace hortus {

/// Count-min sketch: rows of counters. A key increments one counter in every row, and the least of them is its count.
///
///     row 1   0 3 0 0 7 0 1 0       a key increments one counter in each row; other keys may share some of them,
///     row 2   5 0 0 2 0 0 3 1       so none is too low, and the least is the closest
///     row 3   0 0 4 0 0 6 0 1
///
/// Promise  never below the true count (up to 2^32 - 1, where counters saturate); wrong with probability
///          plan::count_min_wrong(); too high by more than e/width of all inserts with probability e^-depth, for any keys.
///          Linear: merge gives the sketch of both streams, erase undoes insert.
/// Price    1.44 log2(1/fpr) counters of 32 bits a key for exact counts, or (e/error) ln(1/fpr) in all for approximate ones;
///          `depth` cache misses an operation, which batches overlap.
/// Lacks    may_contain (counting has it), smaller errors (count_min_conservative), negative counts (fast_ams).
/// Source   G. Cormode, S. Muthukrishnan, "An improved data stream summary: the count-min sketch and its applications", 2005.
///
/// erase refuses a key with a counter at 0, because it was certainly absent. If only inserted keys are erased, counts never
/// fall below the truth. Erasing a key that was not inserted but shares the counters of others makes their counts too low.
template <std::unsigned_integral Counter = std::uint32_t>
class count_min {
 public:
  static constexpr std::string_view name = "count_min";
  static constexpr std::string_view room = "sketch";
  static constexpr std::string_view summary = "how often, in rows of counters; never too low, adds up, erases";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs =
      verb::insert | verb::insert_times | verb::erase | verb::count | verb::estimate | verb::compare | verb::merge;
  static constexpr verb_set kernels = {};
  static constexpr bool never_undercounts = true;

  struct goal {
    std::uint64_t items = 0;  ///< distinct keys expected
    double fpr = 0.01;        ///< probability that an answer is wrong
    double error = 0;         ///< 0: wrong means not exact; else: off by more than this share of all inserts, for any items
    static void fields(auto& self, auto& io) {
      io("error", self.error,
         setting_note{"wrong is a count that is too high by more than this part of all inserts; by default every count that is "
                      "not exact",
                      "above 0, below 1", "0.001"});
    }
  };
  struct params {
    std::uint64_t width = 0;
    unsigned depth = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("width", self.width);
      io("depth", self.depth);
    }
  };

  static params plan(goal g) {
    auto const shape = g.error != 0 ? plan::count_min_within(g.error, g.fpr) : plan::count_min({g.items, g.fpr});
    return {shape.width, shape.depth};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::count_min_wrong({p.width, p.depth}, items); }
  static std::uint64_t planned_bytes(params p) { return counter_rows<Counter>::bytes({p.width, p.depth}); }
  static double lines_touched(params p) { return p.depth; }
  static constexpr std::uint64_t max_count() noexcept { return std::numeric_limits<Counter>::max(); }

  count_min() = default;  ///< the smallest valid one: a single counter
  explicit count_min(params p) : rows_({p.width, p.depth}) {}

  void insert(digest x) noexcept {
    rows_.for_each(x, [](Counter& c, bool) { c = static_cast<Counter>(c + (c != max_count() ? 1 : 0)); });
  }
  /// The same as `times` inserts.
  void insert(digest x, std::uint64_t times) noexcept {
    rows_.for_each(x, [=](Counter& c, bool) { c = saturating_sum(c, times); });
  }
  bool erase(digest x) noexcept {
    if (count(x) == 0) return false;
    rows_.for_each(x, [](Counter& c, bool) { c = static_cast<Counter>(c - (c != max_count() ? 1 : 0)); });
    return true;
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto least = std::numeric_limits<Counter>::max();
    rows_.for_each(x, [&](Counter const& c, bool) { least = std::min(least, c); });
    return least;
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { rows_.prefetch(x); }

  /// Distinct keys, estimated from the counters that are not 0.
  [[nodiscard]] plan::estimate estimate() const { return rows_.estimate(); }
  [[nodiscard]] plan::overlap compare(count_min const& other) const {
    check_equal_shape(*this, other);
    return rows_.compare(other.rows_);
  }
  /// The number of counters at their maximum, where they stay.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return rows_.saturated(); }
  void merge(count_min const& other) {
    check_equal_shape(*this, other);
    rows_.combine(other.rows_, saturating_sum);
  }

  void clear() noexcept { rows_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {rows_.shape().width, rows_.shape().depth}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return rows_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return rows_.cells(); }
  bool operator==(count_min const&) const = default;

  static void fields(auto& self, auto& io) { io(self.rows_); }
  [[nodiscard]] bool valid() const noexcept { return rows_.valid(); }

 private:
  static constexpr Counter saturating_sum(Counter c, std::uint64_t more) noexcept {
    return static_cast<Counter>(more > max_count() - c ? max_count() : c + more);
  }

  counter_rows<Counter> rows_;
};

using count_min_sketch = of_keys<count_min<>>;

}  // namespace hortus
