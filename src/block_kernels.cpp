#include <hortus/bloom/block_kernels.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/block_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

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

template <bool Asked>
HWY_INLINE std::uint64_t insert_in_word(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<1>> const ask(in.words, in.blocks, next);
  new_keys<Asked> fresh;
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes <= probes_in_a_word) {
    padded const all(xs);
    masked_words at;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_words(xs, all, i, {in.words, in.blocks, in.probes}, at);
      for (std::size_t j = i; j < std::min(i + group_keys, xs.size()); ++j)
        fresh.note(j, set_bits(in.words[at.word[j]], at.mask[j]) != 0);
    }
    return fresh.bits(xs.size());
  }
#endif
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    fresh.note(i, set_bits(in.words[fastrange(xs[i].bits(), in.blocks)], word_mask(pattern_bits(xs[i]), in.probes)) != 0);
  }
  return fresh.bits(xs.size());
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

template <bool Asked>
HWY_INLINE std::uint64_t insert_in_sectors(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
  new_keys<Asked> fresh;
#ifdef HORTUS_KEYS_IN_LANES
  if (in.probes / 2 <= probes_in_a_word) {
    padded const all(xs);
    masked_words a;
    masked_words b;
    for (std::size_t i = 0; i < xs.size(); i += group_keys) {
      ask.group(i);
      find_sectors(xs, all, i, {in.words, in.blocks, in.probes}, a, b);
      for (std::size_t j = i; j < std::min(i + group_keys, xs.size()); ++j)
        fresh.note(j, (set_bits(in.words[a.word[j]], a.mask[j]) | set_bits(in.words[b.word[j]], b.mask[j])) != 0);
    }
    return fresh.bits(xs.size());
  }
#endif
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    auto const at = sectors_of(xs[i], in.blocks, in.probes / 2);
    fresh.note(i, (set_bits(in.words[at.a], at.a_mask) | set_bits(in.words[at.b], at.b_mask)) != 0);
  }
  return fresh.bits(xs.size());
}

// -- blocked: bits anywhere in a line -----------------------------------------------------------------------------------------

std::uint64_t in_line(blocks_to_read const& in, keys xs, keys next) { return anywhere_in_line<single_bits>(in, xs, next); }

template <bool Asked>
HWY_INLINE std::uint64_t insert_in_line(blocks_to_write const& in, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(in.words, in.blocks, next);
  new_keys<Asked> fresh;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    fresh.note(i, set_in_one_line<Asked>(in.words + fastrange(xs[i].bits(), in.blocks) * 8, xs[i], in.probes));
  }
  return fresh.bits(xs.size());
}

// -- split_block: one bit in each of eight lanes of 32 bits -------------------------------------------------------------------

#ifdef HORTUS_LINE_IN_REGISTER
/// Two keys fill a register. Permutations spread the lower halves of eight digests over the lanes.
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
      hn::StoreMaskBits(d, hn::Eq(missing, hn::Zero(d)), lanes_set + j);  // one byte per key
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

template <bool Asked>
HWY_INLINE std::uint64_t insert_in_lanes(blocks_to_write const& in, keys xs, keys next) {
  asking<by_parquet> const ask(in.words, in.blocks, next);
  new_keys<Asked> fresh;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    fresh.note(i, set_in_one_block<Asked>(in.words + by_parquet::start(xs[i], in.blocks), xs[i]));
  }
  return fresh.bits(xs.size());
}

// -- each of these for inserts, and for inserts that say which keys were new --------------------------------------------------

void set_in_word(blocks_to_write const& in, keys xs, keys next) { insert_in_word<false>(in, xs, next); }
void set_in_sectors(blocks_to_write const& in, keys xs, keys next) { insert_in_sectors<false>(in, xs, next); }
void set_in_line(blocks_to_write const& in, keys xs, keys next) { insert_in_line<false>(in, xs, next); }
void set_in_lanes(blocks_to_write const& in, keys xs, keys next) { insert_in_lanes<false>(in, xs, next); }
std::uint64_t new_in_word(blocks_to_write const& in, keys xs, keys next) { return insert_in_word<true>(in, xs, next); }
std::uint64_t new_in_sectors(blocks_to_write const& in, keys xs, keys next) { return insert_in_sectors<true>(in, xs, next); }
std::uint64_t new_in_line(blocks_to_write const& in, keys xs, keys next) { return insert_in_line<true>(in, xs, next); }
std::uint64_t new_in_lanes(blocks_to_write const& in, keys xs, keys next) { return insert_in_lanes<true>(in, xs, next); }

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(in_line);
HWY_EXPORT(in_sectors);
HWY_EXPORT(in_lanes);
HWY_EXPORT(in_word);
HWY_EXPORT(set_in_line);
HWY_EXPORT(set_in_sectors);
HWY_EXPORT(set_in_lanes);
HWY_EXPORT(set_in_word);
HWY_EXPORT(new_in_line);
HWY_EXPORT(new_in_sectors);
HWY_EXPORT(new_in_lanes);
HWY_EXPORT(new_in_word);

using keys = std::span<digest const>;
std::uint64_t in_line(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_line)(in, xs, next);
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
std::uint64_t new_in_line(blocks_to_write const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(new_in_line)(in, xs, next);
}
std::uint64_t new_in_sectors(blocks_to_write const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(new_in_sectors)(in, xs, next);
}
std::uint64_t new_in_lanes(blocks_to_write const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(new_in_lanes)(in, xs, next);
}
std::uint64_t new_in_word(blocks_to_write const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(new_in_word)(in, xs, next);
}

}  // namespace hortus::kernels
#endif
