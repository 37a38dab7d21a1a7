#pragma once
#include <atomic>
#include <cstdint>

#include <hortus/digest.hpp>

/// Kernels for a single key of the one-block families, given its block. A single lookup is a few dozen instructions. Highway's
/// dispatch would cost as much again, so pointers to the chosen functions are kept here (src/one_key_kernels.cpp).
namespace hortus::kernels {

struct one_key_kernels {
  using test = bool (*)(std::uint64_t const* block, digest x, unsigned probes);
  using setter = void (*)(std::uint64_t* block, digest x, unsigned probes);
  std::atomic<test> in_line;
  std::atomic<test> in_sectors;
  std::atomic<test> in_lanes;
  std::atomic<test> in_word;
  std::atomic<setter> set_in_line;
  std::atomic<setter> set_in_sectors;
  std::atomic<setter> set_in_lanes;
  std::atomic<setter> set_in_word;
  void choose_again() noexcept;
};
extern one_key_kernels chosen_for_one_key;

/// Are all bits of the key set? `line` is for blocked, `sectors` for sectorized, `lanes` for split_block, `word` for
/// register_blocked.
inline bool one_in_line(std::uint64_t const* block, digest x, unsigned probes) noexcept {
  return chosen_for_one_key.in_line.load(std::memory_order_relaxed)(block, x, probes);
}
inline bool one_in_sectors(std::uint64_t const* block, digest x, unsigned probes) noexcept {
  return chosen_for_one_key.in_sectors.load(std::memory_order_relaxed)(block, x, probes);
}
inline bool one_in_lanes(std::uint64_t const* block, digest x, unsigned probes) noexcept {
  return chosen_for_one_key.in_lanes.load(std::memory_order_relaxed)(block, x, probes);
}
inline bool one_in_word(std::uint64_t const* block, digest x, unsigned probes) noexcept {
  return chosen_for_one_key.in_word.load(std::memory_order_relaxed)(block, x, probes);
}
/// Set all bits of the key.
inline void set_one_in_line(std::uint64_t* block, digest x, unsigned probes) noexcept {
  chosen_for_one_key.set_in_line.load(std::memory_order_relaxed)(block, x, probes);
}
inline void set_one_in_sectors(std::uint64_t* block, digest x, unsigned probes) noexcept {
  chosen_for_one_key.set_in_sectors.load(std::memory_order_relaxed)(block, x, probes);
}
inline void set_one_in_lanes(std::uint64_t* block, digest x, unsigned probes) noexcept {
  chosen_for_one_key.set_in_lanes.load(std::memory_order_relaxed)(block, x, probes);
}
inline void set_one_in_word(std::uint64_t* block, digest x, unsigned probes) noexcept {
  chosen_for_one_key.set_in_word.load(std::memory_order_relaxed)(block, x, probes);
}

}  // namespace hortus::kernels
