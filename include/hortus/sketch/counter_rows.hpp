#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/overlap.hpp>
#include <hortus/maths/sketch_rate.hpp>

namespace hortus {

/// The storage of every sketch with rows: `depth` rows of `width` counters, row after row. A key has one counter and a sign
/// bit in every row.
///
/// Column and sign come from one position in a row of 2 * width. The column is half the position, because fastrange nests,
/// and the sign is the bit that halving drops. So the sign is the next bit below the column's, and as well mixed. A low bit
/// of the same word would not do: a multiplication never carries downward, so keys selected by low bits would all have the
/// same signs.
template <std::unsigned_integral Counter>
class counter_rows {
 public:
  counter_rows() : counter_rows(plan::sketch_shape{1, 1}) {}
  explicit counter_rows(plan::sketch_shape s) : width_(plan::checked(s).width), depth_(s.depth), memory_(bytes(s)) {}

  static constexpr std::uint64_t bytes(plan::sketch_shape s) noexcept { return s.width * s.depth * sizeof(Counter); }

  /// Calls act(counter, is its sign minus?) in every row.
  void for_each(digest x, auto act) noexcept { walk(x, counters(), act); }
  void for_each(digest x, auto act) const noexcept { walk(x, counters(), act); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    walk(
        x, counters(), [](Counter const& counter, bool) __attribute__((always_inline)) { __builtin_prefetch(&counter); });
  }

  [[nodiscard]] std::span<Counter> all() noexcept { return {counters(), width_ * depth_}; }
  [[nodiscard]] std::span<Counter const> all() const noexcept { return {counters(), width_ * depth_}; }
  [[nodiscard]] std::span<Counter const> row(unsigned i) const noexcept { return all().subspan(i * width_, width_); }
  void clear() noexcept { memory_.clear(); }

  /// Sets every counter to sum(counter, other's counter).
  void combine(counter_rows const& other, auto sum) {
    std::transform(all().begin(), all().end(), other.all().begin(), all().begin(), sum);
  }

  /// The number of counters at their maximum.
  [[nodiscard]] std::uint64_t saturated() const noexcept {
    return static_cast<std::uint64_t>(std::ranges::count(all(), std::numeric_limits<Counter>::max()));
  }

  /// Distinct keys, for sketches where a counter is 0 only if no key has it: the estimate of a partitioned Bloom filter whose
  /// set bits are the counters above 0.
  [[nodiscard]] plan::estimate estimate() const {
    std::vector<std::uint64_t> ones(depth_);
    for (unsigned i = 0; i < depth_; ++i) ones[i] = width_ - static_cast<std::uint64_t>(std::ranges::count(row(i), Counter{0}));
    return plan::partitioned_cardinality({width_, depth_}, ones);
  }

  /// The same for two sketches and their union. Pre: equal shapes.
  [[nodiscard]] plan::overlap compare(counter_rows const& other) const {
    plan::set_cells ones;
    for (std::size_t i = 0; i < all().size(); ++i) {
      bool const in_a = all()[i] != 0, in_b = other.all()[i] != 0;
      ones.a += in_a ? 1 : 0, ones.b += in_b ? 1 : 0, ones.either += in_a || in_b ? 1 : 0;
    }
    return plan::partitioned_overlap({width_, depth_}, ones);
  }

  [[nodiscard]] plan::sketch_shape shape() const noexcept { return {width_, depth_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  bool operator==(counter_rows const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(multiply_chain::id, "index derivation");
    io.constant(8 * sizeof(Counter), "width of counters");
    io(self.width_, self.depth_, self.memory_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return depth_ >= 1 && depth_ <= plan::max_probes && width_ >= 1 && width_ <= plan::max_bits / depth_ &&
           memory_.size() == bytes(shape());
  }

 private:
  template <class Cell>
  [[gnu::always_inline]] void walk(digest x, Cell* row, auto act) const noexcept {
    multiply_chain at(x, 2 * width_);
    for (unsigned i = 0; i < depth_; ++i, row += width_) {
      auto const place = at.next();
      act(row[place / 2], place % 2 != 0);
    }
  }
  [[nodiscard]] Counter* counters() noexcept { return reinterpret_cast<Counter*>(memory_.data()); }
  [[nodiscard]] Counter const* counters() const noexcept { return reinterpret_cast<Counter const*>(memory_.data()); }

  std::uint64_t width_;
  unsigned depth_;
  memory memory_;
};

}  // namespace hortus
