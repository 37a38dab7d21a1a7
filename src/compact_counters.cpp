#include <hortus/cells/compact_counters.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace hortus {
namespace {

/// A word of alternating groups of `bits` ones and `bits` zeros; the lowest group is ones.
constexpr std::uint64_t every_other(unsigned bits) noexcept { return ~std::uint64_t{0} / ((std::uint64_t{1} << bits) + 1); }

/// Spreads the cells of 2^log_width bits in the low half of a word to cells of twice the width.
constexpr std::uint64_t spread(std::uint64_t half, unsigned log_width) noexcept {
  for (unsigned by = 16; by >= 1U << log_width; by /= 2) half = (half | half << by) & every_other(by);
  return half;
}

/// The number of nonzero cells of 2^log_width bits in a word: ORs all bits of a cell into its lowest one.
unsigned nonzero_in(std::uint64_t word, unsigned log_width) noexcept {
  for (unsigned by = 1; by < 1U << log_width; by *= 2) word |= word >> by;
  auto const lowest = log_width == 6 ? 1 : ~std::uint64_t{0} / ((std::uint64_t{1} << (1U << log_width)) - 1);
  return static_cast<unsigned>(std::popcount(word & lowest));
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b, std::uint64_t most) noexcept {
  return b > most - a ? most : a + b;
}

}  // namespace

memory overflow_table::sorted() const {
  memory all(used_ * sizeof(entry));
  auto* const first = reinterpret_cast<entry*>(all.data());
  auto* last = first;
  for_each([&](entry e) { *last++ = e; });
  std::sort(first, last, [](entry a, entry b) { return a.cell < b.cell; });
  return all;
}

compact_counters::compact_counters(std::uint64_t cells, unsigned log_width, std::uint64_t slots)
    : cells_(cells), log_width_(log_width) {
  if (cells > max_cells) throw error(errc::bad_params, "a store has at most 2^40 counters, not " + std::to_string(cells));
  memory_ = memory(bytes_for(cells, log_width));
  table_ = overflow_table(slots);
}

void compact_counters::add_beyond(std::uint64_t i, std::uint64_t amount) noexcept {
  auto const here = low(i);  // read again, because the cells may have become wider
  if (amount <= full() - here) return put(i, here, here + amount);
  amount -= full() - here;
  put(i, here, full());
  if (log_width_ == log_widest) return;  // a full 64-bit cell is at the maximum
  if (auto* const more = table_.find(i); more != nullptr)
    *more = saturating_sum(*more, amount, most - full());
  else
    table_.insert(i, std::min(amount, most - full()));
}

void compact_counters::subtract_beyond(std::uint64_t i, std::uint64_t amount) noexcept {
  auto* const more = table_.find(i);
  if ((more == nullptr ? 0 : *more) == most - full()) return;  // at the maximum, where it stays
  if (more != nullptr) {
    if (amount < *more) {
      *more -= amount;
      return;
    }
    amount -= *more;
    table_.erase(more);
  }
  put(i, full(), full() - std::min(full(), amount));
}

std::uint64_t compact_counters::least_beyond(cell_list at, unsigned n) const noexcept {
  auto value = get(at[0]);
  for (unsigned i = 1; i < n; ++i) value = std::min(value, get(at[i]));
  return value;
}

void compact_counters::make_room(cell_list at, unsigned n, std::uint64_t amount) {
  std::uint64_t fresh = 0;
  for (unsigned i = 0; i < n; ++i)
    fresh += amount > full() - low(at[i]) && (low(at[i]) < full() || table_.find(at[i]) == nullptr) ? 1U : 0U;
  if (fresh != 0) make_room(fresh);
}

/// The frequent case is a key that comes often: all its cells are in the table already, and one search for each is enough.
void compact_counters::add_beyond(cell_list at, unsigned n, std::uint64_t amount) {
  struct seen {
    std::uint64_t low;
    std::uint64_t* more;
    std::uint64_t excess;
  };
  std::array<seen, max_at_once> before;
  std::uint64_t fresh = 0;
  for (unsigned i = 0; i < n; ++i) {
    auto& cell = before[i] = {low(at[i]), nullptr, 0};
    if (amount <= full() - cell.low) continue;
    if (cell.low == full()) cell.more = table_.find(at[i]);
    if (cell.more == nullptr)
      ++fresh;
    else
      cell.excess = *cell.more;
  }
  if (fresh != 0) {
    make_room(fresh);
    for (unsigned i = 0; i < n; ++i)
      if (std::find(at, at + i, at[i]) == at + i) add_beyond(at[i], amount);
    return;
  }
  for (unsigned i = 0; i < n; ++i)
    if (auto const& cell = before[i]; cell.more != nullptr)
      *cell.more = saturating_sum(cell.excess, amount, most - full());
    else if (low(at[i]) == cell.low)
      put(at[i], cell.low, cell.low + amount);
}

