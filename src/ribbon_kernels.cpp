// The kernels of ribbon: lookups, and the solution of its columns.
#define HWY_WANT_AVX3_DL  // for VPOPCNTDQ, which counts the bits of eight words at once
#include <hortus/frozen/ribbon_kernels.hpp>
#include <hortus/frozen/ribbon_long_rows.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/ribbon_kernels.cpp"
#include <hwy/foreach_target.h>
// Not before foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

using keys = std::span<digest const>;

// Without AVX2 a loop over single words is faster.
#undef HORTUS_COLUMNS_IN_LANES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define HORTUS_COLUMNS_IN_LANES 1
namespace hn = hwy::HWY_NAMESPACE;
using words = hn::CappedTag<std::uint64_t, 8>;
using vector = hn::Vec<words>;
constexpr std::size_t lanes = hn::MaxLanes(words());

/// One bit for each lane.
HWY_INLINE std::uint64_t to_bits(hn::Mask<words> mask) {
#if HWY_TARGET <= HWY_AVX3
  return mask.raw;
#else
  std::uint8_t bits = 0;
  hn::StoreMaskBits(words(), mask, &bits);
  return bits;
#endif
}
#endif

/// Do the slots of a row add up to the fingerprint, in each of `columns` columns? The row has the slots `low` of one block and
/// `high` of another.
HWY_INLINE bool adds_up(std::uint64_t const* block, std::uint64_t low, std::uint64_t const* other, std::uint64_t high,
                        std::uint64_t fingerprint, unsigned columns) {
#ifdef HORTUS_COLUMNS_IN_LANES
  words const d;
  for (unsigned from = 0; from < columns; from += lanes) {
    if (columns - from >= lanes) {
      auto const both =
          hn::Xor(hn::And(hn::LoadU(d, block + from), hn::Set(d, low)), hn::And(hn::LoadU(d, other + from), hn::Set(d, high)));
      auto const odd = to_bits(hn::TestBit(hn::PopulationCount(both), hn::Set(d, 1)));
      if (((odd ^ fingerprint >> from) & ((1U << lanes) - 1)) != 0) return false;
      continue;
    }
    auto const some = hn::FirstN(d, columns - from);
    auto const both = hn::Xor(hn::And(hn::MaskedLoad(some, d, block + from), hn::Set(d, low)),
                              hn::And(hn::MaskedLoad(some, d, other + from), hn::Set(d, high)));
    auto const odd = to_bits(hn::TestBit(hn::PopulationCount(both), hn::Set(d, 1)));
    if (((odd ^ fingerprint >> from) & to_bits(some)) != 0) return false;
  }
  return true;
#else
  for (unsigned from = 0; from < columns; ++from) {
    auto const both = (block[from] & low) ^ (other[from] & high);
    if ((static_cast<unsigned>(std::popcount(both)) & 1) != (fingerprint >> from & 1)) return false;
  }
  return true;
#endif
}

/// Eight columns in all blocks, as at a rate of 2^-8, are a case of their own: a block is a cache line, and fewer instructions
/// leave room for more lookups in flight.
template <bool Eight>
HWY_INLINE bool matches(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  auto const row = ribbon_row::of(word);
  auto const by = start % 64;
  auto const low = row.slots << by;
  auto const high = row.slots >> 1 >> (63 - by);
  auto const end_block = ribbon_cells::end_block(start);
  if constexpr (Eight)
    return adds_up(cells.words() + start / 64 * 8, low, cells.words() + end_block * 8, high, row.fingerprint, 8);
  else
    return adds_up(cells.words() + cells.word_of(start / 64), low, cells.words() + cells.word_of(end_block), high,
                   row.fingerprint, cells.columns_of_row(start));
}

HWY_INLINE bool has_eight_columns(ribbon_cells const& cells) { return cells.columns() == 8 && cells.wide_blocks() == 0; }

/// Keys that are prefetched ahead, up to three lines each. 32 keys ahead are more lines than the first cache can wait for.
constexpr std::size_t ahead = 16;
/// With eight columns, where a row is two whole lines: to the second cache, which can wait for more.
constexpr std::size_t ahead_of_eight = 32;

