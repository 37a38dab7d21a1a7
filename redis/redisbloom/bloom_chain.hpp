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

/// All that a chain needs of an item: bit i of a sub-filter is (first + i * step mod 2^64) mod bits.
struct item_hash {
  std::uint64_t first;
  std::uint64_t step;
};

/// One Bloom filter of a chain, in 64 bytes.
class sub_bloom {
 public:
  explicit sub_bloom(bloom_shape const& shape) : sub_bloom(shape, 0, cells(shape.bytes)) {}
  sub_bloom(bloom_shape const& shape, std::uint64_t items_inside, cells from) noexcept;

  [[nodiscard]] bool contains(item_hash const& x) const noexcept;
  void set(item_hash const& x) noexcept;
  /// Fetches the cells that contains() looks at first. Most absent items are refused by them.
  void prefetch(item_hash const& x) const noexcept;

  [[nodiscard]] bloom_shape shape() const noexcept;
  /// As RedisBloom reports and saves it: with a power of two, all bits that there are.
  [[nodiscard]] std::uint64_t saved_bits() const noexcept { return log2_bits_ != 0 ? store.size() * 8 : bits_; }
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  [[nodiscard]] bool full() const noexcept { return items >= entries_; }

  cells store;
  std::uint64_t items = 0;

 private:
  bool for_positions(item_hash const& x, auto&& visit) const noexcept;

  std::uint64_t bits_;
  std::uint64_t reciprocal_;  // 2^64 / bits, rounded down
  double error_;
  double bits_per_entry_;
  std::uint64_t entries_ : 46;  // below most_entries
  std::uint64_t probes_ : 12;
  std::uint64_t log2_bits_ : 6;
};
static_assert(sizeof(sub_bloom) == 64);

enum class addition : std::uint8_t { present, added, full };

/// RedisBloom's scaling Bloom filter: sub-filters of growing size and falling rate. An item is in it if it is in one of them;
/// the newest takes new items.
class bloom_chain {
 public:
  struct goal {
    std::uint64_t capacity;
    double error;
    std::uint32_t expansion;
    bool scaling;
  };

  bloom_chain() noexcept = default;  ///< without a sub-filter: only to be assigned to
  /// Makes an empty chain in `made`, unless there is an obstacle. Throws std::bad_alloc.
  [[nodiscard]] static obstacle make(goal const& wanted, chain_limits limits, bloom_chain& made);

  [[nodiscard]] item_hash hash(std::string_view item) const noexcept;
  [[nodiscard]] bool contains(item_hash const& x) const noexcept;
  /// Fetches cells of sub-filters that exceed the caches near a core; of others it costs more than it gains.
  void prefetch(item_hash const& x) const noexcept;
  [[nodiscard]] bool exceeds_caches() const noexcept { return filters_.last().store.size() >= cached_bytes; }
  /// If the newest sub-filter is full, nothing changes: grow(), if the chain scales, and add again.
  [[nodiscard]] addition add(item_hash const& x) noexcept;
  /// Adds an empty sub-filter, unless there is an obstacle. Throws std::bad_alloc, and is then as it was.
  [[nodiscard]] obstacle grow(chain_limits limits);

  [[nodiscard]] bool scales() const noexcept { return (options_ & never_grows) == 0; }
  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept;
  [[nodiscard]] std::uint32_t expansion() const noexcept { return expansion_; }
  [[nodiscard]] std::uint32_t options() const noexcept { return options_; }
  [[nodiscard]] std::span<sub_bloom const> filters() const noexcept { return {filters_.begin(), filters_.size()}; }
  [[nodiscard]] std::uint64_t cell_bytes() const noexcept;
  /// What BF.INFO reports: the memory as RedisBloom counts it.
  [[nodiscard]] std::uint64_t reported_bytes() const noexcept;

