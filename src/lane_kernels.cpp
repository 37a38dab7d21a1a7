#include <hortus/message/lane_kernels.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/lane_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

// The rank of each byte when bytes are sorted by class, and the byte of each rank.
#ifndef HORTUS_RANKS_OF_BYTES
#define HORTUS_RANKS_OF_BYTES
namespace hortus::kernels {
struct byte_ranks {
  std::array<std::uint8_t, 256> rank{};
  std::array<std::uint8_t, 256> byte{};
};
inline constexpr byte_ranks ranks = [] {
  byte_ranks all;
  auto next = class_begins;
  for (unsigned b = 0; b < 256; ++b) {
    auto const rank = next[static_cast<std::size_t>(std::popcount(b))]++;
    all.rank[b] = static_cast<std::uint8_t>(rank);
    all.byte[rank] = static_cast<std::uint8_t>(b);
  }
  return all;
}();
}  // namespace hortus::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
namespace hn = hwy::HWY_NAMESPACE;

using d32 = hn::CappedTag<std::uint32_t, 16>;
using d16 = hn::Repartition<std::uint16_t, d32>;  // twice as many lanes
using half16 = hn::Half<d16>;
using v32 = hn::Vec<d32>;
using v16 = hn::Vec<d16>;
constexpr std::size_t vector_lanes = HWY_TARGET <= HWY_AVX3 ? 16 : 8;
constexpr std::size_t vectors = coder_lanes / vector_lanes;

HWY_INLINE v32 lower_half(v16 v) { return hn::PromoteTo(d32(), hn::LowerHalf(half16(), v)); }
HWY_INLINE v32 upper_half(v16 v) { return hn::PromoteTo(d32(), hn::UpperHalf(half16(), v)); }

/// a < b. All numbers here are positive as signed ones, too, and those are compared with one instruction.
template <class V>
HWY_INLINE auto below(V a, V b) {
  hn::DFromV<V> const d;
  hn::RebindToSigned<decltype(d)> const with_sign;
  return hn::RebindMask(d, hn::Lt(hn::BitCast(with_sign, a), hn::BitCast(with_sign, b)));
}

/// Pushes the low words of the states that are too large for a symbol, and shifts those states.
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE v32 push_words(v32 state, hn::Mask<d32> too_large, std::uint16_t*& words) {
  hn::StoreU(hn::TruncateTo(half16(), hn::Compress(state, too_large)), half16(), words);
  words += hn::CountTrue(d32(), too_large);
  return hn::IfThenElse(too_large, hn::ShiftRight<16>(state), state);
}
#else
/// For each mask of 8 lanes: the bytes of the words that are pushed. (hn::Compress of Highway 1.0 with g++ copies its table to
/// the stack at each call.)
struct gathering {
  std::array<std::array<std::uint8_t, 16>, 256> byte{};
};
constexpr gathering gather_words = [] {
  gathering all;
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::size_t next = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      all.byte[mask][next++] = static_cast<std::uint8_t>(2 * lane);
      all.byte[mask][next++] = static_cast<std::uint8_t>(2 * lane + 1);
    }
  }
  return all;
}();
HWY_INLINE v32 push_words(v32 state, hn::Mask<d32> too_large, std::uint16_t*& words) {
  auto const mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hn::VecFromMask(too_large).raw)));
  auto const low = _mm256_blend_epi16(state.raw, _mm256_setzero_si256(), 0xaa);
  auto const packed = _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  auto const order = _mm_loadu_si128(reinterpret_cast<__m128i const*>(gather_words.byte[mask].data()));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(words), _mm_shuffle_epi8(packed, order));
  words += std::popcount(mask);
  return hn::IfThenElse(too_large, hn::ShiftRight<16>(state), state);
}
#endif

/// state / f and the remainder: state' = quotient * 2^precision + remainder + slot.
/// The product with the rounded-down reciprocal is the quotient or one less, because the state is below 2^31.
template <unsigned Precision>
HWY_INLINE v32 code_symbol(v32 state, v32 f, v32 reciprocal, v32 slot) {
  d32 const d;
  hn::Repartition<std::uint64_t, d32> const wide;
  auto const even = hn::ShiftRight<32>(hn::MulEven(state, reciprocal));
  auto const high = [&](v32 v) HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, v))); };
  auto const odd = hn::MulEven(high(state), high(reciprocal));
  auto const quotient = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even));
  auto const remainder = hn::Sub(state, hn::Mul(quotient, f));
  auto const next = hn::Add(hn::Add(hn::ShiftLeft<Precision>(quotient), remainder), slot);
  auto const exact = below(remainder, f);
  return hn::Add(next, hn::IfThenZeroElse(exact, hn::Sub(hn::Set(d, std::uint32_t{1} << Precision), f)));
}

