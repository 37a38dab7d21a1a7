// Building blocks of the vector kernels in block_kernels.cpp and pair_kernels.cpp. Compiled once for each instruction set, as
// they are. AVX3 is Highway's name for AVX-512 with BW, CD, DQ and VL.
#if defined(HORTUS_SRC_BLOCK_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HORTUS_SRC_BLOCK_KERNELS_INL
#undef HORTUS_SRC_BLOCK_KERNELS_INL
#else
#define HORTUS_SRC_BLOCK_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include <hortus/bloom/block_kernels.hpp>
#include <hortus/index/block_pattern.hpp>

// Without AVX2 lanes cannot be shifted by different numbers of bits, and working on one key after the other is faster.
#undef HORTUS_KEYS_IN_LANES
#undef HORTUS_LINE_IN_REGISTER
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define HORTUS_KEYS_IN_LANES 1
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define HORTUS_LINE_IN_REGISTER 1
#endif

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most_keys = 64;
constexpr std::size_t group_keys = 8;                       // keys that are processed, and prefetched, at a time
[[maybe_unused]] constexpr unsigned probes_in_a_word = 10;  // positions of six bits in 64 pattern bits

/// Positions of single bits in a line of 512 bits: the upper three bits of a position choose a word, the others a bit of it.
struct single_bits {
  static constexpr unsigned width = 9, probes = 7;  // bits of a position, and how many positions fit into 64 bits
  static constexpr int in_a_word = 6, spread = 0;   // log2 of the choices in a word, and of their distance in bits
  static constexpr std::uint64_t mask = 1;
};
/// Positions of pairs of bits, which are small counters, in the same way.
struct bit_pairs {
  static constexpr unsigned width = 8, probes = 8;
  static constexpr int in_a_word = 5, spread = 1;
  static constexpr std::uint64_t mask = 3;
};

/// Positions of bits in a word.
struct word_bits {
  static constexpr unsigned width = 6;
};

using keys = std::span<digest const>;

/// The lowest `count` bits.
HWY_INLINE std::uint64_t first(std::size_t count, std::uint64_t bits) {
  return count == 0 ? 0 : bits & ~std::uint64_t{0} >> (most_keys - count);
}

/// Packs bytes that are 0 or 1 into bits.
HWY_INLINE std::uint64_t to_bits(std::uint8_t const* bytes, std::size_t count) {
  std::uint64_t hits = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  hn::CappedTag<std::uint8_t, most_keys> const d;
  for (std::size_t i = 0; i < most_keys; i += hn::Lanes(d))
    hn::StoreMaskBits(d, hn::Ne(hn::Load(d, bytes + i), hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&hits) + i / 8);
#else
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): `count` bytes were written
  for (std::size_t i = 0; i < count; ++i) hits |= std::uint64_t{bytes[i]} << i;
#endif
  return first(count, hits);
}

/// Which keys of a batch were new, if a caller asked.
template <bool Asked>
class new_keys {
 public:
  HWY_INLINE void note(std::size_t i, bool fresh) {
    if constexpr (Asked) fresh_[i] = fresh;
  }
  [[nodiscard]] HWY_INLINE std::uint64_t bits(std::size_t count) const {
    if constexpr (Asked) return to_bits(fresh_, count);
    return 0;
  }

 private:
  HWY_ALIGN std::uint8_t fresh_[Asked ? most_keys : 1];
};

/// Sets the bits of a mask; returns those that were not set before.
HWY_INLINE std::uint64_t set_bits(std::uint64_t& word, std::uint64_t mask) {
  auto const before = word;
  word = before | mask;
  return mask & ~before;
}

#ifdef HORTUS_KEYS_IN_LANES
using words = hn::ScalableTag<std::uint64_t>;
using vector = hn::Vec<words>;

/// The keys in whole groups: zeros follow the last key, so that no memory past the span is read.
class padded {
 public:
  explicit HWY_INLINE padded(keys xs) : bits_(reinterpret_cast<std::uint64_t const*>(xs.data())) {
    auto const more = xs.size() % group_keys;
    if (more == 0) return;
    for (std::size_t i = 0; i < xs.size(); ++i) space_[i] = bits_[i];
    for (std::size_t i = xs.size(); i < xs.size() + group_keys - more; ++i) space_[i] = 0;
    bits_ = space_;
  }
  HWY_INLINE vector operator[](std::size_t i) const { return hn::LoadU(words(), bits_ + i); }

