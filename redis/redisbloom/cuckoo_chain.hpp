#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "redis/redisbloom/block.hpp"
#include "redis/redisbloom/bloom_shape.hpp"
#include "redis/redisbloom/chunks.hpp"
#include "redis/redisbloom/saved.hpp"
#include "redis/redisbloom/short_list.hpp"

namespace hortus::redisbloom {

/// One cuckoo filter of a chain: buckets of slots, a slot is a fingerprint of 8 bits or 0.
struct sub_cuckoo {
  cells store;
  std::uint64_t used = 0;  ///< slots that are not 0
};

enum class insertion : std::uint8_t {
  inserted,
  must_grow,  ///< nothing changed; after grow() there is room
  full,       ///< and the chain does not grow
};

/// RedisBloom's cuckoo filter: a chain of them, each `expansion` times as large as the one before. New items go to the newest
/// that has a free slot.
class cuckoo_chain {
 public:
  struct goal {
    std::uint64_t capacity;
    std::uint16_t bucket_slots;
    std::uint16_t iterations;
    std::uint16_t expansion;
  };
  /// Slots in one sub-filter: RedisBloom reduces places to 32 bits, and loses items in larger ones.
  static constexpr std::uint64_t most_slots = std::uint64_t{1} << 32;
  static constexpr std::uint32_t most_filters = 65535;

  cuckoo_chain() noexcept = default;  ///< without a sub-filter: only to be assigned to
  /// Makes an empty chain in `made`, unless there is an obstacle. Throws std::bad_alloc.
  [[nodiscard]] static obstacle make(goal const& wanted, chain_limits limits, cuckoo_chain& made);

  [[nodiscard]] static std::uint64_t hash(std::string_view item) noexcept;
  [[nodiscard]] bool contains(std::uint64_t hash) const noexcept;
  [[nodiscard]] std::uint64_t count(std::uint64_t hash) const noexcept;
  void prefetch(std::uint64_t hash) const noexcept;
  [[nodiscard]] bool exceeds_caches() const noexcept { return filters_.last().store.size() >= cached_bytes; }
  [[nodiscard]] insertion insert(std::uint64_t hash) noexcept;
  /// Adds an empty sub-filter, unless there is an obstacle. Throws std::bad_alloc, and is then as it was.
  [[nodiscard]] obstacle grow(chain_limits limits);
  /// False: certainly absent, nothing changed. Compacts when many items were erased.
  bool erase(std::uint64_t hash) noexcept;
  /// Moves items from newer sub-filters to free slots of older ones, and frees the newest if nothing is left in it. A large
  /// chain is compacted step by step, one with each call; deletes() is 0 after the last step.
  void compact() noexcept;

  [[nodiscard]] std::uint64_t buckets() const noexcept { return buckets_; }  ///< of the oldest sub-filter
  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  [[nodiscard]] std::uint64_t deletes() const noexcept { return deletes_; }  ///< since the last compaction
  [[nodiscard]] std::uint16_t bucket_slots() const noexcept { return bucket_slots_; }
  [[nodiscard]] std::uint16_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::uint16_t expansion() const noexcept { return expansion_; }
  [[nodiscard]] std::span<sub_cuckoo const> filters() const noexcept { return {filters_.begin(), filters_.size()}; }
  [[nodiscard]] std::uint64_t cell_bytes() const noexcept;
  /// What CF.INFO reports: the memory as RedisBloom counts it.
  [[nodiscard]] std::uint64_t reported_bytes() const noexcept;

  // -- SCANDUMP and LOADCHUNK ------------------------------------------------------------------------------------------------
  static constexpr std::uint64_t header_bytes = 38;
  void write_header(char* to) const noexcept;
  /// A chain of that shape with empty slots. Throws hortus::error for a header that no chain has, and std::bad_alloc.
  [[nodiscard]] static cuckoo_chain from_header(std::string_view header, chain_limits limits);
  [[nodiscard]] chunk chunk_at(long long iterator) const noexcept { return redisbloom::chunk_at(filters_, iterator); }
  /// Overwrites the slots that end there. On a fault nothing was written.
  [[nodiscard]] chunk_fault write_chunk(long long iterator, std::span<std::uint8_t const> bytes) noexcept;

