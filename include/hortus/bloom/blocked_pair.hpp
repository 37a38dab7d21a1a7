#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include <hortus/bloom/in_block.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// Blocked Bloom filter of two lines: an array of small Bloom filters of 1024 bits, two adjacent cache lines each.
///
///     digest --high bits--> pair of lines   0100000010000001 ... | 0000010000000000 ...      a key's bits, anywhere in both
///
/// Promise  as bloom, with two adjacent cache misses per operation, which together take little longer than one.
/// Price    1.8 % more space than bloom at a rate of 1 %, 4 % at 0.1 %, 7.5 % at 1e-4: half the overhead of blocked.
/// Lacks    erase, growth, vector kernels: see blocked for speed.
/// Source   F. Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", WEA 2007.
struct blocked_pair_pattern {
  static constexpr std::string_view name = "blocked_pair";
  static constexpr std::string_view summary =
      "bits anywhere in two neighbouring cache lines: for low rates, where one line is dear";
  static constexpr verb_set kernels = {};  ///< for blocks of keys
  static constexpr auto layout = plan::layouts::free_1024;
  static constexpr auto about_probes = probes_note;

  static constexpr std::uint64_t block_of(digest x, std::uint64_t blocks) noexcept { return fastrange(x.bits(), blocks); }

  static constexpr void for_each_mask(digest x, unsigned probes, auto act) noexcept {
    for_each_position<10>(spread(x), probes,
                          [&](std::uint64_t bit) { act(static_cast<unsigned>(bit / 64 % 16), with_bit(0, bit)); });
  }

  /// Tests each bit in place, which takes fewer instructions than building masks.
  static constexpr bool has(std::uint64_t const* block, digest x, unsigned probes) noexcept {
    bool all = true;
    for_each_position<10>(spread(x), probes, [&](std::uint64_t bit) { all &= (block[bit / 64 % 16] >> (bit % 64) & 1) != 0; });
    return all;
  }

  /// Spreads twice, for keys that were selected by the low bits of their digest. After one multiplication their low pattern
  /// bits still follow from bits 32 and up, and with ten bits a probe those belong to another probe. The rate would be 8 %
  /// too high (in_block_test).
  static constexpr std::uint64_t spread(digest x) noexcept { return more_pattern_bits(pattern_bits(x)); }

  static double chance(std::uint64_t const* block, unsigned probes) noexcept {
    int ones = 0;
    for (unsigned word = 0; word < 16; ++word) ones += std::popcount(block[word]);
    return std::pow(ones / 1024.0, probes);
  }
};

using blocked_pair = in_block<blocked_pair_pattern>;
using blocked_pair_filter = of_keys<blocked_pair>;

}  // namespace hortus