 private:
  HWY_ALIGN std::uint64_t space_[most_keys];
  std::uint64_t const* bits_;
};

/// The products of the lower halves of each lane.
HWY_INLINE vector times(vector a, vector b) {
  hn::Repartition<std::uint32_t, words> const halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
}
#endif

/// The first word of a key's block: start() for one key, starts() for a vector of keys, with fewer than 2^32 blocks.
template <unsigned WordsInABlock>
struct by_fastrange {
  static HWY_INLINE std::uint64_t start(digest x, std::uint64_t blocks) { return fastrange(x.bits(), blocks) * WordsInABlock; }
#ifdef HORTUS_KEYS_IN_LANES
  static HWY_INLINE vector starts(vector x, vector blocks) {
    auto const high = hn::Add(times(hn::ShiftRight<32>(x), blocks), hn::ShiftRight<32>(times(x, blocks)));
    return hn::ShiftLeft < WordsInABlock == 8 ? 3 : 0 > (hn::ShiftRight<32>(high));
  }
#endif
};
struct by_parquet {
  static HWY_INLINE std::uint64_t start(digest x, std::uint64_t blocks) { return split_block_of(x, blocks) * 4; }
#ifdef HORTUS_KEYS_IN_LANES
  static HWY_INLINE vector starts(vector x, vector blocks) {
    return hn::ShiftLeft<2>(hn::ShiftRight<32>(times(hn::ShiftRight<32>(x), blocks)));
  }
#endif
};

/// Prefetches the next keys' blocks, group by group, in between the work on the present keys. That keeps a steady stream of
/// cache misses in flight; prefetching all at once would first overfill the queue of misses and then leave it empty.
template <class Position>
class asking {
 public:
  HWY_INLINE asking(std::uint64_t const* from, std::uint64_t blocks, keys next) : from_(from), blocks_(blocks), next_(next) {}

  HWY_INLINE void group(std::size_t i) const {
    if (i >= next_.size()) return;
#ifdef HORTUS_KEYS_IN_LANES
    if (i + group_keys <= next_.size() && blocks_ >> 32 == 0) {
      HWY_ALIGN std::uint64_t start[group_keys];
      auto const* const bits = reinterpret_cast<std::uint64_t const*>(next_.data());
      for (std::size_t j = 0; j < group_keys; j += hn::Lanes(words()))
        hn::Store(Position::starts(hn::LoadU(words(), bits + i + j), hn::Set(words(), blocks_)), words(), start + j);
      for (auto const word : start) __builtin_prefetch(from_ + word);
      return;
    }
#endif
    for (auto const x : next_.subspan(i, std::min(group_keys, next_.size() - i)))
      __builtin_prefetch(from_ + Position::start(x, blocks_));
  }

 private:
  std::uint64_t const* from_;
  std::uint64_t blocks_;
  keys next_;
};

// -- keys in lanes: 64 bits each ----------------------------------------------------------------------------------------------

#ifdef HORTUS_KEYS_IN_LANES
/// The position of each key's word, and the key's bits in it.
struct masked_words {
  HWY_ALIGN std::uint64_t word[most_keys];
  HWY_ALIGN std::uint64_t mask[most_keys];

  /// Reads the words: afterwards `word` holds their values instead of their positions.
  HWY_INLINE void read(std::uint64_t const* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) word[i] = from[word[i]];
  }
};

/// The first words of the blocks of keys i, i + 1, ...; zeros past the last key.
template <class Position>
HWY_INLINE void find_starts(keys xs, padded const& all, std::size_t i, std::uint64_t blocks, std::uint64_t* starts) {
  if (blocks >> 32 != 0)
    for (std::size_t j = 0; j < group_keys; ++j) starts[j] = i + j < xs.size() ? Position::start(xs[i + j], blocks) : 0;
  else
    for (std::size_t j = 0; j < group_keys; j += hn::Lanes(words()))
      hn::Store(Position::starts(all[i + j], hn::Set(words(), blocks)), words(), starts + j);
}

