#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include <hortus/bloom/in_block.hpp>
#include <hortus/bloom/one_key_kernels.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// Sectorized Bloom filter: a block is a cache line of eight words. A key uses two of them, with half of its bits in each.
///
///     line    w0   w1   w2   w3  |  w4   w5   w6   w7
///                  ^A                        ^B            one word of each half; `probes` / 2 bits in it
///
/// Promise  as bloom, with one cache miss and two masks per operation.
/// Price    10.3 bits per key at a rate of 1 %, 17.1 at 0.1 %.
/// Lacks    erase, growth, odd numbers of probes.
/// Source   H. Lang, T. Neumann, A. Kemper, P. Boncz, "Performance-optimal filtering: Bloom overtakes cuckoo at high
///          throughput", VLDB 2019.
struct sectorized_pattern {
  static constexpr std::string_view name = "sectorized";
  static constexpr std::string_view summary = "two words of one cache line a key: small, and fast without vector instructions";
  static constexpr verb_set kernels = verb::insert | verb::insert_if_new | verb::may_contain;  ///< for blocks of keys
  static constexpr auto layout = plan::layouts::sectorized;
  static constexpr setting_note about_probes{
      "bits that a key has, half of them in each of its two words; by default as many as need the least space", "2 to 32, even",
      "6"};

  static constexpr std::uint64_t block_of(digest x, std::uint64_t blocks) noexcept { return fastrange(x.bits(), blocks); }

  /// Each of the two words has 64 pattern bits. The top two choose the word among four; each probe takes six of the others.
  static constexpr void for_each_mask(digest x, unsigned probes, auto act) noexcept {
    auto const first = pattern_bits(x);
    auto const second = more_pattern_bits(first);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (probes <= 20) {
      unrolled(
          probes / 2, [&](unsigned i) __attribute__((always_inline)) {  // both words in one loop
            a = with_bit(a, first >> (6 * i));
            b = with_bit(b, second >> (6 * i));
          });
    } else {
      a = word_mask(first, probes / 2);
      b = word_mask(second, probes / 2);
    }
    act(static_cast<unsigned>(first >> 62), a);
    act(static_cast<unsigned>(4 + (second >> 62)), b);
  }

  static constexpr auto has = kernels::one_in_sectors;
  static constexpr auto set = kernels::set_one_in_sectors;

  static constexpr auto may_contain = kernels::in_sectors;  // the loops of batches are in src/block_kernels.cpp
  static constexpr auto insert = kernels::set_in_sectors;
  static constexpr auto insert_if_new = kernels::new_in_sectors;

  static double chance(std::uint64_t const* block, unsigned probes) noexcept {
    double first = 0;
    double second = 0;
    for (unsigned word = 0; word < 4; ++word) {
      first += std::pow(std::popcount(block[word]) / 64.0, probes / 2);
      second += std::pow(std::popcount(block[4 + word]) / 64.0, probes / 2);
    }
    return first / 4 * (second / 4);
  }
};

using sectorized = in_block<sectorized_pattern>;
using sectorized_filter = of_keys<sectorized>;

}  // namespace hortus
