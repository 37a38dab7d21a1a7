#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include <hortus/bloom/block_kernels.hpp>
#include <hortus/digest.hpp>

/// The kernels of blocked_aging, whose blocks are 16 lanes of 32 bits: a slice each. They are compiled once for each
/// instruction set (src/age_kernels.cpp) and chosen at run time; pointers to those for a single key are kept here.
namespace hortus::kernels {

/// Which rows of lanes are generations that are looked for.
struct age_rows {
  unsigned first;   ///< the lane of the youngest slice
  unsigned probes;  ///< lanes of a row
  unsigned end;     ///< rows 0 .. end - 1, counted from the youngest slice
};

/// Lane l becomes bit l - first: slices from the youngest to the oldest.
[[nodiscard]] constexpr std::uint32_t by_age(std::uint32_t lanes, unsigned first) noexcept {
  return (lanes >> first | lanes << (16 - first)) & 0xffff;
}
/// Bit i: do the slices i .. i + probes - 1 all have the key's bit? Each step doubles the length of the rows.
[[nodiscard]] constexpr std::uint32_t rows_of(std::uint32_t slices, unsigned probes) noexcept {
  unsigned length = 1;
  for (; 2 * length <= probes; length *= 2) slices &= slices >> length;
  return slices & slices >> (probes - length);
}

struct age_kernels {
  std::atomic<std::uint32_t (*)(std::uint64_t const* block, digest x)> seen;
  std::atomic<void (*)(std::uint64_t* block, digest x, std::uint32_t lanes)> mark;
  void choose_again() noexcept;
};
extern age_kernels chosen_for_ages;

/// Bit l: does lane l have the key's bit?
inline std::uint32_t seen_in_lanes(std::uint64_t const* block, digest x) noexcept {
  return chosen_for_ages.seen.load(std::memory_order_relaxed)(block, x);
}
/// Sets the key's bits in the lanes whose bits are set in `lanes`.
inline void mark_in_lanes(std::uint64_t* block, digest x, std::uint32_t lanes) noexcept {
  chosen_for_ages.mark.load(std::memory_order_relaxed)(block, x, lanes);
}
/// Bit i of the answer: is xs[i] in one of the rows? Prefetches the blocks of `next` in between. Pre: xs and next have at most
/// 64 keys each.
std::uint64_t in_ages(std::uint64_t const* words, std::uint64_t blocks, age_rows rows, std::span<digest const> xs,
                      std::span<digest const> next) noexcept;

}  // namespace hortus::kernels