/// pattern_bits() and more_pattern_bits() for a vector of keys.
HWY_INLINE vector patterns(vector x) {
  auto const spread = hn::Mul(x, hn::Set(words(), golden_ratio64));
  return hn::Xor(spread, hn::ShiftRight<32>(spread));
}
HWY_INLINE vector more_patterns(vector x) { return patterns(hn::Add(x, hn::Set(words(), golden_ratio64))); }

/// A word with the one bit set whose number is in the lowest six bits of a pattern.
HWY_INLINE vector one_bit(vector bits) {
  auto const one = hn::Set(words(), 1);
#ifdef HORTUS_LINE_IN_REGISTER
  return vector{_mm512_rolv_epi64(one.raw, bits.raw)};  // a rotation uses only six bits: no masking needed
#else
  return hn::Shl(one, hn::And(bits, hn::Set(words(), 63)));
#endif
}

/// word_mask() for a vector of patterns. Pre: probes <= probes_in_a_word.
HWY_INLINE vector masks(vector bits, unsigned probes) {
  auto mask = one_bit(bits);
  for (unsigned i = 1; i < probes; ++i) mask = hn::Or(mask, one_bit(bits = hn::ShiftRight<6>(bits)));
  return mask;
}

/// Bit i: does word i have all bits of its mask? Done after all words are stored, because a vector load stalls on words that
/// are still on their way to the cache.
HWY_INLINE std::uint64_t have(masked_words const& at, std::size_t count) {
  words const d;
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::AndNot(hn::Load(d, at.word + i), hn::Load(d, at.mask + i)), hn::Zero(d)), bits);
    hits |= std::uint64_t{bits[0]} << i;
  }
  return first(count, hits);
}

HWY_INLINE void find_words(keys xs, padded const& all, std::size_t i, blocks_to_read const& in, masked_words& out) {
  find_starts<by_fastrange<1>>(xs, all, i, in.blocks, out.word + i);
  for (std::size_t j = i; j < i + group_keys; j += hn::Lanes(words()))
    hn::Store(masks(patterns(all[j]), in.probes), words(), out.mask + j);
}

/// The two words of each key in a sectorized line. The top two bits of each pattern choose one word among four.
HWY_INLINE void find_sectors(keys xs, padded const& all, std::size_t i, blocks_to_read const& in, masked_words& a,
                             masked_words& b) {
  words const d;
  find_starts<by_fastrange<8>>(xs, all, i, in.blocks, a.word + i);
  for (std::size_t j = i; j < i + group_keys; j += hn::Lanes(d)) {
    auto const line = hn::Load(d, a.word + j);
    auto const pattern = patterns(all[j]);
    auto const more = more_patterns(pattern);
    hn::Store(hn::Add(line, hn::ShiftRight<62>(pattern)), d, a.word + j);
    hn::Store(hn::Add(hn::Add(line, hn::Set(d, 4)), hn::ShiftRight<62>(more)), d, b.word + j);
    hn::Store(masks(pattern, in.probes / 2), d, a.mask + j);
    hn::Store(masks(more, in.probes / 2), d, b.mask + j);
  }
}
#endif

// -- bits or pairs of bits anywhere in a line ---------------------------------------------------------------------------------

