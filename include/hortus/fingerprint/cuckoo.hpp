#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/cells/slot_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>
#include <hortus/fingerprint/cuckoo_search.hpp>
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
/// Price    (r + 2) / 0.93 bits per key at a rate of 2^-r: 10.8 bits at 0.36 %, 19.4 at 2^-16. A lookup reads two cache lines,
///          at once; an insert near the planned load moves tags in a few more, all within 64 Ki slots.
/// Lacks    merge and fold (quotient, counting), because a tag's place depends on the order of inserts. Rates above 3 %: slots
///          have at least 7 bits. Growth (scalable, dynamic). A key that is inserted more than once costs about 24 bytes more,
///          whatever its count, in a side table.
/// Source   B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, "Cuckoo filter: practically better than Bloom", CoNEXT 2014.
///          Windows: J. Schmitz, J. Zentgraf, S. Rahmann, "Smaller and more flexible cuckoo filters", 2025.
class cuckoo {
 public:
  static constexpr std::string_view name = "cuckoo";
  static constexpr std::string_view room = "fingerprint";
  static constexpr std::string_view summary = "erases at 10.8 bits a key (0.4 %); the smallest and fastest that erases";
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
    std::uint64_t chunks = 0;
    std::uint64_t windows = 0;  ///< in each chunk
    unsigned slot_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("chunks", self.chunks);
      io("windows", self.windows);
      io("slot_bits", self.slot_bits);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::cuckoo({g.items, g.fpr});
    return {shape.chunks, shape.windows, shape.slot_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::cuckoo_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return slot_array::bytes_for(layout(p).slots(), p.slot_bits); }
  static double lines_touched(params p) { return 2 * (1 + (2 * p.slot_bits - 1) / 512.0); }

  cuckoo() : cuckoo(params{1, plan::cuckoo_shape::min_windows, plan::cuckoo_shape::min_slot_bits}) {}
  explicit cuckoo(params p) : shape_(plan::checked(layout(p))), slots_(shape_.slots(), p.slot_bits) {}

