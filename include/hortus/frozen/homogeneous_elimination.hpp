#pragma once
#include <cstdint>
#include <span>

#include <hortus/frozen/homogeneous_cells.hpp>

namespace hortus {

/// Solves the system of one strip or of four neighbouring ones and writes their columns. of_strip[i]: the words of the keys in
/// this layer, in ascending order. Returns what these strips add to the layer's sum of dependent rows. Takes time linear in the
/// number of keys, whatever the keys are. Temporarily takes 16 bytes per slot.
std::uint64_t solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                                std::span<std::span<std::uint64_t const> const> of_strip);

}  // namespace hortus
