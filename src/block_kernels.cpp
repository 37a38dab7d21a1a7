#include <hortus/cells/block_kernels.hpp>

#include <algorithm>
#include <bit>

#include <hortus/index/block_pattern.hpp>

// This file includes itself once for each instruction set: what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for all of them, the rest once. AVX3 is Highway's word for AVX-512 with BW, CD, DQ and VL.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/block_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Before AVX2 lanes cannot be shifted each by its own number of bits, and one key after the other is faster.
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
constexpr std::size_t group_keys = 8;                       // worked on, and asked for, in turn
[[maybe_unused]] constexpr unsigned probes_in_a_word = 10;  // of six bits each, from 64

/// What a position in a line of 512 bits is: the upper three of its bits choose a word, the others a bit of it,
struct single_bits {
  static constexpr unsigned width = 9, probes = 7;  // bits of a position, and how many of these 64 have
  static constexpr int in_a_word = 6, spread = 0;   // logarithms: of the bits to choose from, and how far they are apart
  static constexpr std::uint64_t mask = 1;
};
/// or a pair of bits, which is a small counter.
struct bit_pairs {
  static constexpr unsigned width = 8, probes = 8;
  static constexpr int in_a_word = 5, spread = 1;
  static constexpr std::uint64_t mask = 3;
};

using keys = std::span<digest const>;

/// The first `count` of some bits.
HWY_INLINE std::uint64_t first(std::size_t count, std::uint64_t bits) {
  return count == 0 ? 0 : bits & ~std::uint64_t{0} >> (most_keys - count);
}

/// Bytes that are 0 or 1 to bits.
HWY_INLINE std::uint64_t to_bits(std::uint8_t const* bytes, std::size_t count) {
  std::uint64_t hits = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  hn::CappedTag<std::uint8_t, most_keys> const d;
  for (std::size_t i = 0; i < most_keys; i += hn::Lanes(d))
    hn::StoreMaskBits(d, hn::Ne(hn::Load(d, bytes + i), hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&hits) + i / 8);
#else
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): so many were written
  for (std::size_t i = 0; i < count; ++i) hits |= std::uint64_t{bytes[i]} << i;
#endif
  return first(count, hits);
}

#ifdef HORTUS_KEYS_IN_LANES
using words = hn::ScalableTag<std::uint64_t>;
using vector = hn::Vec<words>;

/// The keys in whole groups: past the end there are zeros instead of somebody else's memory.
class padded {
 public:
  explicit HWY_INLINE padded(keys xs) : bits_(reinterpret_cast<std::uint64_t const*>(xs.data())) {
    if (xs.size() % group_keys == 0) return;
    for (std::size_t i = 0; i < most_keys; ++i) space_[i] = i < xs.size() ? xs[i].bits() : 0;
    bits_ = space_;
  }
  HWY_INLINE vector operator[](std::size_t i) const { return hn::LoadU(words(), bits_ + i); }

 private:
  HWY_ALIGN std::uint64_t space_[most_keys];
  std::uint64_t const* bits_;
};

/// Products of the lower halves.
HWY_INLINE vector times(vector a, vector b) {
  hn::Repartition<std::uint32_t, words> const halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
}
#endif

/// Where the block of a key starts, counted in words; of one key, or of some, which works with fewer than 2^32 blocks.
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

/// Asks memory for the keys that come next, group by group, in between the work on others: that keeps a steady stream of misses
/// under way, where asking for all of them at once would first fill the queue and then let it run dry.
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
/// The word of each key, and its bits in it.
struct masked_words {
  HWY_ALIGN std::uint64_t word[most_keys];
  HWY_ALIGN std::uint64_t mask[most_keys];

  /// Reads the words: from then on `word` is what was found.
  HWY_INLINE void read(std::uint64_t const* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) word[i] = from[word[i]];
  }
};

/// Where the blocks of keys i, i + 1, ... start; zeros for those past the end.
template <class Position>
HWY_INLINE void find_starts(keys xs, padded const& all, std::size_t i, std::uint64_t blocks, std::uint64_t* starts) {
  if (blocks >> 32 != 0)
    for (std::size_t j = 0; j < group_keys; ++j) starts[j] = i + j < xs.size() ? Position::start(xs[i + j], blocks) : 0;
  else
    for (std::size_t j = 0; j < group_keys; j += hn::Lanes(words()))
      hn::Store(Position::starts(all[i + j], hn::Set(words(), blocks)), words(), starts + j);
}

