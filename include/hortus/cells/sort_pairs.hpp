#pragma once
#include <cstdint>
#include <span>

namespace hortus {

/// Sorts the words in ascending order, and moves each value with its word (Highway's sort). The values of equal words ascend,
/// too. Takes 16 bytes per pair for the time of the call. Pre: as many values as words.
void sort_pairs(std::span<std::uint64_t> words, std::span<std::uint64_t> values);

}  // namespace hortus
