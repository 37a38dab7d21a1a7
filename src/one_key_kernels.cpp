#include <hortus/bloom/one_key_kernels.hpp>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>

// This file includes itself once for each instruction set: see src/block_kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/one_key_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

/// More probes than a pattern has.
HWY_NOINLINE bool has_patterns(std::uint64_t const* line, digest x, unsigned probes) {
  auto pattern = pattern_bits(x);
  for (; probes > single_bits::probes; probes -= single_bits::probes, pattern = more_pattern_bits(pattern))
    if (!line_probes<single_bits>(single_bits::probes).set_in(line, pattern)) return false;
  return line_probes<single_bits>(probes).set_in(line, pattern);
}
bool one_in_line(std::uint64_t const* line, digest x, unsigned probes) {
  if (probes > single_bits::probes) return has_patterns(line, x, probes);
  return line_probes<single_bits>(probes).set_for_one(line, x);
}

/// By masks, one bit after the other. Calls to these are the last thing a function does, so that it saves no registers for
/// patterns that are rare.
template <class Pattern>
HWY_NOINLINE bool has_masks(std::uint64_t const* block, digest x, unsigned probes) {
  std::uint64_t missing = 0;
  Pattern::for_each_mask(x, probes, [&](unsigned word, std::uint64_t mask) HWY_ATTR { missing |= mask & ~block[word]; });
  return missing == 0;
}
template <class Pattern>
HWY_NOINLINE void set_masks(std::uint64_t* block, digest x, unsigned probes) {
  Pattern::for_each_mask(x, probes, [&](unsigned word, std::uint64_t mask) HWY_ATTR { block[word] |= mask; });
}

#ifdef HORTUS_LINE_IN_REGISTER
void set_one_in_line(std::uint64_t* line, digest x, unsigned probes) { set_in_one_line<false>(line, x, probes); }
#else
void set_one_in_line(std::uint64_t* line, digest x, unsigned probes) { set_masks<blocked_pattern>(line, x, probes); }
#endif

#ifdef HORTUS_KEYS_IN_LANES
/// Row i: a one in each of the first i lanes.
struct first_ones {
  HWY_ALIGN std::uint64_t row[9][8];
  constexpr first_ones() : row{} {
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t lane = 0; lane < i; ++lane) row[i][lane] = 1;
  }
};
constexpr first_ones ones;

HWY_INLINE std::uint64_t first_of(__m128i a) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(a)); }
HWY_INLINE std::uint64_t second_of(__m128i a) { return static_cast<std::uint64_t>(_mm_extract_epi64(a, 1)); }
HWY_INLINE __m128i either_half(__m256i a) { return _mm_or_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)); }
#endif

#if defined(HORTUS_LINE_IN_REGISTER)
/// Are the lowest bits of the first `probes` words set? A shift takes one instruction, a register of ones two.
HWY_INLINE bool lowest_set(__m512i words, unsigned probes) {
  auto const highest = _mm512_slli_epi64(words, 63);
  return _bzhi_u32(_mm512_testn_epi64_mask(highest, highest), probes) == 0;
}
/// All words of the upper half, or those of the lower.
HWY_INLINE __m256i either_half(__m512i a) {
  return _mm256_or_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
}

/// Lane i: the position of probe i, in its lowest six bits. Rotations ignore the others.
HWY_INLINE __m512i positions(digest x) {
  return hn::Shr(patterns(hn::Set(words(), x.bits())), hn::Load(words(), offsets<word_bits>::value)).raw;
}
bool one_in_word(std::uint64_t const* word, digest x, unsigned probes) {
  if (probes > 8) return has_masks<register_pattern>(word, x, probes);
  return lowest_set(_mm512_rorv_epi64(hn::Set(words(), *word).raw, positions(x)), probes);
}
void set_one_in_word(std::uint64_t* word, digest x, unsigned probes) {
  if (probes > 8) return set_masks<register_pattern>(word, x, probes);
  auto const masks = _mm512_rolv_epi64(hn::Load(words(), ones.row[probes]).raw, positions(x));
  auto const two = either_half(either_half(masks));
  *word |= first_of(two) | second_of(two);
}