/// pattern_bits() and more_pattern_bits() of some keys.
HWY_INLINE vector patterns(vector x) {
  auto const spread = hn::Mul(x, hn::Set(words(), golden_ratio64));
  return hn::Xor(spread, hn::ShiftRight<32>(spread));
}
HWY_INLINE vector more_patterns(vector x) { return patterns(hn::Add(x, hn::Set(words(), golden_ratio64))); }

/// The bit that the lowest six bits of a pattern name.
HWY_INLINE vector one_bit(vector bits) {
  auto const one = hn::Set(words(), 1);
#ifdef HORTUS_LINE_IN_REGISTER
  return vector{_mm512_rolv_epi64(one.raw, bits.raw)};  // a rotation looks at six bits only: no masking
#else
  return hn::Shl(one, hn::And(bits, hn::Set(words(), 63)));
#endif
}

/// word_mask() of some patterns. Pre: probes <= probes_in_a_word.
HWY_INLINE vector masks(vector bits, unsigned probes) {
  auto mask = one_bit(bits);
  for (unsigned i = 1; i < probes; ++i) mask = hn::Or(mask, one_bit(bits = hn::ShiftRight<6>(bits)));
  return mask;
}

/// Bit i: has word i all bits of its mask? Asked when all have been read, because a vector cannot be loaded from words that are
/// still on their way to the cache.
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

/// The two words of each key of a sectorized line: which of four is in the top bits of their patterns.
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

// -- register_blocked: one word -----------------------------------------------------------------------------------------------

std::uint64_t in_word(blocks_to_read const& in, keys xs, keys next) {
  asking<by_fastrange<1>> const ask(in.words, in.blocks, next);
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes <= probes_in_a_word) {
    padded const all(xs);
    masked_words at;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_words(xs, all, i, in, at);
    }
    at.read(in.words, xs.size());
    return have(at, xs.size());
  }
#endif
  HWY_ALIGN std::uint8_t hits[most_keys];
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    hits[i] = (word_mask(pattern_bits(xs[i]), in.probes) & ~in.words[fastrange(xs[i].bits(), in.blocks)]) == 0;
  }
  return to_bits(hits, xs.size());
}

void set_in_word(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<1>> const ask(in.words, in.blocks, next);
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes <= probes_in_a_word) {
    padded const all(xs);
    masked_words at;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_words(xs, all, i, {in.words, in.blocks, in.probes}, at);
      for (std::size_t j = i; j < std::min(i + group_keys, xs.size()); ++j) in.words[at.word[j]] |= at.mask[j];
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    in.words[fastrange(xs[i].bits(), in.blocks)] |= word_mask(pattern_bits(xs[i]), in.probes);
  }
}

// -- sectorized: two words ----------------------------------------------------------------------------------------------------

/// The two words of one key.
struct two_words {
  std::uint64_t a, a_mask, b, b_mask;
};
HWY_INLINE two_words sectors_of(digest x, std::uint64_t blocks, unsigned probes) {
  auto const line = fastrange(x.bits(), blocks) * 8;
  auto const pattern = pattern_bits(x);
  auto const more = more_pattern_bits(pattern);
  return {line + (pattern >> 62), word_mask(pattern, probes), line + 4 + (more >> 62), word_mask(more, probes)};
}

std::uint64_t in_sectors(blocks_to_read const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes / 2 <= probes_in_a_word) {
    padded const all(xs);
    masked_words a;
    masked_words b;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_sectors(xs, all, i, in, a, b);
    }
    a.read(in.words, xs.size());
    b.read(in.words, xs.size());
    return have(a, xs.size()) & have(b, xs.size());
  }
#endif
  HWY_ALIGN std::uint8_t hits[most_keys];
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto const at = sectors_of(xs[i], in.blocks, in.probes / 2);
    hits[i] = ((at.a_mask & ~in.words[at.a]) | (at.b_mask & ~in.words[at.b])) == 0;
  }
  return to_bits(hits, xs.size());
}

void set_in_sectors(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes / 2 <= probes_in_a_word) {
    padded const all(xs);
    masked_words a;
    masked_words b;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_sectors(xs, all, i, {in.words, in.blocks, in.probes}, a, b);
      for (std::size_t j = i; j < std::min(i + group_keys, xs.size()); ++j) {
        in.words[a.word[j]] |= a.mask[j];
        in.words[b.word[j]] |= b.mask[j];
      }
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto const at = sectors_of(xs[i], in.blocks, in.probes / 2);
    in.words[at.a] |= at.a_mask;
    in.words[at.b] |= at.b_mask;
  }
}

