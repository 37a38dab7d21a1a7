// Ribbon filters with rows of 128 slots: lookups, and the solution of their columns.
#include <hortus/frozen/ribbon_long_rows.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/ribbon_long_rows.cpp"
#include <hwy/foreach_target.h>
// Not before foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

using keys = std::span<digest const>;

HWY_INLINE std::uint64_t odd(std::uint64_t word) { return static_cast<std::uint64_t>(std::popcount(word)) & 1; }

/// Do the slots of a row add up to the fingerprint in every column? Reads all columns before it compares: there are so few that
/// a branch would cost more.
HWY_INLINE bool matches(ribbon_cells const& cells, std::uint64_t start, std::uint64_t word) {
  auto const row = ribbon_long_row::of(word);
  auto const by = start % 64;
  auto const low = row.low << by;
  auto const middle = row.high << by | row.low >> 1 >> (63 - by);
  auto const high = row.high >> 1 >> (63 - by);
  auto const columns = cells.columns_of_row<2>(start);
  auto const* const first = cells.words() + cells.word_of(start / 64);
  auto const* const second = cells.words() + cells.word_of(start / 64 + 1);
  auto const* const last = cells.words() + cells.word_of(ribbon_cells::end_block<2>(start));
  std::uint64_t different = 0;
  for (unsigned j = 0; j < columns; ++j)
    different |= odd((first[j] & low) ^ (second[j] & middle) ^ (last[j] & high)) ^ (row.fingerprint >> j & 1);
  return different == 0;
}

constexpr std::size_t ahead = 16;  // as in ribbon_kernels.cpp

void in_long_ribbon(ribbon_cells const& cells, std::uint64_t layer, keys xs, keys next, bool far, ribbon_answers& answers) {
  std::uint64_t starts[ribbon_block_keys];
  auto const look_ahead = [&](std::size_t i) HWY_ATTR {
    starts[i] = cells.start<2>(layer, xs[i].bits());
    if (far) cells.prefetch<2>(starts[i]);
  };
  std::fill_n(answers.found, ribbon_block_keys / 64, 0);
  std::fill_n(answers.bumped, ribbon_block_keys / 64, 0);
  for (std::size_t i = 0; i < std::min(ahead, xs.size()); ++i) look_ahead(i);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i + ahead < xs.size())
      look_ahead(i + ahead);
    else if (i + ahead - xs.size() < next.size())
      cells.prefetch<2>(cells.start_in_first<2>(next[i + ahead - xs.size()].bits()));
    answers.found[i / 64] |= std::uint64_t{matches(cells, starts[i], xs[i].bits())} << (i % 64);
    answers.bumped[i / 64] |= std::uint64_t{cells.bumped<2>(starts[i])} << (i % 64);
  }
}

bool one_in_long_ribbon(ribbon_cells const& cells, std::uint64_t word) {
  for (std::uint64_t layer = 0; layer < cells.layers(); ++layer) {
    if (layer != 0) word = next_layer(word);
    auto const start = cells.start<2>(layer, word);
    if (cells.bumped<2>(start)) continue;
    return matches(cells, start, word) || (layer + 1 == cells.layers() && cells.keeps(word));
  }
  return cells.keeps(word);
}

void solve_long_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                       std::span<std::uint64_t const> values) {
  // A row in a narrow block is solved in the additional column, too: rows of wide blocks may have been added to it.
  auto const columns = cells.columns() + (cells.wide_blocks() != 0 ? 1 : 0);
  // The bits of each column for the last 128 slots that were solved, the latest in the lowest bit.
  std::array<std::uint64_t, plan::ribbon_shape::max_columns> latest{};
  std::array<std::uint64_t, plan::ribbon_shape::max_columns> earlier{};
  for (auto block = values.size() / 64; block-- > 0;) {
    for (auto slot = (block + 1) * 64; slot-- > block * 64;)
      for (unsigned j = 0; j < columns; ++j) {
        earlier[j] = earlier[j] << 1 | latest[j] >> 63;
        // The lowest bit of a row is that of the slot itself, where the value stands for now.
        auto const known = latest[j] << 1 | (values[slot] >> j & 1);
        latest[j] = latest[j] << 1 | odd((known & rows[2 * slot]) ^ (earlier[j] & rows[2 * slot + 1]));
      }
    auto const at = first_block + block;
    std::copy_n(latest.begin(), cells.columns() + (at < cells.wide_blocks() ? 1 : 0), cells.words() + cells.word_of(at));
  }
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(in_long_ribbon);
HWY_EXPORT(one_in_long_ribbon);
HWY_EXPORT(solve_long_ribbon);

void in_long_ribbon(ribbon_cells const& cells, std::uint64_t layer, std::span<digest const> xs, std::span<digest const> next,
                    bool far, ribbon_answers& answers) noexcept {
  HWY_DYNAMIC_DISPATCH(in_long_ribbon)(cells, layer, xs, next, far, answers);
}
bool in_long_ribbon(ribbon_cells const& cells, std::uint64_t word) noexcept {
  return HWY_DYNAMIC_DISPATCH(one_in_long_ribbon)(cells, word);
}
void solve_long_ribbon(ribbon_cells& cells, std::uint64_t first_block, std::span<std::uint64_t const> rows,
                       std::span<std::uint64_t const> values) noexcept {
  HWY_DYNAMIC_DISPATCH(solve_long_ribbon)(cells, first_block, rows, values);
}

}  // namespace hortus::kernels
#endif
