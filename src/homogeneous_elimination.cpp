#include <hortus/frozen/homogeneous_elimination.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <hortus/frozen/homogeneous_kernels.hpp>

namespace hortus {
namespace {

/// A row on its way to a free place: the slots of block base / 64 and of the next one. Its members are loaded one by one: g++
/// would keep two of them in a vector register if they were copied at once.
struct moving_row {
  std::uint64_t base;
  std::uint64_t low;
  std::uint64_t high;
};

/// One strip: its keys in ascending order of their starts, and their rows by first slot. A row without slots is a free place.
class strip_system {
 public:
  strip_system(homogeneous_cells const& cells, std::uint64_t strip, std::span<std::uint64_t const> words, homogeneous_row* rows)
      : cells_(cells),
        ahead_(words.data()),
        end_(words.data() + words.size()),
        first_(strip * cells.start_blocks() * 64),
        rows_(rows),
        carried_(cells.start_blocks() + 1) {}

  [[nodiscard]] homogeneous_row* rows() noexcept { return rows_; }

  /// The next key, if there is one.
  [[gnu::always_inline]] bool next(moving_row& row) {
    if (ahead_ == end_) [[unlikely]] {
      carried_[block_ + 1] = carry_;
      return false;
    }
    auto const word = *ahead_++;
    auto const start = cells_.start(word) - first_;
    if (start / 64 != block_) {
      carried_[block_ + 1] = carry_;
      carry_ = 0;
      block_ = start / 64;
    }
    auto const slots = homogeneous_row::of(word, start);
    row.base = start / 64 * 64;
    row.low = slots.low;
    row.high = slots.high;
    return true;
  }
  /// The row has no slot left in this block. False: nor in the next one, so it is the sum of others, and not needed.
  [[gnu::always_inline]] bool carry(moving_row& row) noexcept {
    bool const again = row.base / 64 != block_;
    row.low = row.high;
    row.high = 0;
    row.base += 64;
    if (again)
      --carry_;  // what was carried has no slots in a third block
    else if (row.low != 0)
      ++carry_;
    return row.low != 0;
  }

  /// Which slots have a row.
  [[nodiscard]] std::vector<std::uint64_t> pivots() const {
    std::vector<std::uint64_t> pivots(carried_.size());
    for (std::uint64_t block = 0; block < pivots.size(); ++block)
      for (std::uint64_t i = 0; i < 64; ++i) pivots[block] |= rows_[block * 64 + i].low & -rows_[block * 64 + i].low;
    return pivots;
  }

  /// The sum, over all starts, of the probability that an absent row which starts there is dependent. See docs/maths.md.
  [[nodiscard]] std::uint64_t dependent(std::span<std::uint64_t const> pivots) const noexcept;

 private:
  homogeneous_cells const& cells_;
  std::uint64_t const* ahead_;
  std::uint64_t const* end_;
  std::uint64_t first_;  // start
  homogeneous_row* rows_;
  std::vector<std::uint8_t> carried_;  // for each block: rows in it that start in the block before
  std::uint64_t block_ = 0;
  std::uint8_t carry_ = 0;
};

/// `alone` is the expected number of sums of rows that have slots in one block only, the one that was looked at last: those of
/// rows that were carried to it, and those of the other rows whose slots in the next block are such a sum, too.
std::uint64_t strip_system::dependent(std::span<std::uint64_t const> pivots) const noexcept {
  std::uint64_t sum = 0;
  double alone = std::ldexp(1.0, carried_.back());
  for (auto block = pivots.size() - 1; block-- > 0;) {
    auto units = static_cast<std::uint64_t>(std::ldexp(alone, static_cast<int>(homogeneous_cells::dependent_bits) - 64));
    for (auto slot = 64; units != 0 && slot-- > 0;) {
      if ((pivots[block] >> slot & 1) != 0)
        sum += units;
      else
        units /= 2;  // an absent row has this slot with probability 1/2, and is independent then
    }
    auto const rows = std::popcount(pivots[block]);
    alone = std::min(std::ldexp(1.0, carried_[block]) + std::ldexp(alone, rows - 64), std::ldexp(1.0, rows));
  }
  return sum;
}

/// One step of a row: it is placed if its place is free. Otherwise it is added to the row there, and begins further right.
/// False: there are no more keys.
[[gnu::always_inline]] inline bool step(strip_system& strip, homogeneous_row* rows, moving_row& row) {
  auto& there = rows[row.base + static_cast<unsigned>(std::countr_zero(row.low))];
  if (there.low == 0) {
    there.low = row.low;
    there.high = row.high;
    return strip.next(row);
  }
  row.low ^= there.low;
  row.high ^= there.high;
  if (row.low == 0) [[unlikely]]
    if (!strip.carry(row)) return strip.next(row);
  return true;
}

void eliminate(strip_system& strip, moving_row row) {
  while (step(strip, strip.rows(), row)) {
  }
}

/// Each step waits for the one before. With four strips, whose rows do not meet, the processor works on all at once. Four
/// variables, not an array, stay in registers.
void eliminate(strip_system& a, strip_system& b, strip_system& c, strip_system& d) {
  auto* const rows_a = a.rows();
  auto* const rows_b = b.rows();
  auto* const rows_c = c.rows();
  auto* const rows_d = d.rows();
  moving_row row_a{};
  moving_row row_b{};
  moving_row row_c{};
  moving_row row_d{};
  bool more_a = a.next(row_a);
  bool more_b = b.next(row_b);
  bool more_c = c.next(row_c);
  bool more_d = d.next(row_d);
  while (more_a && more_b && more_c && more_d) {
    if (!step(a, rows_a, row_a)) [[unlikely]]
      more_a = false;
    if (!step(b, rows_b, row_b)) [[unlikely]]
      more_b = false;
    if (!step(c, rows_c, row_c)) [[unlikely]]
      more_c = false;
    if (!step(d, rows_d, row_d)) [[unlikely]]
      more_d = false;
  }
  if (more_a) eliminate(a, row_a);
  if (more_b) eliminate(b, row_b);
  if (more_c) eliminate(c, row_c);
  if (more_d) eliminate(d, row_d);
}

}  // namespace

std::uint64_t solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
                                std::span<std::span<std::uint64_t const> const> of_strip) {
  auto const slots = (cells.start_blocks() + 1) * 64;
  memory space(of_strip.size() * slots * sizeof(homogeneous_row));  // zeroed, and on huge pages
  auto* const rows = reinterpret_cast<homogeneous_row*>(space.data());
  std::vector<strip_system> strips;
  for (std::size_t i = 0; i < of_strip.size(); ++i) strips.emplace_back(cells, first_strip + i, of_strip[i], rows + i * slots);
  if (strips.size() == 4) {
    eliminate(strips[0], strips[1], strips[2], strips[3]);
  } else {
    for (auto& strip : strips)
      if (moving_row row{}; strip.next(row)) eliminate(strip, row);
  }
  std::uint64_t dependent = 0;
  std::vector<std::vector<std::uint64_t>> pivots;
  std::vector<kernels::homogeneous_system> systems;
  for (auto& strip : strips) {
    pivots.push_back(strip.pivots());
    systems.push_back({strip.rows(), pivots.back().data()});
    dependent += strip.dependent(pivots.back());
  }
  kernels::solve_homogeneous(cells, layer, first_strip, systems);
  return dependent;
}

}  // namespace hortus