// -- blocked, blocked_counting: bits or pairs of bits anywhere in a line -----------------------------------------------------

/// Are the first seven or eight probes of a pattern, or fewer, all set in a line? A permutation of the line's words finds the
/// words of several probes at once.
#ifdef HORTUS_KEYS_IN_LANES
template <class Of>
struct offsets {
  HWY_ALIGN static constexpr std::uint64_t value[8] = {
      0, Of::width, 2 * Of::width, 3 * Of::width, 4 * Of::width, 5 * Of::width, 6 * Of::width, 7 * Of::width};
};
#endif
#if defined(HORTUS_LINE_IN_REGISTER)
template <class Of>
class line_probes {
 public:
  explicit HWY_INLINE line_probes(unsigned probes) : probes_(probes) {}

  HWY_INLINE bool set_in(std::uint64_t const* line, std::uint64_t pattern) const {
    return none(_mm512_testn_epi64_mask(found(line, pattern), hn::Set(words(), Of::mask).raw));
  }
  /// The least of these pairs: by whether one lacks both its bits, the upper one, or either.
  HWY_INLINE unsigned least_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const pairs = found(line, pattern);
    auto const both = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 3).raw);
    auto const upper = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 2).raw);
    auto const lower = _mm512_testn_epi64_mask(pairs, hn::Set(words(), 1).raw);
    return unsigned{none(both)} + unsigned{none(upper)} + unsigned{none(upper | lower)};
  }

 private:
  /// The words of the probes, turned so that what they ask for is lowest.
  static HWY_INLINE __m512i found(std::uint64_t const* line, std::uint64_t pattern) {
    auto const at = hn::Shr(hn::Set(words(), pattern), hn::Load(words(), offsets<Of>::value));
    // The permutation looks at three bits of an index, the rotation at six: no masking.
    auto const in = _mm512_permutexvar_epi64(hn::ShiftRight<Of::in_a_word>(at).raw, hn::LoadU(words(), line).raw);
    return _mm512_rorv_epi64(in, hn::ShiftLeft<Of::spread>(at).raw);
  }
  /// Of the first probes_ lanes; all, if there are fewer.
  HWY_INLINE bool none(unsigned lacking) const { return _bzhi_u32(lacking & ((1U << Of::probes) - 1), probes_) == 0; }

  unsigned probes_;
};
#elif defined(HORTUS_KEYS_IN_LANES)
template <class Of>
class line_probes {
 public:
  explicit HWY_INLINE line_probes(unsigned probes) {
    for (unsigned i = 0; i < 8; ++i) unwanted_[i] = i < std::min(probes, Of::probes) ? 0 : Of::mask;
  }

  HWY_INLINE bool set_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const zero = hn::Zero(words());
    return hn::AllTrue(words(), hn::And(hn::Ne(half<0>(line, pattern), zero), hn::Ne(half<4>(line, pattern), zero)));
  }
  /// The least of these pairs: how many of 1, 2, 3 none is below.
  HWY_INLINE unsigned least_in(std::uint64_t const* line, std::uint64_t pattern) const {
    auto const a = half<0>(line, pattern);
    auto const b = half<4>(line, pattern);
    auto const upper = hn::And(hn::And(a, b), hn::Set(words(), 2));
    auto const set = hn::And(hn::Ne(a, hn::Zero(words())), hn::Ne(b, hn::Zero(words())));
    return unsigned{hn::AllTrue(words(), set)} + unsigned{hn::AllTrue(words(), hn::Ne(upper, hn::Zero(words())))} +
           unsigned{hn::AllTrue(words(), hn::Eq(hn::And(a, b), hn::Set(words(), 3)))};
  }

 private:
  /// What four probes ask for; all ones where there is no probe. A word is two 32-bit lanes, and the line two registers of
  /// four words, between which the highest bit of a position chooses.
  template <std::size_t From>
  HWY_INLINE vector half(std::uint64_t const* line, std::uint64_t pattern) const {
    words const d;
    auto const at = hn::Shr(hn::Set(d, pattern), hn::Load(d, offsets<Of>::value + From));
    auto const twice = hn::ShiftLeft<1>(hn::And(hn::ShiftRight<Of::in_a_word>(at), hn::Set(d, 3)));
    auto const lanes = hn::Or(hn::Or(twice, hn::ShiftLeft<32>(twice)), hn::Set(d, std::uint64_t{1} << 32));
    auto const low = _mm256_permutevar8x32_epi32(hn::LoadU(d, line).raw, lanes.raw);
    auto const high = _mm256_permutevar8x32_epi32(hn::LoadU(d, line + 4).raw, lanes.raw);
    auto const found =
        hn::IfThenElse(hn::TestBit(at, hn::Set(d, std::uint64_t{4} << Of::in_a_word)), vector{high}, vector{low});
    auto const bits = hn::Shr(found, hn::And(hn::ShiftLeft<Of::spread>(at), hn::Set(d, 63)));
    return hn::And(hn::Or(bits, hn::Load(d, unwanted_ + From)), hn::Set(d, Of::mask));
  }

  HWY_ALIGN std::uint64_t unwanted_[8];
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

