// The kernels of homogeneous_ribbon: lookups, and the solution of its columns.
#define HWY_WANT_AVX3_DL  // for VPOPCNTDQ, which counts the bits of eight words at once
#include <hortus/frozen/homogeneous_kernels.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/homogeneous_kernels.cpp"
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

/// The slots of a row in some columns, two blocks laid over each other: a column adds up to 0 if they are an even number.
HWY_INLINE vector in_row(vector block, vector low, vector next, vector high) {
  return hn::Xor(hn::And(block, low), hn::And(next, high));
}
#endif

/// Do the slots of the row add up to 0, in each of `columns` columns? The words of the next block follow those of the block.
HWY_INLINE bool adds_up(std::uint64_t const* block, unsigned columns, homogeneous_row row) {
  auto const* const next = block + columns;
#ifdef HORTUS_COLUMNS_IN_LANES
  words const d;
  auto const low = hn::Set(d, row.low);
  auto const high = hn::Set(d, row.high);
  for (unsigned from = 0; from < columns; from += lanes) {
    auto const some = hn::FirstN(d, columns - from);
    auto const both = columns - from >= lanes
                          ? in_row(hn::LoadU(d, block + from), low, hn::LoadU(d, next + from), high)
                          : in_row(hn::MaskedLoad(some, d, block + from), low, hn::MaskedLoad(some, d, next + from), high);
    if (!hn::AllFalse(d, hn::MaskFromVec(hn::ShiftLeft<63>(hn::PopulationCount(both))))) return false;  // one is odd
  }
  return true;
#else
  for (unsigned j = 0; j < columns; ++j)
    if ((std::popcount((block[j] & row.low) ^ (next[j] & row.high)) & 1) != 0) return false;
  return true;
#endif
}

/// Where a row starts: its block.
HWY_INLINE std::uint64_t block_of(homogeneous_cells const& cells, std::uint64_t word, std::uint64_t start) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  return start / 64 + _pext_u64(word, cells.strip_mask());  // one instruction instead of four, and fast where AVX-512 is
#else
  return cells.block(word, start);
#endif
}

/// Is the word in this layer? `layer`: where the words of the layer begin. Eight columns, as at a rate of 2^-8, are a case of
/// their own: a block is a cache line, and fewer instructions leave room for more lookups in flight.
template <bool Eight>
HWY_INLINE bool matches(homogeneous_cells const& cells, std::uint64_t const* layer, std::uint64_t word) {
  auto const start = cells.start(word);
  auto const block = block_of(cells, word, start);
  auto const row = homogeneous_row::of(word, start);
  if constexpr (Eight)
    if (block < cells.blocks_of_eight()) [[likely]]
      return adds_up(layer + block * 8, 8, row);
  return adds_up(layer + cells.word_of(block), cells.columns_of(block), row);
}

/// Keys that are prefetched ahead, two lines each. To the second cache: it waits for more lines at once than the first one, and
/// takes a third of the time (docs/performance-history.md).
constexpr std::size_t ahead = 32;

template <bool Eight>
HWY_INLINE void in_first_layer(homogeneous_cells const& cells, keys xs, keys next, bool far, std::uint64_t* hits) {
  // Inlined: g++ drops calls of functions that only prefetch.
  auto const look_ahead = [&](digest x) HWY_ATTR __attribute__((always_inline)) {
    if constexpr (Eight) {
      auto const block = block_of(cells, x.bits(), cells.start(x.bits()));
      __builtin_prefetch(cells.words() + block * 8, 0, 2);
      __builtin_prefetch(cells.words() + block * 8 + 8, 0, 2);
    } else {
      cells.prefetch(cells.words(), x.bits());
    }
  };
  if (far)
    for (std::size_t i = 0; i < std::min(ahead, xs.size()); ++i) look_ahead(xs[i]);
  for (std::size_t from = 0; from < xs.size(); from += 64) {
    std::uint64_t found = 0;
    for (std::size_t i = from; i < std::min(from + 64, xs.size()); ++i) {
      if (far) {
        if (i + ahead < xs.size())
          look_ahead(xs[i + ahead]);
        else if (i + ahead - xs.size() < next.size())
          look_ahead(next[i + ahead - xs.size()]);
      }
      found |= std::uint64_t{matches<Eight>(cells, cells.words(), xs[i].bits())} << (i % 64);
    }
    hits[from / 64] = found;
  }
}

