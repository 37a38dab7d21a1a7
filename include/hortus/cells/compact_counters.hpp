#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/overflow_table.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Counters from 0 to 2^64 - 1 in little more space than their values need: an array of small cells, all of one width, and an
/// overflow table for the counters that do not fit.
///
///     cells of 2 bits   0 1 0 3 2 0 1 0 3 0 ...      a cell that is full (3) may have more in the table
///                             |         |
///     table             cell 3: 12   cell 8: none    cell 3 counts 3 + 12 = 15, cell 8 counts 3
///
/// When the table would take as many bytes as the cells, the cells become twice as wide (2, 4, 8 .. 64 bits), which leaves the
/// table nearly empty. So most reads and changes touch one cache line. The whole takes O(N + cells) bits, where N is the number
/// of bits of all values: 2 to 4 times N + cells in the streams of docs/maths.md. docs/decisions.md says why the paper's cells
/// of individual width (Cohen, Matias, "Spectral Bloom filters", SIGMOD 2003) were rejected.
///
/// A counter at 2^64 - 1 stays there: its true value is unknown, so it must not be lowered.
class compact_counters {
 public:
  static constexpr std::uint64_t max_cells = std::uint64_t{1} << 40;
  static constexpr std::uint64_t most = ~std::uint64_t{0};  ///< the maximum, where counters stay