/// Where the line of each key starts, and its pattern. There is room for most_keys, aligned.
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
  // Probes past the first pattern: only of the keys that have the others, which among absent ones are few.
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
std::uint64_t in_line(blocks_to_read const& in, keys xs, keys next) { return anywhere_in_line<single_bits>(in, xs, next); }
std::uint64_t in_pairs(blocks_to_read const& in, keys xs, keys next) { return anywhere_in_line<bit_pairs>(in, xs, next); }

void set_in_line(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto* const line = in.words + fastrange(xs[i].bits(), in.blocks) * 8;
    auto pattern = pattern_bits(xs[i]);
    for (auto left = in.probes; left != 0; pattern = more_pattern_bits(pattern)) {
      auto const now = std::min(left, single_bits::probes);
      auto bits = pattern;
      for (unsigned j = 0; j < now; ++j, bits >>= 9) line[bits / 64 % 8] = with_bit(line[bits / 64 % 8], bits);
      left -= now;
    }
  }
}

// -- blocked_counting: pairs of bits that count -------------------------------------------------------------------------------

constexpr std::size_t line_words = 8;

/// The lower bits of a key's pairs, as a line that has nothing else: added to a line it counts the key. A pair that is probed
/// twice is there once.
#ifdef HORTUS_KEYS_IN_LANES
class ones_of_key {
 public:
  HWY_INLINE ones_of_key(std::uint64_t pattern, unsigned probes) {
    for (auto& part : parts_) part = hn::Zero(words());
    for (;; pattern = more_pattern_bits(pattern), probes -= bit_pairs::probes) {
      HWY_ALIGN std::uint64_t bits[bit_pairs::probes];
      for (std::size_t i = 0; i < line_words; i += lanes) {
        auto const at = hn::Shr(hn::Set(words(), pattern), hn::Load(words(), offsets<bit_pairs>::value + i));
        hn::Store(hn::ShiftLeft<1>(hn::And(at, hn::Set(words(), 255))), words(), bits + i);
      }
      for (unsigned i = 0; i < std::min(probes, bit_pairs::probes); ++i) set(bits[i]);
      if (probes <= bit_pairs::probes) return;
    }
  }
  /// The same of bits that are known: bits[0], bits[most_keys] ...
  HWY_INLINE ones_of_key(std::uint64_t const* bits, unsigned probes) {
    for (auto& part : parts_) part = hn::Zero(words());
    for (unsigned i = 0; i < probes; ++i) set(bits[i * most_keys]);
  }
  explicit HWY_INLINE ones_of_key(std::uint64_t const* kept) {
    for (std::size_t i = 0; i < parts; ++i) parts_[i] = hn::Load(words(), kept + i * lanes);
  }
  HWY_INLINE void keep(std::uint64_t* here) const {
    for (std::size_t i = 0; i < parts; ++i) hn::Store(parts_[i], words(), here + i * lanes);
  }

