#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/frozen/golomb_code.hpp>

/// Lookups of up to 64 values in blocks of Golomb codes. Compiled once for each instruction set (src/golomb_kernels.cpp) and
/// chosen at run time: a block in each lane. golomb_code::scan defines, one block at a time, what they find.
namespace hortus::kernels {

/// What is looked up: value i among the codes in the stretch of bits from begins[i] to ends[i].
struct golomb_lookups {
  static constexpr std::size_t most = 64;
  std::array<std::uint64_t, most> begins;
  std::array<std::uint64_t, most> ends;
  std::array<std::uint64_t, most> values;
};

/// Bit i of the answer: is value i there? `words` are as in golomb_code::scan. Pre: count <= most.
std::uint64_t golomb_find(golomb_code const& code, std::uint64_t const* words, golomb_lookups const& all,
                          std::size_t count) noexcept;

/// The same for one value.
bool golomb_find_one(golomb_code const& code, std::uint64_t const* words, std::uint64_t begin, std::uint64_t end,
                     std::uint64_t value) noexcept;

}  // namespace hortus::kernels
