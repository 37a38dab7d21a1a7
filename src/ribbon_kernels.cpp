// The kernels of ribbon: lookups, and the solution of its columns.
#define HWY_WANT_AVX3_DL  // for VPOPCNTDQ, which counts the bits of eight words at once
#include <hortus/frozen/ribbon_kernels.hpp>

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

namespace hn = hwy::HWY_NAMESPACE;

// Without AVX2 a loop over single words is faster.
#undef HORTUS_COLUMNS_IN_LANES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define HORTUS_COLUMNS_IN_LANES 1
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

HWY_INLINE bool matches(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  auto const row = ribbon_row::of(word);
  auto const by = start % 64;
  return adds_up(cells.words() + cells.word_of(start / 64), row.slots << by,
                 cells.words() + cells.word_of(ribbon_cells::end_block(start)), row.slots >> 1 >> (63 - by), row.fingerprint,
                 cells.columns_of_row(start));
}

ribbon_answers in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs,
                         std::span<digest const> next) {
  ribbon_answers answers{0, 0};
  auto const ask = [&](std::size_t i, std::uint64_t start) HWY_ATTR {
    answers.found |= std::uint64_t{matches(cells, start, xs[i].bits())} << i;
    answers.bumped |= std::uint64_t{cells.bumped(start)} << i;
  };
  if (layer == 0)
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) cells.prefetch(cells.start_in_first(next[i].bits()));
      ask(i, cells.start_in_first(xs[i].bits()));
    }
  else
    for (std::size_t i = 0; i < xs.size(); ++i) ask(i, cells.layer(layer).start(xs[i].bits()));
  answers.found &= ~answers.bumped;
  return answers;
}

bool one_in_ribbon(ribbon_cells const& cells, std::uint64_t word) {
  if (cells.layers() == 0) return false;
  auto start = cells.start_in_first(word);
  std::uint64_t layer = 0;
  while (cells.bumped(start)) [[unlikely]] {
      if (++layer == cells.layers()) return cells.keeps(word);
      word = next_layer(word);
      start = cells.layer(layer).start(word);
    }
  if (matches(cells, start, word)) return true;
  return layer + 1 == cells.layers() && cells.keeps(word);
}

/// Solves `Vectors` vectors of columns, from column `from` on. A lane has the bits of one column for the last 64 slots that
/// were solved, the latest in its lowest bit.
constexpr std::size_t solved_columns = 16;

#ifdef HORTUS_COLUMNS_IN_LANES
constexpr std::size_t solved_at_once = solved_columns / lanes;
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

ribbon_answers in_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs,
                         std::span<digest const> next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_ribbon)(cells, layer, xs, next);
}
void solve_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                  std::span<std::uint64_t const> values) noexcept {
  HWY_DYNAMIC_DISPATCH(solve_ribbon)(cells, first_block, rows, values);
}

namespace {

/// Stores the kernel that Highway chooses; later calls go there directly.
bool choose_in(ribbon_cells const& cells, std::uint64_t word) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto* const kernel = &HWY_DYNAMIC_DISPATCH(one_in_ribbon);
  chosen_ribbon.in.store(kernel, std::memory_order_relaxed);
  return kernel(cells, word);
}

}  // namespace

constinit ribbon_kernel chosen_ribbon{choose_in};

void ribbon_kernel::choose_again() noexcept { in = choose_in; }

}  // namespace hortus::kernels
#endif