  /// Is one of its pairs full, that is 3?
  HWY_INLINE bool meet_full(std::uint64_t const* line) const {
    auto met = hn::Zero(words());
    for (std::size_t i = 0; i < parts; ++i) {
      auto const now = load(line, i);
      met = hn::Or(met, hn::And(full_in(now), parts_[i]));
    }
    return !hn::AllTrue(words(), hn::Eq(met, hn::Zero(words())));
  }
  /// Is one of its pairs 0?
  HWY_INLINE bool meet_zero(std::uint64_t const* line) const {
    auto met = hn::Zero(words());
    for (std::size_t i = 0; i < parts; ++i) {
      auto const now = load(line, i);
      met = hn::Or(met, hn::AndNot(hn::Or(now, hn::ShiftRight<1>(now)), parts_[i]));
    }
    return !hn::AllTrue(words(), hn::Eq(met, hn::Zero(words())));
  }
  /// Only those of its pairs that are full.
  HWY_INLINE void keep_full(std::uint64_t const* line, std::uint64_t* here) const {
    for (std::size_t i = 0; i < parts; ++i) hn::Store(hn::And(full_in(load(line, i)), parts_[i]), words(), here + i * lanes);
  }
  /// Pre: none of its pairs is full.
  HWY_INLINE void add_to(std::uint64_t* line) const {
    for (std::size_t i = 0; i < parts; ++i) hn::StoreU(hn::Add(load(line, i), parts_[i]), words(), line + i * lanes);
  }
  /// Not from full ones. Pre: none is 0.
  HWY_INLINE void take_from(std::uint64_t* line) const {
    for (std::size_t i = 0; i < parts; ++i) {
      auto const now = load(line, i);
      hn::StoreU(hn::Sub(now, hn::AndNot(full_in(now), parts_[i])), words(), line + i * lanes);
    }
  }

 private:
  static constexpr std::size_t lanes = hn::MaxLanes(words());
  static constexpr std::size_t parts = line_words / lanes;

  static HWY_INLINE vector load(std::uint64_t const* line, std::size_t part) { return hn::LoadU(words(), line + part * lanes); }
  /// The lower bits of the full pairs, and others that are nobody's.
  static HWY_INLINE vector full_in(vector line) { return hn::And(line, hn::ShiftRight<1>(line)); }
  /// Each word shifts a one by where the bit is from its own start: one that is past its end, or before its start (a number
  /// past 2^63), falls out.
  HWY_INLINE void set(std::uint64_t bit) {
    HWY_ALIGN static constexpr std::uint64_t less[line_words] = {0,          0 - 64ULL,  0 - 128ULL, 0 - 192ULL,
                                                                 0 - 256ULL, 0 - 320ULL, 0 - 384ULL, 0 - 448ULL};
    auto const one = hn::Set(words(), 1);
    for (std::size_t i = 0; i < parts; ++i) {
      auto const by = hn::Add(hn::Set(words(), bit), hn::Load(words(), less + i * lanes));
#ifdef HORTUS_LINE_IN_REGISTER
      parts_[i] = hn::Or(parts_[i], vector{_mm512_sllv_epi64(one.raw, by.raw)});
#else
      parts_[i] = hn::Or(parts_[i], vector{_mm256_sllv_epi64(one.raw, by.raw)});
#endif
    }
  }

  vector parts_[parts];
};
#else
class ones_of_key {
 public:
  HWY_INLINE ones_of_key(std::uint64_t pattern, unsigned probes) { write(pattern, probes, words_); }
  static HWY_INLINE void write(std::uint64_t pattern, unsigned probes, std::uint64_t* here) {
    std::fill_n(here, line_words, 0);
    for (auto left = probes; left != 0; pattern = more_pattern_bits(pattern)) {
      auto const now = std::min(left, bit_pairs::probes);
      auto bits = pattern;
      for (unsigned i = 0; i < now; ++i, bits >>= bit_pairs::width)
        here[bits / 32 % 8] = with_bit(here[bits / 32 % 8], 2 * bits);
      left -= now;
    }
  }
  explicit HWY_INLINE ones_of_key(std::uint64_t const* kept) { std::copy_n(kept, line_words, words_); }
  HWY_INLINE void keep(std::uint64_t* here) const { std::copy_n(words_, line_words, here); }

  HWY_INLINE bool meet_full(std::uint64_t const* line) const {
    std::uint64_t met = 0;
    for (std::size_t i = 0; i < line_words; ++i) met |= line[i] & line[i] >> 1 & words_[i];
    return met != 0;
  }
  HWY_INLINE bool meet_zero(std::uint64_t const* line) const {
    std::uint64_t met = 0;
    for (std::size_t i = 0; i < line_words; ++i) met |= ~(line[i] | line[i] >> 1) & words_[i];
    return met != 0;
  }
  HWY_INLINE void keep_full(std::uint64_t const* line, std::uint64_t* here) const {
    for (std::size_t i = 0; i < line_words; ++i) here[i] = line[i] & line[i] >> 1 & words_[i];
  }
  HWY_INLINE void add_to(std::uint64_t* line) const {
    for (std::size_t i = 0; i < line_words; ++i) line[i] += words_[i];
  }
  HWY_INLINE void take_from(std::uint64_t* line) const {
    for (std::size_t i = 0; i < line_words; ++i) line[i] -= words_[i] & ~(line[i] & line[i] >> 1);
  }

