#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/overflow_table.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Counters from 0 to 2^64 - 1, in little more room than their values need: small cells of one width, side by side, and a
/// table for those that hold more.
///
///     cells of 2 bits   0 1 0 3 2 0 1 0 3 0 ...      a cell that is full (3) may have more in the table
///                             |         |
///     table             cell 3: 12   cell 8: none    cell 3 counts 3 + 12 = 15, cell 8 counts 3
///
/// When the table would hold as many bytes as the cells do, the cells become twice as wide (2, 4, 8 .. 64 bits) and the
/// table nearly empty. So most reads and changes touch one cache line, and the whole takes O(N + cells) bits, N being the
/// bits of all values: 2 to 4 times N + cells in the streams of docs/maths.md. docs/decisions.md says why cells with a
/// width each, as the paper has them (Cohen, Matias, "Spectral Bloom filters", SIGMOD 2003), lost.
///
/// At 2^64 - 1 a counter sticks: what it missed is not known, so nothing may be taken off.
class compact_counters {
 public:
  static constexpr std::uint64_t max_cells = std::uint64_t{1} << 40;
  static constexpr std::uint64_t most = ~std::uint64_t{0};  ///< where counters stick

  compact_counters() = default;
  explicit compact_counters(std::uint64_t cells) : compact_counters(cells, table_slots(cells)) {}
  /// All zero, with a table of that size to begin with; throws errc::bad_params past max_cells.
  compact_counters(std::uint64_t cells, std::uint64_t slots) : compact_counters(cells, first_width, slots) {}
  /// What one without counts occupies: 2 bits a cell, and a table with room for what a Bloom filter's load overflows.
  static constexpr std::uint64_t planned_bytes(std::uint64_t cells) noexcept {
    return planned_bytes(cells, table_slots(cells));
  }
  static constexpr std::uint64_t planned_bytes(std::uint64_t cells, std::uint64_t slots) noexcept {
    return bytes_for(cells, first_width) + overflow_table::bytes_for(slots);
  }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    auto const here = low(i);
    if (here < full()) [[likely]]
      return here;
    auto const* const more = table_.find(i);
    return more == nullptr ? here : here + *more;
  }
  /// May allocate, and changes nothing if that fails. After make_room(n) the next n calls do not allocate.
  void add(std::uint64_t i, std::uint64_t amount) {
    auto const here = low(i);
    if (amount <= full() - here) return put(i, here, here + amount);
    if (here < full() || table_.find(i) == nullptr) make_room(1);
    add_beyond(i, amount);
  }
  /// Not below zero.
  void subtract(std::uint64_t i, std::uint64_t amount) noexcept {
    auto const here = low(i);
    if (here < full()) [[likely]]
      return put(i, here, here - std::min(here, amount));
    subtract_beyond(i, amount);
  }
  void make_room(std::uint64_t adds) {
    if (log_width_ == log_widest) return;  // no counter passes 64 bits
    if (table_.room() < adds || table_.size() + adds > most_entries(cells_, log_width_)) grow(adds);
  }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return low(i) != 0; }  ///< is it above 0?
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(words() + (i << log_width_) / 64); }
  [[gnu::always_inline]] void prefetch_beyond(std::uint64_t i) const noexcept { table_.prefetch(i); }
  [[nodiscard]] bool beyond_is_far() const noexcept { return table_.size_bytes() > (1U << 20); }  ///< is it worth to ask ahead?

  /// What a cell itself holds, min(get(i), full()), without a look into the table.
  [[nodiscard]] std::uint64_t full() const noexcept { return full_of(log_width_); }
  [[nodiscard]] std::uint64_t low(std::uint64_t i) const noexcept {
    auto const bit = i << log_width_;
    return words()[bit / 64] >> (bit % 64) & full();
  }

  /// The cells while they have 2 bits, for kernels that change whole lines of them: what is below full() the table knows
  /// nothing of, and may be changed to what is not above full().
  [[nodiscard]] bool are_pairs() const noexcept { return log_width_ == first_width; }
  [[nodiscard]] std::uint64_t* pairs() noexcept { return words(); }
  [[nodiscard]] std::uint64_t const* pairs() const noexcept { return words(); }

  /// Some counters at once, as a key has them: at[0] .. at[n - 1], n <= max_at_once. One that is named twice is changed
  /// once; for that each is changed only while it is what it was. All of them are changed, or, if memory fails, none.
  static constexpr unsigned max_at_once = 64;
  using cell_list = std::uint64_t const*;

  /// The least of them. As long as one is not full the table need not be asked.
  [[nodiscard]] std::uint64_t least(cell_list at, unsigned n) const noexcept {
    auto value = full();
    for (unsigned i = 0; i < n; ++i) value = std::min(value, low(at[i]));
    return value < full() ? value : least_beyond(at, n);
  }
  /// `amount` more in each.
  void add(cell_list at, unsigned n, std::uint64_t amount) {
    std::array<std::uint64_t, max_at_once> before;
    bool beyond = amount != 1;
    for (unsigned i = 0; i < n; ++i) beyond |= (before[i] = low(at[i])) == full();
    if (beyond) [[unlikely]]
      return add_beyond(at, n, amount);
    for (unsigned i = 0; i < n; ++i) step<+1>(at[i], before[i]);
  }
  /// Those that are less than the least of them + amount become that.
  void raise_least(cell_list at, unsigned n, std::uint64_t amount) {
    auto value = full();
    for (unsigned i = 0; i < n; ++i) value = std::min(value, low(at[i]));
    if (value == full() || amount != 1) [[unlikely]]
      return raise_least_beyond(at, n, amount);
    for (unsigned i = 0; i < n; ++i) step<+1>(at[i], value);
  }
  /// One less in each; false, and nothing changed, if one of them is 0.
  bool take(cell_list at, unsigned n) noexcept {
    std::array<std::uint64_t, max_at_once> before;
    bool beyond = false;
    bool zero = false;
    for (unsigned i = 0; i < n; ++i) {
      before[i] = low(at[i]);
      beyond |= before[i] == full();
      zero |= before[i] == 0;
    }
    if (zero) return false;
    if (beyond) [[unlikely]]
      take_beyond(at, n, before.data());
    else
      for (unsigned i = 0; i < n; ++i) step<-1>(at[i], before[i]);
    return true;
  }
  /// The next add(at, n, amount) will not allocate.
  void make_room(cell_list at, unsigned n, std::uint64_t amount);

  void clear();
  [[nodiscard]] std::uint64_t size() const noexcept { return cells_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size() + table_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  [[nodiscard]] unsigned cell_bits() const noexcept { return 1U << log_width_; }  ///< how wide cells are now
  [[nodiscard]] std::uint64_t beyond() const noexcept { return table_.size(); }   ///< how many counters are in the table
  [[nodiscard]] std::uint64_t nonzero() const noexcept;                           ///< how many counters are not 0
  /// The same of `count` counters from `first` on. Pre: multiples of 32, so that they are whole words at every width.
  [[nodiscard]] std::uint64_t nonzero(std::uint64_t first, std::uint64_t count) const noexcept;
  [[nodiscard]] std::uint64_t saturated() const noexcept;  ///< how many are at 2^64 - 1 and stick

  /// Bits of all values, ceil(log2(value + 1)) each, and the bits in use to keep them: N and the rest of N + o(N) +
  /// O(cells).
  struct space_use {
    std::uint64_t values = 0;
    std::uint64_t used = 0;
  };
  [[nodiscard]] space_use space() const noexcept;

  /// Counter by counter. Pre: size() == other.size(). Changes nothing if there is no memory for it.
  compact_counters& operator+=(compact_counters const& other);
  /// Counter i of the result is the sum of counters i * by ... i * by + by - 1. In groups it is groups that are added up,
  /// counter by counter. Pre: `by` groups, or a multiple, are all.
  [[nodiscard]] compact_counters folded(std::uint64_t by, std::uint64_t group = 1) const;

  bool operator==(compact_counters const& other) const noexcept;

  /// A file has the narrowest cells that the rule allows and the table in order, so equal counters are equal bytes,
  /// whatever they were in between.
  static void fields(compact_counters const& self, auto& out) {
    auto const large = self.large();
    if (!self.wider_than_needed(large)) {
      out(self.cells_, self.log_width_, large, self.memory_);
      return out.made(self.table_.sorted());
    }
    auto narrow = self.narrowed(large);
    out(narrow.cells_, narrow.log_width_, narrow.large());
    out.made(std::move(narrow.memory_));
    out.made(narrow.table_.sorted());
  }
  /// How many are large a file says, and is believed only where nobody reads it whole: nothing here depends on it, and when
  /// the counters are written they are counted again.
  static void fields(compact_counters& self, auto& in) {
    std::uint64_t large = 0;
    memory entries;
    in(self.cells_, self.log_width_, large, self.memory_, entries);
    if (!self.valid() || !self.restore(large, entries) || (in.verifies() && large != self.large()))
      throw error(errc::corrupt, "its counters do not fit together");
  }
  [[nodiscard]] bool valid() const noexcept;

 private:
  static constexpr unsigned first_width = 1;  // logarithms: cells of 2 bits,
  static constexpr unsigned log_widest = 6;   // and of 64

  static constexpr std::uint64_t full_of(unsigned log_width) noexcept { return most >> (64 - (1U << log_width)); }
  static constexpr std::uint64_t bytes_for(std::uint64_t cells, unsigned log_width) noexcept {
    auto const in_word = std::uint64_t{64} >> log_width;
    return (cells / in_word + (cells % in_word != 0 ? 1 : 0)) * sizeof(std::uint64_t);
  }
  /// The rule: entries never take more bytes than cells.
  static constexpr std::uint64_t most_entries(std::uint64_t cells, unsigned log_width) noexcept {
    return bytes_for(cells, log_width) / sizeof(overflow_table::entry);
  }
  /// 4/3 bits a cell. At the loads that plans have, ln 2 to 0.75, 0.0056 to 0.0073 of the counters pass 3: up to 0.7 of the
  /// table.
  static constexpr std::uint64_t table_slots(std::uint64_t cells) noexcept { return cells / 96; }

  /// For a table of so many entries: a quarter full, where that is an eighth of what the cells take or less; else two
  /// thirds.
  static constexpr std::uint64_t slots_for(std::uint64_t entries, std::uint64_t cell_bytes) noexcept {
    auto const least = entries == 0 ? 0 : entries + entries / 2 + 1;
    return std::max(least, std::min(4 * entries, cell_bytes / (8 * sizeof(overflow_table::entry))));
  }

  compact_counters(std::uint64_t cells, unsigned log_width, std::uint64_t slots);

  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(memory_.data()); }

  void put(std::uint64_t i, std::uint64_t before, std::uint64_t after) noexcept {
    auto const bit = i << log_width_;
    words()[bit / 64] += (after - before) << (bit % 64);  // no carry leaves the cell: both fit into it
  }

  /// One more or one less in the cell, if it still is what it was. Without a branch that nobody could guess.
  template <int By>
  void step(std::uint64_t i, std::uint64_t was) noexcept {
    auto const bit = i << log_width_;
    auto& word = words()[bit / 64];
    auto const same = static_cast<std::uint64_t>((word >> (bit % 64) & full()) == was);
    word += (same << (bit % 64)) * static_cast<std::uint64_t>(By);
  }

  [[nodiscard]] std::uint64_t least_beyond(cell_list at, unsigned n) const noexcept;
  void add_beyond(cell_list at, unsigned n, std::uint64_t amount);
  void raise_least_beyond(cell_list at, unsigned n, std::uint64_t amount);
  void take_beyond(cell_list at, unsigned n, std::uint64_t const* before) noexcept;
  void add_beyond(std::uint64_t i, std::uint64_t amount) noexcept;
  void subtract_beyond(std::uint64_t i, std::uint64_t amount) noexcept;
  void grow(std::uint64_t adds);
  [[nodiscard]] compact_counters widened() const;
  /// How many counters cells of half the width could not hold; 0 at the first width. Reads all cells.
  [[nodiscard]] std::uint64_t large() const noexcept;
  [[nodiscard]] compact_counters narrowed(std::uint64_t large) const;
  [[nodiscard]] bool wider_than_needed(std::uint64_t large) const noexcept {
    return log_width_ != first_width && large <= most_entries(cells_, log_width_ - 1);
  }
  [[nodiscard]] bool restore(std::uint64_t large, memory const& entries);

  std::uint64_t cells_ = 0;
  unsigned log_width_ = first_width;
  memory memory_;
  overflow_table table_;
};

}  // namespace hortus