/// The patterns of a key's two words alternate in the lanes, and so do their probes.
struct two_patterns {
  __m512i both;
  explicit HWY_INLINE two_patterns(digest x) {
    auto const first = patterns(hn::Set(words(), x.bits()));
    both = hn::InterleaveLower(words(), first, more_patterns(first)).raw;
  }
  [[nodiscard]] HWY_INLINE __m512i positions() const {
    HWY_ALIGN static constexpr std::uint64_t shifts[8] = {0, 0, 6, 6, 12, 12, 18, 18};
    return _mm512_srlv_epi64(both, hn::Load(words(), shifts).raw);
  }
  /// Which word of its half each has.
  [[nodiscard]] HWY_INLINE __m512i numbers() const { return _mm512_srli_epi64(both, 62); }
};

bool one_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  if (probes > 8) return has_masks<sectorized_pattern>(line, x, probes);
  HWY_ALIGN static constexpr std::uint64_t halves[8] = {0, 4, 0, 4, 0, 4, 0, 4};
  two_patterns const of(x);
  auto const number = _mm512_or_si512(of.numbers(), hn::Load(words(), halves).raw);
  auto const word = _mm512_permutexvar_epi64(number, _mm512_loadu_si512(line));
  return lowest_set(_mm512_rorv_epi64(word, of.positions()), probes);
}
void set_one_in_sectors(std::uint64_t* line, digest x, unsigned probes) {
  if (probes > 8) return set_masks<sectorized_pattern>(line, x, probes);
  two_patterns const of(x);
  auto const masks = either_half(either_half(_mm512_rolv_epi64(hn::Load(words(), ones.row[probes]).raw, of.positions())));
  auto const numbers = _mm512_castsi512_si128(of.numbers());
  line[first_of(numbers)] |= first_of(masks);
  line[4 + second_of(numbers)] |= second_of(masks);
}
#elif defined(HORTUS_KEYS_IN_LANES)
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

/// The masks of four probes, without those where `ones` has a zero.
HWY_INLINE __m256i four_masks(std::uint64_t pattern, std::uint64_t const* ones_of_four) {
  return _mm256_sllv_epi64(_mm256_load_si256(reinterpret_cast<__m256i const*>(ones_of_four)), four_positions(pattern));
}

bool one_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  if (probes > 8) return has_masks<sectorized_pattern>(line, x, probes);
  auto const first = pattern_bits(x);
  auto const second = more_pattern_bits(first);
  auto const both = _mm256_and_si256(four_bits(line[first >> 62], first), four_bits(line[4 + (second >> 62)], second));
  return _bzhi_u32(~lowest_bits(both), probes / 2) == 0;
}

/// Eight positions in lanes of 32 bits. Each lane takes the half of the word that its position is in: elements 0 and 2 are the
/// lower half, 1 and 3 the upper one.
bool one_in_word(std::uint64_t const* word, digest x, unsigned probes) {
  if (probes > 8) return has_masks<register_pattern>(word, x, probes);
  auto const at = eight_positions<word_bits>(pattern_bits(x));
  auto const halves = _mm256_castsi256_ps(_mm256_set1_epi64x(static_cast<long long>(*word)));
  auto const lanes = _mm256_castps_si256(_mm256_permutevar_ps(halves, _mm256_srli_epi32(at, 5)));
  auto const in_lane = _mm256_srli_epi32(_mm256_slli_epi32(at, 27), 27);  // two shifts: a constant takes three instructions
  auto const found = _mm256_slli_epi32(_mm256_srlv_epi32(lanes, in_lane), 31);
  return _bzhi_u32(~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(found))), probes) == 0;
}