 private:
  HWY_ALIGN std::uint64_t words_[line_words];
};
#endif

std::uint64_t find_pairs(blocks_to_read const& in, keys xs, pairs_of_keys& out) {
  HWY_ALIGN std::uint64_t pattern[most_keys];
  find_lines(xs, in.blocks, out.start, pattern);
  HWY_ALIGN std::uint8_t full[most_keys];
#ifdef HORTUS_KEYS_IN_LANES
  auto const note = [&](std::size_t i, ones_of_key const& ones) HWY_ATTR {
    full[i] = ones.meet_full(in.words + out.start[i]);
    ones.keep(out.ones[i]);
  };
  if (in.probes <= bit_pairs::probes) {  // the bits of several keys at once
    HWY_ALIGN std::uint64_t bits[bit_pairs::probes * most_keys];
    for (std::size_t i = 0; i < xs.size(); i += hn::Lanes(words())) {
      auto left = hn::Load(words(), pattern + i);
      for (unsigned p = 0; p < in.probes; ++p, left = hn::ShiftRight<bit_pairs::width>(left))
        hn::Store(hn::ShiftLeft<1>(hn::And(left, hn::Set(words(), 255))), words(), bits + p * most_keys + i);
    }
    for (std::size_t i = 0; i < xs.size(); ++i) note(i, ones_of_key(bits + i, in.probes));
  } else {
    for (std::size_t i = 0; i < xs.size(); ++i) note(i, ones_of_key(pattern[i], in.probes));
  }
#else
  // First all are written: as vectors they could not be read while they are on their way to the cache, word by word.
  for (std::size_t i = 0; i < xs.size(); ++i) ones_of_key::write(pattern[i], in.probes, out.ones[i]);
  for (std::size_t i = 0; i < xs.size(); ++i) full[i] = ones_of_key(out.ones[i]).meet_full(in.words + out.start[i]);
#endif
  return to_bits(full, xs.size());
}

std::size_t add_to_pairs(std::uint64_t* words, pairs_of_keys const& of, std::size_t from, std::size_t to) {
  for (; from < to; ++from) {
    ones_of_key const ones(of.ones[from]);
    if (ones.meet_full(words + of.start[from])) break;
    ones.add_to(words + of.start[from]);
  }
  return from;
}

/// What is full must be found before the line is changed.
template <class Full>
HWY_INLINE take_result take(std::uint64_t* line, ones_of_key const& ones, Full* full) {
  if (ones.meet_zero(line)) return take_result::refused;
  bool const met = ones.meet_full(line);
  if (met) ones.keep_full(line, *full);
  ones.take_from(line);
  return met ? take_result::but_for_full : take_result::taken;
}
std::size_t take_from_pairs(std::uint64_t* words, pairs_of_keys& of, std::size_t from, std::size_t to, std::size_t& taken) {
  for (; from < to; ++from) {
    auto const result = take(words + of.start[from], ones_of_key(of.ones[from]), &of.ones[from]);
    taken += result == take_result::refused ? 0U : 1U;
    if (result == take_result::but_for_full) break;
  }
  return from;
}

void least_in_pairs(blocks_to_read const& in, keys xs, keys next, std::uint64_t* least) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
  HWY_ALIGN std::uint64_t start[most_keys];
  HWY_ALIGN std::uint64_t pattern[most_keys];
  find_lines(xs, in.blocks, start, pattern);
  line_probes<bit_pairs> const probes(in.probes);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    least[i] = probes.least_in(in.words + start[i], pattern[i]);
  }
  for (auto left = in.probes; left > bit_pairs::probes;) {
    line_probes<bit_pairs> const more(left -= bit_pairs::probes);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      pattern[i] = more_pattern_bits(pattern[i]);
      least[i] = std::min<std::uint64_t>(least[i], more.least_in(in.words + start[i], pattern[i]));
    }
  }
}