void compact_counters::raise_least_beyond(cell_list at, unsigned n, std::uint64_t amount) {
  struct seen {
    std::uint64_t value;
    std::uint64_t* more;
  };
  std::array<seen, max_at_once> before;
  auto least = most;
  for (unsigned i = 0; i < n; ++i) {
    auto const here = low(at[i]);
    auto* const more = here == full() ? table_.find(at[i]) : nullptr;
    before[i] = {more == nullptr ? here : here + *more, more};
    least = std::min(least, before[i].value);
  }
  auto const target = saturating_sum(least, amount, most);
  std::uint64_t fresh = 0;
  if (target > full())
    for (unsigned i = 0; i < n; ++i) fresh += before[i].value < target && before[i].more == nullptr ? 1U : 0U;
  if (fresh != 0) {
    make_room(fresh);
    for (unsigned i = 0; i < n; ++i)
      if (auto const now = get(at[i]); now < target) add_beyond(at[i], target - now);
    return;
  }
  for (unsigned i = 0; i < n; ++i)
    if (before[i].value >= target)
      continue;
    else if (before[i].more != nullptr)
      *before[i].more = target - full();
    else if (low(at[i]) < target)
      put(at[i], low(at[i]), target);
}

/// Usually one of the cells is full, and only that one needs a table search.
void compact_counters::take_beyond(cell_list at, unsigned n, std::uint64_t const* before) noexcept {
  for (unsigned i = 0; i < n; ++i)
    if (before[i] < full())
      step<-1>(at[i], before[i]);
    else if (std::find(at, at + i, at[i]) == at + i)
      subtract_beyond(at[i], 1);
}

/// Makes room in the table. If it would outgrow the cells, widens the cells, and makes room for the few entries that remain.
void compact_counters::grow(std::uint64_t adds) {
  auto const reserve = [adds](compact_counters& c) {
    c.table_.reserve(adds, slots_for(c.table_.size() + adds, c.memory_.size()));
  };
  if (table_.size() + adds <= most_entries(cells_, log_width_)) return reserve(*this);
  auto wide = widened();
  while (wide.log_width_ < log_widest && wide.table_.size() + adds > most_entries(cells_, wide.log_width_))
    wide = wide.widened();
  if (wide.log_width_ < log_widest) reserve(wide);
  *this = std::move(wide);
}

compact_counters compact_counters::widened() const {
  auto const wide_full = full_of(log_width_ + 1);
  std::uint64_t left = 0;
  table_.for_each([&](overflow_table::entry e) { left += e.excess > wide_full - full() ? 1U : 0U; });
  compact_counters wide(cells_, log_width_ + 1, slots_for(left, bytes_for(cells_, log_width_ + 1)));
  auto const count = wide.memory_.size() / sizeof(std::uint64_t);
  for (std::uint64_t w = 0; w < count; ++w) {
    auto const half = words()[w / 2] >> (w % 2 * 32) & 0xffffffffU;
    wide.words()[w] = spread(half, log_width_);
  }
  table_.for_each([&](overflow_table::entry e) {
    auto const more = wide_full - full();  // the additional capacity of a cell
    auto const bit = e.cell << wide.log_width_;
    wide.words()[bit / 64] += std::min(e.excess, more) << (bit % 64);
    if (e.excess > more) wide.table_.insert(e.cell, e.excess - more);
  });
  return wide;
}

/// The same counters in the narrowest cells that the rule at most_entries() allows, for files.
compact_counters compact_counters::narrowed(std::uint64_t large) const {
  compact_counters narrow(cells_, log_width_ - 1, slots_for(large, 0));
  for (std::uint64_t i = 0; i < cells_; ++i)
    if (auto const value = get(i); value != 0) {
      auto const here = std::min(value, narrow.full());
      narrow.put(i, 0, here);
      if (value > here) narrow.table_.reserve(1, 0), narrow.table_.insert(i, value - here);
    }
  auto const still_large = narrow.large();
  return narrow.wider_than_needed(still_large) ? narrow.narrowed(still_large) : std::move(narrow);
}

/// A counter is large if a bit in the upper half of its cell is set.
std::uint64_t compact_counters::large() const noexcept {
  if (log_width_ == first_width) return 0;
  auto const upper_halves = ~every_other(1U << (log_width_ - 1));
  std::uint64_t count = 0;
  for (auto const word : std::span(words(), memory_.size() / sizeof(std::uint64_t)))
    count += nonzero_in(word & upper_halves, log_width_);
  return count;
}

void compact_counters::clear() {
  if (log_width_ != first_width) {
    *this = compact_counters(cells_);
    return;
  }
  memory_.clear();
  table_.clear();
}

std::uint64_t compact_counters::nonzero() const noexcept {
  std::uint64_t count = 0;
  for (auto const word : std::span(words(), memory_.size() / sizeof(std::uint64_t))) count += nonzero_in(word, log_width_);
  return count;
}

std::uint64_t compact_counters::nonzero(std::uint64_t first, std::uint64_t count) const noexcept {
  std::uint64_t found = 0;
  for (auto const word : std::span(words() + (first << log_width_) / 64, (count << log_width_) / 64))
    found += nonzero_in(word, log_width_);
  return found;
}

