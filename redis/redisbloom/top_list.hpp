#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "redis/redisbloom/block.hpp"
#include "redis/redisbloom/item_text.hpp"
#include "redis/redisbloom/murmur.hpp"

namespace hortus::redisbloom {

[[nodiscard]] inline std::uint32_t item_fingerprint(std::string_view item) noexcept { return murmur32(item, 1919); }

/// The items of RedisBloom's TopK, in a heap with the least count first. Free places count as items of count 0.
class top_list {
 public:
  /// A place as RedisBloom stores it. Where RedisBloom stores a pointer, which it replaces after loading, this has a zero.
  struct record {
    std::uint32_t fingerprint;
    std::uint32_t length;
    std::uint64_t pointer;
    std::uint32_t count;
    std::uint32_t padding;  // ignored by RedisBloom. That of the first place is spare()
  };
  static_assert(sizeof(record) == 24);
  /// Bytes of memory for each place, without the bytes of its item.
  static constexpr std::uint64_t place_bytes = sizeof(record) + sizeof(std::uint32_t) + sizeof(item_text);

  explicit top_list(std::uint64_t places) : records_(places), fingerprints_(places), items_(places) {}

  /// Puts back the records of a dump, and next_item() for each of them: an item with its NUL. RedisBloom cuts items at NULs in
  /// them, so that some come twice or are empty; these are dropped. Throws hortus::error if it is no such dump.
  template <class NextItem>
  void restore(std::span<char const> records, NextItem next_item) {
    restore_records(records);
    for (std::uint64_t place = 0; place < places(); ++place) restore_item(place, next_item());
    drop_cut_items();
  }

  [[nodiscard]] std::uint64_t places() const noexcept { return records_.size(); }
  [[nodiscard]] block<record> const& records() const noexcept { return records_; }
  [[nodiscard]] item_text const& item(std::uint64_t place) const noexcept { return items_[place]; }
  [[nodiscard]] std::uint32_t count(std::uint64_t place) const noexcept { return records_[place].count; }
  [[nodiscard]] std::uint32_t least() const noexcept { return records_[0].count; }
  /// Of all items, with their NULs.
  [[nodiscard]] std::uint64_t item_bytes() const noexcept { return item_bytes_; }
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view item, std::uint32_t fingerprint) const noexcept;
  /// The places of all items whose count is not 0, the largest first. Equal ones are in the order of the heap.
  [[nodiscard]] std::vector<std::uint64_t> by_count() const;

  /// Returns whether that changed anything, and be it the order of equal counts.
  bool set_count(std::uint64_t place, std::uint32_t count) noexcept;
  /// Puts an item at the first place, and returns the item that was there. Pre: the item is not in the list.
  item_text replace_least(item_text item, std::uint32_t fingerprint, std::uint32_t count) noexcept;

  /// 32 bits that are stored with the list.
  [[nodiscard]] std::uint32_t& spare() noexcept { return records_[0].padding; }
  [[nodiscard]] std::uint32_t spare() const noexcept { return records_[0].padding; }

  void visit_blocks(auto const& visit) {
    records_.visit_block(visit);
    fingerprints_.visit_block(visit);
    for (std::uint64_t place = 0; place < items_.size(); ++place) items_[place].visit_blocks(visit);
    items_.visit_block(visit);
  }

 private:
  void restore_records(std::span<char const> records);
  void restore_item(std::uint64_t place, std::string_view stored);
  void drop_cut_items();
  bool sift_down(std::uint64_t place) noexcept;
  /// Everything but the padding, which belongs to the place.
  void put(std::uint64_t place, record const& its, item_text item) noexcept;

  block<record> records_;
  block<std::uint32_t> fingerprints_;  // those of the records once more, side by side: find() looks at all of them
  block<item_text> items_;
  std::uint64_t item_bytes_ = 0;
};

}  // namespace hortus::redisbloom
