#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/bloom/block_kernels.hpp>
#include <hortus/digest.hpp>

/// The kernels of blocked_counting: a line of 64 bytes holds 256 counters of two bits ("pairs"), and src/pair_kernels.cpp
/// compiles the loops over the pairs of a key once for each vector instruction set.
namespace hortus::kernels {

/// Bit i of the answer: are all pairs of xs[i] above 0? Prefetches the lines of `next`, which may be empty, in between.
/// Pre: xs
/// and next have at most 64 keys each.
std::uint64_t in_pairs(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;

/// The smallest pair of each key, 0 to 3.
void least_in_pairs(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next,
                    std::uint64_t* least) noexcept;

/// The positions of the pairs of up to 64 keys, for changing them key by key, in order. start[i] is the first word of the
/// line of key i. ones[i] is a line in which the lower bit of each of its pairs is set; a pair that is probed twice is in
/// it once.
using line_of_pairs = std::uint64_t[8];
struct pairs_of_keys {
  alignas(64) std::uint64_t start[64];
  alignas(64) line_of_pairs ones[64];
};
/// Bit i of the answer: is a pair of xs[i] full (3) now?
std::uint64_t find_pairs(blocks_to_read const& in, std::span<digest const> xs, pairs_of_keys& out) noexcept;

/// Kernels for a single key, or a few. Highway's dispatch would cost more than the kernel itself, so the chosen function
/// pointers are cached here.
enum class take_result : unsigned char { refused, taken, but_for_full };
struct short_kernels {
  std::atomic<std::size_t (*)(std::uint64_t* words, pairs_of_keys const& of, std::size_t from, std::size_t to)> add_some;
  std::atomic<std::size_t (*)(std::uint64_t* words, pairs_of_keys& of, std::size_t from, std::size_t to, std::size_t& taken)>
      take_some;
  std::atomic<bool (*)(std::uint64_t const* line, digest x, unsigned probes)> in;
  std::atomic<unsigned (*)(std::uint64_t const* line, digest x, unsigned probes)> least;
  std::atomic<bool (*)(std::uint64_t* line, digest x, unsigned probes)> add;
  std::atomic<take_result (*)(std::uint64_t* line, digest x, unsigned probes, line_of_pairs* full)> take;
  void choose_again() noexcept;
};
extern short_kernels chosen;

/// Adds 1 to each pair of the keys from, from + 1, ... and stops before the first key with a full pair. Returns the number
/// of that key, or `to` if there is none.
inline std::size_t add_to_pairs(std::uint64_t* words, pairs_of_keys const& of, std::size_t from, std::size_t to) noexcept {
  return chosen.add_some.load(std::memory_order_relaxed)(words, of, from, to);
}
/// Subtracts 1 from each pair of the keys, except for keys with a pair that is 0, and adds the number of keys it lowered to
/// `taken`. Stops at the first such key with full pairs. Those stay as they are and are left in of.ones, for the caller to
/// lower by the overflow table.
inline std::size_t take_from_pairs(std::uint64_t* words, pairs_of_keys& of, std::size_t from, std::size_t to,
                                   std::size_t& taken) noexcept {
  return chosen.take_some.load(std::memory_order_relaxed)(words, of, from, to, taken);
}

/// A single key, given with its line. Are all its pairs above 0?
inline bool in_pairs(std::uint64_t const* line, digest x, unsigned probes) noexcept {
  return chosen.in.load(std::memory_order_relaxed)(line, x, probes);
}
inline unsigned least_in_pairs(std::uint64_t const* line, digest x, unsigned probes) noexcept {
  return chosen.least.load(std::memory_order_relaxed)(line, x, probes);
}
/// False, with nothing changed, if one of the pairs is full.
inline bool add_to_pairs(std::uint64_t* line, digest x, unsigned probes) noexcept {
  return chosen.add.load(std::memory_order_relaxed)(line, x, probes);
}
/// If some pairs are full, writes their lower bits to `full`, in the layout of pairs_of_keys::ones.
inline take_result take_from_pairs(std::uint64_t* line, digest x, unsigned probes, line_of_pairs& full) noexcept {
  return chosen.take.load(std::memory_order_relaxed)(line, x, probes, &full);
}

}  // namespace hortus::kernels
