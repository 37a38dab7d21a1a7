#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/concepts.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>
#include <hortus/fingerprint/cuckoo_slots.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/cuckoo.hpp>

namespace hortus {

/// Cuckoo filter with overlapping windows: a tag per key, in one of four slots. A tag can move to make room for another.
///
///                  first window         second window of the same key
///     slots   |  |  |T |  |  |  |  |  |  |T |  |  |      T: its four slots, two neighbours twice
///                  |T |                  |T |
///
/// Promise  every key inserted and not erased is found. An absent key is found with probability plan::cuckoo_fpr(), at present
///          exactly fpr(). A key inserted r times has to be erased r times, and count is never below r: keys with equal
///          fingerprints add up. insert returns false and changes nothing if there is no room. At the planned number of keys
///          that does not happen (probability below 1e-9 per filter, after any number of erases).
/// Price    for a rate of 2^-r, (r + 2) / 0.91 bits per key: 11 at 0.36 %, 19.8 at 2^-16. A lookup reads two cache lines at
///          once, both within 4 Ki slots. An insert near the planned load moves a few tags.
/// Lacks    merge and fold (quotient, counting), because a tag's place depends on the order of inserts. Rates above 3 %: slots
///          have at least 7 bits. Growth (scalable, dynamic). A key that is inserted more than once costs about 24 bytes more,
///          whatever its count, in a side table.
/// Source   B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, "Cuckoo filter: practically better than Bloom", CoNEXT 2014.
///          Windows: J. Schmitz, J. Zentgraf, S. Rahmann, "Smaller and more flexible cuckoo filters", 2025.
class cuckoo {
 public:
  static constexpr std::string_view name = "cuckoo";
  static constexpr std::string_view room = "fingerprint";
  static constexpr std::string_view summary = "a tag per key in one of four slots; erases, at 11 bits a key (0.4 %)";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs = verb::insert | verb::may_contain | verb::erase | verb::count | verb::estimate;
  static constexpr verb_set kernels = {};
  static constexpr bool erase_restores = false;  // tags stay where they were moved to

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t windows = 0;
    unsigned slot_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("windows", self.windows);
      io("slot_bits", self.slot_bits);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::cuckoo({g.items, g.fpr});
    return {shape.windows, shape.slot_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::cuckoo_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return slot_array::bytes_for(layout(p).slots(), p.slot_bits); }
  static double lines_touched(params p) { return 2 * (1 + (2 * p.slot_bits - 1) / 512.0); }

  cuckoo() : cuckoo(params{1, plan::cuckoo_shape::min_slot_bits}) {}  ///< the smallest valid one
  explicit cuckoo(params p) : slots_(layout(p)) {}

  /// Throws std::bad_alloc, and changes nothing, if a long search or a duplicate finds no memory.
  [[nodiscard]] bool insert(digest x) {
    auto const key = slots_.places_of(x);
    auto const found = slots_.find(key);
    return found.copies == 0 ? insert_new(key, found) : insert_copy(key, found);
  }
  bool erase(digest x) noexcept {
    auto const key = slots_.places_of(x);
    auto const found = slots_.find(key);
    if (found.copies == 0 || extra_.take(slots_.number(key))) return found.copies != 0;
    slots_.remove(key, found);
    if (is_double(found) && numbers_.doubled != 0) --numbers_.doubled;
    if (numbers_.used != 0) --numbers_.used;  // 0 only if a file lied
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return slots_.has(slots_.places_of(x)); }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const key = slots_.places_of(x);
    auto const here = static_cast<std::uint64_t>(std::popcount(slots_.find(key).copies));
    return here == 0 ? 0 : here + std::min(extra_.count(slots_.number(key)), ~std::uint64_t{0} - here);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { slots_.prefetch(slots_.places_of(x)); }

  /// Exact: the share of all possible fingerprints that are stored.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, static_cast<double>(numbers_.used - numbers_.doubled) / slots_.shape().fingerprints());
  }
  [[nodiscard]] plan::estimate estimate() const {
    return plan::cuckoo_cardinality(slots_.shape(), numbers_.used - numbers_.doubled);
  }
  /// The share of slots in use.
  [[nodiscard]] double load() const noexcept { return static_cast<double>(numbers_.used) / static_cast<double>(slots_.size()); }

