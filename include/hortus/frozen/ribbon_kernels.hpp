#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>
#include <hortus/frozen/ribbon_cells.hpp>

/// The loops of ribbon that are compiled once for each vector instruction set, in src/ribbon_kernels.cpp, and chosen at run
/// time. All of them give the same answers and the same bytes.
namespace hortus::kernels {

/// The answers for a block of keys, a bit for each.
inline constexpr std::size_t ribbon_block_keys = 256;
struct ribbon_answers {
  std::uint64_t found[ribbon_block_keys / 64];
  std::uint64_t bumped[ribbon_block_keys / 64];  ///< a later layer has the answer; `found` has no meaning
};

/// Asks one layer. Prefetches the blocks of the keys ahead, and of the first keys of `next`, which may be empty, if `far`.
/// Pre: xs and next have at most ribbon_block_keys keys each.
void in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
               bool far, ribbon_answers& answers) noexcept;

/// What a ribbon map has for a key: the value, and zeros in the columns above it that check it.
struct ribbon_value {
  std::uint64_t bits;
  std::uint64_t word;  ///< of the key in the layer that has it
  bool in_layer;       ///< false: every layer has bumped it, and the bits have no meaning
  bool may_be_kept;    ///< in the last layer; the bits have no meaning for a key that is kept as a word
};

/// Asks one layer for values. Bit i of `bumped`: a later layer has the value, and values[i] has no meaning. Prefetches as
/// in_ribbon does. Pre: the map has a layer; xs and next have at most ribbon_block_keys keys each.
void values_in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
                      bool far, std::uint64_t* values, std::uint64_t* bumped) noexcept;

/// Solves the columns: the bits of slot i are the sum of the bits of the later slots in rows[i], plus values[i]. A row without
/// slots has the bits 0. `rows` has 64 rows for each block from `first_block` on.
void solve_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                  std::span<std::uint64_t const> values) noexcept;

/// For a single key Highway's dispatch would cost too much, so a pointer to the chosen function is cached.
struct ribbon_kernel {
  std::atomic<bool (*)(ribbon_cells const& cells, std::uint64_t word)> in;
  std::atomic<ribbon_value (*)(ribbon_cells const& cells, std::uint64_t word)> value;
  void choose_again() noexcept;
};
extern ribbon_kernel chosen_ribbon;

/// Is the key in any layer?
inline bool in_ribbon(ribbon_cells const& cells, digest x) noexcept {
  return chosen_ribbon.in.load(std::memory_order_relaxed)(cells, x.bits());
}

/// The value of a key. Pre: the map has a layer.
inline ribbon_value value_in_ribbon(ribbon_cells const& cells, digest x) noexcept {
  return chosen_ribbon.value.load(std::memory_order_relaxed)(cells, x.bits());
}

}  // namespace hortus::kernels
