#pragma once
#include <algorithm>
#include <string_view>

#include <hortus/cells/quotient_table.hpp>
#include <hortus/concepts.hpp>
#include <hortus/fingerprint/quotient_contents.hpp>
#include <hortus/fingerprint/quotient_fingerprint.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/quotient.hpp>

namespace hortus {

/// Quotient filter: a sorted table of fingerprints. Their first bits are the slot, only the others are stored.
///
///     slot        0   1   2   3   4   5   6   7
///     stored    |   | a | b | c | d | e |   | f |      a b c belong to slot 1, d e to 3, f to 7: two bits tell
///
/// Promise  every key inserted and not erased is found. An absent key is found with probability plan::quotient_fpr(), at
///          present exactly fpr(): the distinct fingerprints divided by 2^p. count is never below the true count. Filters
///          planned for different numbers of keys and rates merge, as long as the shorter fingerprints can tell that many
///          keys apart, and a filter grows, without the keys. The rate of a merged filter is at most the sum of both at the
///          shorter fingerprints. insert returns false and changes no answer if fingerprints fill 95 % of the
///          slots; another copy of a key that is there always fits. The bytes depend on the multiset of keys only, not on
///          the order of inserts (in a filter that was never full).
/// Price    1/.95 (r + 2.25) bits per key with remainders of r bits, at a rate of .95/2^r to 1.9/2^r: 9.7 at .74 to 1.48 %,
///          10.8 at .37 to .74 %. That is 34 to 42 % above the lower bound at 2^-8. Two or three cache lines per operation,
///          adjacent ones. Inserts become slower near 95 %: they shift 200 slots on average there. A key takes up to three
///          slots, and a key with more copies about 30 bytes beside them. When the slots are full, all copies move there.
/// Lacks    fold: the same keys need as many slots. Growth by itself (scalable has it): call grow(). intersect (bloom).
/// Source   M. A. Bender et al., "Don't thrash: how to cache your hash on flash", VLDB 2012. P. Pandey, M. A. Bender,
///          R. Johnson, R. Patro, "A general-purpose counting filter: making every bit count", SIGMOD 2017.
class quotient {
 public:
  static constexpr std::string_view name = "quotient";
  static constexpr std::string_view room = "fingerprint";
  static constexpr std::string_view summary = "sorted fingerprints; erases, counts, merges filters of any size, grows";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs =
      verb::insert | verb::may_contain | verb::erase | verb::count | verb::estimate | verb::compare | verb::merge | verb::grow;
  static constexpr verb_set kernels = {};
  static constexpr bool merges_any_shape = true;

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t slots = 0;
    unsigned fingerprint_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("slots", self.slots);
      io("fingerprint_bits", self.fingerprint_bits);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::quotient({g.items, g.fpr});
    return {shape.slots, shape.fingerprint_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::quotient_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) {
    return quotient_blocks::bytes(layout(p).blocks(), layout(p).remainder_bits());
  }
  /// Of the block; of the next one, too, for one key in five.
  static double lines_touched(params p) { return 1.2 * (1 + (8 * layout(p).remainder_bits() + 16) / 64.0); }

  quotient() : quotient(params{1, 1}) {}  ///< the smallest valid one
  explicit quotient(params p) : held_(layout(p)) {}