  // -- SCANDUMP and LOADCHUNK ------------------------------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t header_bytes() const noexcept;
  void write_header(char* to) const noexcept;
  /// An empty chain of that shape. Throws hortus::error for a header that no chain has, and std::bad_alloc.
  [[nodiscard]] static bloom_chain from_header(std::string_view header, chain_limits limits);
  [[nodiscard]] chunk chunk_at(long long iterator) const noexcept { return redisbloom::chunk_at(filters_, iterator); }
  /// Overwrites the cells that end there. On a fault nothing was written.
  [[nodiscard]] chunk_fault write_chunk(long long iterator, std::span<std::uint8_t const> bytes) noexcept {
    auto const [fault, filter, to] = chunk_target(filters_, iterator, bytes.size());
    if (fault == chunk_fault::none) std::ranges::copy(bytes, to);
    return fault;
  }

  // -- saving: `out` has number(), real(), bytes(); `in` has the same, returning cells from bytes(), and throws ---------------
  static constexpr int encoding = 4;
  void save(auto& out) const;
  /// Reads encodings 0 to 4. Throws hortus::error for numbers that no chain has.
  [[nodiscard]] static bloom_chain load(auto& in, int version, chain_limits limits);

  /// Calls visit(block) with every block of memory. The visitor may move it and change the pointer.
  void visit_blocks(auto const& visit) {
    filters_.visit_block(visit);
    for (auto& each : filters_) each.store.visit_block(visit);
  }

 private:
  bloom_chain(std::uint64_t items, std::uint64_t filters, std::uint32_t options, std::uint32_t expansion);
  void check_whole() const;

  short_list<sub_bloom> filters_;
  std::uint64_t items_ = 0;
  std::uint32_t options_ = 0;
  std::uint32_t expansion_ = 0;
};
static_assert(sizeof(bloom_chain) == 32);

/// Throws hortus::error unless RedisBloom can have made such a sub-filter. `bits` is the number in the saved filter.
[[nodiscard]] bloom_shape checked_shape(bloom_shape saved, std::uint64_t items, chain_limits& left);

void bloom_chain::save(auto& out) const {
  out.number(items_);
  out.number(filters_.size());
  out.number(options_);
  out.number(expansion_);
  for (auto const& each : filters_) {
    auto const shape = each.shape();
    out.number(shape.entries);
    out.real(shape.error);
    out.number(shape.probes);
    out.real(shape.bits_per_entry);
    out.number(each.saved_bits());
    out.number(shape.log2_bits);
    out.bytes(each.store.bytes());
    out.number(each.items);
  }
}

bloom_chain bloom_chain::load(auto& in, int version, chain_limits limits) {
  if (version < 0 || version > encoding) refuse_saved("its encoding is of a later release");
  std::uint64_t const items = in.number();
  std::uint64_t const filters = in.number();
  std::uint32_t const options = version >= 2 ? narrow<std::uint32_t>(in.number()) : 0;
  std::uint32_t const expansion = version >= 4 ? narrow<std::uint32_t>(in.number()) : 2;
  bloom_chain loaded(items, filters, options, expansion);
  for (std::uint64_t i = 0; i < filters; ++i) {
    bloom_shape shape{.entries = in.number(), .error = in.real()};
    shape.probes = narrow<std::uint32_t>(in.number());
    shape.bits_per_entry = in.real();
    if (version >= 1) {
      shape.bits = in.number();
      shape.log2_bits = narrow<std::uint32_t>(in.number());
    } else if (auto const bits = static_cast<double>(shape.entries) * shape.bits_per_entry; bits >= 1 && bits < 0x1p45) {
      shape.bits = static_cast<std::uint64_t>(bits);
    }
    cells store = in.bytes();
    shape.bytes = store.size();
    std::uint64_t const items_here = in.number();
    loaded.filters_.add(sub_bloom(checked_shape(shape, items_here, limits), items_here, std::move(store)));
  }
  loaded.check_whole();
  return loaded;
}

}  // namespace hortus::redisbloom