  compact_counters() = default;
  explicit compact_counters(std::uint64_t cells) : compact_counters(cells, table_slots(cells)) {}
  /// All zero, with a table of `slots` slots to begin with. Throws errc::bad_params past max_cells.
  compact_counters(std::uint64_t cells, std::uint64_t slots) : compact_counters(cells, first_width, slots) {}
  /// The size when all counters are zero: 2 bits per cell, and a table for the overflow that a Bloom filter's load causes.
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
  /// May allocate; if that fails, nothing has changed. After make_room(n) the next n calls do not allocate.
  void add(std::uint64_t i, std::uint64_t amount) {
    auto const here = low(i);
    if (amount <= full() - here) return put(i, here, here + amount);
    if (here < full() || table_.find(i) == nullptr) make_room(1);
    add_beyond(i, amount);
  }
  /// Stops at zero.
  void subtract(std::uint64_t i, std::uint64_t amount) noexcept {
    auto const here = low(i);
    if (here < full()) [[likely]]
      return put(i, here, here - std::min(here, amount));
    subtract_beyond(i, amount);
  }
  void make_room(std::uint64_t adds) {
    if (log_width_ == log_widest) return;  // 64-bit cells never overflow into the table
    if (table_.room() < adds || table_.size() + adds > most_entries(cells_, log_width_)) grow(adds);
  }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return low(i) != 0; }  ///< is it above 0?
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(words() + (i << log_width_) / 64); }
  [[gnu::always_inline]] void prefetch_beyond(std::uint64_t i) const noexcept { table_.prefetch(i); }
  [[nodiscard]] bool beyond_is_far() const noexcept { return table_.size_bytes() > (1U << 20); }  ///< worth a prefetch?

  /// The value in the cell itself, min(get(i), full()), without a table lookup.
  [[nodiscard]] std::uint64_t full() const noexcept { return full_of(log_width_); }
  [[nodiscard]] std::uint64_t low(std::uint64_t i) const noexcept {
    auto const bit = i << log_width_;
    return words()[bit / 64] >> (bit % 64) & full();
  }

  /// The cells while they have 2 bits, for kernels that change whole cache lines of them. A cell below full() has no table
  /// entry and may be changed to any value up to full().
  [[nodiscard]] bool are_pairs() const noexcept { return log_width_ == first_width; }
  [[nodiscard]] std::uint64_t* pairs() noexcept { return words(); }
  [[nodiscard]] std::uint64_t const* pairs() const noexcept { return words(); }

  /// Operations on the counters of one key: at[0] .. at[n - 1], n <= max_at_once. A counter that is listed twice is changed
  /// once: each is changed only if it still has the value that was read first. All are changed or, if memory fails, none.
  static constexpr unsigned max_at_once = 64;
  using cell_list = std::uint64_t const*;

  /// The smallest of them. If one cell is not full, no table lookup is needed.
  [[nodiscard]] std::uint64_t least(cell_list at, unsigned n) const noexcept {
    auto value = full();
    for (unsigned i = 0; i < n; ++i) value = std::min(value, low(at[i]));
    return value < full() ? value : least_beyond(at, n);
  }
  /// Adds `amount` to each.
  void add(cell_list at, unsigned n, std::uint64_t amount) {
    if (n == 0) return;
    std::array<std::uint64_t, max_at_once> before;
    bool beyond = amount != 1;
    for (unsigned i = 0; i < n; ++i) beyond |= (before[i] = low(at[i])) == full();
    if (beyond) [[unlikely]]
      return add_beyond(at, n, amount);
    for (unsigned i = 0; i < n; ++i) step<+1>(at[i], before[i]);
  }
  /// Raises each to at least (the smallest of them + amount).
  void raise_least(cell_list at, unsigned n, std::uint64_t amount) {
    auto value = full();
    for (unsigned i = 0; i < n; ++i) value = std::min(value, low(at[i]));
    if (value == full() || amount != 1) [[unlikely]]
      return raise_least_beyond(at, n, amount);
    for (unsigned i = 0; i < n; ++i) step<+1>(at[i], value);
  }
  /// Subtracts 1 from each. False, with nothing changed, if one of them is 0.
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
  [[nodiscard]] unsigned cell_bits() const noexcept { return 1U << log_width_; }  ///< the present width of cells
  [[nodiscard]] std::uint64_t beyond() const noexcept { return table_.size(); }   ///< the number of counters in the table
  [[nodiscard]] std::uint64_t nonzero() const noexcept;                           ///< the number of counters that are not 0
  /// The same for `count` counters from `first` on. Pre: both are multiples of 32, which are whole words at every width.
  [[nodiscard]] std::uint64_t nonzero(std::uint64_t first, std::uint64_t count) const noexcept;
  [[nodiscard]] std::uint64_t saturated() const noexcept;  ///< the number of counters at 2^64 - 1

  /// `values`: the bits of all values, ceil(log2(value + 1)) each, the N of N + o(N) + O(cells). `used`: the bits of memory
  /// that hold them.
  struct space_use {
    std::uint64_t values = 0;
    std::uint64_t used = 0;
  };
  [[nodiscard]] space_use space() const noexcept;

  /// Adds counter by counter. Pre: size() == other.size(). If memory fails, nothing has changed.
  compact_counters& operator+=(compact_counters const& other);
  /// Counter i of the result is the sum of counters i * by ... i * by + by - 1. With group > 1, group i of the result is the
  /// sum of groups i * by ... i * by + by - 1, counter by counter. Pre: by * group divides size().
  [[nodiscard]] compact_counters folded(std::uint64_t by, std::uint64_t group = 1) const;

  /// Group i of the result is group i * step + first, where a group is `group` counters. Pre: step * group divides size(),
  /// first < step, and `group` is a multiple of 32, which are whole words at every width.
  [[nodiscard]] compact_counters every(std::uint64_t step, std::uint64_t first, std::uint64_t group) const;
  /// The reverse: group i * step + first becomes group i of `some`. Pre: size() == some.size() * step, and so on. If memory
  /// fails, these groups are 0.
  void put_every(std::uint64_t step, std::uint64_t first, std::uint64_t group, compact_counters const& some);

  bool operator==(compact_counters const& other) const noexcept;

  /// A file has the narrowest cells that the rule at most_entries() allows, and a sorted table. So equal counters give equal
  /// bytes, whatever their history.
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
  /// A file states how many counters are large. That is believed only if the file is mapped and not verified. Nothing here
  /// depends on it, and when the counters are written, large ones are counted again.
  static void fields(compact_counters& self, auto& in) {
    std::uint64_t large = 0;
    memory entries;
    in(self.cells_, self.log_width_, large, self.memory_, entries);
    if (!self.valid() || !self.restore(large, entries) || (in.verifies() && large != self.large()))
      throw error(errc::corrupt, "its counters do not fit together");
  }
  [[nodiscard]] bool valid() const noexcept;

 private:
  static constexpr unsigned first_width = 1;  // log2 of the width: cells of 2 bits
  static constexpr unsigned log_widest = 6;   // cells of 64 bits

  static constexpr std::uint64_t full_of(unsigned log_width) noexcept { return most >> (64 - (1U << log_width)); }
  static constexpr std::uint64_t bytes_for(std::uint64_t cells, unsigned log_width) noexcept {
    auto const in_word = std::uint64_t{64} >> log_width;
    return (cells / in_word + (cells % in_word != 0 ? 1 : 0)) * sizeof(std::uint64_t);
  }
  /// The rule: table entries never take more bytes than the cells.
  static constexpr std::uint64_t most_entries(std::uint64_t cells, unsigned log_width) noexcept {
    return bytes_for(cells, log_width) / sizeof(overflow_table::entry);
  }
  /// 4/3 bits per cell. At planned loads, ln 2 to 0.75, a share of 0.0056 to 0.0073 of the counters exceeds 3: the table is at
  /// most 0.7 full.
  static constexpr std::uint64_t table_slots(std::uint64_t cells) noexcept { return cells / 96; }

  /// Slots of a table for `entries` entries: a quarter full if that takes at most an eighth of the bytes of the cells, else up
  /// to two thirds full.
  static constexpr std::uint64_t slots_for(std::uint64_t entries, std::uint64_t cell_bytes) noexcept {
    auto const least = entries == 0 ? 0 : entries + entries / 2 + 1;
    return std::max(least, std::min(4 * entries, cell_bytes / (8 * sizeof(overflow_table::entry))));
  }

  compact_counters(std::uint64_t cells, unsigned log_width, std::uint64_t slots);

  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(memory_.data()); }

  void put(std::uint64_t i, std::uint64_t before, std::uint64_t after) noexcept {
    auto const bit = i << log_width_;
    words()[bit / 64] += (after - before) << (bit % 64);  // no carry leaves the cell: both values fit into it
  }

  /// Adds By (1 or -1) to the cell if it still holds `was`. Branch-free, because a branch would be unpredictable.
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
  /// The number of counters that do not fit into cells of half the width; 0 at the first width. Reads all cells.
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