  // -- saving, as for bloom_chain --------------------------------------------------------------------------------------------
  static constexpr int encoding = 4;
  void save(auto& out) const;
  [[nodiscard]] static cuckoo_chain load(auto& in, int version, chain_limits limits);

  /// Calls visit(block) with every block of memory. The visitor may move it and change the pointer.
  void visit_blocks(auto const& visit) {
    filters_.visit_block(visit);
    for (auto& each : filters_) each.store.visit_block(visit);
  }

 private:
  struct key;
  [[nodiscard]] key key_in(std::uint32_t filter, std::uint64_t first, std::uint8_t print) const noexcept;
  [[nodiscard]] std::uint8_t* free_slot(std::uint32_t filter, std::uint64_t first, std::uint8_t print) noexcept;
  [[nodiscard]] bool evict(std::uint64_t first, std::uint8_t print) noexcept;
  [[nodiscard]] bool sweep(std::uint32_t filter, std::uint64_t from, std::uint64_t to) noexcept;
  [[nodiscard]] std::uint64_t slot_cost(std::uint32_t filter) const noexcept;
  [[nodiscard]] bool small() const noexcept;
  void compact(bool beyond_newest) noexcept;
  void compact_whole(bool beyond_newest) noexcept;
  void compact_step(bool beyond_newest) noexcept;
  void drop_empty() noexcept;
  /// Refuses what no chain has, but for the sub-filters. The number of items may be any: a chain whose chunks are still to be
  /// loaded has fewer slots in use, and that can be saved.
  void check_head(std::uint64_t filters) const;
  /// The slots that sub-filter number `filter` has. Throws if there may be none with so many; takes them off `left`.
  [[nodiscard]] std::uint64_t checked_slots(std::uint32_t filter, chain_limits& left) const;

  short_list<sub_cuckoo> filters_;
  std::uint64_t buckets_ = 0;
  std::uint64_t items_ = 0;
  std::uint64_t deletes_ = 0;
  std::uint16_t bucket_slots_ = 0;
  std::uint16_t iterations_ = 0;
  std::uint16_t expansion_ = 0;
};

void cuckoo_chain::save(auto& out) const {
  out.number(filters_.size());
  out.number(buckets_);
  out.number(items_);
  out.number(deletes_);
  out.number(bucket_slots_);
  out.number(iterations_);
  out.number(expansion_);
  for (auto const& each : filters_) {
    out.number(each.store.size() / bucket_slots_);
    out.bytes(each.store.bytes());
  }
}

cuckoo_chain cuckoo_chain::load(auto& in, int version, chain_limits limits) {
  if (version < 0 || version > encoding) refuse_saved("its encoding is of a later release");
  cuckoo_chain loaded;
  std::uint64_t const filters = in.number();
  loaded.buckets_ = in.number();
  loaded.items_ = in.number();
  if (version >= 4) {
    loaded.deletes_ = in.number();
    loaded.bucket_slots_ = narrow<std::uint16_t>(in.number());
    loaded.iterations_ = narrow<std::uint16_t>(in.number());
    loaded.expansion_ = narrow<std::uint16_t>(in.number());
  } else {  // what all filters had at the time
    loaded.bucket_slots_ = 2;
    loaded.iterations_ = 20;
    loaded.expansion_ = 1;
  }
  loaded.check_head(filters);
  loaded.filters_ = short_list<sub_cuckoo>(static_cast<std::uint32_t>(filters));
  for (std::uint32_t i = 0; i < filters; ++i) {
    auto const slots = loaded.checked_slots(i, limits);
    if (version >= 4 && in.number() != slots / loaded.bucket_slots_) refuse_saved("a sub-filter has another size");
    cells store = in.bytes();
    if (store.size() != slots) refuse_saved("a sub-filter has another number of slots");
    auto const used = used_slots(store.bytes());
    loaded.filters_.add({std::move(store), used});
  }
  return loaded;
}

}  // namespace hortus::redisbloom