  void clear() noexcept {
    slots_.clear();
    extra_.clear();
    numbers_ = {};
  }
  [[nodiscard]] params shape() const noexcept { return {slots_.shape().windows, slots_.shape().slot_bits}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return slots_.cells().size() + extra_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return slots_.cells(); }
  /// Many keys are inserted in the order of memory: ordered_insert.hpp.
  [[nodiscard]] std::uint64_t place(digest x) const noexcept { return slots_.places_of(x).window; }
  [[nodiscard]] std::uint64_t places() const noexcept { return slots_.shape().windows; }
  bool operator==(cuckoo const& other) const noexcept { return slots_ == other.slots_ && extra_ == other.extra_; }

  static void fields(cuckoo const& self, auto& out) {
    auto const numbers = self.numbers_believed_.yes ? self.counted() : self.numbers_;
    out(numbers.used, numbers.doubled, self.slots_, self.extra_);
  }
  static void fields(cuckoo& self, auto& in) {
    in(self.numbers_.used, self.numbers_.doubled, self.slots_, self.extra_);
    self.numbers_believed_.yes = !in.verifies();
    if (!self.valid() || !self.has_all_extra() || (in.verifies() && self.counted() != self.numbers_))
      throw error(errc::corrupt, "its slots do not fit together");
  }
  /// Slots may have any content: a wrong tag is never looked for outside the slots.
  [[nodiscard]] bool valid() const noexcept {
    return slots_.valid() && numbers_.used <= slots_.size() && numbers_.doubled <= numbers_.used;
  }

 private:
  static constexpr std::uint64_t slots_per_double = 64;

  struct numbers {
    std::uint64_t used = 0;     // slots
    std::uint64_t doubled = 0;  // of these, slots with another copy of a fingerprint than the first
    bool operator==(numbers const&) const = default;
  };

  static plan::cuckoo_shape layout(params p) noexcept { return {p.windows, p.slot_bits}; }
  static bool is_double(cuckoo_slots::state found) noexcept { return (found.copies & (found.copies - 1)) != 0; }

  /// Past a load of 0.95, keys are refused after a short search: the filter is fuller than planned, and a long one would take
  /// half a millisecond for every key that is refused.
  bool insert_new(cuckoo_places const& key, cuckoo_slots::state found) {
    bool const as_planned = numbers_.used < slots_.size() / 20 * 19;
    if (!slots_.store(key, found, as_planned)) return false;
    ++numbers_.used;
    return true;
  }
  /// Keys that share a fingerprint by chance are few, and get a second slot. Many second copies would make the filter refuse
  /// keys long before it is full: a fingerprint that needs two of its four slots has half the choices. So at most one slot in
  /// 64 holds a second copy, and further copies go to the side table.
  bool insert_copy(cuckoo_places const& key, cuckoo_slots::state found) {
    if (!is_double(found) && numbers_.doubled < slots_.size() / slots_per_double && insert_new(key, found))
      ++numbers_.doubled;
    else
      extra_.add(slots_.number(key));
    return true;
  }
  [[nodiscard]] numbers counted() const {
    numbers all;
    slots_.for_each([&](cuckoo_places const& key, unsigned way) {
      ++all.used;
      all.doubled += std::uint64_t{cuckoo_slots::first(slots_.find(key).copies) != way};
    });
    return all;
  }
  /// Is every fingerprint with extra copies in a slot?
  [[nodiscard]] bool has_all_extra() const {
    bool all = true;
    extra_.for_each([&](std::uint64_t number, std::uint64_t) { all = all && slots_.has_number(number); });
    return all;
  }

  cuckoo_slots slots_;
  extra_copies extra_;
  numbers numbers_;
  believed numbers_believed_;
};

using cuckoo_filter = of_keys<cuckoo>;

}  // namespace hortus