  /// Throws std::bad_alloc, and changes nothing, if a long search or a duplicate finds no memory.
  [[nodiscard]] bool insert(digest x) {
    auto const key = key_of(x);
    auto const found = find(key);
    if (found.copies != 0) return insert_copy(key, found);
    if (found.free == 0 && !insert_by_moving(key)) return false;
    if (found.free != 0) put(key, first(found.free));
    ++used_;
    return true;
  }
  bool erase(digest x) noexcept {
    auto const key = key_of(x);
    auto const found = find(key);
    if (found.copies == 0 || extra_.take(key.number(shape_))) return found.copies != 0;
    if ((found.copies & (found.copies - 1)) != 0 && doubled_ != 0) --doubled_;
    slots_.put(key.slot(first(found.copies)), 0);
    --used_;
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    auto const key = key_of(x);
    bool const in_first = slots_.any_equal(key.slot(0), key.value(0), key.value(1));
    bool const in_second = slots_.any_equal(key.slot(2), key.value(2), key.value(3));
    return in_first | in_second;  // reads both: their cache misses overlap, and no branch can be mispredicted
  }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const key = key_of(x);
    auto const here = static_cast<std::uint64_t>(std::popcount(find(key).copies));
    return here == 0 ? 0 : here + std::min(extra_.count(key.number(shape_)), ~std::uint64_t{0} - here);
  }
  void prefetch(digest x) const noexcept {
    auto const key = key_of(x);
    slots_.prefetch(key.slot(0));
    slots_.prefetch(key.slot(2));
  }

  /// Exact: the share of all possible fingerprints that are stored.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, static_cast<double>(used_ - doubled_) / shape_.fingerprints());
  }
  [[nodiscard]] plan::estimate estimate() const { return plan::cuckoo_cardinality(shape_, used_ - doubled_); }
  /// The share of slots in use.
  [[nodiscard]] double load() const noexcept { return static_cast<double>(used_) / static_cast<double>(slots_.size()); }

  void clear() noexcept {
    slots_.clear();
    extra_.clear();
    used_ = doubled_ = 0;
  }
  [[nodiscard]] params shape() const noexcept { return {shape_.chunks, shape_.windows, shape_.slot_bits}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return slots_.size_bytes() + extra_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return slots_.cells(); }
  /// Keys are inserted in the order of memory, if there are many: ordered_insert.hpp.
  [[nodiscard]] std::uint64_t place(digest x) const noexcept { return key_of(x).slot(0); }
  [[nodiscard]] std::uint64_t places() const noexcept { return slots_.size(); }
  bool operator==(cuckoo const&) const = default;

  static void fields(cuckoo const& self, auto& out) {
    out.constant(name_id("cuckoo windows"), "places of tags");
    out(self.shape_.chunks, self.shape_.windows, self.used_, self.doubled_, self.slots_, self.extra_);
  }
  static void fields(cuckoo& self, auto& in) {
    in.constant(name_id("cuckoo windows"), "places of tags");
    in(self.shape_.chunks, self.shape_.windows, self.used_, self.doubled_, self.slots_, self.extra_);
    self.shape_.slot_bits = self.slots_.width();
    if (!self.valid() || (in.verifies() && !self.consistent())) throw error(errc::corrupt, "its slots do not fit together");
  }
  /// Slots may have any content: a wrong tag is never read outside its chunk.
  [[nodiscard]] bool valid() const noexcept {
    return slots_.valid() && shape_.possible() && slots_.size() == shape_.slots() && used_ <= slots_.size() &&
           doubled_ <= used_ / 2;
  }

 private:
  static constexpr unsigned ways = 4;
  static constexpr std::uint64_t slots_per_double = 64;  // at most one slot in 64 holds a second copy

  /// Of a key's four slots: those that hold its tag, and those that are free. Bit i stands for way i.
  struct state {
    unsigned copies;
    unsigned free;
  };

  static plan::cuckoo_shape layout(params p) noexcept { return {p.chunks, p.windows, p.slot_bits}; }
  static unsigned first(unsigned ways_found) noexcept { return static_cast<unsigned>(std::countr_zero(ways_found)); }
  [[nodiscard]] cuckoo_places key_of(digest x) const noexcept { return cuckoo_places::of(x, shape_); }
  [[nodiscard]] state find(cuckoo_places const& key) const noexcept {
    state found{0, 0};
    for (unsigned way = 0; way < ways; ++way) {
      auto const value = slots_.get(key.slot(way));
      found.copies |= unsigned{value == key.value(way)} << way;
      found.free |= unsigned{value == 0} << way;
    }
    return found;
  }
  void put(cuckoo_places const& key, unsigned way) noexcept { slots_.put(key.slot(way), key.value(way)); }

  /// Keys that share a fingerprint by chance are few, and get a second slot. Many second copies would make the filter refuse
  /// keys long before it is full: a fingerprint that needs two of its four slots has half the choices. So the copies of keys
  /// that are really inserted again go to the side table.
  bool insert_copy(cuckoo_places const& key, state found) {
    bool const single = (found.copies & (found.copies - 1)) == 0;
    if (single && found.free != 0 && doubled_ < slots_.size() / slots_per_double) {
      put(key, first(found.free));
      ++doubled_;
      ++used_;
    } else {
      extra_.add(key.number(shape_));
    }
    return true;
  }
  /// Past a load of 0.95, keys are refused after a short search: the filter is fuller than planned, and a search through a
  /// whole chunk would take a millisecond for every key that is refused.
  bool insert_by_moving(cuckoo_places const& key) {
    auto const most_steps = used_ < slots_.size() / 20 * 19 ? cuckoo_search::all : cuckoo_search::few;
    return cuckoo_search(slots_, key, shape_.windows).insert(most_steps);
  }
  /// Do the numbers count the slots, and is every fingerprint with extra copies stored?
  [[nodiscard]] bool consistent() const {
    std::uint64_t used = 0, doubled = 0, with_extra = 0, extra = 0;
    for (std::uint64_t start = 0; start < slots_.size(); start += shape_.windows + 1)
      for (auto slot = start; slot <= start + shape_.windows; ++slot)
        if (auto const value = slots_.get(slot); value != 0) {
          auto const key = cuckoo_places::stored(value, slot, start, shape_.windows);
          bool const is_first = first(find(key).copies) == (value & 3);  // of the copies of a fingerprint
          ++(is_first ? used : doubled);
          with_extra += std::uint64_t{is_first && !extra_.empty() && extra_.count(key.number(shape_)) != 0};
        }
    extra_.for_each([&](std::uint64_t, std::uint64_t) { ++extra; });
    return used + doubled == used_ && doubled == doubled_ && with_extra == extra;
  }

  plan::cuckoo_shape shape_;
  slot_array slots_;
  extra_copies extra_;
  std::uint64_t used_ = 0;     // slots
  std::uint64_t doubled_ = 0;  // of these, slots with the second copy of a fingerprint
};

using cuckoo_filter = of_keys<cuckoo>;

}  // namespace hortus
