#pragma once
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>

/// Vectorised loops over up to 64 keys. They are compiled once for each instruction set (src/block_kernels.cpp) and chosen
/// at run time. The patterns in bloom/ define, one key at a time, which bits a key has; these loops give the same answers,
/// bit for bit. The tests run every version that the machine supports.
namespace hortus::kernels {

/// An array of blocks. The family fixes the number of words in a block.
template <class Word>
struct block_row {
  Word* words;
  std::uint64_t blocks;
  unsigned probes;
};
using blocks_to_read = block_row<std::uint64_t const>;
using blocks_to_write = block_row<std::uint64_t>;

/// Bit i of the answer: are all bits of xs[i] set? Prefetches the blocks of `next`, which may be empty, in between.
/// `line` is for blocked, `sectors` for sectorized, `lanes` for split_block, `word` for register_blocked.
/// Pre: xs and next have at most 64 keys each.
std::uint64_t in_line(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_sectors(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_lanes(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t in_word(blocks_to_read const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
/// Set the bits of every key in xs. Pre: xs and next have at most 64 keys each.
void set_in_line(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_sectors(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_lanes(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
void set_in_word(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
/// The same, one key after the other. Bit i of the answer: was a bit of xs[i] not set before?
std::uint64_t new_in_line(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t new_in_sectors(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t new_in_lanes(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;
std::uint64_t new_in_word(blocks_to_write const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;

}  // namespace hortus::kernels
