#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/quotient_blocks.hpp>
#include <hortus/cells/select_bit.hpp>

namespace hortus {

/// A sorted multiset of pairs (quotient, remainder), of which only the remainder is stored, in or after slot `quotient`. A pair
/// may have a value, of a width that is fixed, that takes no part in the order.
///
///     occupied   0 1 0 1 0 0 0 1      quotients 1, 3 and 7 have remainders
///     end        0 0 0 1 0 1 0 1      their runs are slots 1 to 3, 4 to 5 and 7
///     remainder  . a b c d e . f
///
/// The remainders of a quotient form a run, in ascending order. Runs are in the order of their quotients, each as early as
/// possible, but not before slot `quotient`. So the bytes depend on the pairs only, not on the order of inserts. The n-th run
/// belongs to the n-th occupied quotient: a run is found by counting (rank and select), from the start of its block.
///
/// Any content is safe: positions are checked against the size, and searches end after max_shift slots.
class quotient_table {
 public:
  /// The farthest that a remainder may lie from its quotient's slot. At 95 % load the probability that one lies farther is
  /// about e^(-max_reach / 10). A 16-bit offset has room for it.
  static constexpr std::uint64_t max_reach = 4096;
  /// The most slots that an insert or an erase shifts. At 95 % load a group of runs without a gap is longer than k slots with a
  /// probability of about e^(-0.0013 k): 0.5 % for max_reach, and below 1e-36 for this.
  static constexpr std::uint64_t max_shift = 65536;

  /// The slots of a quotient. An empty run begins where the first remainder of the quotient would be inserted. A run of which
  /// the end was not found, in a file that lies, is empty.
  using run = quotient_blocks::range;
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};  ///< no slot
  struct pair {
    std::uint64_t quotient;
    std::uint64_t remainder;
    constexpr bool operator==(pair const&) const = default;
  };

  quotient_table() = default;
  quotient_table(std::uint64_t blocks, unsigned remainder_bits, unsigned value_bits = 0)
      : quotient_table(memory(quotient_blocks::bytes(blocks, remainder_bits, value_bits)), remainder_bits, value_bits) {}
  /// Pre: whole blocks.
  quotient_table(memory cells, unsigned remainder_bits, unsigned value_bits = 0) noexcept
      : blocks_(std::move(cells), remainder_bits, value_bits) {}

  [[nodiscard]] run run_of(std::uint64_t quotient) const noexcept {
    auto const block = quotient / 64;
    auto const quotients = blocks_.load(block, occupied);
    auto const earlier = ones(quotients & below(quotient % 64));
    auto begin = 64 * block + blocks_.offset(block);
    if (earlier != 0) begin = after_end(begin, earlier - 1);
    begin = std::max(begin, quotient);
    return {begin, (quotients >> quotient % 64 & 1) != 0 ? after_end(begin, 0) : begin};
  }
  /// How many slots of the run have that remainder?
  [[nodiscard]] std::uint64_t count(run r, std::uint64_t remainder) const noexcept {
    std::uint64_t sum = 0;
    quotient_blocks::in_blocks(r, [&](auto block, auto among) { sum += ones(blocks_.equal(block, remainder, among)); });
    return sum;
  }
  [[nodiscard]] bool contains(pair x) const noexcept {
    return has_run(x.quotient) && count(run_of(x.quotient), x.remainder) != 0;
  }

  /// The slot of the run in which the pair lies, the first of equals, or where it has to be inserted.
  [[nodiscard]] std::uint64_t place_of(pair x, run r) const noexcept {
    auto at = r.begin;
    quotient_blocks::in_blocks(r, [&](auto block, auto among) { at += ones(blocks_.smaller(block, x.remainder, among)); });
    return at;
  }
  /// Does the quotient have any remainders?
  [[nodiscard]] bool has_run(std::uint64_t quotient) const noexcept { return blocks_.bit(quotient, occupied); }
  /// The slot of the pair, the first of equal ones; `nowhere` if there is none. Pre: r is the run of the quotient.
  [[nodiscard]] std::uint64_t slot_of(pair x, run r) const noexcept {
    auto slot = nowhere;
    quotient_blocks::in_blocks(r, [&](auto block, auto among) {
      auto const same = slot == nowhere ? blocks_.equal(block, x.remainder, among) : 0;
      if (same != 0) slot = 64 * block + static_cast<unsigned>(std::countr_zero(same));
    });
    return slot;
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t slot) const noexcept { return blocks_.remainder(slot); }
  [[nodiscard]] std::uint64_t value(std::uint64_t slot) const noexcept { return blocks_.value(slot); }
  void set_value(std::uint64_t slot, std::uint64_t value) noexcept { blocks_.set_value(slot, value); }