unsigned one_least(std::uint64_t const* line, std::uint64_t pattern, unsigned probes) {
  auto least = line_probes<bit_pairs>(probes).least_in(line, pattern);
  for (; probes > bit_pairs::probes; least = std::min(least, line_probes<bit_pairs>(probes).least_in(line, pattern))) {
    probes -= bit_pairs::probes;
    pattern = more_pattern_bits(pattern);
  }
  return least;
}
bool one_in(std::uint64_t const* line, std::uint64_t pattern, unsigned probes) {
  if (probes <= bit_pairs::probes) return line_probes<bit_pairs>(probes).set_in(line, pattern);  // a branch that is guessed
  return one_least(line, pattern, probes) != 0;
}
bool add_one(std::uint64_t* line, std::uint64_t pattern, unsigned probes) {
  ones_of_key const ones(pattern, probes);
  if (ones.meet_full(line)) return false;
  ones.add_to(line);
  return true;
}
take_result take_one(std::uint64_t* line, std::uint64_t pattern, unsigned probes, line_of_pairs* full) {
  return take(line, ones_of_key(pattern, probes), full);
}

// -- split_block: a bit in each of eight lanes of 32 bits ---------------------------------------------------------------------

/// As many of the eight lanes as a vector holds.
using some_lanes = hn::CappedTag<std::uint32_t, 8>;
HWY_INLINE hn::Vec<some_lanes> lane_masks(digest x, std::size_t from) {
  some_lanes const d;
  auto const product = hn::Mul(hn::Set(d, static_cast<std::uint32_t>(x.bits())), hn::LoadU(d, split_salts.data() + from));
  return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
}

#ifdef HORTUS_LINE_IN_REGISTER
/// Two keys fill a register: of eight digests at a time the lower halves are spread over the lanes by permutations.
std::uint64_t in_lanes(blocks_to_read const& in, keys xs, keys next) {
  asking<by_parquet> const ask(in.words, in.blocks, next);
  hn::FixedTag<std::uint32_t, 16> const d;
  hn::Half<decltype(d)> const half;
  padded const all(xs);
  HWY_ALIGN std::uint64_t start[most_keys];
  for (std::size_t i = 0; i < xs.size(); i += group_keys) find_starts<by_parquet>(xs, all, i, in.blocks, start + i);
  HWY_ALIGN static constexpr std::uint32_t first_two[16] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};
  auto const salts = hn::Combine(d, hn::LoadU(half, split_salts.data()), hn::LoadU(half, split_salts.data()));
  auto const block = [&](std::size_t i)
                         HWY_ATTR { return hn::LoadU(half, reinterpret_cast<std::uint32_t const*>(in.words + start[i])); };
  HWY_ALIGN std::uint8_t lanes_set[most_keys];
  for (std::size_t i = 0; i < xs.size(); i += group_keys) {
    ask.group(i);
    auto const x = all[i];
    auto two = hn::Load(d, first_two);
    for (std::size_t j = i; j < i + group_keys; j += 2, two = hn::Add(two, hn::Set(d, 4))) {
      auto const low = hn::Vec<decltype(d)>{_mm512_permutexvar_epi32(two.raw, x.raw)};
      auto const mask = hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(hn::Mul(low, salts)));
      auto const missing = hn::AndNot(hn::Combine(d, block(j + 1), block(j)), mask);
      hn::StoreMaskBits(d, hn::Eq(missing, hn::Zero(d)), lanes_set + j);  // a byte each
    }
  }
  hn::FixedTag<std::uint8_t, most_keys> const bytes;
  std::uint64_t hits = 0;
  hn::StoreMaskBits(bytes, hn::Eq(hn::Load(bytes, lanes_set), hn::Set(bytes, 0xff)), reinterpret_cast<std::uint8_t*>(&hits));
  return first(xs.size(), hits);
}
#else
std::uint64_t in_lanes(blocks_to_read const& in, keys xs, keys next) {
  asking<by_parquet> const ask(in.words, in.blocks, next);
  some_lanes const d;
  HWY_ALIGN std::uint8_t hits[most_keys];
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto const* const block = reinterpret_cast<std::uint32_t const*>(in.words + by_parquet::start(xs[i], in.blocks));
    auto missing = hn::Zero(d);
    for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d))
      missing = hn::Or(missing, hn::AndNot(hn::LoadU(d, block + lane), lane_masks(xs[i], lane)));
    hits[i] = hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  return to_bits(hits, xs.size());
}
#endif

