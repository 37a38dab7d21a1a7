#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/select_bit.hpp>

namespace hortus {

/// A sorted multiset of pairs (quotient, remainder), of which only the remainder is stored, in or after slot `quotient`.
///
///     occupied   0 1 0 1 0 0 0 1      quotients 1, 3 and 7 have remainders
///     end        0 0 0 1 0 1 0 1      a run ends here: the runs are slots 1 to 3, 4 to 5 and 7
///     remainder  . a b c d e . f
///
/// The remainders of a quotient form a run, in ascending order. Runs are in the order of their quotients, each as early as
/// possible, but not before slot `quotient`. So the bytes depend on the pairs only, not on the order of inserts. The n-th run
/// belongs to the n-th occupied quotient: a run is found by counting (rank and select).
///
/// Blocks of 64 slots: the words `occupied` and `end`, 16 bits `offset`, then the remainders in planes, a word for each bit,
/// highest first. `offset` is the number of slots from the start of the block on that belong to quotients of earlier blocks, so
/// that counting starts in the block itself. Planes fill whole words for every width, compare 64 slots at once, and shift as
/// `end` does. A comparison of an absent remainder ends after the first planes, which lie beside the words.
///
/// Any content is safe: positions are checked against the size, and searches end after max_reach slots.
class quotient_table {
 public:
  static constexpr std::uint64_t block_slots = 64;
  static constexpr std::uint64_t head_bytes = 18;
  /// The farthest that a remainder may lie from its quotient's slot. At 95 % load one slot in 2^590 would need more.
  static constexpr std::uint64_t max_reach = 4096;

  /// Slots [begin, end). An empty run begins where the first remainder of its quotient would be inserted.
  struct run {
    std::uint64_t begin;
    std::uint64_t end;
    [[nodiscard]] bool empty() const noexcept { return end <= begin; }  // below only in a file that lies
  };
  struct pair {
    std::uint64_t quotient;
    std::uint64_t remainder;
  };

  quotient_table() = default;
  quotient_table(std::uint64_t blocks, unsigned remainder_bits)
      : quotient_table(memory(bytes(blocks, remainder_bits)), remainder_bits) {}
  /// Pre: whole blocks.
  quotient_table(memory cells, unsigned remainder_bits) noexcept : bits_(remainder_bits), memory_(std::move(cells)) {}

  static constexpr std::uint64_t bytes(std::uint64_t blocks, unsigned remainder_bits) noexcept {
    return blocks * (head_bytes + 8 * remainder_bits);
  }

  [[nodiscard]] bool occupied(std::uint64_t quotient) const noexcept {
    return (load(quotient / 64, occupied_at) >> quotient % 64 & 1) != 0;
  }
  [[nodiscard]] run run_of(std::uint64_t quotient) const noexcept {
    auto const block = quotient / 64;
    auto const quotients = load(block, occupied_at);
    auto const earlier = ones(quotients & below(quotient % 64));
    auto begin = 64 * block + offset(block);
    if (earlier != 0) begin = after_end(begin, earlier - 1);
    begin = std::max(begin, quotient);
    return {begin, (quotients >> quotient % 64 & 1) != 0 ? after_end(begin, 0) : begin};
  }
  /// How many slots of the run have that remainder?
  [[nodiscard]] std::uint64_t count(run r, std::uint64_t remainder) const noexcept {
    std::uint64_t sum = 0;
    in_blocks(r, [&](std::uint64_t block, std::uint64_t among) { sum += ones(equal(block, remainder, among)); });
    return sum;
  }
  [[nodiscard]] bool contains(pair x) const noexcept {
    if (!occupied(x.quotient)) return false;
    auto const r = run_of(x.quotient);
    if (r.begin / 64 == (r.end - 1) / 64 && !r.empty()) return equal(r.begin / 64, x.remainder, slots_of(r, r.begin / 64)) != 0;
    return count(r, x.remainder) != 0;
  }