template <bool Eight>
HWY_INLINE void in_first_layer(ribbon_cells const& cells, keys xs, keys next, bool far, ribbon_answers& answers) {
  constexpr std::size_t early = Eight ? ahead_of_eight : ahead;
  std::uint64_t starts[ribbon_block_keys];
  // Inlined: g++ drops calls of functions that only prefetch.
  auto const prefetch = [&](std::uint64_t start) HWY_ATTR __attribute__((always_inline)) {
    if constexpr (Eight) {
      __builtin_prefetch(cells.words() + start / 64 * 8, 0, 2);
      __builtin_prefetch(cells.words() + start / 64 * 8 + 8, 0, 2);
    } else {
      cells.prefetch(start);
    }
  };
  auto const look_ahead = [&](std::size_t i) HWY_ATTR {
    starts[i] = cells.start_in_first(xs[i].bits());
    if (far) prefetch(starts[i]);
  };
  for (std::size_t i = 0; i < std::min(early, xs.size()); ++i) look_ahead(i);
  for (std::size_t from = 0; from < xs.size(); from += 64) {
    std::uint64_t found = 0;
    std::uint64_t bumped = 0;
    for (std::size_t i = from; i < std::min(from + 64, xs.size()); ++i) {
      if (i + early < xs.size())
        look_ahead(i + early);
      else if (i + early - xs.size() < next.size())
        prefetch(cells.start_in_first(next[i + early - xs.size()].bits()));
      found |= std::uint64_t{matches<Eight>(cells, starts[i], xs[i].bits())} << (i % 64);
      bumped |= std::uint64_t{cells.bumped(starts[i])} << (i % 64);
    }
    answers.found[from / 64] = found;
    answers.bumped[from / 64] = bumped;
  }
}

void in_ribbon(ribbon_cells const& cells, std::uint64_t layer, keys xs, keys next, bool far, ribbon_answers& answers) {
  if (cells.long_rows()) return kernels::in_long_ribbon(cells, layer, xs, next, far, answers);
  if (layer == 0) {
    if (has_eight_columns(cells)) return in_first_layer<true>(cells, xs, next, far, answers);
    return in_first_layer<false>(cells, xs, next, far, answers);
  }
  auto const range = cells.layer(layer);
  std::fill_n(answers.found, ribbon_block_keys / 64, 0);
  std::fill_n(answers.bumped, ribbon_block_keys / 64, 0);
  if (far)
    for (auto const x : xs) cells.prefetch(range.start(x.bits()));
  for (std::size_t i = 0; i < xs.size(); ++i) {
    auto const start = range.start(xs[i].bits());
    answers.found[i / 64] |= std::uint64_t{matches<false>(cells, start, xs[i].bits())} << (i % 64);
    answers.bumped[i / 64] |= std::uint64_t{cells.bumped(start)} << (i % 64);
  }
}

// Not inlined: a lookup that does not need them saves no registers then.
HWY_NOINLINE bool matches_any_columns(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  return matches<false>(cells, start, word);
}
/// The answer of the layers after the first one.
HWY_NOINLINE bool in_later_layers(ribbon_cells const& cells, std::uint64_t word) {
  for (std::uint64_t layer = 1; layer < cells.layers(); ++layer) {
    word = next_layer(word);
    auto const start = cells.layer(layer).start(word);
    if (cells.bumped(start)) continue;
    return matches<false>(cells, start, word) || (layer + 1 == cells.layers() && cells.keeps(word));
  }
  return cells.keeps(word);
}
HWY_NOINLINE bool in_unusual(ribbon_cells const& cells, std::uint64_t word) {
  if (cells.long_rows()) return kernels::in_long_ribbon(cells, word);
  if (cells.layers() == 0) return false;
  auto const start = cells.start_in_first(word);
  return (!cells.bumped(start) && matches<false>(cells, start, word)) || cells.keeps(word);
}

bool one_in_ribbon(ribbon_cells const& cells, std::uint64_t word) {
  if (cells.layers() < 2 || cells.long_rows()) [[unlikely]]
    return in_unusual(cells, word);
  auto const start = cells.start_in_first(word);
  if (cells.bumped(start)) [[unlikely]]
    return in_later_layers(cells, word);
  if (has_eight_columns(cells)) return matches<true>(cells, start, word);
  return matches_any_columns(cells, start, word);
}

