#pragma once
#include <cstdint>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus::bench {

/// What no filter that reads one cache line a key can go below: reading the keys, mixing each, and reading one random line of
/// the buffer, asked for 32 keys ahead. Returns a sum, so that the reads are not optimised away.
inline std::uint64_t read_random_lines(memory const& buffer, std::span<std::uint64_t const> keys) noexcept {
  constexpr std::size_t ahead = 32;
  auto const lines = buffer.size() / memory::line_bytes;
  auto const* const words = reinterpret_cast<std::uint64_t const*>(buffer.data());
  auto const line_of = [&](std::uint64_t key) { return words + fastrange(mix64(key + golden_ratio64), lines) * 8; };
  std::uint64_t const* ring[ahead];
  std::uint64_t sum = 0;
  std::size_t const head = keys.size() < ahead ? keys.size() : ahead;
  for (std::size_t i = 0; i < head; ++i) __builtin_prefetch(ring[i] = line_of(keys[i]));
  for (std::size_t i = head; i < keys.size(); ++i) {
    auto& slot = ring[i % ahead];
    sum += *slot;
    __builtin_prefetch(slot = line_of(keys[i]));
  }
  for (std::size_t i = 0; i < head; ++i) sum += *ring[i];
  return sum;
}

}  // namespace hortus::bench
