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
#include "redis/redisbloom/decay.hpp"
#include "redis/redisbloom/sketch_rows.hpp"
#include "redis/redisbloom/top_list.hpp"

namespace hortus::redisbloom {

/// RedisBloom's TopK: a HeavyKeeper (Gong et al., "HeavyKeeper: an accurate algorithm for finding top-k elephant flows", 2018)
/// and a list of the items with the largest counts. A bucket counts one item, known by a fingerprint. Another item that meets
/// it decrements it with probability decay^count, and takes the bucket over at 0.
///
/// Chance comes from uniform_draw(): its number counts the draws of this object, and is stored where RedisBloom's records have
/// padding. So copies, replicas and restored objects draw the same. Draws that depend on the bucket and the item alone would
/// need no such number, but an item that failed once would fail for ever: nothing has changed when it comes again.
class heavy_keeper {
 public:
  struct bucket {
    std::uint32_t fingerprint;
    std::uint32_t count;
  };
  struct shape {
    std::uint64_t items = 0;  ///< in the list
    std::uint64_t width = 8;
    std::uint64_t depth = 7;
    double decay = 0.9;
    /// Of an object without items. Nothing if there is no such object.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept;
  };
  static constexpr std::uint64_t most_items = std::numeric_limits<std::uint32_t>::max();  ///< and width, and depth

  /// Throws std::bad_alloc. Pre: its.bytes() is something.
  explicit heavy_keeper(shape const& its)
      : rows_(its.width, its.depth), decay_(its.decay), powers_(its.decay), buckets_(rows_.cells()), list_(its.items) {}

  /// From the parts of a dump; next_item() is called for each item of the list. Throws hortus::error if they do not fit.
  template <class NextItem>
  void restore(std::span<char const> buckets, std::span<char const> records, NextItem next_item) {
    restore_buckets(buckets);
    list_.restore(records, next_item);
  }

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return dimensions().bytes().value_or(0) + list_.item_bytes(); }
  [[nodiscard]] shape dimensions() const noexcept { return {list_.places(), rows_.width(), rows_.depth(), decay_}; }
  [[nodiscard]] top_list const& list() const noexcept { return list_; }
  [[nodiscard]] block<bucket> const& buckets() const noexcept { return buckets_; }

  struct addition {
    std::string_view item;
    std::uint32_t increment;
  };
  struct outcome {
    bool changed;
    item_text expelled;  ///< from the list
  };
  /// what(i) is an addition, for i from 0 on. tell(outcome) follows each of them. Throws std::bad_alloc at an item for which
  /// there is no memory, or that would make the object larger than `most_bytes`. That item has changed nothing; those before
  /// it are in.
  template <class What, class Tell>
  void add(std::size_t items, What what, Tell tell, std::uint64_t most_bytes = ~std::uint64_t{0}) {
    for (std::size_t done = 0; done < items; done += items_at_once) {
      auto const some = std::min(items - done, items_at_once);
      std::array<addition, items_at_once> now;
      std::array<sketch_rows::places, items_at_once> at;
      for (std::size_t i = 0; i < some; ++i) {
        now[i] = what(done + i);
        at[i] = rows_.places_of(now[i].item, 0);
        for (std::size_t row = 0; row < rows_.rows_from(0); ++row) __builtin_prefetch(&buckets_[at[i][row]]);
      }
      for (std::size_t i = 0; i < some; ++i) tell(add_one(now[i], at[i], most_bytes));
    }
  }
  [[nodiscard]] bool contains(std::string_view item) const noexcept {
    return list_.find(item, item_fingerprint(item)).has_value();
  }
  /// Of the item's buckets, whether it is in the list or not.
  [[nodiscard]] std::uint32_t count(std::string_view item) const noexcept;

  /// Calls visit(block) with every block of memory. The visitor may move it and change the pointer.
  void visit_blocks(auto const& visit) {
    buckets_.visit_block(visit);
    list_.visit_blocks(visit);
  }

 private:
  static constexpr std::size_t items_at_once = 8;

  void restore_buckets(std::span<char const> buckets);
  outcome add_one(addition const& what, sketch_rows::places const& first_places, std::uint64_t most_bytes);
  /// The largest count that the item's buckets can have after this addition.
  [[nodiscard]] std::uint32_t highest_after(addition const& what, std::uint32_t fingerprint,
                                            sketch_rows::places const& first_places) const noexcept;
  bool add_to(bucket& its, std::uint32_t fingerprint, std::uint32_t increment) noexcept;
  bool fight(bucket& its, std::uint32_t fingerprint, std::uint32_t increment) noexcept;

  /// act(bucket) for the item's bucket in each row.
  static void each_bucket(auto& self, std::string_view item, sketch_rows::places at, auto const& act) {
    for (std::uint64_t first = 0; first < self.rows_.depth(); first += rows_at_once) {
      if (first != 0) at = self.rows_.places_of(item, first);
      for (std::size_t row = 0; row < self.rows_.rows_from(first); ++row) act(self.buckets_[at[row]]);
    }
  }

  sketch_rows rows_;
  double decay_;
  decay_powers powers_;
  block<bucket> buckets_;
  top_list list_;
};

}  // namespace hortus::redisbloom
