#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// The overflow of a store's small cells: for some cells, the excess over what the cell itself can hold. A hash table with
/// linear probing, at most four fifths full, without tombstones. The order of its slots depends on history. sorted() gives the
/// entries in order of cells, so that equal contents give equal files.
///
/// Most cells that are looked up are not in it. One bit per slot, used or not, shows that for two in three of them at planned
/// loads. The bits of a table of 29 MB fit into the cache when its slots do not.
class overflow_table {
 public:
  struct entry {
    std::uint64_t cell;
    std::uint64_t excess;  ///< 0: the slot is free
    bool operator==(entry const&) const = default;
  };

  overflow_table() = default;
  explicit overflow_table(std::uint64_t slots) : memory_(slots * sizeof(entry)), taken_(bytes_for_bits(slots)), slots_(slots) {}
  static constexpr std::uint64_t bytes_for(std::uint64_t slots) noexcept {
    return slots * sizeof(entry) + bytes_for_bits(slots);
  }

  /// The excess of the cell; null if it has no entry.
  [[nodiscard]] std::uint64_t* find(std::uint64_t cell) noexcept {
    return const_cast<std::uint64_t*>(static_cast<overflow_table const*>(this)->find(cell));
  }
  [[nodiscard]] std::uint64_t const* find(std::uint64_t cell) const noexcept {
    if (used_ == 0) return nullptr;
    auto at = home(cell);
    if (!taken(at)) return nullptr;
    for (; slot(at).excess != 0; at = next(at))
      if (slot(at).cell == cell) return &slot(at).excess;
    return nullptr;
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t cell) const noexcept {
    if (used_ == 0) return;
    if (auto const at = home(cell); taken(at)) __builtin_prefetch(&slot(at));
  }

  /// Pre: room() >= 1, the cell is not in it, excess >= 1. Returns the number of slots that it had to pass.
  std::uint64_t insert(std::uint64_t cell, std::uint64_t excess) noexcept {
    auto at = home(cell);
    std::uint64_t passed = 0;
    for (; slot(at).excess != 0; at = next(at)) ++passed;
    slot(at) = {cell, excess};
    bits()[at / 64] |= std::uint64_t{1} << (at % 64);
    ++used_;
    return passed;
  }

  /// Removes the entry that find() found. Entries that were displaced past its slot move up, so that searches still reach them.
  void erase(std::uint64_t const* found) noexcept {
    auto const bytes = reinterpret_cast<std::byte const*>(found) - memory_.data();
    auto free = static_cast<std::uint64_t>(bytes) / sizeof(entry);
    for (auto at = next(free); slot(at).excess != 0; at = next(at)) {
      auto const wanted = home(slot(at).cell);
      bool const stays = free <= at ? free < wanted && wanted <= at : free < wanted || wanted <= at;
      if (stays) continue;
      slot(free) = slot(at);
      free = at;
    }
    slot(free) = {0, 0};
    bits()[free / 64] &= ~(std::uint64_t{1} << (free % 64));
    --used_;
  }

  /// How many entries can be inserted before reserve() would allocate.
  [[nodiscard]] std::uint64_t room() const noexcept { return slots_ - slots_ / 5 - (slots_ % 5 != 0 ? 1 : 0) - used_; }
  void reserve(std::uint64_t more, std::uint64_t wish = 0) {  ///< if it has to grow, then to at least `wish` slots
    if (room() >= more) return;
    overflow_table larger(std::max({wish, slots_ + slots_ / 2, (used_ + more) * 3 / 2 + 1}));
    for_each([&](entry e) { larger.insert(e.cell, e.excess); });
    *this = std::move(larger);
  }

  void for_each(auto act) const {
    for (std::uint64_t at = 0; at < slots_; ++at)
      if (slot(at).excess != 0) act(slot(at));
  }
  /// All entries, in ascending order of cells.
  [[nodiscard]] memory sorted() const;

  void clear() noexcept {
    memory_.clear();
    taken_.clear();
    used_ = 0;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return used_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size() + taken_.size(); }
  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }

  bool operator==(overflow_table const& other) const noexcept {
    bool equal = used_ == other.used_;
    for_each([&](entry e) {
      auto const* const there = other.find(e.cell);
      equal = equal && there != nullptr && *there == e.excess;
    });
    return equal;
  }

 private:
  static constexpr std::uint64_t bytes_for_bits(std::uint64_t slots) noexcept {
    return (slots / 64 + (slots % 64 != 0 ? 1 : 0)) * sizeof(std::uint64_t);
  }
  [[nodiscard]] std::uint64_t* bits() noexcept { return reinterpret_cast<std::uint64_t*>(taken_.data()); }
  [[nodiscard]] bool taken(std::uint64_t at) const noexcept {
    return (reinterpret_cast<std::uint64_t const*>(taken_.data())[at / 64] >> (at % 64) & 1) != 0;
  }
  [[nodiscard]] std::uint64_t home(std::uint64_t cell) const noexcept { return fastrange(mix64(cell), slots_); }
  [[nodiscard]] std::uint64_t next(std::uint64_t at) const noexcept { return at + 1 == slots_ ? 0 : at + 1; }
  [[nodiscard]] entry& slot(std::uint64_t at) noexcept { return reinterpret_cast<entry*>(memory_.data())[at]; }
  [[nodiscard]] entry const& slot(std::uint64_t at) const noexcept {
    return reinterpret_cast<entry const*>(memory_.data())[at];
  }

  memory memory_;
  memory taken_;  ///< one bit per slot, set if the slot is used
  std::uint64_t slots_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace hortus
