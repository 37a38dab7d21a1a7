#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/cells/quotient_table.hpp>
#include <hortus/error.hpp>
#include <hortus/fingerprint/quotient_fingerprint.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/plan/quotient.hpp>

namespace hortus {

/// What a quotient filter holds: a sorted multiset of fingerprints, and how it becomes one of another shape.
struct quotient_contents {
  /// The most copies of a fingerprint in the table; the others are counted in `extra`. Keys with equal fingerprints thus take a
  /// slot each, as planned, and a key that is inserted a million times does not fill the table.
  static constexpr unsigned most_in_slots = 3;

  plan::quotient_shape shape;
  std::uint64_t used = 0;             ///< slots
  std::uint64_t distinct = 0;         ///< fingerprints
  unsigned in_slots = most_in_slots;  ///< copies of a fingerprint that may be in slots: 1 after move_copies_out()
  quotient_table table;
  extra_copies extra;
  believed numbers_believed;

  explicit quotient_contents(plan::quotient_shape wanted)
      : shape(plan::checked(wanted)), table(shape.blocks(), shape.remainder_bits()) {}
  /// The numbers follow from the table.
  bool operator==(quotient_contents const& other) const noexcept {
    return shape == other.shape && in_slots == other.in_slots && table == other.table && extra == other.extra;
  }

  /// Takes the numbers from the table, whatever a file said, unless the table is damaged.
  void count_again() noexcept {
    auto const sums = table.checked_sums();
    if (!sums.sound) return;
    used = std::min(sums.used, shape.room());
    distinct = std::min(sums.distinct, used);
  }
  void clear() noexcept {
    table.clear();
    extra.clear();
    used = distinct = 0;
    in_slots = most_in_slots;
  }
  /// Keeps one slot for each fingerprint, when new ones need the slots of the copies: a filter that was planned for the
  /// distinct keys of a stream then takes all of them.
  void move_copies_out();

  /// Calls act(fingerprint, copies) for each, shortened to so many bits, in ascending order.
  void for_each_print(unsigned bits, auto act) const {
    for (stream from(*this, bits); !from.done(); from.next()) act(from.number(), from.copies());
  }
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {  ///< at most 2^64 - 1
    return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
  }

  /// Throws errc::corrupt, and writes nothing, if a mapped file that was not verified turns out to be damaged.
  static void fields(quotient_contents const& self, auto& out) {
    auto used = self.used, distinct = self.distinct;
    if (self.numbers_believed.yes) {
      auto const sums = self.table.checked_sums();
      if (!sums.sound) throw error(errc::corrupt, "its slots do not fit together");
      used = sums.used, distinct = sums.distinct;
    }
    auto const in_slots = used == distinct ? self.in_slots : most_in_slots;
    out(self.shape.slots, self.shape.fingerprint_bits, used, distinct, in_slots, self.table.cells(), self.extra);
  }
  /// What a file says about its slots is believed only if the file is mapped and not verified. No access depends on it.
  static void fields(quotient_contents& self, auto& in) {
    memory cells;
    in(self.shape.slots, self.shape.fingerprint_bits, self.used, self.distinct, self.in_slots, cells, self.extra);
    bool sound =
        self.shape.possible() && cells.size() == quotient_blocks::bytes(self.shape.blocks(), self.shape.remainder_bits());
    if (sound) {
      self.table = quotient_table(std::move(cells), self.shape.remainder_bits());
      self.numbers_believed.yes = !in.verifies();
      if (in.verifies()) {
        auto const sums = self.table.checked_sums();
        sound = sums.sound && sums.used == self.used && sums.distinct == self.distinct;
      }
    }
    if (!sound || !self.valid()) throw error(errc::corrupt, "its slots do not fit together");
  }
  [[nodiscard]] bool valid() const noexcept {
    return shape.possible() && table.remainder_bits() == shape.remainder_bits() && table.blocks() == shape.blocks() &&
           used <= shape.room() && distinct <= used && (distinct == 0) == (used == 0) &&
           (in_slots == most_in_slots || (in_slots == 1 && used == distinct));
  }

  /// The fingerprints one by one, shortened to so many bits; those that are equal then come once.
  class stream {
   public:
    stream(quotient_contents const& of, unsigned bits) noexcept
        : of_(of), drop_(of.shape.fingerprint_bits - bits), at_(of.table) {
      next();
    }
    [[nodiscard]] bool done() const noexcept { return copies_ == 0; }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    void next() noexcept {
      copies_ = 0;
      for (; !at_.done(); at_.next()) {
        auto const whole = quotient_fingerprint::at(*at_, of_.shape).number(of_.shape.fingerprint_bits);
        if (copies_ != 0 && whole >> drop_ != number_) return;
        // The extra copies come with the first one in the table.
        auto const more = of_.extra.empty() || (copies_ != 0 && whole == whole_) ? 0 : of_.extra.count(whole);
        whole_ = whole;
        number_ = whole >> drop_;
        copies_ = sum(copies_ + 1, more);
      }
    }