std::uint64_t compact_counters::saturated() const noexcept {
  if (log_width_ == log_widest) return static_cast<std::uint64_t>(std::count(words(), words() + cells_, most));
  std::uint64_t count = 0;
  table_.for_each([&](overflow_table::entry e) { count += e.excess == most - full() ? 1U : 0U; });
  return count;
}

compact_counters::space_use compact_counters::space() const noexcept {
  space_use use{0, std::uint64_t{8} * size_bytes()};
  for (std::uint64_t i = 0; i < cells_; ++i) use.values += static_cast<std::uint64_t>(std::bit_width(get(i)));
  return use;
}

compact_counters& compact_counters::operator+=(compact_counters const& other) {
  auto sum = *this;
  for (std::uint64_t i = 0; i < cells_; ++i)
    if (auto const more = other.get(i); more != 0) sum.add(i, more);
  return *this = std::move(sum);
}

compact_counters compact_counters::folded(std::uint64_t by, std::uint64_t group) const {
  compact_counters small(cells_ / by, table_.slots() / by);
  for (std::uint64_t i = 0; i < cells_; ++i)
    if (auto const more = get(i); more != 0) small.add(i / (by * group) * group + i % group, more);
  return small;
}

compact_counters compact_counters::every(std::uint64_t step, std::uint64_t first, std::uint64_t group) const {
  compact_counters some(cells_ / step, table_.slots() / step);
  if (are_pairs()) {
    auto const group_words = (group << first_width) / 64;
    for (std::uint64_t i = 0; i < some.cells_ / group; ++i)
      std::copy_n(words() + (i * step + first) * group_words, group_words, some.words() + i * group_words);
    table_.for_each([&](overflow_table::entry e) {
      if (auto const from = e.cell / group; from % step == first) some.add(from / step * group + e.cell % group, e.excess);
    });
  } else {
    for (std::uint64_t i = 0; i < some.cells_; ++i)
      if (auto const value = get((i / group * step + first) * group + i % group); value != 0) some.add(i, value);
  }
  return some;
}

void compact_counters::put_every(std::uint64_t step, std::uint64_t first, std::uint64_t group, compact_counters const& some) {
  auto const start = [&](std::uint64_t i) { return (i * step + first) * group; };
  auto const clear = [&] {
    for (std::uint64_t i = 0; i < some.cells_ / group; ++i) {
      if (nonzero(start(i), group) == 0) continue;
      for (auto cell = start(i); cell < start(i) + group; ++cell) subtract(cell, get(cell));
    }
  };
  clear();
  try {
    if (are_pairs() && some.are_pairs()) {
      auto const group_words = (group << first_width) / 64;
      for (std::uint64_t i = 0; i < some.cells_ / group; ++i)
        std::copy_n(some.words() + i * group_words, group_words, words() + start(i) / group * group_words);
      some.table_.for_each([&](overflow_table::entry e) { add(start(e.cell / group) + e.cell % group, e.excess); });
    } else {
      for (std::uint64_t i = 0; i < some.cells_; ++i)
        if (auto const value = some.get(i); value != 0) add(start(i / group) + i % group, value);
    }
  } catch (...) {
    clear();
    throw;
  }
}

bool compact_counters::operator==(compact_counters const& other) const noexcept {
  if (cells_ != other.cells_) return false;
  if (log_width_ == other.log_width_) return memory_ == other.memory_ && table_ == other.table_;
  for (std::uint64_t i = 0; i < cells_; ++i)
    if (get(i) != other.get(i)) return false;
  return true;
}

/// Cells may have any value. restore() checks that table entries belong to full cells.
bool compact_counters::valid() const noexcept {
  if (cells_ > max_cells || log_width_ < first_width || log_width_ > log_widest) return false;
  if (memory_.size() != bytes_for(cells_, log_width_)) return false;
  auto const tail = (cells_ << log_width_) % 64;
  return tail == 0 || words()[(cells_ << log_width_) / 64] >> tail == 0;
}

bool compact_counters::restore(std::uint64_t large, memory const& entries) {
  auto const count = entries.size() / sizeof(overflow_table::entry);
  if (entries.size() % sizeof(overflow_table::entry) != 0 || count > most_entries(cells_, log_width_)) return false;
  if (log_width_ == first_width ? large != 0 : wider_than_needed(large) || large < count || large > cells_) return false;
  if (log_width_ == log_widest && count != 0) return false;
  overflow_table table(slots_for(count, memory_.size()));
  std::uint64_t next = 0;
  for (auto const& e : std::span(reinterpret_cast<overflow_table::entry const*>(entries.data()), count)) {
    if (e.cell < next || e.cell >= cells_ || low(e.cell) != full() || e.excess == 0 || e.excess > most - full()) return false;
    table.insert(e.cell, e.excess);
    next = e.cell + 1;
  }
  table_ = std::move(table);
  return true;
}

}  // namespace hortus
