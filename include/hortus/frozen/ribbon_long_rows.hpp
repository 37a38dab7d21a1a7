#pragma once
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>
#include <hortus/frozen/ribbon_cells.hpp>
#include <hortus/frozen/ribbon_elimination.hpp>
#include <hortus/frozen/ribbon_kernels.hpp>

/// Ribbon filters with rows of 128 slots, which have few columns: plan/ribbon.hpp. Maps have rows of 64. The loops are compiled
/// once for each vector instruction set, in src/ribbon_long_rows.cpp, for its instruction that counts bits. Pre:
/// cells.long_rows().
namespace hortus {

/// solve_strips() of such a filter. Temporarily takes 24 bytes per slot. Pre: the keys have no values.
void solve_long_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode, ribbon_left& left);

namespace kernels {

/// in_ribbon() of such a filter, for a block of keys and for one.
void in_long_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
                    bool far, ribbon_answers& answers) noexcept;
[[nodiscard]] bool in_long_ribbon(ribbon_cells const& cells, std::uint64_t word) noexcept;

/// Solves the columns, as solve_ribbon() does. `rows` has two words for each slot.
void solve_long_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                       std::span<std::uint64_t const> values) noexcept;

}  // namespace kernels
}  // namespace hortus
