#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/fingerprint/signature_table.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/hash_compaction.hpp>

namespace hortus {

/// Hash compaction: a hash table of short signatures instead of keys. insert_if_new says whether a key is new.
///
///     line of 64 bytes  | 9 . 4 7 . 2 8 . 5 |    a key begins at one slot, and steps to others of the line while their
///                             ^-----^            signatures are larger; then to another line
///
/// Promise  every key inserted is found, also one that was mistaken for an earlier key (an omission). An absent key is
///          found with probability plan::hash_compaction_fpr(), at present exactly fpr(). A key that is found takes no
///          room, so duplicates are free. The planned number of keys always fits. When 31/32 of the slots are in use,
///          insert returns false for a new key and changes nothing, and insert_if_new throws errc::full. The bytes do not
///          depend on the order of inserts; merge gives those of all keys.
/// Price    10.2 bits per key at 1 %, 14.0 at 0.1 %, 24.7 at 1e-6. One cache line per operation, on average 1.0 to 1.2.
///          The number of keys has to be known: where a Bloom filter degrades, this one is full.
/// Lacks    erase, because keys with equal signatures share a slot (d_left erases). fold, because a signature does not
///          tell where its key began (bloom folds). Growth (scalable).
/// Source   U. Stern, D. Dill, "A new scheme for memory-efficient probabilistic verification", 1996; P. Dillinger,
///          P. Manolios, "Bloom filters in probabilistic verification", FMCAD 2004. O. Amble, D. Knuth, "Ordered hash
///          tables", 1974: signatures in descending order on every path leave fewer to be mistaken for.
class hash_compaction {
 public:
  static constexpr std::string_view name = "hash_compaction";
  static constexpr std::string_view room = "fingerprint";
  static constexpr std::string_view summary = "signatures in a hash table; small at low rates, one cache line, can be full";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain | verb::estimate | verb::merge;
  static constexpr verb_set kernels = {};

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t lines = 0;  ///< of 64 bytes
    unsigned signature_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("lines", self.lines);
      io("signature_bits", self.signature_bits);
    }
  };

  static params plan(hash_compaction::goal g) {
    auto const shape = plan::hash_compaction({g.items, g.fpr});
    return {shape.lines, shape.signature_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::hash_compaction_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return p.lines * memory::line_bytes; }
  static double lines_touched(params p) { return plan::hash_compaction_lines_read(layout(p), 0.9); }

  hash_compaction()
      : hash_compaction(params{1, plan::hash_compaction_shape::min_signature_bits}) {}  ///< the smallest valid one
  explicit hash_compaction(params p) : table_(plan::checked(layout(p))) {}

  /// Also true of a key that was found, which takes no room.
  [[nodiscard]] bool insert(digest x) noexcept { return table_.insert(table_.home(x)) != signature_table::outcome::refused; }
  /// Throws errc::full, and changes nothing, if the key is new and has no room: a bool could not tell that from a key found.
  bool insert_if_new(digest x) {
    auto const done = table_.insert(table_.home(x));
    if (done == signature_table::outcome::refused)
      throw error(errc::full, "a hash_compaction filter with " + std::to_string(table_.used()) + " of " +
                                  std::to_string(table_.shape().slots()) + " slots in use is full: plan it for more items");
    return done == signature_table::outcome::added;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return table_.contains(table_.home(x)); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { table_.prefetch(table_.home(x)); }

  /// Exact up to 4 MiB: for every slot the starts from which a key of its signature would be found there. Of larger filters a
  /// sample of lines is read, and the rate is right within a few tenths of a percent of itself.
  [[nodiscard]] double fpr() const noexcept { return std::min(1.0, table_.fpr(std::uint64_t{1} << 16)); }
  [[nodiscard]] plan::estimate estimate() const { return plan::hash_compaction_cardinality(table_.shape(), table_.used()); }
  /// The share of slots in use.
  [[nodiscard]] double load() const noexcept {
    return static_cast<double>(table_.used()) / static_cast<double>(table_.shape().slots());
  }

  /// Every slot of the other filter is inserted as a key that begins there. Its real start is not known, but every slot before
  /// it had a larger signature, and still has. Throws errc::full, and changes nothing, if not all find room.
  void merge(hash_compaction const& other) {
    check_equal_shape(*this, other);
    auto both = table_;
    if (!both.insert_all(other.table_))
      throw error(errc::full, "the keys of both hash_compaction filters do not fit into one of " +
                                  std::to_string(table_.shape().slots()) + " slots: plan both for all items");
    table_ = std::move(both);
  }

  void clear() noexcept { table_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {table_.shape().lines, table_.shape().signature_bits}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return table_.slots().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return table_.slots().cells(); }
  [[nodiscard]] signature_table const& table() const noexcept { return table_; }
  bool operator==(hash_compaction const&) const = default;

  static void fields(auto& self, auto& io) { io(self.table_); }
  [[nodiscard]] bool valid() const noexcept { return table_.valid(); }

 private:
  static plan::hash_compaction_shape layout(params p) noexcept { return {p.lines, p.signature_bits}; }

  signature_table table_;
};

using hash_compaction_filter = of_keys<hash_compaction>;

}  // namespace hortus
