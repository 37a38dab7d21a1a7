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
  enum class place : std::uint64_t {
    in_layer,  ///< of which the bits are
    in_last,   ///< the same, if the key is not among the kept words
    nowhere,   ///< every layer has bumped it; the bits have no meaning, unless the key is among the kept words
  };
  std::uint64_t bits;
  place where;
};

/// Asks one layer for the values of a block of keys, which have `value_bits` bits: values[i], and a bit of answers.found for a
/// key that passes the check. The value is 0 without it, and has no meaning if a later layer has it. Prefetches as in_ribbon
/// does. Pre: the map has the layer; xs and next have at most ribbon_block_keys keys each.
void values_in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
                      bool far, unsigned value_bits, std::uint64_t* values, ribbon_answers& answers) noexcept;

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
