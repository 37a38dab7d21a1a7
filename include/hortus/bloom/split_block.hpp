#pragma once
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <bit>
#include <cstdint>

#include <hortus/bloom/in_block.hpp>
#include <hortus/bloom/one_key_kernels.hpp>

namespace hortus {

#ifdef __AVX2__
inline namespace avx2 {  // own symbol names: a program may link units compiled with AVX2 and units compiled without
#endif

/// Split block Bloom filter, as in Parquet: a block is eight lanes of 32 bits, and a key sets one bit in each.
///
///     block of 256 bits     lane 0   lane 1   lane 2   ...   lane 7
///                          ..1....  ....1..  1......        .....1.     a lane's bit: the top five bits of the low half of
///                                                                       the digest times the lane's salt
/// Promise  as bloom, with one cache miss. With XXH64 and seed 0 the bytes equal a Parquet bitset of the same size.
/// Price    10.5 bits per key at a rate of 1 %, 16.9 at 0.1 %, 26.3 at 1e-4; blocked needs less.
/// Lacks    erase, growth, a choice of probes: there are always eight.
/// Source   Apache Parquet's BloomFilter specification; Polychroniou, Ross, "Vectorized Bloom filters", DaMoN 2014.
struct split_block_pattern {
  static constexpr std::string_view name = "split_block";
  static constexpr std::string_view summary = "Parquet's: one bit in each of eight lanes of a 32-byte block";
  static constexpr verb_set kernels = verb::insert | verb::insert_if_new | verb::may_contain;  ///< for blocks of keys
  static constexpr auto layout = plan::layouts::split;
  static constexpr setting_note about_probes{"bits that a key has, one in each lane", "8", "8"};

  /// Parquet's reduction, by the upper 32 bits of the digest. It cannot reach more than 2^32 blocks, so the layout allows
  /// no more.
  static constexpr std::uint64_t block_of(digest x, std::uint64_t blocks) noexcept { return split_block_of(x, blocks); }

  static constexpr void for_each_mask(digest x, unsigned, auto act) noexcept {
    for (unsigned lane = 0; lane < 8; lane += 2)
      act(lane / 2, std::uint64_t{1} << split_bit(x, lane) | std::uint64_t{1} << (32 + split_bit(x, lane + 1)));
  }

#ifdef __AVX2__
  /// In code compiled for AVX2 the eight lanes are one register, and no function is called. Loads are unaligned, because bytes
  /// borrowed by a view are only 8-byte aligned.
  static bool has(std::uint64_t const* block, digest x, unsigned) noexcept {
    return _mm256_testc_si256(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(block)), masks(x)) != 0;
  }
  static void set(std::uint64_t* block, digest x, unsigned) noexcept {
    auto* const lanes = reinterpret_cast<__m256i*>(block);
    _mm256_storeu_si256(lanes, _mm256_or_si256(_mm256_loadu_si256(lanes), masks(x)));
  }
#else
  static constexpr auto has = kernels::one_in_lanes;
  static constexpr auto set = kernels::set_one_in_lanes;
#endif

  static constexpr auto may_contain = kernels::in_lanes;  // the loops of batches are in src/block_kernels.cpp
  static constexpr auto insert = kernels::set_in_lanes;
  static constexpr auto insert_if_new = kernels::new_in_lanes;

  static double chance(std::uint64_t const* block, unsigned) noexcept {
    double all = 1;
    for (unsigned lane = 0; lane < 8; ++lane)
      all *= std::popcount(static_cast<std::uint32_t>(block[lane / 2] >> (lane % 2 * 32))) / 32.0;
    return all;
  }

#ifdef __AVX2__
 private:
  static __m256i masks(digest x) noexcept {
    auto const salts = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(split_salts.data()));
    auto const product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x.bits())), salts);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
  }
#endif
};

using split_block = in_block<split_block_pattern>;
using split_block_filter = of_keys<split_block>;

#ifdef __AVX2__
}  // namespace avx2
#endif

}  // namespace hortus
