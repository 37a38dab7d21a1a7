#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/concepts.hpp>
#include <hortus/fingerprint/cuckoo_table.hpp>
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
  static constexpr verb_set kernels = verb::insert | verb::may_contain | verb::erase;
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
  explicit cuckoo(params p) : table_(layout(p)) {}

  /// Throws std::bad_alloc, and changes nothing, if a long search or a duplicate finds no memory.
  [[nodiscard]] bool insert(digest x) { return table_.insert(x); }
  bool erase(digest x) noexcept { return table_.erase(x); }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return table_.may_contain(x); }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept { return table_.count(x); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { slots().prefetch(slots().places_of(x)); }

  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) { return table_.insert(xs, next); }
  std::size_t erase(std::span<digest const> xs, std::span<digest const> next) noexcept { return table_.erase(xs, next); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    *hits = table_.may_contain(xs, next);
  }

  /// Exact: the share of all possible fingerprints that are stored.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, static_cast<double>(table_.fingerprints()) / slots().shape().fingerprints());
  }
  [[nodiscard]] plan::estimate estimate() const { return plan::cuckoo_cardinality(slots().shape(), table_.fingerprints()); }
  /// The share of slots in use.
  [[nodiscard]] double load() const noexcept {
    return static_cast<double>(table_.used()) / static_cast<double>(slots().size());
  }

  void clear() noexcept { table_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {slots().shape().windows, slots().shape().slot_bits}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return table_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return slots().cells(); }
  /// Many keys are inserted in the order of memory: ordered_insert.hpp.
  [[nodiscard]] std::uint64_t place(digest x) const noexcept { return slots().places_of(x).window; }
  [[nodiscard]] std::uint64_t places() const noexcept { return slots().shape().windows; }
  bool operator==(cuckoo const&) const = default;

  static void fields(auto& self, auto& io) { io(self.table_); }
  [[nodiscard]] bool valid() const noexcept { return table_.valid(); }

 private:
  static plan::cuckoo_shape layout(params p) noexcept { return {p.windows, p.slot_bits}; }
  [[nodiscard]] cuckoo_slots const& slots() const noexcept { return table_.slots(); }

  cuckoo_table table_;
};

using cuckoo_filter = of_keys<cuckoo>;

}  // namespace hortus
