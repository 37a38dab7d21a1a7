#pragma once
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>

/// The loops over up to 64 keys that gain from vector instructions, compiled once for each kind of machine
/// (src/block_kernels.cpp) and chosen when the program runs. What a bit means is said in bloom/ by the patterns, one key at a
/// time; these give the same answers, bit for bit, and the tests ask every one that the machine can run.
namespace hortus::kernels {

/// Blocks in a row, of as many words each as the family has.
template <class Word>
struct block_row {
  Word* words;
  std::uint64_t blocks;
  unsigned probes;
};
using blocks_to_read = block_row<std::uint64_t const>;
using blocks_to_write = block_row<std::uint64_t>;

/// Bit i of the answer: are all bits of xs[i] set? Prefetches the blocks of `next`, if any, in between.
/// `line` is for blocked, `sectors` for sectorized, `lanes` for split_block, `word` for register_blocked.
/// Pre: at most 64 of each.
std::uint64_t in_line(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_sectors(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_lanes(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_word(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
/// Sets them. Pre: at most 64 of each.
void set_in_line(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_sectors(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_lanes(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_word(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;

}  // namespace hortus::kernels
