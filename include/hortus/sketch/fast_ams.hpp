#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/fast_ams.hpp>
#include <hortus/sketch/counter_rows.hpp>

namespace hortus {

/// Fast-AMS sketch (count-sketch): rows of signed counters. A key adds its sign, +1 or -1, to one counter of every row. Its
/// count is the median over the rows of counter * sign.
///
///     row 1    0 -3  0  0 +7  0       keys that share a counter have either sign, so a row is too high as often as too low,
///     row 2   +5  0  0 -2  0  0       and the median has a small error
///     row 3    0  0 -4  0  0 +6
///
/// Promise  counts without bias, too high as often as too low, that may be negative; wrong with probability at most
///          plan::fast_ams_wrong(), and off by about sqrt(F2 / width), where F2 is the sum of all squared counts: far less than
///          count_min when few keys are frequent. second_moment() is F2, join_size() the sum of the products of two streams'
///          counts.
///          Linear: merge gives the sketch of both streams, erase subtracts exactly what insert adds, in any order.
/// Price    64 bits a counter, 26 counters a key for exact counts at 1 %; `depth` cache misses an operation.
/// Lacks    a one-sided bound (count_min is never too low), may_contain (counting has it).
/// Source   M. Charikar, K. Chen, M. Farach-Colton, "Finding frequent items in data streams", 2002; G. Cormode, M. Garofalakis,
///          "Sketching streams through the net", 2005 (fast-AMS); N. Alon, Y. Matias, M. Szegedy, 1996 (the second moment).
///
/// erase never returns false, because no key is ever certainly absent here: a key erased more often than inserted has a
/// negative count, which is allowed. Counters wrap modulo 2^64. That loses nothing, because later operations wrap back.
class fast_ams {
 public:
  static constexpr std::string_view name = "fast_ams";
  static constexpr std::string_view room = "sketch";
  static constexpr std::string_view summary = "how often, with signs: unbiased, may be negative; second moment and join size";
  static constexpr auto misses = false_negatives::by_chance;  ///< the count of a member may be 0
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::erase | verb::count | verb::merge;
  static constexpr verb_set kernels = {};
  static constexpr bool never_undercounts = false;

  struct goal {
    std::uint64_t items = 0;  ///< distinct keys expected
    double fpr = 0.01;        ///< probability that an answer is wrong
    double error = 0;         ///< 0: wrong means not exact; else: off by more than error * sqrt(F2), for any items
    static void fields(auto& self, auto& io) {
      io("error", self.error,
         setting_note{
             "wrong is a count that is off by more than this times the root of the sum of all squared counts; by default every "
             "count that is not exact",
             "above 0, below 1", "0.01"});
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
    auto const shape = g.error != 0 ? plan::fast_ams_within(g.error, g.fpr) : plan::fast_ams({g.items, g.fpr});
    return {shape.width, shape.depth};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::fast_ams_wrong({p.width, p.depth}, items); }
  static std::uint64_t planned_bytes(params p) { return counter_rows<std::uint64_t>::bytes({p.width, p.depth}); }
  static double lines_touched(params p) { return p.depth; }
  static constexpr std::int64_t max_count() noexcept { return std::numeric_limits<std::int64_t>::max(); }

  fast_ams() = default;  ///< the smallest valid one: a single counter
  explicit fast_ams(params p) : rows_({p.width, p.depth}) {}

  void insert(digest x) noexcept { insert(x, 1); }
  bool erase(digest x) noexcept { return insert(x, -1), true; }
  /// The same as `times` inserts, or -times erases if negative.
  void insert(digest x, std::int64_t times) noexcept {
    auto const more = static_cast<std::uint64_t>(times);
    rows_.for_each(x, [=](std::uint64_t& c, bool minus) { c += minus ? 0 - more : more; });
  }
  [[nodiscard]] std::int64_t count(digest x) const noexcept {
    std::array<std::int64_t, plan::max_probes> says;
    unsigned row = 0;
    rows_.for_each(x, [&](std::uint64_t const& c, bool minus) { says[row++] = static_cast<std::int64_t>(minus ? 0 - c : c); });
    return median(std::span(says).first(row));
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { rows_.prefetch(x); }

  /// The sum of the squares of all counts, with a relative error of about sqrt(2 / width) (one standard deviation of a row).
  [[nodiscard]] double second_moment() const noexcept { return median_product(*this); }
  /// The sum over all keys of count here * count there: the number of rows of a join of two tables.
  [[nodiscard]] double join_size(fast_ams const& other) const {
    check_equal_shape(*this, other);
    return median_product(other);
  }
  void merge(fast_ams const& other) {
    check_equal_shape(*this, other);
    rows_.combine(other.rows_, std::plus<>());
  }

  void clear() noexcept { rows_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {rows_.shape().width, rows_.shape().depth}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return rows_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return rows_.cells(); }
  bool operator==(fast_ams const&) const = default;

  static void fields(auto& self, auto& io) { io(self.rows_); }
  [[nodiscard]] bool valid() const noexcept { return rows_.valid(); }

 private:
  /// The median: the middle value, or the mean of the middle two; 0 if there is none.
  template <class T>
  static T median(std::span<T> values) noexcept {
    if (values.empty()) return 0;
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 != 0 ? *middle : std::midpoint(*std::max_element(values.begin(), middle), *middle);
  }
  [[nodiscard]] double median_product(fast_ams const& other) const noexcept {
    std::array<double, plan::max_probes> sums{};
    auto const value = [](std::uint64_t c) { return static_cast<double>(static_cast<std::int64_t>(c)); };
    for (unsigned i = 0; i < rows_.shape().depth; ++i)
      for (std::uint64_t j = 0; j < rows_.shape().width; ++j) sums[i] += value(rows_.row(i)[j]) * value(other.rows_.row(i)[j]);
    return median(std::span(sums).first(rows_.shape().depth));
  }

  counter_rows<std::uint64_t> rows_;
};

using fast_ams_sketch = of_keys<fast_ams>;

}  // namespace hortus