  /// Inserts the pair. False, and nothing changes, if there is no free slot within reach. Pre: r is the run of the quotient.
  [[nodiscard]] bool insert(pair x, run r) noexcept {
    auto const at = r.begin + smaller(r, x.remainder);
    auto const free = gap_from(at, 1);
    if (free == nowhere || free - x.quotient > max_reach) return false;
    shift_up(at, free, x.remainder);
    if (at >= r.end) {  // it is the last of its run
      flip(at, end_at);
      if (!r.empty()) flip(at - 1, end_at);
    }
    if (r.empty()) flip(x.quotient, occupied_at);
    for (auto block = x.quotient / 64 + 1; 64 * block <= free; ++block) set_offset(block, offset(block) + 1);
    return true;
  }
  /// Removes one such pair. Pre: r is the run of the quotient, and it has the remainder. False: a file lies, nothing changed.
  bool erase(pair x, run r) noexcept {
    auto const at = r.begin + smaller(r, x.remainder);
    auto const gap = gap_from(at + 1, 0);  // what lies from there on stays in its place
    if (gap == nowhere || at >= r.end) return false;
    shift_down(at, gap);
    if (r.end - r.begin == 1)
      flip(x.quotient, occupied_at);
    else if (at + 1 == r.end)
      flip(at - 1, end_at);
    for (auto block = x.quotient / 64 + 1; 64 * block < gap; ++block)
      set_offset(block, std::max<std::uint64_t>(offset(block), 1) - 1);
    return true;
  }

  /// Inserts pairs in ascending order into an empty table, without searching.
  class appender {
   public:
    explicit appender(quotient_table& table) noexcept : to_(table) {}
    /// False, and nothing changes, if there is no slot within reach, or the quotient is below the one before.
    [[nodiscard]] bool append(pair x) noexcept {
      bool const same = next_ != 0 && x.quotient == quotient_;
      auto const at = std::max(next_, x.quotient);
      if (at >= to_.slots() || at - x.quotient > max_reach || (next_ != 0 && x.quotient < quotient_)) return false;
      to_.flip(same ? at - 1 : at, end_at);
      same ? to_.flip(at, end_at) : to_.flip(x.quotient, occupied_at);
      for (unsigned i = 0; i < to_.bits_; ++i)
        if ((x.remainder >> (to_.bits_ - 1 - i) & 1) != 0) to_.flip(at, plane_at(i));
      for (auto block = x.quotient / 64 + 1; 64 * block <= at; ++block) to_.set_offset(block, at - 64 * block + 1);
      quotient_ = x.quotient;
      next_ = at + 1;
      return true;
    }

   private:
    quotient_table& to_;
    std::uint64_t quotient_ = 0;
    std::uint64_t next_ = 0;
  };

  /// All pairs, in ascending order.
  class cursor {
   public:
    explicit cursor(quotient_table const& table) noexcept : of_(table) { seek(0, 0); }
    [[nodiscard]] bool done() const noexcept { return slot_ >= of_.slots(); }
    [[nodiscard]] pair operator*() const noexcept { return {quotient_, of_.remainder(slot_)}; }
    void next() noexcept {
      if ((of_.load(slot_ / 64, end_at) >> slot_ % 64 & 1) != 0)
        seek(quotient_ + 1, slot_ + 1);
      else
        ++slot_;
    }

   private:
    /// The first occupied quotient from `from` on. Its run begins there, or after the run before.
    void seek(std::uint64_t from, std::uint64_t earliest) noexcept {
      for (; from < of_.slots(); from = (from / 64 + 1) * 64)
        if (auto const some = of_.load(from / 64, occupied_at) & ~below(from % 64); some != 0) {
          quotient_ = from / 64 * 64 + static_cast<unsigned>(std::countr_zero(some));
          slot_ = std::max(quotient_, earliest);
          return;
        }
      slot_ = of_.slots();
    }

    quotient_table const& of_;
    std::uint64_t quotient_ = 0;
    std::uint64_t slot_ = 0;
  };

  /// Slots in use and different pairs among them.
  struct sums {
    bool sound;  ///< runs, offsets and the order of remainders are as this class leaves them
    std::uint64_t used;
    std::uint64_t distinct;
  };
  [[nodiscard]] sums checked_sums() const noexcept {
    std::uint64_t used = 0, repeated = 0, next = 0, before = 0;  // before: 1 if the last slot of the block before is in use
    for (std::uint64_t block = 0; block < blocks(); ++block) {
      auto const first = 64 * block;
      if (offset(block) != (next > first ? next - first : 0)) return {};
      auto taken = slots_of({first, next}, block);
      for (auto left = load(block, occupied_at); left != 0; left &= left - 1) {
        auto const begin = std::max(first + static_cast<unsigned>(std::countr_zero(left)), next);
        next = after_end(begin, 0);
        if (next == 0) return {};
        used += next - begin;
        taken |= slots_of({begin, next}, block);
      }
      auto const ends = load(block, end_at);
      auto const goes_on = taken & ((taken & ~ends) << 1 | (before & ~above(block, end_at)));
      std::uint64_t same = goes_on, smaller = 0, stray = ends;
      for (unsigned i = 0; i < bits_; ++i) {
        auto const plane = load(block, plane_at(i)), left = plane << 1 | above(block, plane_at(i));  // of the slot before
        smaller |= same & ~plane & left;
        same &= ~(plane ^ left);
        stray |= plane;
      }
      if (smaller != 0 || (stray & ~taken) != 0) return {};
      repeated += ones(same);
      before = taken >> 63;
    }
    return {true, used, used - repeated};
  }