/// Asks the layers after the first one for the keys that were found so far.
HWY_NOINLINE void in_later_layers(homogeneous_cells const& cells, keys xs, bool far, std::uint64_t* hits) {
  std::uint64_t words_in_layer[homogeneous_block_keys];
  std::uint16_t places[homogeneous_block_keys];
  for (unsigned layer = 1; layer < cells.layers(); ++layer) {
    auto const* const words = cells.words() + layer * cells.layer_words();
    std::size_t count = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if ((hits[i / 64] >> (i % 64) & 1) == 0) continue;
      words_in_layer[count] = cells.word_in(layer, xs[i].bits());
      places[count++] = static_cast<std::uint16_t>(i);
    }
    if (far)
      for (std::size_t i = 0; i < std::min(ahead, count); ++i) cells.prefetch(words, words_in_layer[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (far && i + ahead < count) cells.prefetch(words, words_in_layer[i + ahead]);
      bool const found = matches<false>(cells, words, words_in_layer[i]);
      hits[places[i] / 64] &= ~(std::uint64_t{!found} << (places[i] % 64));
    }
  }
}

void in_homogeneous(homogeneous_cells const& cells, keys xs, keys next, bool far, std::uint64_t* hits) {
  if (cells.columns() == 8)
    in_first_layer<true>(cells, xs, next, far, hits);
  else if (cells.layers() != 0)
    in_first_layer<false>(cells, xs, next, far, hits);
  else
    std::fill_n(hits, (xs.size() + 63) / 64, 0);
  if (cells.layers() > 1) in_later_layers(cells, xs, far, hits);
}

// Not inlined: a lookup that does not need them saves no registers then.
HWY_NOINLINE bool one_in_later_layers(homogeneous_cells const& cells, std::uint64_t word) {
  for (unsigned layer = 1; layer < cells.layers(); ++layer)
    if (!matches<false>(cells, cells.words() + layer * cells.layer_words(), cells.word_in(layer, word))) return false;
  return true;
}
HWY_NOINLINE bool one_in_any_columns(homogeneous_cells const& cells, std::uint64_t word) {
  return cells.layers() != 0 && matches<false>(cells, cells.words(), word) &&
         (cells.layers() == 1 || one_in_later_layers(cells, word));
}

bool one_in_homogeneous(homogeneous_cells const& cells, std::uint64_t word) {
  auto const start = cells.start(word);
  auto const block = block_of(cells, word, start);
  if (block >= cells.blocks_of_eight()) [[unlikely]]
    return one_in_any_columns(cells, word);
  if (adds_up(cells.words() + block * 8, 8, homogeneous_row::of(word, start))) [[unlikely]]  // fewer jumps for absent keys
    return cells.layers() == 1 || one_in_later_layers(cells, word);
  return false;
}