/// line_probes: tests in a line the positions of one pattern, at most seven (single_bits) or eight (bit_pairs). A
/// permutation of the line's words finds the words of several probes at once.
#ifdef HORTUS_KEYS_IN_LANES
template <class Of>
struct offsets {
  HWY_ALIGN static constexpr std::uint64_t value[8] = {
      0, Of::width, 2 * Of::width, 3 * Of::width, 4 * Of::width, 5 * Of::width, 6 * Of::width, 7 * Of::width};
  /// In the order that becomes 0 to 7 when the lower halves of two registers are put together.
  HWY_ALIGN static constexpr std::uint64_t of_halves[8] = {
      0, Of::width, 4 * Of::width, 5 * Of::width, 2 * Of::width, 3 * Of::width, 6 * Of::width, 7 * Of::width};
};
#endif
#ifdef HORTUS_KEYS_IN_LANES
/// The positions of eight probes in lanes of 32 bits. Bits above their width are not cleared.
template <class Of>
HWY_INLINE __m256i eight_positions(std::uint64_t pattern) {
  auto const* const shifts = reinterpret_cast<__m256i const*>(offsets<Of>::of_halves);
  auto const all = _mm256_set1_epi64x(static_cast<long long>(pattern));
  auto const some = _mm256_srlv_epi64(all, _mm256_load_si256(shifts));
  auto const others = _mm256_srlv_epi64(all, _mm256_load_si256(shifts + 1));
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(some), _mm256_castsi256_ps(others), 0x88));
}
#endif
#if defined(HORTUS_LINE_IN_REGISTER)
template <class Of>
class line_probes {
 public:
  explicit HWY_INLINE line_probes(unsigned probes) : probes_(std::min(probes, Of::probes)) {}

  HWY_INLINE bool set_in(std::uint64_t const* line, std::uint64_t pattern) const {
    return none(_mm512_testn_epi64_mask(found(line, pattern), hn::Set(words(), Of::mask).raw));
  }
  /// The same for a single key. Every instruction counts: a pattern computed in all lanes is there already, and a shift takes
  /// the place of a constant.
  HWY_INLINE bool set_for_one(std::uint64_t const* line, digest x) const {
    auto const found_bits = _mm512_slli_epi64(found(line, patterns(hn::Set(words(), x.bits()))), 64 - std::bit_width(Of::mask));
    return none(_mm512_testn_epi64_mask(found_bits, found_bits));
  }
  /// The smallest of these pairs, from whether one lacks both its bits, the upper bit, or either bit.
  HWY_INLINE unsigned least_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const pairs = found(line, pattern);
    auto const both = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 3).raw);
    auto const upper = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 2).raw);
    auto const lower = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 1).raw);
    return unsigned{none(both)} + unsigned{none(upper)} + unsigned{none(upper | lower)};
  }

 private:
  /// The words of the probes, rotated so that the probed bits are lowest.
  static HWY_INLINE __m512i found(std::uint64_t const* line, std::uint64_t pattern) {
    return found(line, hn::Set(words(), pattern));
  }
  static HWY_INLINE __m512i found(std::uint64_t const* line, vector pattern) {
    auto const at = hn::Shr(pattern, hn::Load(words(), offsets<Of>::value));
    // The permutation uses only three bits of an index, the rotation six: no masking needed.
    auto const in = _mm512_permutexvar_epi64(hn::ShiftRight<Of::in_a_word>(at).raw, hn::LoadU(words(), line).raw);
    return _mm512_rorv_epi64(in, hn::ShiftLeft<Of::spread>(at).raw);
  }
  /// Is no lane set among the first probes_ lanes?
  HWY_INLINE bool none(unsigned lacking) const { return _bzhi_u32(lacking, probes_) == 0; }

  unsigned probes_;
};
#elif defined(HORTUS_KEYS_IN_LANES)
template <class Of>
class line_probes {
 public:
  explicit HWY_INLINE line_probes(unsigned probes) : probes_(std::min(probes, Of::probes)) {}