  /// Prefetches the block of a quotient.
  void prefetch(std::uint64_t quotient) const noexcept {
    auto const* const from = memory_.data() + place(quotient / 64);
    for (std::uint64_t at = 0; at < block_bytes(); at += memory::line_bytes) __builtin_prefetch(from + at);
    __builtin_prefetch(from + block_bytes() - 1);
  }
  void clear() noexcept { memory_.clear(); }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return memory_.size() / block_bytes(); }
  [[nodiscard]] std::uint64_t slots() const noexcept { return 64 * blocks(); }
  [[nodiscard]] unsigned remainder_bits() const noexcept { return bits_; }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  bool operator==(quotient_table const&) const = default;

 private:
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  static constexpr std::uint64_t occupied_at = 0, end_at = 8, offset_at = 16;
  static constexpr std::uint64_t plane_at(unsigned i) noexcept { return head_bytes + 8 * i; }
  static constexpr std::uint64_t below(std::uint64_t bit) noexcept { return (std::uint64_t{1} << bit) - 1; }
  static std::uint64_t ones(std::uint64_t word) noexcept { return static_cast<unsigned>(std::popcount(word)); }

  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return head_bytes + 8 * bits_; }
  [[nodiscard]] std::uint64_t place(std::uint64_t block) const noexcept { return block * block_bytes(); }
  [[nodiscard]] std::uint64_t load(std::uint64_t block, std::uint64_t at) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, memory_.data() + place(block) + at, sizeof word);
    return word;
  }
  void store(std::uint64_t block, std::uint64_t at, std::uint64_t word) noexcept {
    std::memcpy(memory_.data() + place(block) + at, &word, sizeof word);
  }
  void flip(std::uint64_t slot, std::uint64_t at) noexcept {
    store(slot / 64, at, load(slot / 64, at) ^ std::uint64_t{1} << slot % 64);
  }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const noexcept {
    std::uint16_t slots = 0;
    std::memcpy(&slots, memory_.data() + place(block) + offset_at, sizeof slots);
    return slots;
  }
  void set_offset(std::uint64_t block, std::uint64_t slots) noexcept {
    auto const narrow = static_cast<std::uint16_t>(slots);
    std::memcpy(memory_.data() + place(block) + offset_at, &narrow, sizeof narrow);
  }
  /// The highest bit of a word in the block before; 0 for the first block.
  [[nodiscard]] std::uint64_t above(std::uint64_t block, std::uint64_t at) const noexcept {
    return block == 0 ? 0 : load(block - 1, at) >> 63;
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t slot) const noexcept {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits_; ++i) value = value << 1 | (load(slot / 64, plane_at(i)) >> slot % 64 & 1);
    return value;
  }

  /// The slot after run end number `rank` from slot `from` on; 0 if there is none within reach.
  [[nodiscard]] std::uint64_t after_end(std::uint64_t from, std::uint64_t rank) const noexcept {
    auto block = from / 64;
    auto const last = std::min(blocks(), block + max_reach / 64 + 2);
    if (block >= last) return 0;
    auto ends = load(block, end_at) & ~below(from % 64);
    for (auto some = ones(ends); some <= rank; some = ones(ends)) {
      rank -= some;
      if (++block == last) return 0;
      ends = load(block, end_at);
    }
    return 64 * block + select_bit(ends, static_cast<unsigned>(rank)) + 1;
  }
  /// The first slot from `slot` on that no run of the quotients before it covers, nor (with `own` 1) of the quotient of its own
  /// number. With 1 that slot is free. With 0 it is free or starts the run of that quotient.
  [[nodiscard]] std::uint64_t gap_from(std::uint64_t slot, unsigned own) const noexcept {
    auto const last = std::min(slots(), slot + 2 * max_reach);
    while (slot < last) {
      auto const block = slot / 64;
      auto const covered = 64 * block + offset(block);
      if (slot < covered) {
        slot = covered;
        continue;
      }
      auto const begun = ones(load(block, occupied_at) & (below(slot % 64) | std::uint64_t{own} << slot % 64));
      auto const ended = ones(load(block, end_at) & below(slot % 64) & ~below(covered % 64));
      if (begun <= ended) return slot;
      slot = after_end(slot, begun - ended - 1);
      if (slot == 0) return nowhere;
    }
    return slot == slots() && own == 0 ? slot : nowhere;
  }

  /// The slots of a run that are in the block, as a mask.
  static std::uint64_t slots_of(run r, std::uint64_t block) noexcept {
    auto const from = r.begin > 64 * block ? r.begin - 64 * block : 0;
    auto const to = r.end > 64 * block ? r.end - 64 * block : 0;
    if (from >= std::min<std::uint64_t>(to, 64)) return 0;
    return ~below(from) & (to >= 64 ? nowhere : below(to));
  }
  /// act(block, mask of slots) for each block that the run is in.
  static void in_blocks(run r, auto act) {
    for (auto block = r.begin / 64; 64 * block < r.end && !r.empty(); ++block) act(block, slots_of(r, block));
  }
  /// Which slots among those in the mask have this remainder?
  [[nodiscard]] std::uint64_t equal(std::uint64_t block, std::uint64_t remainder, std::uint64_t among) const noexcept {
    auto wanted = remainder << (64 - bits_);  // the highest bit decides about the first plane
    auto const* plane = memory_.data() + place(block) + head_bytes;
    for (unsigned i = 0; i < bits_ && among != 0;)
      for (auto const stop = std::min(i + 4, bits_); i < stop; ++i, plane += 8, wanted <<= 1) {
        std::uint64_t word = 0;
        std::memcpy(&word, plane, sizeof word);
        among &= ~(word ^ (std::uint64_t{0} - (wanted >> 63)));
      }
    return among;
  }
  /// How many slots of the run have a smaller remainder?
  [[nodiscard]] std::uint64_t smaller(run r, std::uint64_t remainder) const noexcept {
    std::uint64_t sum = 0;
    in_blocks(r, [&](std::uint64_t block, std::uint64_t among) {
      std::uint64_t less = 0;
      for (unsigned i = 0; i < bits_ && among != 0; ++i) {
        auto const plane = load(block, plane_at(i));
        bool const one = (remainder >> (bits_ - 1 - i) & 1) != 0;
        less |= one ? among & ~plane : 0;
        among &= one ? plane : ~plane;
      }
      sum += ones(less);
    });
    return sum;
  }

  /// Moves slots [at, free) up by one: remainders and run ends. Slot `at` gets the remainder, and no run ends there.
  void shift_up(std::uint64_t at, std::uint64_t free, std::uint64_t remainder) noexcept {
    for (auto block = free / 64 + 1; block-- > at / 64;) {
      bool const first = block == at / 64;
      auto const lowest = std::uint64_t{1} << (first ? at % 64 : 0);
      auto const moved = slots_of({at, free + 1}, block);
      auto const shift = [&](std::uint64_t where, std::uint64_t low) {
        auto const word = load(block, where);
        store(block, where, (word & ~moved) | (word << 1 & moved & ~lowest) | (low != 0 ? lowest : 0));
      };
      shift(end_at, first ? 0 : above(block, end_at));
      for (unsigned i = 0; i < bits_; ++i)
        shift(plane_at(i), first ? remainder >> (bits_ - 1 - i) & 1 : above(block, plane_at(i)));
    }
  }
  /// Moves slots (at, gap) down by one. The slot before `gap` becomes free.
  void shift_down(std::uint64_t at, std::uint64_t gap) noexcept {
    for (auto block = at / 64; block <= (gap - 1) / 64; ++block) {
      bool const last = block == (gap - 1) / 64;
      auto const highest = std::uint64_t{1} << (last ? (gap - 1) % 64 : 63);
      auto const moved = slots_of({at, gap}, block);
      auto const shift = [&](std::uint64_t where) {
        auto const word = load(block, where);
        bool const high = !last && (load(block + 1, where) & 1) != 0;
        store(block, where, (word & ~moved) | (word >> 1 & moved & ~highest) | (high ? highest : 0));
      };
      shift(end_at);
      for (unsigned i = 0; i < bits_; ++i) shift(plane_at(i));
    }
  }

  unsigned bits_ = 1;
  memory memory_;
};

}  // namespace hortus