/// Pops a word for each state below 2^15.
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE v32 pop_words(v32 state, std::uint16_t const*& words) {
  d32 const d;
  auto const few = hn::Lt(state, hn::Set(d, state_low));
  words -= hn::CountTrue(d, few);
  auto const popped = hn::PromoteTo(d, hn::LoadU(half16(), words));
  auto const spread = v32{_mm512_maskz_expand_epi32(few.raw, popped.raw)};
  return hn::IfThenElse(few, hn::Or(hn::ShiftLeft<16>(state), spread), state);
}
#else
/// For each mask of 8 lanes: which of the popped words a lane takes.
struct spreading {
  std::array<std::array<std::uint8_t, 8>, 256> word{};
};
constexpr spreading spread_words = [] {
  spreading all;
  for (unsigned mask = 0; mask < 256; ++mask)
    for (unsigned lane = 0; lane < 8; ++lane)
      all.word[mask][lane] = static_cast<std::uint8_t>(std::popcount(mask & ((1U << lane) - 1)));
  return all;
}();
HWY_INLINE v32 pop_words(v32 state, std::uint16_t const*& words) {
  d32 const d;
  auto const few = below(state, hn::Set(d, state_low));
  auto const mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hn::VecFromMask(few).raw)));
  words -= std::popcount(mask);
  auto const popped = hn::PromoteTo(d, hn::LoadU(half16(), words));
  auto const taken = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(spread_words.word[mask].data())));
  auto const spread = v32{_mm256_permutevar8x32_epi32(popped.raw, taken)};
  return hn::IfThenElse(few, hn::Or(hn::ShiftLeft<16>(state), spread), state);
}
#endif

// -- bytes by their class -----------------------------------------------------------------------------------------------------

/// A number for each class, looked up by the classes in lanes.
#if HWY_TARGET <= HWY_AVX3
struct of_class16 {
  explicit of_class16(std::array<std::uint16_t, 16> const& all)
      : table(hn::ZeroExtendVector(d16(), hn::LoadU(half16(), all.data()))) {}
  HWY_INLINE v16 operator()(v16 classes) const { return v16{_mm512_permutexvar_epi16(classes.raw, table.raw)}; }
  v16 table;
};
struct of_class32 {
  explicit of_class32(std::array<std::uint32_t, 16> const& all) : table(hn::LoadU(d32(), all.data())) {}
  HWY_INLINE v32 operator()(v32 classes) const { return v32{_mm512_permutexvar_epi32(classes.raw, table.raw)}; }
  v32 table;
};
#else
struct of_class16 {
  explicit of_class16(std::array<std::uint16_t, 16> const& all)
      : table(hn::LoadDup128(d16(), all.data())), last(hn::Set(d16(), all[8])) {}
  HWY_INLINE v16 operator()(v16 classes) const {
    d16 const d;
    auto const bytes = hn::Add(hn::Mul(classes, hn::Set(d, 0x0202)), hn::Set(d, 0x0100));
    auto const found = v16{_mm256_shuffle_epi8(table.raw, bytes.raw)};
    return hn::IfThenElse(hn::Eq(classes, hn::Set(d, 8)), last, found);
  }
  v16 table;
  v16 last;
};
struct of_class32 {
  explicit of_class32(std::array<std::uint32_t, 16> const& all)
      : table(hn::LoadU(d32(), all.data())), last(hn::Set(d32(), all[8])) {}
  HWY_INLINE v32 operator()(v32 classes) const {
    auto const found = v32{_mm256_permutevar8x32_epi32(table.raw, classes.raw)};
    return hn::IfThenElse(hn::Eq(classes, hn::Set(d32(), 8)), last, found);
  }
  v32 table;
  v32 last;
};
#endif

using d8 = hn::FixedTag<std::uint8_t, 2 * vector_lanes>;

// Bytes become ranks before they are coded, and ranks bytes after they were decoded, in blocks. (A lookup of 256 bytes in
// registers takes AVX-512 VBMI, which Highway does not choose by default.)
constexpr std::size_t block_steps = 64;
HWY_INLINE void translate(std::array<std::uint8_t, 256> const& table, std::uint8_t const* from, std::uint8_t* into,
                          std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[i] = table[from[i]];
}