void set_one_in_word(std::uint64_t* word, digest x, unsigned probes) {
  if (probes > 8) return set_masks<register_pattern>(word, x, probes);
  auto const bits = pattern_bits(x);
  auto const two =
      either_half(_mm256_or_si256(four_masks(bits, ones.row[probes]), four_masks(bits >> 24, ones.row[probes] + 4)));
  *word |= first_of(two) | second_of(two);
}

void set_one_in_sectors(std::uint64_t* line, digest x, unsigned probes) {
  if (probes > 8) return set_masks<sectorized_pattern>(line, x, probes);
  auto const first = pattern_bits(x);
  auto const second = more_pattern_bits(first);
  auto const a = four_masks(first, ones.row[probes / 2]);
  auto const b = four_masks(second, ones.row[probes / 2]);
  auto const masks = either_half(_mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)));
  line[first >> 62] |= first_of(masks);
  line[4 + (second >> 62)] |= second_of(masks);
}
#else
bool one_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  return has_masks<sectorized_pattern>(line, x, probes);
}
bool one_in_word(std::uint64_t const* word, digest x, unsigned probes) { return has_masks<register_pattern>(word, x, probes); }
void set_one_in_word(std::uint64_t* word, digest x, unsigned probes) { set_masks<register_pattern>(word, x, probes); }
void set_one_in_sectors(std::uint64_t* line, digest x, unsigned probes) { set_masks<sectorized_pattern>(line, x, probes); }
#endif

#ifdef HORTUS_KEYS_IN_LANES
bool one_in_lanes(std::uint64_t const* block, digest x, unsigned) {
  return _mm256_testc_si256(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(block)), lane_masks(x, 0).raw) != 0;
}
#else
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
HWY_EXPORT(set_one_in_line);
HWY_EXPORT(set_one_in_sectors);
HWY_EXPORT(set_one_in_lanes);
HWY_EXPORT(set_one_in_word);

namespace {

bool choose_in_line(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_line, [] { return HWY_DYNAMIC_DISPATCH(one_in_line); })(line, x, probes);
}
bool choose_in_sectors(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_sectors, [] { return HWY_DYNAMIC_DISPATCH(one_in_sectors); })(line, x, probes);
}
bool choose_in_lanes(std::uint64_t const* block, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_lanes, [] { return HWY_DYNAMIC_DISPATCH(one_in_lanes); })(block, x, probes);
}
bool choose_in_word(std::uint64_t const* word, digest x, unsigned probes) {
  return kept(chosen_for_one_key.in_word, [] { return HWY_DYNAMIC_DISPATCH(one_in_word); })(word, x, probes);
}
void choose_set_in_line(std::uint64_t* line, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_line, [] { return HWY_DYNAMIC_DISPATCH(set_one_in_line); })(line, x, probes);
}
void choose_set_in_sectors(std::uint64_t* line, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_sectors, [] { return HWY_DYNAMIC_DISPATCH(set_one_in_sectors); })(line, x, probes);
}
void choose_set_in_lanes(std::uint64_t* block, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_lanes, [] { return HWY_DYNAMIC_DISPATCH(set_one_in_lanes); })(block, x, probes);
}
void choose_set_in_word(std::uint64_t* word, digest x, unsigned probes) {
  kept(chosen_for_one_key.set_in_word, [] { return HWY_DYNAMIC_DISPATCH(set_one_in_word); })(word, x, probes);
}

}  // namespace

constinit one_key_kernels chosen_for_one_key{choose_in_line,      choose_in_sectors,  choose_in_lanes,
                                             choose_in_word,      choose_set_in_line, choose_set_in_sectors,
                                             choose_set_in_lanes, choose_set_in_word};

void one_key_kernels::choose_again() noexcept {
  in_line = choose_in_line;
  in_sectors = choose_in_sectors;
  in_lanes = choose_in_lanes;
  in_word = choose_in_word;
  set_in_line = choose_set_in_line;
  set_in_sectors = choose_set_in_sectors;
  set_in_lanes = choose_set_in_lanes;
  set_in_word = choose_set_in_word;
}

}  // namespace hortus::kernels
#endif
