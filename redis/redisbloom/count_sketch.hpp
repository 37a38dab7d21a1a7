#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "redis/redisbloom/block.hpp"
#include "redis/redisbloom/sketch_rows.hpp"

namespace hortus::redisbloom {

/// RedisBloom's count-min sketch: `depth` rows of `width` 32-bit counters. An item has one counter in each row, and its count
/// is the least of them. Counters stop at 2^32 - 1.
class count_sketch {
 public:
  static constexpr std::uint32_t most_count = std::numeric_limits<std::uint32_t>::max();

  struct shape {
    std::uint64_t width = 0;
    std::uint64_t depth = 0;
    bool operator==(shape const&) const = default;
    /// Of the counters. Nothing if there is no such sketch: no cells, or more than memory has addresses for.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept;
  };
  /// For counts that are at most `overestimate` * total too high, except with this probability. Nothing if no sketch is so.
  [[nodiscard]] static std::optional<shape> shape_for(double overestimate, double probability) noexcept;

  /// Empty. Throws std::bad_alloc. Pre: dimensions.bytes() is something.
  explicit count_sketch(shape dimensions) : rows_(dimensions.width, dimensions.depth), counters_(rows_.cells()) {}
  /// From the bytes of a dump. Throws hortus::error if they are not those of such a sketch.
  static count_sketch from_bytes(shape dimensions, std::uint64_t total, std::span<char const> counters);

  [[nodiscard]] shape dimensions() const noexcept { return {rows_.width(), rows_.depth()}; }
  /// The sum of all increments, modulo 2^64.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] block<std::uint32_t> const& counters() const noexcept { return counters_; }

  struct addition {
    std::string_view item;
    std::uint64_t increment;
  };
  /// tell(count) for each item, with its count after its own increment and those before it. most_count: it overflowed.
  template <class Tell>
  void increment(std::span<addition const> items, Tell tell) noexcept {
    in_blocks(
        *this, items, [](addition const& each) { return each.item; },
        [](std::uint32_t& counter, addition const& each) {
          counter = each.increment > most_count - counter ? most_count : counter + static_cast<std::uint32_t>(each.increment);
        },
        tell);
    for (auto const& each : items) total_ += each.increment;
  }
  /// tell(count) for each item.
  template <class Tell>
  void count(std::span<std::string_view const> items, Tell tell) const noexcept {
    in_blocks(
        *this, items, [](std::string_view item) { return item; }, [](std::uint32_t, std::string_view) {}, tell);
  }

  struct weighted {
    count_sketch const* sketch;
    long long weight;
  };
  enum class merged { overflow, same, changed };
  /// Becomes the sum of these sketches, each times its weight; it may be one of them. On overflow nothing changes. Pre: all
  /// have the same dimensions.
  merged merge(std::span<weighted const> sources) noexcept;
  /// The same modulo 2^32, and the total modulo 2^64, as RedisBloom computed it until 2.6. It never overflows.
  merged merge_modulo(std::span<weighted const> sources) noexcept;

  /// Every block of memory that it has, for counting and moving them.
  void visit_blocks(auto const& visit) { counters_.visit_block(visit); }

 private:
  static constexpr std::size_t items_at_once = 16;

  /// Rows in the outer loop, items in the inner one: the counters of sixteen items are on their way from memory at a time.
  /// Every counter still sees the items in their order, so the answers are those of one item after the other.
  template <class Self, class Each, class Item, class Change, class Tell>
  static void in_blocks(Self& self, std::span<Each const> items, Item item_of, Change change, Tell tell) noexcept {
    for (; !items.empty(); items = items.subspan(std::min(items.size(), items_at_once))) {
      auto const now = items.first(std::min(items.size(), items_at_once));
      std::array<std::uint32_t, items_at_once> least;
      least.fill(most_count);
      for (std::uint64_t first = 0; first < self.rows_.depth(); first += rows_at_once) {
        auto const rows = self.rows_.rows_from(first);
        std::array<sketch_rows::places, items_at_once> at;
        for (std::size_t i = 0; i < now.size(); ++i) {
          at[i] = self.rows_.places_of(item_of(now[i]), first);
          for (std::size_t row = 0; row < rows; ++row) __builtin_prefetch(&self.counters_[at[i][row]]);
        }
        for (std::size_t i = 0; i < now.size(); ++i)
          for (std::size_t row = 0; row < rows; ++row) {
            auto& counter = self.counters_[at[i][row]];
            change(counter, now[i]);
            least[i] = std::min(least[i], counter);
          }
      }
      for (std::size_t i = 0; i < now.size(); ++i) tell(least[i]);
    }
  }

  sketch_rows rows_;
  std::uint64_t total_ = 0;
  block<std::uint32_t> counters_;
};

}  // namespace hortus::redisbloom