HWY_INLINE std::uint64_t lowest(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// The columns of a map, as types: a loop over a constant number of vectors takes half the time. So many columns in all blocks,
/// whole vectors:
template <unsigned Columns>
struct exactly {
  static HWY_INLINE unsigned of_row(ribbon_cells const&, std::uint64_t) { return Columns; }
  static HWY_INLINE std::uint64_t word_of(ribbon_cells const&, std::uint64_t block) { return block * Columns; }
  static HWY_INLINE std::size_t whole_vectors(unsigned, std::size_t of) { return Columns / of; }
  static constexpr bool rest = false;
};
/// Any columns, in so many vectors; 0: in any number of them.
template <unsigned Vectors>
struct about {
  static HWY_INLINE unsigned of_row(ribbon_cells const& cells, std::uint64_t start) { return cells.columns_of_row(start); }
  static HWY_INLINE std::uint64_t word_of(ribbon_cells const& cells, std::uint64_t block) { return cells.word_of(block); }
  static HWY_INLINE std::size_t whole_vectors(unsigned columns, std::size_t of) {
    return Vectors == 0 ? columns / of : Vectors - 1;
  }
  static constexpr bool rest = true;
};
/// Calls act(columns) with such a type.
HWY_INLINE void with_columns(ribbon_cells const& cells, auto act) {
  if (cells.wide_blocks() == 0) {
    if (cells.columns() == 8) return act(exactly<8>());
    if (cells.columns() == 16) return act(exactly<16>());
    if (cells.columns() == 24) return act(exactly<24>());
    if (cells.columns() == 32) return act(exactly<32>());
  }
#ifdef HORTUS_COLUMNS_IN_LANES
  auto const most = cells.columns() + (cells.wide_blocks() != 0 ? 1 : 0);
  if (most != 0 && most <= lanes) return act(about<1>());
  if (most > lanes && most <= 2 * lanes) return act(about<2>());
  if (most > 2 * lanes && most <= 3 * lanes) return act(about<3>());
  if (most > 3 * lanes && most <= 4 * lanes) return act(about<4>());
#endif
  act(about<0>());
}

/// What the slots of a row add up to, a bit for each column. The row has the slots `low` of one block and `high` of another.
template <class Columns>
HWY_INLINE std::uint64_t sums(std::uint64_t const* block, std::uint64_t low, std::uint64_t const* other, std::uint64_t high,
                              unsigned columns) {
  std::uint64_t all = 0;
#ifdef HORTUS_COLUMNS_IN_LANES
  words const d;
  auto const lows = hn::Set(d, low);
  auto const highs = hn::Set(d, high);
  auto const odd = [](vector both) HWY_ATTR { return to_bits(hn::TestBit(hn::PopulationCount(both), hn::Set(words(), 1))); };
  auto const whole = Columns::whole_vectors(columns, lanes);
  for (std::size_t v = 0; v < whole; ++v) {
    auto const from = v * lanes;
    all |= odd(hn::Xor(hn::And(hn::LoadU(d, block + from), lows), hn::And(hn::LoadU(d, other + from), highs))) << from;
  }
  if constexpr (Columns::rest) {
    auto const from = whole * lanes;
    if (from == columns) return all;
    auto const some = hn::FirstN(d, columns - from);
    all |= odd(hn::Xor(hn::And(hn::MaskedLoad(some, d, block + from), lows),
                       hn::And(hn::MaskedLoad(some, d, other + from), highs)))
           << from;
  }
#else
  for (unsigned from = 0; from < columns; ++from) {
    auto const both = (block[from] & low) ^ (other[from] & high);
    all |= (static_cast<std::uint64_t>(std::popcount(both)) & 1) << from;
  }
#endif
  return all;
}

/// The exclusive or of the fingerprint and of what the slots add up to: in a map, the value of the key, and zeros in the
/// columns that check it.
template <class Columns>
HWY_INLINE std::uint64_t value_at(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  auto const row = ribbon_row::of(word);
  auto const by = start % 64;
  auto const columns = Columns::of_row(cells, start);
  auto const* const block = cells.words() + Columns::word_of(cells, start / 64);
  auto const* const other = cells.words() + Columns::word_of(cells, ribbon_cells::end_block(start));
  auto const found = sums<Columns>(block, row.slots << by, other, row.slots >> 1 >> (63 - by), columns);
  return (found ^ row.fingerprint) & lowest(columns);
}

template <class Columns>
HWY_INLINE void values_in_layer(ribbon_cells const& cells, std::uint64_t layer, keys xs, keys next, bool far,
                                unsigned value_bits, std::uint64_t* values, ribbon_answers& answers) {
  auto const check = ~lowest(value_bits);
  std::uint64_t starts[ribbon_block_keys];
  auto const look_ahead = [&](std::size_t i) HWY_ATTR {
    starts[i] = cells.start(layer, xs[i].bits());
    if (far) cells.prefetch(starts[i]);
  };
  for (std::size_t i = 0; i < std::min(ahead, xs.size()); ++i) look_ahead(i);
  for (std::size_t from = 0; from < xs.size(); from += 64) {
    std::uint64_t found = 0;
    std::uint64_t bumped = 0;
    for (std::size_t i = from; i < std::min(from + 64, xs.size()); ++i) {
      if (i + ahead < xs.size())
        look_ahead(i + ahead);
      else if (i + ahead - xs.size() < next.size())
        cells.prefetch(cells.start_in_first(next[i + ahead - xs.size()].bits()));
      auto const bits = value_at<Columns>(cells, starts[i], xs[i].bits());
      auto const passes = std::uint64_t{(bits & check) == 0};
      values[i] = bits & (0 - passes);
      found |= passes << (i % 64);
      bumped |= std::uint64_t{cells.bumped(starts[i])} << (i % 64);
    }
    answers.found[from / 64] = found;
    answers.bumped[from / 64] = bumped;
  }
}
void values_in_ribbon(ribbon_cells const& cells, std::uint64_t layer, keys xs, keys next, bool far, unsigned value_bits,
                      std::uint64_t* values, ribbon_answers& answers) {
  with_columns(cells, [&](auto columns) HWY_ATTR {
    values_in_layer<decltype(columns)>(cells, layer, xs, next, far, value_bits, values, answers);
  });
}

HWY_NOINLINE ribbon_value value_in_later_layers(ribbon_cells const& cells, std::uint64_t word) {
  using place = ribbon_value::place;
  for (std::uint64_t layer = 1; layer < cells.layers(); ++layer) {
    word = next_layer(word);
    if (auto const start = cells.start(layer, word); !cells.bumped(start))
      return {value_at<about<0>>(cells, start, word), layer + 1 == cells.layers() ? place::in_last : place::in_layer};
  }
  return {0, place::nowhere};
}
// Not inlined: a lookup that does not need it saves no registers then.
HWY_NOINLINE std::uint64_t value_of_any_columns(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  std::uint64_t value = 0;
  with_columns(cells, [&](auto columns) HWY_ATTR { value = value_at<decltype(columns)>(cells, start, word); });
  return value;
}
ribbon_value one_value_in_ribbon(ribbon_cells const& cells, std::uint64_t word) {
  using place = ribbon_value::place;
  auto const start = cells.start_in_first(word);
  if (cells.bumped(start)) [[unlikely]]
    return value_in_later_layers(cells, word);
  auto const where = cells.layers() == 1 ? place::in_last : place::in_layer;
  if (cells.columns() == 16 && cells.wide_blocks() == 0) return {value_at<exactly<16>>(cells, start, word), where};
  return {value_of_any_columns(cells, start, word), where};
}

#ifdef HORTUS_COLUMNS_IN_LANES
constexpr std::size_t solved_columns = 16;
constexpr std::size_t solved_at_once = solved_columns / lanes;

/// Solves so many vectors of columns, from column `from` on. A lane has the bits of one column for the last 64 slots that were
/// solved, the latest in its lowest bit.
HWY_INLINE void solve_some(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                           std::span<std::uint64_t const> values, unsigned from, unsigned to, auto vectors) {
  words const d;
  constexpr std::size_t count = decltype(vectors)::value;
  auto const one = hn::Set(d, 1);
  vector latest[count];
  vector column[count];
  for (std::size_t v = 0; v < count; ++v) {
    latest[v] = hn::Zero(d);
    column[v] = hn::Add(hn::Iota(d, 0), hn::Set(d, from + v * lanes));
  }
  HWY_ALIGN std::uint64_t solved[count * lanes];
  for (auto block = rows.size() / 64; block-- > 0;) {
    for (auto slot = (block + 1) * 64; slot-- > block * 64;) {
      auto const row = hn::Set(d, rows[slot]);
      auto const value = hn::Set(d, values[slot]);
      for (std::size_t v = 0; v < count; ++v) {
        // The lowest bit of a row is that of the slot itself, where the value stands for now.
        auto const shifted = hn::ShiftLeft<1>(latest[v]);
        auto const known = hn::Or(shifted, hn::And(hn::Shr(value, column[v]), one));
        latest[v] = hn::Or(shifted, hn::And(hn::PopulationCount(hn::And(known, row)), one));
      }
    }
    for (std::size_t v = 0; v < count; ++v) hn::Store(latest[v], d, solved + v * lanes);
    auto const at = first_block + block;
    auto const columns = cells.columns() + (at < cells.wide_blocks() ? 1 : 0);
    if (columns > from) std::copy_n(solved, std::min(columns, to) - from, cells.words() + cells.word_of(at) + from);
  }
}
#endif

void solve_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                  std::span<std::uint64_t const> values) {
  // A row in a narrow block is solved in the additional column, too: rows of wide blocks may have been added to it.
  auto const columns = cells.columns() + (cells.wide_blocks() != 0 ? 1 : 0);
#ifdef HORTUS_COLUMNS_IN_LANES
  for (unsigned from = 0; from < columns; from += solved_columns) {
    auto const to = std::min<unsigned>(columns, from + solved_columns);
    if (to - from <= lanes)
      solve_some(cells, first_block, rows, values, from, to, std::integral_constant<std::size_t, 1>());
    else if (to - from <= 2 * lanes)
      solve_some(cells, first_block, rows, values, from, to, std::integral_constant<std::size_t, 2>());
    else
      solve_some(cells, first_block, rows, values, from, to, std::integral_constant<std::size_t, solved_at_once>());
  }
#else
  std::array<std::uint64_t, plan::ribbon_shape::max_columns> latest{};
  for (auto block = rows.size() / 64; block-- > 0;) {
    for (auto slot = (block + 1) * 64; slot-- > block * 64;)
      for (unsigned j = 0; j < columns; ++j) {
        auto const known = latest[j] << 1 | (values[slot] >> j & 1);
        latest[j] = latest[j] << 1 | (static_cast<unsigned>(std::popcount(known & rows[slot])) & 1);
      }
    auto const at = first_block + block;
    std::copy_n(latest.begin(), cells.columns() + (at < cells.wide_blocks() ? 1 : 0), cells.words() + cells.word_of(at));
  }
#endif
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kept_kernel.hpp"

namespace hortus::kernels {

HWY_EXPORT(in_ribbon);
HWY_EXPORT(one_in_ribbon);
HWY_EXPORT(solve_ribbon);
HWY_EXPORT(values_in_ribbon);
HWY_EXPORT(one_value_in_ribbon);

void in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
               bool far, ribbon_answers& answers) noexcept {
  HWY_DYNAMIC_DISPATCH(in_ribbon)(cells, layer, xs, next, far, answers);
}
void solve_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                  std::span<std::uint64_t const> values) noexcept {
  HWY_DYNAMIC_DISPATCH(solve_ribbon)(cells, first_block, rows, values);
}

void values_in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
                      bool far, unsigned value_bits, std::uint64_t* values, ribbon_answers& answers) noexcept {
  HWY_DYNAMIC_DISPATCH(values_in_ribbon)(cells, layer, xs, next, far, value_bits, values, answers);
}

namespace {

bool choose_in(ribbon_cells const& cells, std::uint64_t word) {
  return kept(chosen_ribbon.in, [] { return HWY_DYNAMIC_DISPATCH(one_in_ribbon); })(cells, word);
}
ribbon_value choose_value(ribbon_cells const& cells, std::uint64_t word) {
  return kept(chosen_ribbon.value, [] { return HWY_DYNAMIC_DISPATCH(one_value_in_ribbon); })(cells, word);
}

}  // namespace

constinit ribbon_kernel chosen_ribbon{choose_in, choose_value};

void ribbon_kernel::choose_again() noexcept {
  in = choose_in;
  value = choose_value;
}

}  // namespace hortus::kernels
#endif
