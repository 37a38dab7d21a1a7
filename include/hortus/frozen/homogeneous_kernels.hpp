#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>
#include <hortus/frozen/homogeneous_cells.hpp>

/// The loops of homogeneous_ribbon that are compiled once for each vector instruction set, in src/homogeneous_kernels.cpp, and
/// chosen at run time. All of them give the same answers and the same bytes.
namespace hortus::kernels {

inline constexpr std::size_t homogeneous_block_keys = 256;

/// Bit i of `hits` becomes the answer for xs[i]. Prefetches the blocks of the keys ahead, and of the first keys of `next`,
/// which may be empty, if `far`. Pre: xs and next have at most homogeneous_block_keys keys each.
void in_homogeneous(homogeneous_cells const& cells, std::span<digest const> xs, std::span<digest const> next, bool far,
                    std::uint64_t* hits) noexcept;

/// Rows of one strip by their first slot. low == 0: no row. pivots[i] has a bit for each row of block i.
struct homogeneous_system {
  homogeneous_row const* rows;
  std::uint64_t const* pivots;
};

/// Solves the columns of one strip or of four neighbouring ones. Slots without a row have their free_bits().
void solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                       std::span<homogeneous_system const> strips) noexcept;

/// For a single key Highway's dispatch would cost too much, so a pointer to the chosen function is cached.
struct homogeneous_kernel {
  std::atomic<bool (*)(homogeneous_cells const& cells, std::uint64_t word)> in;
  void choose_again() noexcept;
};
extern homogeneous_kernel chosen_homogeneous;

inline bool in_homogeneous(homogeneous_cells const& cells, digest x) noexcept {
  return chosen_homogeneous.in.load(std::memory_order_relaxed)(cells, x.bits());
}

}  // namespace hortus::kernels