  /// Inserts the pair with this value, before equal pairs. False, and nothing changes, if there is no free slot within reach.
  /// Pre: r is the run of the quotient.
  [[nodiscard]] bool insert(pair x, run r, std::uint64_t value = 0) noexcept {
    auto const at = place_of(x, r);
    auto const free = gap_from(at, 1);
    if (free == nowhere || at - x.quotient > max_reach) return false;
    for (auto block = x.quotient / 64 + 1; 64 * block <= free; ++block)
      if (blocks_.offset(block) >= max_reach) return false;  // chosen keys, or a file that lies
    blocks_.shift_up(at, free, x.remainder);
    if (value != 0) blocks_.set_value(at, value);
    if (at >= r.end) {  // it is the last of its run
      blocks_.flip(at, end);
      if (!r.empty()) blocks_.flip(at - 1, end);
    }
    if (!blocks_.bit(x.quotient, occupied)) blocks_.flip(x.quotient, occupied);
    for (auto block = x.quotient / 64 + 1; 64 * block <= free; ++block) blocks_.set_offset(block, blocks_.offset(block) + 1);
    return true;
  }
  /// Removes one such pair. Pre: r is the run of the quotient, and has the remainder. False: a file lies, nothing changed.
  bool erase(pair x, run r) noexcept {
    auto const at = place_of(x, r);
    auto const gap = gap_from(at + 1, 0);  // what lies from there on stays in its place
    if (gap == nowhere || at >= r.end) return false;
    blocks_.shift_down(at, gap);
    if (r.end - r.begin == 1)
      blocks_.flip(x.quotient, occupied);
    else if (at + 1 == r.end)
      blocks_.flip(at - 1, end);
    for (auto block = x.quotient / 64 + 1; 64 * block < gap; ++block)
      if (auto const slots = blocks_.offset(block); slots != 0) blocks_.set_offset(block, slots - 1);  // 0: a file lies
    return true;
  }

  /// Inserts pairs in ascending order into an empty table, without searching.
  class appender {
   public:
    explicit appender(quotient_table& table) noexcept : to_(table.blocks_), slots_(table.slots()) {}
    /// False, and nothing changes, if there is no slot within reach, or the quotient is below the one before.
    [[nodiscard]] bool append(pair x) noexcept {
      bool const first = next_ == 0;
      bool const same = !first && x.quotient == quotient_;
      auto const at = std::max(next_, x.quotient);
      if (at >= slots_ || at - x.quotient > max_reach || (!first && x.quotient < quotient_)) return false;
      same ? to_.flip(at - 1, end) : to_.flip(x.quotient, occupied);
      to_.flip(at, end);
      to_.set_remainder(at, x.remainder);
      for (auto block = x.quotient / 64 + 1; 64 * block <= at; ++block) to_.set_offset(block, at + 1 - 64 * block);
      quotient_ = x.quotient;
      next_ = at + 1;
      return true;
    }

   private:
    quotient_blocks& to_;
    std::uint64_t slots_;
    std::uint64_t quotient_ = 0;
    std::uint64_t next_ = 0;  ///< the first slot that is free, with all after it
  };

  /// All pairs, in ascending order.
  class cursor {
   public:
    explicit cursor(quotient_table const& table) noexcept : of_(table.blocks_), slots_(table.slots()) { seek(0, 0); }
    [[nodiscard]] bool done() const noexcept { return slot_ >= slots_; }
    [[nodiscard]] pair operator*() const noexcept { return {quotient_, of_.remainder(slot_)}; }
    [[nodiscard]] std::uint64_t slot() const noexcept { return slot_; }
    void next() noexcept {
      if (of_.bit(slot_, end))
        seek(quotient_ + 1, slot_ + 1);
      else
        ++slot_;
    }

   private:
    /// Goes to the first occupied quotient from `from` on. Its run begins there, or after the run before.
    void seek(std::uint64_t from, std::uint64_t earliest) noexcept {
      for (; from < slots_; from = (from / 64 + 1) * 64)
        if (auto const some = of_.load(from / 64, occupied) & ~below(from % 64); some != 0) {
          quotient_ = from / 64 * 64 + static_cast<unsigned>(std::countr_zero(some));
          slot_ = std::max(quotient_, earliest);
          return;
        }
      slot_ = slots_;
    }

    quotient_blocks const& of_;
    std::uint64_t slots_;
    std::uint64_t quotient_ = 0;
    std::uint64_t slot_ = 0;
  };