  HWY_INLINE bool set_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const bits = found(line, pattern);
    return all(Of::mask == 1 ? signs(bits) : signs(_mm256_or_si256(bits, _mm256_slli_epi32(bits, 1))));
  }
  HWY_INLINE bool set_for_one(std::uint64_t const* line, digest x) const { return set_in(line, pattern_bits(x)); }
  /// The smallest of these pairs: the number of values among 1, 2, 3 that all pairs reach.
  HWY_INLINE unsigned least_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const pairs = found(line, pattern);
    auto const upper = signs(pairs);
    auto const lower = signs(_mm256_slli_epi32(pairs, 1));
    return unsigned{all(upper | lower)} + unsigned{all(upper)} + unsigned{all(upper & lower)};
  }

 private:
  static constexpr int in_a_lane = Of::in_a_word - 1;  // lanes have 32 bits

  /// The lanes of all probes, one after the other, shifted so that the probed bits are highest. The line is two registers of
  /// eight lanes, and the highest bit of a position chooses between them.
  static HWY_INLINE __m256i found(std::uint64_t const* line, std::uint64_t pattern) {
    auto const at = eight_positions<Of>(pattern);
    auto const lane = _mm256_srli_epi32(at, in_a_lane);  // a permutation uses only three bits of an index
    auto const half = [&](std::size_t from) HWY_ATTR {
      auto const words = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(line + from));
      return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words, lane));
    };
    auto const second = _mm256_castsi256_ps(_mm256_slli_epi32(at, 31 - (in_a_lane + 3)));  // chosen by the sign
    auto const bits_above = _mm256_andnot_si256(_mm256_slli_epi32(at, Of::spread), _mm256_set1_epi32(32 - (1 << Of::spread)));
    return _mm256_sllv_epi32(_mm256_castps_si256(_mm256_blendv_ps(half(0), half(4), second)), bits_above);
  }
  static HWY_INLINE unsigned signs(__m256i lanes) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
  }
  HWY_INLINE bool all(unsigned set) const { return _bzhi_u32(~set, probes_) == 0; }

  unsigned probes_;
};
#else
template <class Of>
class line_probes {
 public:
  explicit HWY_INLINE line_probes(unsigned probes) : probes_(std::min(probes, Of::probes)) {}

  HWY_INLINE bool set_in(std::uint64_t const* line, std::uint64_t pattern) const {
    bool all = true;
    for (unsigned i = 0; i < probes_; ++i, pattern >>= Of::width) all &= found(line, pattern) != 0;
    return all;
  }
  HWY_INLINE bool set_for_one(std::uint64_t const* line, digest x) const { return set_in(line, pattern_bits(x)); }
  HWY_INLINE unsigned least_in(std::uint64_t const* line, std::uint64_t pattern) const {
    std::uint64_t least = 3;
    for (unsigned i = 0; i < probes_; ++i, pattern >>= Of::width) least = std::min(least, found(line, pattern));
    return static_cast<unsigned>(least);
  }

 private:
  static HWY_INLINE std::uint64_t found(std::uint64_t const* line, std::uint64_t pattern) {
    return line[(pattern >> Of::in_a_word) % 8] >> ((pattern << Of::spread) % 64) & Of::mask;
  }

  unsigned probes_;
};
#endif

// -- one bit in each of eight lanes of 32 bits --------------------------------------------------------------------------------

/// As many of the eight lanes as fit into a vector.
using some_lanes = hn::CappedTag<std::uint32_t, 8>;
HWY_INLINE hn::Vec<some_lanes> lane_masks(digest x, std::size_t from) {
  some_lanes const d;
  auto const product = hn::Mul(hn::Set(d, static_cast<std::uint32_t>(x.bits())), hn::LoadU(d, split_salts.data() + from));
  return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
}

/// Sets the bits of a key in its block. If asked: was one of them not set before?
template <bool Asked>
HWY_INLINE bool set_in_one_block(std::uint64_t* block, digest x) {
  some_lanes const d;
  auto* const lanes = reinterpret_cast<std::uint32_t*>(block);
  auto missing = hn::Zero(d);
  for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d)) {
    auto const before = hn::LoadU(d, lanes + lane);
    auto const mask = lane_masks(x, lane);
    hn::StoreU(hn::Or(before, mask), d, lanes + lane);
    if constexpr (Asked) missing = hn::Or(missing, hn::AndNot(before, mask));
  }
  return Asked && !hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
}

/// The first word of each key's line, and its pattern. Pre: both outputs are aligned and have room for most_keys.
HWY_INLINE void find_lines(keys xs, std::uint64_t blocks, std::uint64_t* start, std::uint64_t* pattern) {
#ifdef HORTUS_KEYS_IN_LANES
  padded const all(xs);
  for (std::size_t i = 0; i < xs.size(); i += group_keys) find_starts<by_fastrange<8>>(xs, all, i, blocks, start + i);
  for (std::size_t i = 0; i < xs.size(); i += hn::Lanes(words())) hn::Store(patterns(all[i]), words(), pattern + i);
#else
  for (std::size_t i = 0; i < xs.size(); ++i) {
    start[i] = fastrange(xs[i].bits(), blocks) * 8;
    pattern[i] = pattern_bits(xs[i]);
  }
#endif
}

