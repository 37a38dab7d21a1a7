// The kernels of blocked_counting, whose counters are pairs of bits.
#include <hortus/counting/pair_kernels.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/pair_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

std::uint64_t in_pairs(blocks_to_read const& in, keys xs, keys next) { return anywhere_in_line<bit_pairs>(in, xs, next); }

constexpr std::size_t line_words = 8;

/// A line in which only the lower bits of a key's pairs are set. Adding it to a line counts the key. A pair that is probed
/// twice is in it once.
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
  /// The same from known bit positions: bits[0], bits[most_keys] ...
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

  /// Is one of its pairs full (3)?
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
  /// Writes to `here` those of its pairs that are full.
  HWY_INLINE void keep_full(std::uint64_t const* line, std::uint64_t* here) const {
    for (std::size_t i = 0; i < parts; ++i) hn::Store(hn::And(full_in(load(line, i)), parts_[i]), words(), here + i * lanes);
  }
  /// Pre: none of its pairs is full.
  HWY_INLINE void add_to(std::uint64_t* line) const {
    for (std::size_t i = 0; i < parts; ++i) hn::StoreU(hn::Add(load(line, i), parts_[i]), words(), line + i * lanes);
  }
  /// Subtracts 1 from each of its pairs, except from full ones. Pre: none of its pairs is 0.
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
  /// The lower bits of the full pairs. Other bits, between pairs, have no meaning.
  static HWY_INLINE vector full_in(vector line) { return hn::And(line, hn::ShiftRight<1>(line)); }
  /// Each word shifts a one by the distance of the bit from the word's start. If the bit is past the word's end, or before its
  /// start (a distance above 2^63), the shift gives 0.
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
  // Writes all lines first: a vector load would stall on a line whose words are still on their way to the cache.
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

/// Full pairs must be recorded before the line is changed.
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

unsigned one_least(std::uint64_t const* line, digest x, unsigned probes) {
  auto pattern = pattern_bits(x);
  auto least = line_probes<bit_pairs>(probes).least_in(line, pattern);
  for (; probes > bit_pairs::probes; least = std::min(least, line_probes<bit_pairs>(probes).least_in(line, pattern))) {
    probes -= bit_pairs::probes;
    pattern = more_pattern_bits(pattern);
  }
  return least;
}
bool one_in(std::uint64_t const* line, digest x, unsigned probes) {
  if (probes > bit_pairs::probes) return one_least(line, x, probes) != 0;  // a predictable branch
  return line_probes<bit_pairs>(probes).set_for_one(line, x);
}
bool add_one(std::uint64_t* line, digest x, unsigned probes) {
  ones_of_key const ones(pattern_bits(x), probes);
  if (ones.meet_full(line)) return false;
  ones.add_to(line);
  return true;
}
take_result take_one(std::uint64_t* line, digest x, unsigned probes, line_of_pairs* full) {
  return take(line, ones_of_key(pattern_bits(x), probes), full);
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kept_kernel.hpp"

namespace hortus::kernels {

HWY_EXPORT(in_pairs);
HWY_EXPORT(find_pairs);
HWY_EXPORT(add_to_pairs);
HWY_EXPORT(take_from_pairs);
HWY_EXPORT(least_in_pairs);
HWY_EXPORT(one_in);
HWY_EXPORT(one_least);
HWY_EXPORT(add_one);
HWY_EXPORT(take_one);

using keys = std::span<digest const>;
std::uint64_t in_pairs(blocks_to_read const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_pairs)(in, xs, next);
}
std::uint64_t find_pairs(blocks_to_read const& in, keys xs, pairs_of_keys& out) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_pairs)(in, xs, out);
}
void least_in_pairs(blocks_to_read const& in, keys xs, keys next, std::uint64_t* least) noexcept {
  HWY_DYNAMIC_DISPATCH(least_in_pairs)(in, xs, next, least);
}

namespace {

std::size_t choose_add_some(std::uint64_t* words, pairs_of_keys const& of, std::size_t from, std::size_t to) {
  return kept(chosen.add_some, [] { return HWY_DYNAMIC_DISPATCH(add_to_pairs); })(words, of, from, to);
}
std::size_t choose_take_some(std::uint64_t* words, pairs_of_keys& of, std::size_t from, std::size_t to, std::size_t& taken) {
  return kept(chosen.take_some, [] { return HWY_DYNAMIC_DISPATCH(take_from_pairs); })(words, of, from, to, taken);
}
bool choose_in(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen.in, [] { return HWY_DYNAMIC_DISPATCH(one_in); })(line, x, probes);
}
unsigned choose_least(std::uint64_t const* line, digest x, unsigned probes) {
  return kept(chosen.least, [] { return HWY_DYNAMIC_DISPATCH(one_least); })(line, x, probes);
}
bool choose_add(std::uint64_t* line, digest x, unsigned probes) {
  return kept(chosen.add, [] { return HWY_DYNAMIC_DISPATCH(add_one); })(line, x, probes);
}
take_result choose_take(std::uint64_t* line, digest x, unsigned probes, line_of_pairs* full) {
  return kept(chosen.take, [] { return HWY_DYNAMIC_DISPATCH(take_one); })(line, x, probes, full);
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