  /// Slots in use, and different pairs in them.
  struct sums {
    bool sound = false;  ///< runs, offsets, free slots and the order of remainders are as this class leaves them
    std::uint64_t used = 0;
    std::uint64_t distinct = 0;
  };
  [[nodiscard]] sums checked_sums() const noexcept {
    std::uint64_t used = 0, repeated = 0, next = 0, before = 0;  // before: is the last slot of the block before in use?
    for (std::uint64_t block = 0; block < blocks_.size(); ++block) {
      auto const first = 64 * block;
      if (blocks_.offset(block) != (next > first ? next - first : 0)) return {};
      auto taken = quotient_blocks::mask({first, next}, block);
      for (auto left = blocks_.load(block, occupied); left != 0; left &= left - 1) {
        auto const begin = std::max(first + static_cast<unsigned>(std::countr_zero(left)), next);
        next = after_end(begin, 0);
        if (next == 0) return {};
        used += next - begin;
        taken |= quotient_blocks::mask({begin, next}, block);
      }
      auto const ends = blocks_.load(block, end);
      auto same = taken & ((taken & ~ends) << 1 | (before & ~blocks_.carry(block, end)));  // slots whose run began before
      std::uint64_t wrong = ends & ~taken;
      for (unsigned i = 0; i < blocks_.remainder_bits(); ++i) {
        auto const bits = blocks_.load(block, quotient_blocks::plane(i));
        auto const neighbours = bits << 1 | blocks_.carry(block, quotient_blocks::plane(i));
        wrong |= (bits & ~taken) | (same & ~bits & neighbours);
        same &= ~(bits ^ neighbours);
      }
      for (auto i = blocks_.remainder_bits(); i < blocks_.remainder_bits() + blocks_.value_bits(); ++i)
        wrong |= blocks_.load(block, quotient_blocks::plane(i)) & ~taken;
      if (wrong != 0) return {};
      repeated += ones(same);
      before = taken >> 63;
    }
    return {true, used, used - repeated};
  }

  [[gnu::always_inline]] void prefetch(std::uint64_t quotient) const noexcept { blocks_.prefetch(quotient / 64); }
  void clear() noexcept { blocks_.clear(); }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::uint64_t slots() const noexcept { return 64 * blocks_.size(); }
  [[nodiscard]] unsigned remainder_bits() const noexcept { return blocks_.remainder_bits(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return blocks_.value_bits(); }
  [[nodiscard]] memory const& cells() const noexcept { return blocks_.cells(); }
  bool operator==(quotient_table const&) const = default;

 private:
  static constexpr auto occupied = quotient_blocks::occupied, end = quotient_blocks::end;
  static constexpr std::uint64_t below(std::uint64_t bits) noexcept { return quotient_blocks::below(bits); }
  static std::uint64_t ones(std::uint64_t word) noexcept { return static_cast<unsigned>(std::popcount(word)); }

  /// The slot after end number `rank` from slot `from` on; 0 if there is none within reach.
  [[nodiscard]] std::uint64_t after_end(std::uint64_t from, std::uint64_t rank) const noexcept {
    auto block = from / 64;
    auto const last = std::min(blocks_.size(), block + max_reach / 64 + 2);
    if (block >= last) return 0;
    auto ends = blocks_.load(block, end) & ~below(from % 64);
    for (auto some = ones(ends); some <= rank; some = ones(ends)) {
      rank -= some;
      if (++block == last) return 0;
      ends = blocks_.load(block, end);
    }
    return 64 * block + select_bit(ends, static_cast<unsigned>(rank)) + 1;
  }
  /// The first slot from `slot` on that no run of the quotients before it covers, nor, if `own` is 1, that of the quotient of
  /// its own number. With 1 that slot is free. With 0 it is free or starts the run of that quotient, or it is past the last
  /// one.
  [[nodiscard]] std::uint64_t gap_from(std::uint64_t slot, unsigned own) const noexcept {
    auto const last = std::min(slots(), slot + max_shift);
    while (slot < last) {
      auto const block = slot / 64;
      auto const covered = 64 * block + blocks_.offset(block);
      if (slot < covered) {
        slot = covered;
        continue;
      }
      auto const begun = ones(blocks_.load(block, occupied) & (below(slot % 64) | std::uint64_t{own} << slot % 64));
      auto const ended = ones(blocks_.load(block, end) & below(slot % 64) & ~below(covered % 64));
      if (begun <= ended) return slot;
      slot = after_end(slot, begun - ended - 1);  // all runs that began have ended there
      if (slot == 0) return nowhere;
    }
    return slot == slots() && own == 0 ? slot : nowhere;
  }

  quotient_blocks blocks_;
};

}  // namespace hortus
