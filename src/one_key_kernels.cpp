#include <hortus/bloom/one_key_kernels.hpp>

#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>

// This file includes itself once for each instruction set: see src/block_kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/one_key_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

bool one_in_line(std::uint64_t const* line, digest x, unsigned probes) {
  auto pattern = pattern_bits(x);
  for (; probes > single_bits::probes; probes -= single_bits::probes, pattern = more_pattern_bits(pattern))
    if (!line_probes<single_bits>(single_bits::probes).set_in(line, pattern)) return false;
  return line_probes<single_bits>(probes).set_in(line, pattern);
}

/// By masks, one bit after the other.
template <class Pattern>
HWY_INLINE bool has_masks(std::uint64_t const* block, digest x, unsigned probes) {
  std::uint64_t missing = 0;
  Pattern::for_each_mask(x, probes, [&](unsigned word, std::uint64_t mask) HWY_ATTR { missing |= mask & ~block[word]; });
  return missing == 0;
}
template <class Pattern>
HWY_INLINE void set_masks(std::uint64_t* block, digest x, unsigned probes) {
  Pattern::for_each_mask(x, probes, [&](unsigned word, std::uint64_t mask) HWY_ATTR { block[word] |= mask; });
}

#ifdef HORTUS_KEYS_IN_LANES
/// Bit i: the lowest bit of word i.
HWY_INLINE unsigned lowest_bits(__m256i words) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(words, 63))));
}
/// The positions of four probes in a word.
HWY_INLINE __m256i four_positions(std::uint64_t pattern) {
  auto const at = _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<long long>(pattern)), _mm256_setr_epi64x(0, 6, 12, 18));
  return _mm256_and_si256(at, _mm256_set1_epi64x(63));
}
/// The word's bits at the positions of four probes, lowest in their lanes.
HWY_INLINE __m256i four_bits(std::uint64_t word, std::uint64_t pattern) {
  return _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<long long>(word)), four_positions(pattern));
}

/// Row i: a one in each of the first i lanes.
struct first_ones {
  HWY_ALIGN std::uint64_t row[9][8];
  constexpr first_ones() : row{} {
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t lane = 0; lane < i; ++lane) row[i][lane] = 1;
  }
};
constexpr first_ones ones;

/// The masks of four probes, without those where `ones` has a zero.
HWY_INLINE __m256i four_masks(std::uint64_t pattern, std::uint64_t const* ones_of_four) {
  return _mm256_sllv_epi64(_mm256_load_si256(reinterpret_cast<__m256i const*>(ones_of_four)), four_positions(pattern));
}
HWY_INLINE __m128i either_half(__m256i a) { return _mm_or_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)); }

bool one_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  if (probes > 8) return has_masks<sectorized_pattern>(line, x, probes);
  auto const first = pattern_bits(x);
  auto const second = more_pattern_bits(first);
  auto const both = _mm256_and_si256(four_bits(line[first >> 62], first), four_bits(line[4 + (second >> 62)], second));
  return _bzhi_u32(~lowest_bits(both), probes / 2) == 0;
}

/// Eight positions in lanes of 32 bits. Each lane takes the half of the word that its position is in.
bool one_in_word(std::uint64_t const* word, digest x, unsigned probes) {
  if (probes > 8) return has_masks<register_pattern>(word, x, probes);
  auto const at = eight_positions<word_bits>(pattern_bits(x));
  auto const upper = _mm256_and_si256(_mm256_srli_epi32(at, 5), _mm256_set1_epi32(1));
  auto const halves = _mm256_castsi256_ps(_mm256_set1_epi64x(static_cast<long long>(*word)));
  auto const lanes = _mm256_castps_si256(_mm256_permutevar_ps(halves, upper));
  auto const to_sign = _mm256_andnot_si256(at, _mm256_set1_epi32(31));
  auto const set = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(lanes, to_sign)));
  return _bzhi_u32(~static_cast<unsigned>(set), probes) == 0;
}

void set_one_in_word(std::uint64_t* word, digest x, unsigned probes) {
  if (probes > 8) return set_masks<register_pattern>(word, x, probes);
  auto const bits = pattern_bits(x);
  auto const two =
      either_half(_mm256_or_si256(four_masks(bits, ones.row[probes]), four_masks(bits >> 24, ones.row[probes] + 4)));
  *word |= static_cast<std::uint64_t>(_mm_cvtsi128_si64(two) | _mm_extract_epi64(two, 1));
}

