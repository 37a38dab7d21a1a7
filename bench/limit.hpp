#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus::bench {

/// The cache line of a buffer to which a key belongs. Every filter has to compute that.
inline std::uint64_t const* line_of(memory const& buffer, std::uint64_t key) noexcept {
  auto const* const words = reinterpret_cast<std::uint64_t const*>(buffer.data());
  return words + fastrange(mix64(key + golden_ratio64), buffer.size() / memory::line_bytes) * 8;
}

inline std::uint64_t* line_of(memory& buffer, std::uint64_t key) noexcept {
  return const_cast<std::uint64_t*>(line_of(static_cast<memory const&>(buffer), key));
}

/// act(line) for a random line of the buffer for each key, prefetched 32 keys ahead.
inline void visit_lines_ahead(auto& buffer, std::span<std::uint64_t const> keys, auto act) noexcept {
  constexpr std::size_t ahead = 32;
  decltype(line_of(buffer, 0)) ring[ahead];
  std::fill_n(ring, ahead, line_of(buffer, 0));  // no line is read that is not there, whatever an analyser thinks
  std::size_t const head = keys.size() < ahead ? keys.size() : ahead;
  for (std::size_t i = 0; i < head; ++i) __builtin_prefetch(ring[i] = line_of(buffer, keys[i]));
  for (std::size_t i = head; i < keys.size(); ++i) {
    auto& slot = ring[i % ahead];
    act(slot);
    __builtin_prefetch(slot = line_of(buffer, keys[i]));
  }
  for (std::size_t i = 0; i < head; ++i) act(ring[i]);
}

/// The lower limit in batches of a filter that reads one cache line per key: reads the keys, mixes each, and reads one random
/// line of the buffer, prefetched. Returns a sum, so that the reads are not optimised away.
inline std::uint64_t read_lines_ahead(memory const& buffer, std::span<std::uint64_t const> keys) noexcept {
  std::uint64_t sum = 0;
  visit_lines_ahead(buffer, keys, [&](std::uint64_t const* line) { sum += *line; });
  return sum;
}

/// The same one by one, without prefetch: only out-of-order execution overlaps the cache misses.
inline std::uint64_t read_lines(memory const& buffer, std::span<std::uint64_t const> keys) noexcept {
  std::uint64_t sum = 0;
  for (auto const key : keys) sum += *line_of(buffer, key);
  return sum;
}

/// The lower limit of a filter that changes one cache line per key: one random line is read, changed and written back. In
/// batches, prefetched.
inline void change_lines_ahead(memory& buffer, std::span<std::uint64_t const> keys) noexcept {
  visit_lines_ahead(buffer, keys, [](std::uint64_t* line) { ++*line; });
}
/// The same one by one, without prefetch.
inline void change_lines(memory& buffer, std::span<std::uint64_t const> keys) noexcept {
  for (auto const key : keys) ++*line_of(buffer, key);
}

}  // namespace hortus::bench