  [[nodiscard]] bool insert(digest x) {
    if (held_.numbers_believed.first_change()) [[unlikely]]
      held_.count_again();
    auto const print = fingerprint(x);
    auto const pair = pair_of(print);
    auto const run = held_.table.run_of(pair.quotient);
    auto const copies = held_.table.count(run, pair.remainder);
    if (copies < held_.in_slots && held_.used < held_.shape.room() && held_.table.insert(pair, run)) {
      ++held_.used;
      held_.distinct += copies == 0 ? 1 : 0;
      return true;
    }
    if (copies != 0) {
      held_.extra.add(number(print));
      return true;
    }
    if (held_.used < held_.shape.room() || held_.used == held_.distinct) return false;
    held_.move_copies_out();  // there is room for new fingerprints again
    return held_.used < held_.shape.room() && insert(x);
  }
  bool erase(digest x) noexcept {
    auto const print = fingerprint(x);
    auto const pair = pair_of(print);
    auto const run = held_.table.run_of(pair.quotient);
    auto const copies = held_.table.count(run, pair.remainder);
    if (copies == 0) return false;
    if (held_.extra.take(number(print))) return true;
    if (!held_.table.erase(pair, run)) return false;
    held_.used -= held_.used != 0 ? 1 : 0;  // 0 only if a file lied
    held_.distinct -= copies == 1 && held_.distinct != 0 ? 1 : 0;
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return held_.table.contains(pair_of(fingerprint(x))); }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const print = fingerprint(x);
    auto const pair = pair_of(print);
    auto const copies = held_.table.count(held_.table.run_of(pair.quotient), pair.remainder);
    return copies == 0 ? 0 : quotient_contents::sum(copies, held_.extra.count(number(print)));
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { held_.table.prefetch(pair_of(fingerprint(x)).quotient); }

  /// Exact: the share of all possible fingerprints that are stored.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, static_cast<double>(held_.distinct) / held_.shape.fingerprints());
  }
  [[nodiscard]] plan::estimate estimate() const { return plan::quotient_cardinality(held_.shape, held_.distinct); }
  /// By the fingerprints that both have, cut to the shorter ones.
  [[nodiscard]] plan::overlap compare(quotient const& other) const {
    auto const bits = std::min(held_.shape.fingerprint_bits, other.held_.shape.fingerprint_bits);
    auto const distinct = [&](auto for_each) {
      std::uint64_t prints = 0;
      for_each([&](std::uint64_t, std::uint64_t) { ++prints; });
      return plan::fingerprint_cardinality(bits, prints);
    };
    return plan::fingerprint_overlap(distinct([&](auto act) { held_.for_each_print(bits, act); }),
                                     distinct([&](auto act) { other.held_.for_each_print(bits, act); }),
                                     distinct([&](auto act) { for_each_print_of_both(held_, other.held_, bits, act); }));
  }
  /// The share of slots in use.
  [[nodiscard]] double load() const noexcept {
    return static_cast<double>(held_.used) / static_cast<double>(held_.shape.slots);
  }

  /// Calls act(fingerprint, copies) for each fingerprint, a number below 2^fingerprint_bits, in ascending order.
  void for_each_fingerprint(auto act) const { held_.for_each_print(held_.shape.fingerprint_bits, act); }
  /// Takes the keys of a filter of any shape. The fingerprints become as short as those of the other, if these are shorter. The
  /// slots double as often as all the fingerprints need.
  void merge(quotient const& other) { held_ = merged(held_, other.held_); }
  /// Doubles the slots. No answer changes. Throws errc::full, and changes nothing, if the fingerprints have no bit left for it.
  void grow() { held_ = grown(held_); }

  void clear() noexcept { held_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {held_.shape.slots, held_.shape.fingerprint_bits}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return held_.table.cells().size() + held_.extra.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return held_.table.cells(); }
  bool operator==(quotient const&) const = default;

  static void fields(auto& self, auto& io) { io(self.held_); }
  [[nodiscard]] bool valid() const noexcept { return held_.valid(); }

 private:
  static constexpr plan::quotient_shape layout(params p) noexcept { return {p.slots, p.fingerprint_bits}; }
  [[nodiscard]] quotient_fingerprint fingerprint(digest x) const noexcept {
    return quotient_fingerprint::of(x, held_.shape.fingerprint_bits);
  }
  [[nodiscard]] std::uint64_t number(quotient_fingerprint print) const noexcept {
    return print.number(held_.shape.fingerprint_bits);
  }
  [[nodiscard]] quotient_table::pair pair_of(quotient_fingerprint print) const noexcept {
    return print.in(held_.shape.slots, held_.table.remainder_bits());
  }

  quotient_contents held_;
};

using quotient_filter = of_keys<quotient>;

}  // namespace hortus