#ifdef HORTUS_LINE_IN_REGISTER
/// A line with only the bits of a key. Each word shifts a one by the distance of a bit from the word's start; if the bit is in
/// another word, the shift gives 0.
HWY_INLINE __m512i bits_in_line(digest x, unsigned probes) {
  HWY_ALIGN static constexpr std::uint64_t less[8] = {0,          0 - 64ULL,  0 - 128ULL, 0 - 192ULL,
                                                      0 - 256ULL, 0 - 320ULL, 0 - 384ULL, 0 - 448ULL};
  auto line = _mm512_setzero_si512();
  for (auto pattern = pattern_bits(x);; probes -= single_bits::probes, pattern = more_pattern_bits(pattern)) {
    auto const at = hn::Shr(hn::Set(words(), pattern), hn::Load(words(), offsets<single_bits>::value)).raw;
    auto const wanted = static_cast<__mmask8>(_bzhi_u32(0xff, probes));  // a probe too many is at a bit past the line
    std::uint64_t bit[8];
    _mm512_storeu_si512(bit, _mm512_mask_and_epi64(_mm512_set1_epi64(512), wanted, at, _mm512_set1_epi64(511)));
    asm("" : "+m"(bit));  // an addition broadcasts a number in memory at no cost; compilers prefer two instructions for each
    for (unsigned i = 0; i < single_bits::probes; ++i) {
      auto const by = _mm512_add_epi64(hn::Load(words(), less).raw, _mm512_set1_epi64(static_cast<long long>(bit[i])));
      line = _mm512_or_si512(line, _mm512_sllv_epi64(_mm512_set1_epi64(1), by));
    }
    if (probes <= single_bits::probes) return line;
  }
}
#endif

/// Sets the bits of a key in its line. If asked: was one of them not set before?
template <bool Asked>
HWY_INLINE bool set_in_one_line(std::uint64_t* line, digest x, unsigned probes) {
#ifdef HORTUS_LINE_IN_REGISTER
  auto const bits = bits_in_line(x, probes);
  auto const before = _mm512_loadu_si512(line);
  _mm512_storeu_si512(line, _mm512_or_si512(before, bits));
  if constexpr (Asked) {
    auto const missing = _mm512_andnot_si512(before, bits);
    return _mm512_test_epi64_mask(missing, missing) != 0;
  }
  return false;
#else
  bool fresh = false;
  auto pattern = pattern_bits(x);
  for (auto left = probes; left != 0; pattern = more_pattern_bits(pattern)) {
    auto const now = std::min(left, single_bits::probes);
    if constexpr (Asked) fresh |= !line_probes<single_bits>(now).set_in(line, pattern);
    auto bits = pattern;
    for (unsigned i = 0; i < now; ++i, bits >>= 9) line[bits / 64 % 8] = with_bit(line[bits / 64 % 8], bits);
    left -= now;
  }
  return fresh;
#endif
}

template <class Of>
HWY_INLINE std::uint64_t anywhere_in_line(blocks_to_read const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
  HWY_ALIGN std::uint64_t start[most_keys];
  HWY_ALIGN std::uint64_t pattern[most_keys];
  find_lines(xs, in.blocks, start, pattern);
  HWY_ALIGN std::uint8_t found[most_keys];
  line_probes<Of> const probes(in.probes);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    found[i] = probes.set_in(in.words + start[i], pattern[i]);
  }
  auto hits = to_bits(found, xs.size());
  // Probes past the first pattern, only for keys that passed so far. Few absent keys did.
  for (auto left = in.probes; left > Of::probes && hits != 0;) {
    line_probes<Of> const more(left -= Of::probes);
    for (auto alive = hits; alive != 0; alive &= alive - 1) {
      auto const i = static_cast<std::size_t>(std::countr_zero(alive));
      pattern[i] = more_pattern_bits(pattern[i]);
      if (!more.set_in(in.words + start[i], pattern[i])) hits &= ~(std::uint64_t{1} << i);
    }
  }
  return hits;
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