   private:
    quotient_contents const& of_;
    unsigned drop_;
    quotient_table::cursor at_;
    std::uint64_t whole_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t copies_ = 0;
  };
};

/// Calls act(fingerprint, copies) for the fingerprints of both, shortened to so many bits, in ascending order.
void for_each_print_of_both(quotient_contents const& a, quotient_contents const& b, unsigned bits, auto act) {
  quotient_contents::stream left(a, bits), right(b, bits);
  while (!left.done() || !right.done()) {
    bool const of_a = !left.done() && (right.done() || left.number() <= right.number());
    bool const of_b = !right.done() && (left.done() || right.number() <= left.number());
    act(of_a ? left.number() : right.number(), quotient_contents::sum(of_a ? left.copies() : 0, of_b ? right.copies() : 0));
    if (of_a) left.next();
    if (of_b) right.next();
  }
}

/// The contents of that shape with all fingerprints that each(act) passes to act(fingerprint, copies), in ascending order.
/// Nothing if they do not fit.
std::optional<quotient_contents> rebuilt(plan::quotient_shape shape, unsigned most_in_slots, auto each) {
  std::optional<quotient_contents> made(shape);
  made->in_slots = most_in_slots;
  quotient_table::appender to(made->table);
  bool fits = true;
  each([&](std::uint64_t number, std::uint64_t copies) {
    auto const pair = quotient_fingerprint::from(number, shape.fingerprint_bits).in(shape.slots, shape.remainder_bits());
    auto const in_slots = std::min<std::uint64_t>(copies, most_in_slots);
    for (std::uint64_t i = 0; i < in_slots && fits; ++i) fits = to.append(pair);
    if (!fits) return;
    if (copies > in_slots) made->extra.add(number, copies - in_slots);
    made->used += in_slots;
    ++made->distinct;
  });
  if (!fits || made->used > shape.room()) made.reset();
  return made;
}

inline void quotient_contents::move_copies_out() {
  auto made = rebuilt(shape, 1, [&](auto act) { for_each_print(shape.fingerprint_bits, act); });
  if (made) *this = *std::move(made);  // if not, a file lies
}

/// The contents of both, with fingerprints as short as the shorter ones. In the slots of `a`, or of `b` if those of `a` are too
/// many for such fingerprints, doubled as often as needed. An empty filter has no fingerprints, so that its own length does not
/// matter.
[[nodiscard]] inline quotient_contents merged(quotient_contents const& a, quotient_contents const& b) {
  if (b.used == 0) return a;
  plan::quotient_shape shape{a.shape.slots, b.shape.fingerprint_bits};
  if (a.used != 0) shape.fingerprint_bits = std::min(shape.fingerprint_bits, a.shape.fingerprint_bits);
  auto const too_many = [&] { return shape.fingerprint_bits < static_cast<unsigned>(std::bit_width(shape.slots)); };
  if (too_many()) shape.slots = b.shape.slots;
  auto const each = [&](auto act) {
    a.used == 0 ? b.for_each_print(shape.fingerprint_bits, act) : for_each_print_of_both(a, b, shape.fingerprint_bits, act);
  };
  auto const in_slots = std::min(a.in_slots, b.in_slots);
  std::uint64_t needed = 0;
  each([&](std::uint64_t, std::uint64_t copies) { needed += std::min<std::uint64_t>(copies, in_slots); });
  // If 95 % suffice, all fit, except with negligible probability, or if a file lies: then one more doubling is tried.
  for (int tries = 2; tries != 0 && !too_many(); shape.slots *= 2) {
    if (!shape.possible() || needed > shape.room()) continue;
    if (auto made = rebuilt(shape, in_slots, each)) return *std::move(made);
    --tries;
  }
  throw error(errc::incompatible, "quotient: fingerprints of " + std::to_string(shape.fingerprint_bits) +
                                      " bits are too short for the keys of both; the shorter ones of two filters count (" +
                                      std::to_string(a.shape.fingerprint_bits) + " and " +
                                      std::to_string(b.shape.fingerprint_bits) +
                                      " bits), so build that one for more keys or with a lower fpr");
}

/// The same contents in twice as many slots.
[[nodiscard]] inline quotient_contents grown(quotient_contents const& a) {
  plan::quotient_shape const shape{2 * a.shape.slots, a.shape.fingerprint_bits};
  // In a filter that was full, copies are beside the slots. They come back if twice as many slots have room for them.
  for (auto const in_slots : {quotient_contents::most_in_slots, 1U})
    if (shape.possible())
      if (auto made = rebuilt(shape, in_slots, [&](auto act) { a.for_each_print(shape.fingerprint_bits, act); }))
        return *std::move(made);
  throw error(errc::full,
              "quotient: a filter of " + std::to_string(a.shape.slots) + " slots with fingerprints of " +
                  std::to_string(a.shape.fingerprint_bits) +
                  " bits cannot grow: each doubling takes one bit of the remainders, at least one must be left, and "
                  "the most is 2^42 bits; build it with a lower fpr");
}

}  // namespace hortus
