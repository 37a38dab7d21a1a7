#include <hortus/frozen/homogeneous_elimination.hpp>

#include <algorithm>
#include <array>
#include <bit>
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
        rows_(rows) {}

  [[nodiscard]] homogeneous_row* rows() const noexcept { return rows_; }

  /// The next key, if there is one.
  [[gnu::always_inline]] bool next(moving_row& row) noexcept {
    if (ahead_ == end_) [[unlikely]]
      return false;
    auto const word = *ahead_++;
    auto const start = cells_.start(word) - first_;
    auto const slots = homogeneous_row::of(word, start);
    row.base = start / 64 * 64;
    row.low = slots.low;
    row.high = slots.high;
    return true;
  }

  /// Which slots have a row: those that are the first of theirs.
  [[nodiscard]] std::vector<std::uint64_t> pivots() const {
    std::vector<std::uint64_t> pivots(cells_.start_blocks() + 1);
    for (std::uint64_t block = 0; block < pivots.size(); ++block)
      for (std::uint64_t i = 0; i < 64; ++i) pivots[block] |= rows_[block * 64 + i].low & -rows_[block * 64 + i].low;
    return pivots;
  }

 private:
  homogeneous_cells const& cells_;
  std::uint64_t const* ahead_;
  std::uint64_t const* end_;
  std::uint64_t first_;  // start
  homogeneous_row* rows_;
};

/// One step of a row: it is placed if its place is free. Otherwise it is added to the row there, and begins further right.
/// False: there are no more keys.
[[gnu::always_inline]] inline bool step(strip_system& strip, homogeneous_row* rows, moving_row& row) {
  if (row.low == 0) [[unlikely]] {
    // On to the next block. If it has no slots there either, it is the sum of others, and not needed.
    row.low = row.high;
    row.high = 0;
    row.base += 64;
    if (row.low == 0) [[unlikely]]
      return strip.next(row);
  }
  auto& there = rows[row.base + static_cast<unsigned>(std::countr_zero(row.low))];
  if (there.low == 0) {
    there.low = row.low;
    there.high = row.high;
    return strip.next(row);
  }
  row.low ^= there.low;
  row.high ^= there.high;
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

/// Are `count` words independent? Pre: count <= 16.
bool independent(std::uint64_t const* words, unsigned count) noexcept {
  std::array<std::uint64_t, 16> left;
  std::copy_n(words, count, left.begin());
  for (unsigned i = 0; i < count; ++i) {
    if (left[i] == 0) return false;
    auto const bit = static_cast<unsigned>(std::countr_zero(left[i]));
    for (unsigned j = i + 1; j < count; ++j) left[j] ^= left[i] & -(left[j] >> bit & 1);
  }
  return true;
}

/// How many sums there are of the bits of some slots, a bit for each column.
class slot_sums {
 public:
  void add(unsigned bits) noexcept {
    while (bits != 0) {
      auto& with_highest = by_highest_[static_cast<unsigned>(std::bit_width(bits)) - 1];
      if (with_highest == 0) {
        with_highest = bits;
        ++rank_;
        return;
      }
      bits ^= with_highest;
    }
  }
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }  ///< there are 2^rank

 private:
  std::array<unsigned, 16> by_highest_{};
  unsigned rank_ = 0;
};

/// What the starts of a block add to the sum of homogeneous_chances().
[[gnu::noinline]] std::uint64_t chances_of_starts(std::uint64_t const* block, std::uint64_t const* next,
                                                  unsigned columns) noexcept {
  auto const slot = [&](std::uint64_t const* words, unsigned i) {
    unsigned bits = 0;
    for (unsigned j = 0; j < columns; ++j) bits |= static_cast<unsigned>(words[j] >> i & 1) << j;
    return bits;
  };
  slot_sums sums;
  for (unsigned i = 0; i < 64; ++i) sums.add(slot(next, i));
  std::uint64_t sum = 0;
  for (unsigned i = 64; i-- > 0;) {
    sums.add(slot(block, i));
    sum += homogeneous_cells::certain >> sums.rank();  // 0 is one of the sums, and all are equally likely
  }
  return sum;
}

}  // namespace

std::uint64_t homogeneous_chances(homogeneous_cells const& cells, unsigned layer, std::uint64_t first_strip,
                                  std::uint64_t strips, unsigned most_columns) noexcept {
  auto const* const words = cells.words() + layer * cells.layer_words();
  auto const strip_blocks = cells.start_blocks() + 1;
  std::uint64_t sum = 0;
  for (auto block = first_strip * strip_blocks; block < (first_strip + strips) * strip_blocks; ++block) {
    if (block % strip_blocks + 1 == strip_blocks) continue;  // no row starts there
    auto const columns = std::min(cells.columns_of(block), most_columns);
    auto const* const here = words + cells.word_of(block);
    auto const* const next = words + cells.word_of(block + 1);
    // In a next block like most the slots have all sums.
    if (independent(next, columns)) [[likely]]
      sum += 64 * (homogeneous_cells::certain >> columns);
    else
      sum += chances_of_starts(here, next, columns);
  }
  return sum;
}

void solve_homogeneous(homogeneous_cells& cells, unsigned layer, std::uint64_t first_strip,
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
  std::vector<std::vector<std::uint64_t>> pivots;
  std::vector<kernels::homogeneous_system> systems;
  for (auto const& strip : strips) {
    pivots.push_back(strip.pivots());
    systems.push_back({strip.rows(), pivots.back().data()});
  }
  kernels::solve_homogeneous(cells, layer, first_strip, systems);
}

}  // namespace hortus
