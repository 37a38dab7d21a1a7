#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include <hortus/bloom/in_block.hpp>
#include <hortus/bloom/one_key_kernels.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// Register-blocked Bloom filter: the block is one 64-bit word, so an operation is one load, one mask, one comparison.
///
///     digest --high bits--> word        0100000010000001000000...     the `probes` bits of a key, six pattern bits choose
///     each
///
/// Promise  as bloom, with one cache miss and the fewest instructions of all families.
/// Price    12.1 bits per key at a rate of 1 %, 24.0 at 0.1 %: for rates of a few per cent, where false positives are
///          cheap.
/// Lacks    erase, growth, low false-positive rates.
/// Source   J. K. Mullin, "A second look at Bloom filters", 1983; H. Lang et al., "Performance-optimal filtering", VLDB 2019.
struct register_pattern {
  static constexpr std::string_view name = "register_blocked";
  static constexpr std::string_view summary = "one 64-bit word a key: the fewest instructions, for rates of some per cent";
  static constexpr verb_set kernels = verb::insert | verb::insert_if_new | verb::may_contain;  ///< for blocks of keys
  static constexpr auto layout = plan::layouts::word;
  static constexpr setting_note about_probes{"bits that a key has; by default as many as need the least space", "1 to 32", "4"};

  static constexpr std::uint64_t block_of(digest x, std::uint64_t blocks) noexcept { return fastrange(x.bits(), blocks); }

  static constexpr void for_each_mask(digest x, unsigned probes, auto act) noexcept {
    act(0U, word_mask(pattern_bits(x), probes));
  }

  static constexpr auto has = kernels::one_in_word;
  static constexpr auto set = kernels::set_one_in_word;

  static constexpr auto may_contain = kernels::in_word;  // the loops of batches are in src/block_kernels.cpp
  static constexpr auto insert = kernels::set_in_word;
  static constexpr auto insert_if_new = kernels::new_in_word;

  static double chance(std::uint64_t const* block, unsigned probes) noexcept {
    return std::pow(std::popcount(*block) / 64.0, probes);
  }
};

using register_blocked = in_block<register_pattern>;
using register_blocked_filter = of_keys<register_blocked>;

}  // namespace hortus