void set_in_lanes(blocks_to_write const& in, keys xs, keys next) {
  asking<by_parquet> const ask(in.words, in.blocks, next);
  some_lanes const d;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto* const block = reinterpret_cast<std::uint32_t*>(in.words + by_parquet::start(xs[i], in.blocks));
    for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d))
      hn::StoreU(hn::Or(hn::LoadU(d, block + lane), lane_masks(xs[i], lane)), d, block + lane);
  }
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(in_line);
HWY_EXPORT(in_pairs);
HWY_EXPORT(in_sectors);
HWY_EXPORT(in_lanes);
HWY_EXPORT(in_word);
HWY_EXPORT(set_in_line);
HWY_EXPORT(set_in_sectors);
HWY_EXPORT(set_in_lanes);
HWY_EXPORT(set_in_word);
HWY_EXPORT(find_pairs);
HWY_EXPORT(add_to_pairs);
HWY_EXPORT(take_from_pairs);
HWY_EXPORT(least_in_pairs);
HWY_EXPORT(one_in);
HWY_EXPORT(one_least);
HWY_EXPORT(add_one);
HWY_EXPORT(take_one);

using keys = std::span<digest const>;
std::uint64_t in_line(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_line)(in, xs, next);
}
std::uint64_t in_pairs(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_pairs)(in, xs, next);
}
std::uint64_t in_sectors(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_sectors)(in, xs, next);
}
std::uint64_t in_lanes(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_lanes)(in, xs, next);
}
std::uint64_t in_word(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_word)(in, xs, next);
}
void set_in_line(blocks_to_write const& in, keys xs, keys next) noexcept { HWY_DYNAMIC_DISPATCH(set_in_line)(in, xs, next); }
void set_in_sectors(blocks_to_write const& in, keys xs, keys next) noexcept {
  HWY_DYNAMIC_DISPATCH(set_in_sectors)(in, xs, next);
}
void set_in_lanes(blocks_to_write const& in, keys xs, keys next) noexcept { HWY_DYNAMIC_DISPATCH(set_in_lanes)(in, xs, next); }
void set_in_word(blocks_to_write const& in, keys xs, keys next) noexcept { HWY_DYNAMIC_DISPATCH(set_in_word)(in, xs, next); }
std::uint64_t find_pairs(blocks_to_read const& in, keys xs, pairs_of_keys& out) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_pairs)(in, xs, out);
}
void least_in_pairs(blocks_to_read const& in, keys xs, keys next, std::uint64_t* least) noexcept {
  HWY_DYNAMIC_DISPATCH(least_in_pairs)(in, xs, next, least);
}

namespace {

/// What Highway chooses, kept: from then on it is called without asking.
auto kept(auto& place, auto find) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto* const kernel = find();
  place.store(kernel, std::memory_order_relaxed);
  return kernel;
}
std::size_t choose_add_some(std::uint64_t* words, pairs_of_keys const& of, std::size_t from, std::size_t to) {
  return kept(chosen.add_some, [] { return &HWY_DYNAMIC_DISPATCH(add_to_pairs); })(words, of, from, to);
}
std::size_t choose_take_some(std::uint64_t* words, pairs_of_keys& of, std::size_t from, std::size_t to, std::size_t& taken) {
  return kept(chosen.take_some, [] { return &HWY_DYNAMIC_DISPATCH(take_from_pairs); })(words, of, from, to, taken);
}
bool choose_in(std::uint64_t const* line, std::uint64_t pattern, unsigned probes) {
  return kept(chosen.in, [] { return &HWY_DYNAMIC_DISPATCH(one_in); })(line, pattern, probes);
}
unsigned choose_least(std::uint64_t const* line, std::uint64_t pattern, unsigned probes) {
  return kept(chosen.least, [] { return &HWY_DYNAMIC_DISPATCH(one_least); })(line, pattern, probes);
}
bool choose_add(std::uint64_t* line, std::uint64_t pattern, unsigned probes) {
  return kept(chosen.add, [] { return &HWY_DYNAMIC_DISPATCH(add_one); })(line, pattern, probes);
}
take_result choose_take(std::uint64_t* line, std::uint64_t pattern, unsigned probes, line_of_pairs* full) {
  return kept(chosen.take, [] { return &HWY_DYNAMIC_DISPATCH(take_one); })(line, pattern, probes, full);
}

}  // namespace

constinit short_kernels chosen{choose_add_some, choose_take_some, choose_in, choose_least, choose_add, choose_take};

void short_kernels::choose_again() noexcept {
  add_some = choose_add_some;
  take_some = choose_take_some;
  in = choose_in;
  least = choose_least;
  add = choose_add;
  take = choose_take;
}

}  // namespace hortus::kernels
#endif
