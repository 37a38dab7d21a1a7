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

/// What the slots of a row add up to, a bit for each of `columns` columns.
HWY_INLINE std::uint64_t sums(std::uint64_t const* block, std::uint64_t low, std::uint64_t const* other, std::uint64_t high,
                              unsigned columns) {
  std::uint64_t all = 0;
#ifdef HORTUS_COLUMNS_IN_LANES
  words const d;
  for (unsigned from = 0; from < columns; from += lanes) {
    auto const some = hn::FirstN(d, columns - from);
    auto const both = hn::Xor(hn::And(hn::MaskedLoad(some, d, block + from), hn::Set(d, low)),
                              hn::And(hn::MaskedLoad(some, d, other + from), hn::Set(d, high)));
    all |= to_bits(hn::TestBit(hn::PopulationCount(both), hn::Set(d, 1))) << from;
  }
#else
  for (unsigned from = 0; from < columns; ++from) {
    auto const both = (block[from] & low) ^ (other[from] & high);
    all |= (static_cast<std::uint64_t>(std::popcount(both)) & 1) << from;
  }
#endif
  return all;
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

/// Keys that are prefetched ahead, two lines each. 32 keys ahead are more lines than a core can wait for, and slower.
constexpr std::size_t ahead = 16;

template <bool Eight>
HWY_INLINE void in_first_layer(ribbon_cells const& cells, keys xs, keys next, bool far, ribbon_answers& answers) {
  std::uint64_t starts[ribbon_block_keys];
  auto const look_ahead = [&](std::size_t i) HWY_ATTR {
    starts[i] = cells.start_in_first(xs[i].bits());
    if (!far) return;
    if constexpr (Eight) {
      __builtin_prefetch(cells.words() + starts[i] / 64 * 8);
      __builtin_prefetch(cells.words() + starts[i] / 64 * 8 + 8);
    } else {
      cells.prefetch(starts[i]);
    }
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

/// The exclusive or of the fingerprint and of what the slots add up to: in a map, the value of the key, and zeros in the
/// columns that check it.
HWY_INLINE std::uint64_t value_at(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  auto const row = ribbon_row::of(word);
  auto const by = start % 64;
  auto const columns = cells.columns_of_row(start);
  auto const found = sums(cells.words() + cells.word_of(start / 64), row.slots << by,
                          cells.words() + cells.word_of(ribbon_cells::end_block(start)), row.slots >> 1 >> (63 - by), columns);
  return (found ^ row.fingerprint) & (columns == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << columns) - 1);
}

void values_in_ribbon(ribbon_cells const& cells, std::uint64_t layer, keys xs, keys next, bool far, std::uint64_t* values,
                      std::uint64_t* bumped) {
  std::uint64_t starts[ribbon_block_keys];
  auto const look_ahead = [&](std::size_t i) HWY_ATTR {
    starts[i] = cells.start(layer, xs[i].bits());
    if (far) cells.prefetch(starts[i]);
  };
  std::fill_n(bumped, ribbon_block_keys / 64, 0);
  for (std::size_t i = 0; i < std::min(ahead, xs.size()); ++i) look_ahead(i);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i + ahead < xs.size())
      look_ahead(i + ahead);
    else if (i + ahead - xs.size() < next.size())
      cells.prefetch(cells.start_in_first(next[i + ahead - xs.size()].bits()));
    values[i] = value_at(cells, starts[i], xs[i].bits());
    bumped[i / 64] |= std::uint64_t{cells.bumped(starts[i])} << (i % 64);
  }
}

HWY_NOINLINE ribbon_value value_in_later_layers(ribbon_cells const& cells, std::uint64_t word) {
  for (std::uint64_t layer = 1; layer < cells.layers(); ++layer) {
    word = next_layer(word);
    if (auto const start = cells.start(layer, word); !cells.bumped(start))
      return {value_at(cells, start, word), word, true, layer + 1 == cells.layers()};
  }
  return {0, word, false, true};
}
ribbon_value one_value_in_ribbon(ribbon_cells const& cells, std::uint64_t word) {
  auto const start = cells.start_in_first(word);
  if (cells.bumped(start)) [[unlikely]]
    return value_in_later_layers(cells, word);
  return {value_at(cells, start, word), word, true, cells.layers() == 1};
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
                      bool far, std::uint64_t* values, std::uint64_t* bumped) noexcept {
  HWY_DYNAMIC_DISPATCH(values_in_ribbon)(cells, layer, xs, next, far, values, bumped);
}

namespace {

/// Stores the kernel that Highway chooses; later calls go there directly.
bool choose_in(ribbon_cells const& cells, std::uint64_t word) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto* const kernel = &HWY_DYNAMIC_DISPATCH(one_in_ribbon);
  chosen_ribbon.in.store(kernel, std::memory_order_relaxed);
  return kernel(cells, word);
}
ribbon_value choose_value(ribbon_cells const& cells, std::uint64_t word) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto* const kernel = &HWY_DYNAMIC_DISPATCH(one_value_in_ribbon);
  chosen_ribbon.value.store(kernel, std::memory_order_relaxed);
  return kernel(cells, word);
}

}  // namespace

constinit ribbon_kernel chosen_ribbon{choose_in, choose_value};

void ribbon_kernel::choose_again() noexcept {
  in = choose_in;
  value = choose_value;
}

}  // namespace hortus::kernels
#endif