/// Solves so many strips together, in the columns from `from` on: each step waits for the one before, in its own strip. A word
/// of `solved` has the bits of one column in the block that is being solved, from its last slot on.
template <std::size_t Strips>
HWY_INLINE void solve_columns(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                              homogeneous_system const* strips, unsigned from) {
  auto const strip_blocks = cells.start_blocks() + 1;
  auto* const layer_words = cells.words() + layer * cells.layer_words();
#ifdef HORTUS_COLUMNS_IN_LANES
  words const d;
  constexpr std::size_t width = lanes;
  auto const one = hn::Set(d, 1);
  vector next[Strips];
  for (auto& some : next) some = hn::Zero(d);
#else
  constexpr std::size_t width = 4;
  std::uint64_t next[Strips][width] = {};
#endif
  for (auto block = strip_blocks; block-- > 0;) {
    HWY_ALIGN std::uint64_t solved[Strips][width];
    for (std::size_t s = 0; s < Strips; ++s)
      for (unsigned j = 0; j < width; ++j)
        solved[s][j] = cells.free_bits(layer, (first_strip + s) * strip_blocks + block, from + j) & ~strips[s].pivots[block];
#ifdef HORTUS_COLUMNS_IN_LANES
    vector latest[Strips];
    for (std::size_t s = 0; s < Strips; ++s) latest[s] = hn::Load(d, solved[s]);
    for (int slot = 63; slot >= 0; --slot)
      for (std::size_t s = 0; s < Strips; ++s) {
        auto const& row = strips[s].rows[block * 64 + static_cast<unsigned>(slot)];
        auto const both = in_row(latest[s], hn::Set(d, row.low), next[s], hn::Set(d, row.high));
        // A slot without a row has no slots to add up.
        latest[s] = hn::Or(latest[s], hn::ShiftLeftSame(hn::And(hn::PopulationCount(both), one), slot));
      }
    for (std::size_t s = 0; s < Strips; ++s) {
      next[s] = latest[s];
      hn::Store(latest[s], d, solved[s]);
    }
#else
    for (std::size_t s = 0; s < Strips; ++s)
      for (unsigned j = 0; j < width; ++j) {
        auto word = solved[s][j];
        for (unsigned slot = 64; slot-- > 0;) {
          auto const& row = strips[s].rows[block * 64 + slot];
          word |= std::uint64_t{static_cast<unsigned>(std::popcount((word & row.low) ^ (next[s][j] & row.high))) & 1} << slot;
        }
        solved[s][j] = next[s][j] = word;
      }
#endif
    for (std::size_t s = 0; s < Strips; ++s) {
      auto const at = (first_strip + s) * strip_blocks + block;
      auto const columns = cells.columns_of(at);
      if (columns > from)
        std::copy_n(solved[s], std::min<std::size_t>(columns - from, width), layer_words + cells.word_of(at) + from);
    }
  }
}

void solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                       std::span<homogeneous_system const> strips) {
#ifdef HORTUS_COLUMNS_IN_LANES
  constexpr unsigned width = lanes;
#else
  constexpr unsigned width = 4;
#endif
  // The last block of the last strip has the most columns.
  auto const columns = cells.columns_of((first_strip + strips.size()) * (cells.start_blocks() + 1) - 1);
  for (unsigned from = 0; from < columns; from += width) {
    if (strips.size() == 4)
      solve_columns<4>(cells, layer, first_strip, strips.data(), from);
    else
      for (std::size_t i = 0; i < strips.size(); ++i) solve_columns<1>(cells, layer, first_strip + i, &strips[i], from);
  }
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kept_kernel.hpp"

namespace hortus::kernels {

HWY_EXPORT(in_homogeneous);
HWY_EXPORT(one_in_homogeneous);
HWY_EXPORT(solve_homogeneous);

void in_homogeneous(homogeneous_cells const& cells, std::span<digest const> xs, std::span<digest const> next, bool far,
                    std::uint64_t* hits) noexcept {
  HWY_DYNAMIC_DISPATCH(in_homogeneous)(cells, xs, next, far, hits);
}
void solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                       std::span<homogeneous_system const> strips) noexcept {
  HWY_DYNAMIC_DISPATCH(solve_homogeneous)(cells, layer, first_strip, strips);
}

namespace {

bool choose_in(homogeneous_cells const& cells, std::uint64_t word) {
  return kept(chosen_homogeneous.in, [] { return HWY_DYNAMIC_DISPATCH(one_in_homogeneous); })(cells, word);
}

}  // namespace

constinit homogeneous_kernel chosen_homogeneous{choose_in};

void homogeneous_kernel::choose_again() noexcept { in = choose_in; }

}  // namespace hortus::kernels
#endif