std::size_t encode_classes(class_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                           lane_states& states) {
  d16 const d;
  of_class16 const frequency(model.frequency);
  of_class16 const offset(model.offset);
  of_class32 const reciprocal(model.reciprocal32);
  auto* top = words;
  v32 state[vectors];
  for (auto& s : state) s = hn::Set(d32(), state_low);
  HWY_ALIGN std::uint8_t block[block_steps * coder_lanes];
  auto const last = steps - 1;
  while (steps-- != 0) {
    if (steps == last || steps % block_steps == block_steps - 1) {
      auto const first = steps / block_steps * block_steps;
      translate(ranks.rank, bytes + first * coder_lanes, block, (steps + 1 - first) * coder_lanes);
    }
    for (std::size_t v = 0; v < vectors; v += 2) {
      auto const x = hn::LoadU(d8(), bytes + steps * coder_lanes + v * vector_lanes);
      auto const rank = hn::PromoteTo(d, hn::LoadU(d8(), block + steps % block_steps * coder_lanes + v * vector_lanes));
      auto const classes = hn::PromoteTo(d, hn::PopulationCount(x));
      auto const f = frequency(classes);
      auto const slot = hn::Add(offset(classes), hn::Mul(rank, f));
      auto const push = [&](v32& s, v32 f32, v32 slot32, v32 classes32) HWY_ATTR {
        s = push_words(s, hn::Not(below(hn::ShiftRight<16>(s), f32)), top);
        s = code_symbol<class_model::precision>(s, f32, reciprocal(classes32), slot32);
      };
      push(state[v], lower_half(f), lower_half(slot), lower_half(classes));
      push(state[v + 1], upper_half(f), upper_half(slot), upper_half(classes));
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(state[v], d32(), states.data() + v * vector_lanes);
  return static_cast<std::size_t>(top - words);
}

bool decode_classes(class_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                    std::uint8_t* bytes, std::size_t steps) {
  d16 const d;
  of_class16 const frequency(model.frequency);
  of_class16 const first(model.begin);
  of_class16 const reciprocal(model.reciprocal);
  std::array<std::uint16_t, 16> begins{};
  std::copy(class_begins.begin(), class_begins.end(), begins.begin());
  of_class16 const rank_begin(begins);
  v16 bound[byte_classes - 1];  // a slot of at least bound[j] is of a class above j
  for (std::size_t j = 0; j + 1 < byte_classes; ++j) bound[j] = hn::Set(d, model.begin[j + 1]);
  v32 state[vectors];
  for (std::size_t v = 0; v < vectors; ++v) state[v] = hn::LoadU(d32(), states.data() + v * vector_lanes);
  auto const one = hn::Set(d, 1);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t v = vectors; v != 0;) {
      v -= 2;
      auto const low = hn::ConcatEven(d, hn::BitCast(d, state[v + 1]), hn::BitCast(d, state[v]));
      auto const slot = hn::And(low, hn::Set(d, class_model::total - 1));
      v16 above[2] = {hn::Zero(d), hn::Zero(d)};
      for (std::size_t j = 0; j + 1 < byte_classes; ++j)
        above[j % 2] = hn::Add(above[j % 2], hn::IfThenZeroElse(below(slot, bound[j]), one));
      auto const classes = hn::Add(above[0], above[1]);
      auto const f = frequency(classes);
      auto const inside = hn::Sub(slot, first(classes));
      // The product with the rounded-down reciprocal is the quotient or one less.
      auto quotient = hn::MulHigh(inside, reciprocal(classes));
      auto remainder = hn::Sub(inside, hn::Mul(quotient, f));
      auto const exact = below(remainder, f);
      remainder = hn::Sub(remainder, hn::IfThenZeroElse(exact, f));
      auto const rank = hn::Add(hn::Add(quotient, rank_begin(classes)), hn::IfThenZeroElse(exact, one));
      hn::StoreU(hn::TruncateTo(d8(), rank), d8(), bytes + step * coder_lanes + v * vector_lanes);
      auto const pop = [&](v32& s, v32 f32, v32 remainder32) HWY_ATTR {
        s = pop_words(hn::Add(hn::Mul(hn::ShiftRight<class_model::precision>(s), f32), remainder32), end);
      };
      pop(state[v + 1], upper_half(f), upper_half(remainder));
      pop(state[v], lower_half(f), lower_half(remainder));
    }
    if (end < begin) return false;
    if (step % block_steps == block_steps - 1 || step + 1 == steps) {
      auto* const block = bytes + step / block_steps * block_steps * coder_lanes;
      translate(ranks.byte, block, block, (step % block_steps + 1) * coder_lanes);
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(state[v], d32(), states.data() + v * vector_lanes);
  return end == begin;
}

// -- any bytes ----------------------------------------------------------------------------------------------------------------

/// A state of f * 2^byte_room or more has no room for a symbol of frequency f.
constexpr int byte_room = static_cast<int>(state_low_bits - byte_model::precision + 16);

/// `stride` times the context of each lane of vector v.
HWY_INLINE v32 contexts_of(std::uint32_t contexts, std::size_t v, std::uint32_t stride) {
  d32 const d;
  auto const lane = hn::Iota(d, static_cast<std::uint32_t>(v * vector_lanes));
  return hn::Mul(hn::And(lane, hn::Set(d, contexts - 1)), hn::Set(d, stride));
}
HWY_INLINE v32 gather(std::uint32_t const* table, v32 at) {
  return hn::GatherIndex(d32(), table, hn::BitCast(hn::RebindToSigned<d32>(), at));
}

std::size_t encode_bytes(byte_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                         lane_states& states) {
  d32 const d;
  hn::Rebind<std::uint8_t, d32> const narrow;
  auto* top = words;
  v32 state[vectors];
  v32 context[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    state[v] = hn::Set(d, state_low);
    context[v] = contexts_of(model.contexts, v, 256);
  }
  while (steps-- != 0) {
    for (std::size_t v = 0; v < vectors; ++v) {
      auto const x = hn::PromoteTo(d, hn::LoadU(narrow, bytes + steps * coder_lanes + v * vector_lanes));
      auto const at = hn::Add(context[v], x);
      auto const coded = gather(model.coded.data(), at);
      auto const f = hn::And(coded, hn::Set(d, 0xffff));
      auto const pushed = push_words(state[v], hn::Not(below(hn::ShiftRight<byte_room>(state[v]), f)), top);
      state[v] = code_symbol<byte_model::precision>(pushed, f, gather(model.reciprocal.data(), at), hn::ShiftRight<16>(coded));
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(state[v], d, states.data() + v * vector_lanes);
  return static_cast<std::size_t>(top - words);
}

bool decode_bytes(byte_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                  std::uint8_t* bytes, std::size_t steps) {
  d32 const d;
  hn::Rebind<std::uint8_t, d32> const narrow;
  v32 state[vectors];
  v32 context[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    state[v] = hn::LoadU(d, states.data() + v * vector_lanes);
    context[v] = contexts_of(model.contexts, v, byte_model::total);
  }
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t v = vectors; v-- != 0;) {
      auto const slot = hn::And(state[v], hn::Set(d, byte_model::total - 1));
      auto const found = gather(model.slots.data(), hn::Add(context[v], slot));
      hn::StoreU(hn::TruncateTo(narrow, found), narrow, bytes + step * coder_lanes + v * vector_lanes);
      auto const inside = hn::And(hn::ShiftRight<8>(found), hn::Set(d, byte_model::total - 1));
      auto const f = hn::Add(hn::ShiftRight<20>(found), hn::Set(d, 1));
      state[v] = pop_words(hn::Add(hn::Mul(hn::ShiftRight<byte_model::precision>(state[v]), f), inside), end);
    }
    if (end < begin) return false;
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(state[v], d, states.data() + v * vector_lanes);
  return end == begin;
}

#else  // without AVX2: one lane after the other

template <unsigned Precision>
HWY_INLINE std::uint32_t push_symbol(std::uint32_t state, std::uint32_t f, std::uint32_t slot, std::uint16_t*& words) {
  if (state >> (state_low_bits - Precision + 16) >= f) {
    *words++ = static_cast<std::uint16_t>(state);
    state >>= 16;
  }
  return (state / f << Precision) + state % f + slot;
}

/// Returns false if there is no word left to pop.
HWY_INLINE bool pop_word(std::uint32_t& state, std::uint16_t const* begin, std::uint16_t const*& end) {
  if (state >= state_low) return true;
  if (end == begin) return false;
  state = state << 16 | *--end;
  return true;
}

std::size_t encode_classes(class_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                           lane_states& states) {
  auto* top = words;
  states.fill(state_low);
  while (steps-- != 0)
    for (std::size_t i = 0; i < coder_lanes; ++i) {
      std::size_t const x = bytes[steps * coder_lanes + i];
      auto const j = static_cast<std::size_t>(std::popcount(x));
      std::uint32_t const f = model.frequency[j];
      states[i] =
          push_symbol<class_model::precision>(states[i], f, (model.offset[j] + std::uint32_t{ranks.rank[x]} * f) & 0xffff, top);
    }
  return static_cast<std::size_t>(top - words);
}

bool decode_classes(class_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                    std::uint8_t* bytes, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t i = coder_lanes; i-- != 0;) {
      auto const slot = states[i] & (class_model::total - 1);
      std::size_t j = 0;
      for (std::size_t above = 1; above < byte_classes; ++above) j += slot >= model.begin[above] ? 1U : 0U;
      std::uint32_t const f = model.frequency[j], inside = slot - model.begin[j];
      states[i] = f * (states[i] >> class_model::precision) + inside % f;
      bytes[step * coder_lanes + i] = ranks.byte[class_begins[j] + inside / f];
      if (!pop_word(states[i], begin, end)) return false;
    }
  return end == begin;
}

std::size_t encode_bytes(byte_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                         lane_states& states) {
  auto* top = words;
  states.fill(state_low);
  while (steps-- != 0)
    for (std::size_t i = 0; i < coder_lanes; ++i) {
      auto const coded = model.coded[i % model.contexts * 256 + bytes[steps * coder_lanes + i]];
      states[i] = push_symbol<byte_model::precision>(states[i], coded & 0xffff, coded >> 16, top);
    }
  return static_cast<std::size_t>(top - words);
}

bool decode_bytes(byte_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                  std::uint8_t* bytes, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t i = coder_lanes; i-- != 0;) {
      auto const found = model.slots[i % model.contexts * byte_model::total + states[i] % byte_model::total];
      states[i] = ((found >> 20) + 1) * (states[i] >> byte_model::precision) + (found >> 8) % byte_model::total;
      bytes[step * coder_lanes + i] = static_cast<std::uint8_t>(found);
      if (!pop_word(states[i], begin, end)) return false;
    }
  return end == begin;
}
#endif

/// Writes the places of four ones of a word, whether it has as many or not, and goes on by those it has: that is quicker than
/// a loop whose end is not predicted.
std::uint32_t* find_ones(std::uint64_t word, std::uint32_t base, std::uint32_t* places) {
  auto* const end = places + std::popcount(word);
  constexpr std::uint64_t last = std::uint64_t{1} << 63;  // never without a one: g++ would branch to avoid that
  do {
    for (std::size_t i = 0; i < 4; ++i, word &= word - 1)
      places[i] = base + static_cast<std::uint32_t>(std::countr_zero(word | last));
    places += 4;
  } while (word != 0);
  return end;
}

void places_of_ones(std::uint8_t const* bytes, std::size_t size, bool full, std::uint32_t* places) {
  std::uint64_t const flip = full ? ~std::uint64_t{0} : 0;
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    places = find_ones(word ^ flip, static_cast<std::uint32_t>(8 * at), places);
  }
  if (at == size) return;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + at, size - at);
  find_ones((word ^ flip) & ((std::uint64_t{1} << 8 * (size - at)) - 1), static_cast<std::uint32_t>(8 * at), places);
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(encode_classes);
HWY_EXPORT(encode_bytes);
HWY_EXPORT(decode_classes);
HWY_EXPORT(decode_bytes);
HWY_EXPORT(places_of_ones);

std::size_t encode_classes(class_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                           lane_states& states) noexcept {
  return HWY_DYNAMIC_DISPATCH(encode_classes)(model, bytes, steps, words, states);
}
std::size_t encode_bytes(byte_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                         lane_states& states) noexcept {
  return HWY_DYNAMIC_DISPATCH(encode_bytes)(model, bytes, steps, words, states);
}
bool decode_classes(class_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                    std::uint8_t* bytes, std::size_t steps) noexcept {
  return HWY_DYNAMIC_DISPATCH(decode_classes)(model, begin, end, states, bytes, steps);
}
bool decode_bytes(byte_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                  std::uint8_t* bytes, std::size_t steps) noexcept {
  return HWY_DYNAMIC_DISPATCH(decode_bytes)(model, begin, end, states, bytes, steps);
}

void places_of_ones(std::uint8_t const* bytes, std::size_t size, bool full, std::uint32_t* places) noexcept {
  HWY_DYNAMIC_DISPATCH(places_of_ones)(bytes, size, full, places);
}

}  // namespace hortus::kernels
#endif
