#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include <hortus/concepts.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/partitioned.hpp>

/// Two families for tests only, plain enough to be right at a glance: the front, the run-time families and the laws of erase
/// and count are tried on them.
namespace hortus::testing {

/// A row of 8-bit counters for each of five probes; a counter at 255 stays there. With unsigned counts it is a filter that
/// counts and erases; with signed ones a sketch, which has count and merge only.
template <class Count>
class tally {
 public:
  static constexpr bool is_filter = std::unsigned_integral<Count>;
  static constexpr std::string_view name = is_filter ? "tally" : "tally_sketch";
  static constexpr std::string_view room = is_filter ? "counting" : "sketch";
  static constexpr std::string_view summary = "rows of counters; for tests";
  static constexpr auto misses = is_filter ? false_negatives::by_misuse : false_negatives::never;
  static constexpr unsigned rows = 5;
  static constexpr unsigned most = 255;

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t width = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) { io("width", self.width); }
  };

  static params plan(goal g) { return {plan::partitioned_slice_bits(g.items, g.fpr, rows)}; }
  static double planned_fpr(params p, std::uint64_t items) { return plan::partitioned_fpr({p.width, rows}, items); }
  static std::uint64_t planned_bytes(params p) { return rows * p.width; }
  static double lines_touched(params) { return rows; }

  tally() : tally(params{1}) {}
  explicit tally(params p) : cells_(rows * p.width) {
    if (!valid()) throw error(errc::bad_params, "a tally needs a cell in each row");
  }

  void insert(digest x) noexcept {
    for (unsigned row = 0; row < rows; ++row)
      if (cell(row, x) < most) ++cell(row, x);
  }
  [[nodiscard]] Count count(digest x) const noexcept {
    unsigned least = most;
    for (unsigned row = 0; row < rows; ++row) least = std::min(least, unsigned{cell(row, x)});
    return Count{least};
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept requires is_filter { return count(x) != 0; }
  bool erase(digest x) noexcept requires is_filter {
    if (count(x) == 0) return false;
    for (unsigned row = 0; row < rows; ++row)
      if (cell(row, x) < most) --cell(row, x);
    return true;
  }
  void prefetch(digest x) const noexcept { ++prefetched, __builtin_prefetch(&cell(0, x)); }

  [[nodiscard]] double fpr() const noexcept requires is_filter {
    double rate = 1;
    for (unsigned row = 0; row < rows; ++row) {
      auto const from = counters() + row * width();
      rate *= 1 - static_cast<double>(std::count(from, from + width(), 0)) / static_cast<double>(width());
    }
    return rate;
  }

  void merge(tally const& other) {
    if (cells_.size() != other.cells_.size()) throw error(errc::incompatible, "tallies merge only with equal widths");
    for (std::size_t i = 0; i < cells_.size(); ++i)
      counters()[i] = static_cast<std::uint8_t>(std::min(unsigned{counters()[i]} + other.counters()[i], most));
  }
  void clear() noexcept { cells_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {width()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size(); }
  bool operator==(tally const&) const = default;

  static void fields(auto& self, auto& io) { io(self.cells_); }
  [[nodiscard]] bool valid() const noexcept { return cells_.size() >= rows && cells_.size() % rows == 0; }

  static inline std::uint64_t prefetched = 0;  ///< how often memory was asked for ahead

 private:
  [[nodiscard]] std::size_t width() const noexcept { return cells_.size() / rows; }
  [[nodiscard]] std::uint8_t* counters() noexcept { return reinterpret_cast<std::uint8_t*>(cells_.data()); }
  [[nodiscard]] std::uint8_t const* counters() const noexcept { return reinterpret_cast<std::uint8_t const*>(cells_.data()); }
  [[nodiscard]] std::size_t place(unsigned row, digest x) const noexcept {
    return row * width() + fastrange(x.remixed(row).bits(), width());
  }
  [[nodiscard]] std::uint8_t& cell(unsigned row, digest x) noexcept { return counters()[place(row, x)]; }
  [[nodiscard]] std::uint8_t const& cell(unsigned row, digest x) const noexcept { return counters()[place(row, x)]; }

  memory cells_;
};

using tally_filter = of_keys<tally<std::uint64_t>>;
using tally_sketch = of_keys<tally<std::int64_t>>;

}  // namespace hortus::testing
