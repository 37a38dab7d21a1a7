#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "redis/redisbloom/short_list.hpp"

/// SCANDUMP and LOADCHUNK carry the cells of all sub-filters, one after the other, in chunks that do not cross from one
/// sub-filter into the next. An iterator is 1 + the offset of a chunk's end, so the first chunk is asked for with 1.
/// The sub-filters have a member `store`, their cells.
namespace hortus::redisbloom {

inline constexpr std::uint64_t most_chunk_bytes = std::uint64_t{16} << 20;

struct chunk {
  std::span<std::uint8_t const> bytes;  ///< none: there are no more
  long long next = 0;                   ///< the iterator that asks for the chunk after it, and with which this one is loaded
};

enum class chunk_fault : std::uint8_t { none, before_start, after_end, across_filters };

/// Finds the sub-filter with the byte at `offset` of all cells, and makes `offset` the place in it. Null if there is none.
template <class SubFilter>
[[nodiscard]] auto* filter_at(std::span<SubFilter> filters, std::uint64_t& offset) noexcept {
  for (auto& each : filters) {
    if (offset < each.store.size()) return &each;
    offset -= each.store.size();
  }
  return static_cast<SubFilter*>(nullptr);
}

template <class SubFilter>
[[nodiscard]] chunk chunk_at(short_list<SubFilter> const& filters, long long iterator) noexcept {
  if (iterator < 1) return {};
  auto offset = static_cast<std::uint64_t>(iterator) - 1;
  auto const* const found = filter_at(std::span<SubFilter const>(filters.begin(), filters.end()), offset);
  if (found == nullptr) return {};
  auto const bytes = found->store.bytes().subspan(offset).first(std::min(found->store.size() - offset, most_chunk_bytes));
  return {bytes, iterator + static_cast<long long>(bytes.size())};
}

template <class SubFilter>
struct chunk_place {
  chunk_fault fault = chunk_fault::none;
  SubFilter* filter = nullptr;
  std::uint8_t* to = nullptr;
};
/// Where a chunk belongs that ends at `iterator`.
template <class SubFilter>
[[nodiscard]] chunk_place<SubFilter> chunk_target(short_list<SubFilter>& filters, long long iterator,
                                                  std::uint64_t bytes) noexcept {
  if (iterator <= 0 || static_cast<std::uint64_t>(iterator) < bytes) return {chunk_fault::before_start};
  auto offset = static_cast<std::uint64_t>(iterator) - bytes;  // of the start, plus 1
  if (offset-- == 0) return {chunk_fault::after_end};          // RedisBloom says of this, too, that there is no sub-filter
  auto* const found = filter_at(std::span<SubFilter>(filters.begin(), filters.end()), offset);
  if (found == nullptr) return {chunk_fault::after_end};
  if (bytes > found->store.size() - offset) return {chunk_fault::across_filters};
  return {chunk_fault::none, found, found->store.data() + offset};
}

}  // namespace hortus::redisbloom
