#pragma once
#include <cstdint>
#include <span>

#include <hortus/frozen/homogeneous_cells.hpp>

namespace hortus {

/// Solves the system of one strip or of four neighbouring ones and writes their columns. of_strip[i]: the words of the keys in
/// this layer, in ascending order. Takes time linear in the number of keys, whatever the keys are. Temporarily takes 16 bytes
/// per slot.
void solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                       std::span<std::span<std::uint64_t const> const> of_strip);

/// The sum, over all starts of these strips, of the probability that an absent row which starts there adds up to 0 in every
/// column, or in the first `most_columns` of them, times homogeneous_cells::certain. Exact: computed from the columns.
[[nodiscard]] std::uint64_t homogeneous_chances(homogeneous_cells const& cells, unsigned layer, std::uint64_t first_strip,
                                                std::uint64_t strips, unsigned most_columns) noexcept;

}  // namespace hortus