void set_one_in_sectors(std::uint64_t* line, digest x, unsigned probes) {
  if (probes > 8) return set_masks<sectorized_pattern>(line, x, probes);
  auto const first = pattern_bits(x);
  auto const second = more_pattern_bits(first);
  auto const a = four_masks(first, ones.row[probes / 2]);
  auto const b = four_masks(second, ones.row[probes / 2]);
  auto const masks = either_half(_mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)));
  line[first >> 62] |= static_cast<std::uint64_t>(_mm_cvtsi128_si64(masks));
  line[4 + (second >> 62)] |= static_cast<std::uint64_t>(_mm_extract_epi64(masks, 1));
}

bool one_in_lanes(std::uint64_t const* block, digest x, unsigned) {
  return _mm256_testc_si256(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(block)), lane_masks(x, 0).raw) != 0;
}
#else
bool one_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  return has_masks<sectorized_pattern>(line, x, probes);
}
bool one_in_word(std::uint64_t const* word, digest x, unsigned probes) { return has_masks<register_pattern>(word, x, probes); }
void set_one_in_word(std::uint64_t* word, digest x, unsigned probes) { set_masks<register_pattern>(word, x, probes); }
void set_one_in_sectors(std::uint64_t* line, digest x, unsigned probes) { set_masks<sectorized_pattern>(line, x, probes); }

bool one_in_lanes(std::uint64_t const* block, digest x, unsigned) {
  some_lanes const d;
  auto const* const lanes = reinterpret_cast<std::uint32_t const*>(block);
  auto missing = hn::Zero(d);
  for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d))
    missing = hn::Or(missing, hn::AndNot(hn::LoadU(d, lanes + lane), lane_masks(x, lane)));
  return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
}
#endif

void set_one_in_lanes(std::uint64_t* block, digest x, unsigned) { set_in_one_block<false>(block, x); }

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kept_kernel.hpp"

namespace hortus::kernels {

HWY_EXPORT(one_in_line);
HWY_EXPORT(one_in_sectors);
HWY_EXPORT(one_in_lanes);
HWY_EXPORT(one_in_word);
HWY_EXPORT(set_one_in_sectors);
HWY_EXPORT(set_one_in_lanes);
HWY_EXPORT(set_one_in_word);

namespace {

bool choose_in_line(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_line, [] { return &HWY_DYNAMIC_DISPATCH(one_in_line); })(line, x, probes);
}
bool choose_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_sectors, [] { return &HWY_DYNAMIC_DISPATCH(one_in_sectors); })(line, x, probes);
}
bool choose_in_lanes(std::uint64_t const* block, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_lanes, [] { return &HWY_DYNAMIC_DISPATCH(one_in_lanes); })(block, x, probes);
}
bool choose_in_word(std::uint64_t const* word, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_word, [] { return &HWY_DYNAMIC_DISPATCH(one_in_word); })(word, x, probes);
}
void choose_set_in_sectors(std::uint64_t* line, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_sectors, [] { return &HWY_DYNAMIC_DISPATCH(set_one_in_sectors); })(line, x, probes);
}
void choose_set_in_lanes(std::uint64_t* block, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_lanes, [] { return &HWY_DYNAMIC_DISPATCH(set_one_in_lanes); })(block, x, probes);
}

void choose_set_in_word(std::uint64_t* word, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_word, [] { return &HWY_DYNAMIC_DISPATCH(set_one_in_word); })(word, x, probes);
}

}  // namespace

constinit one_key_kernels chosen_for_one_key{choose_in_line,        choose_in_sectors,   choose_in_lanes,   choose_in_word,
                                             choose_set_in_sectors, choose_set_in_lanes, choose_set_in_word};

void one_key_kernels::choose_again() noexcept {
  in_line = choose_in_line;
  in_sectors = choose_in_sectors;
  in_lanes = choose_in_lanes;
  in_word = choose_in_word;
  set_in_sectors = choose_set_in_sectors;
  set_in_lanes = choose_set_in_lanes;
  set_in_word = choose_set_in_word;
}

}  // namespace hortus::kernels
#endif
