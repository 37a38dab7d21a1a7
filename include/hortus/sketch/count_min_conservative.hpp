#pragma once
#include <hortus/sketch/count_min.hpp>

namespace hortus {

/// Count-min sketch with conservative update: an insert increments only the key's least counters, which hold its count.
///
///     row 1   0 3 0 0 7 0 1 0         the least of 7, 5 and 6 is 5, so the new count is 6:
///     row 2  [5]0 0 2 0 0 3 1         only the 5 is incremented
///     row 3   0 0 4 0 0 6 0 1
///
/// Promise  never below the true count (up to 2^32 - 1) and never above that of count_min with the same rows; an absent key has
///          a count above 0 as often as there.
/// Price    as count_min, and all counters are read before one is written. The counters depend on the order of inserts.
/// Lacks    erase and merge (count_min has both): a counter is no longer the sum of its keys' counts, so subtracting from it
///          could give less than the true count, and adding two of them more than necessary.
/// Source   C. Estan, G. Varghese, "New directions in traffic measurement and accounting", 2002 (conservative update);
///          S. Cohen, Y. Matias, "Spectral Bloom filters", 2003 (minimal increase).
template <std::unsigned_integral Counter = std::uint32_t>
class count_min_conservative {
 public:
  static constexpr std::string_view name = "count_min_conservative";
  static constexpr std::string_view room = "sketch";
  static constexpr std::string_view summary =
      "count_min that raises only the least counters: nearer, but no erase and no merge";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::count | verb::estimate | verb::compare;
  static constexpr verb_set kernels = {};
  static constexpr bool never_undercounts = true;

  using goal = typename count_min<Counter>::goal;
  using params = typename count_min<Counter>::params;

  static params plan(goal g) { return count_min<Counter>::plan(g); }
  /// Exact for an absent key, an upper bound for an inserted one.
  static double planned_fpr(params p, std::uint64_t items) { return plan::count_min_wrong({p.width, p.depth}, items); }
  static std::uint64_t planned_bytes(params p) { return counter_rows<Counter>::bytes({p.width, p.depth}); }
  static double lines_touched(params p) { return p.depth; }
  static constexpr std::uint64_t max_count() noexcept { return std::numeric_limits<Counter>::max(); }

  count_min_conservative() = default;  ///< the smallest valid one: a single counter
  explicit count_min_conservative(params p) : rows_({p.width, p.depth}) {}

  void insert(digest x) noexcept { insert(x, 1); }
  /// The same as `times` inserts in a row: every counter of x is raised to at least its new count.
  void insert(digest x, std::uint64_t times) noexcept {
    auto const before = count(x);
    auto const after = static_cast<Counter>(times > max_count() - before ? max_count() : before + times);
    rows_.for_each(x, [=](Counter& c, bool) { c = std::max(c, after); });
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto least = std::numeric_limits<Counter>::max();
    rows_.for_each(x, [&](Counter const& c, bool) { least = std::min(least, c); });
    return least;
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { rows_.prefetch(x); }

  /// Distinct keys, estimated from the counters that are not 0: the same ones as in count_min.
  [[nodiscard]] plan::estimate estimate() const { return rows_.estimate(); }
  [[nodiscard]] plan::overlap compare(count_min_conservative const& other) const {
    check_equal_shape(*this, other);
    return rows_.compare(other.rows_);
  }
  /// The number of counters at their maximum, where they stay.
  [[nodiscard]] std::uint64_t saturations() const noexcept { return rows_.saturated(); }

  void clear() noexcept { rows_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {rows_.shape().width, rows_.shape().depth}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return rows_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return rows_.cells(); }
  bool operator==(count_min_conservative const&) const = default;

  static void fields(auto& self, auto& io) { io(self.rows_); }
  [[nodiscard]] bool valid() const noexcept { return rows_.valid(); }

 private:
  counter_rows<Counter> rows_;
};

using count_min_conservative_sketch = of_keys<count_min_conservative<>>;

}  // namespace hortus
