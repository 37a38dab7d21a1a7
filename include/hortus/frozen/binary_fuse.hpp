#pragma once
#include <cmath>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/frozen/fuse_part.hpp>
#include <hortus/frozen/fuse_table.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/binary_fuse.hpp>

namespace hortus {

/// Binary fuse filter: the exclusive or of a key's three or four slots is its fingerprint. For keys that are all known.
///
///     segments   | . . x . | x . . . | . . . x | . x . . | . . . . |    a key begins in one segment, and has a slot in each
///                    ^-------^---------------^-----^                    of the next
///
/// Promise  every key is found. An absent key is found with probability fpr(), exactly 2^-slot_bits. A build succeeds whatever
///          the keys are. Its bytes depend neither on their order nor on duplicates nor on the number of threads.
/// Price    log2(1/fpr) bits per key and 5 to 6 % from a million keys on with four slots a key, 11 % with three; 9 and 14 % at
///          100,000 keys, 25 to 30 % at 1000. Rates are rounded down to a power of two. A lookup reads four (three) cache
///          lines at once. A build takes 13 bytes a key of one part, of at most four million keys, beside the keys.
/// Lacks    insert and erase, because all keys are needed at once (cuckoo). merge and fold. Keys that cannot be placed take 64
///          bits each; of well-mixed digests one in several thousand.
/// Source   T. M. Graf, D. Lemire, "Binary fuse filters: fast and smaller than xor filters", 2022. Coupled segments: S. Walzer,
///          "Peeling close to the orientability threshold", 2021. Bumping: P. Dillinger et al., "Fast succinct retrieval and
///          approximate membership using ribbon", 2022.
class binary_fuse {
 public:
  static constexpr std::string_view name = "binary_fuse";
  static constexpr std::string_view room = "frozen";
  static constexpr std::string_view summary = "known keys at 5 % over the least space; three or four reads, fast to build";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::estimate;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr bool plans_exactly = false;  // the keys that are bumped are not known before

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;
    unsigned arity = 0;  ///< 0: the one that takes less space
    static void fields(auto& self, auto& io) {
      io("arity", self.arity,
         setting_note{"slots of a key: 3 are faster to read, 4 take less space from 2048 keys on", "3 or 4", "3"});
    }
  };
  struct params {
    std::uint64_t items = 0;
    std::uint64_t slots = 0;
    unsigned slot_bits = 0;
    unsigned arity = 4;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      io("slots", self.slots);
      io("slot_bits", self.slot_bits);
      io("arity", self.arity);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::binary_fuse({g.items, g.fpr}, g.arity);
    return {g.items, plan::binary_fuse_slots(shape), shape.slot_bits, shape.arity};
  }
  static double planned_fpr(params p, std::uint64_t items) { return items == 0 ? 0 : std::ldexp(1.0, -int(p.slot_bits)); }
  static std::uint64_t planned_bytes(params p) { return fuse_table::bytes_for(shaped(p), p.slots); }
  static double lines_touched(params p) { return p.arity * plan::binary_fuse_lines_per_slot(p.slot_bits); }

  static word_parts parts(std::uint64_t items) { return {plan::binary_fuse_part_bits(items)}; }

  /// Makes a filter of keys that are given in parts: see parts.hpp.
  class builder {
   public:
    builder(goal g, std::span<std::uint64_t const> words_per_part)
        : table_(words_per_part, g.fpr, g.arity), bumped_(words_per_part.size()) {}
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) {
      auto space = take_space();
      table_.fill_part(part, {words}, space, bumped_[part]);
      std::lock_guard const lock(mutex_);
      spaces_.push_back(std::move(space));
    }
    binary_fuse finish() && {
      table_.set_bumped(bumped_);
      return binary_fuse(std::move(table_));
    }

   private:
    /// Memory that a part has left, if there is any.
    fuse_part take_space() {
      std::lock_guard const lock(mutex_);
      if (spaces_.empty()) return {};
      auto space = std::move(spaces_.back());
      spaces_.pop_back();
      return space;
    }

    fuse_table table_;
    std::vector<fuse_bumped> bumped_;  // for each part
    std::vector<fuse_part> spaces_;
    std::mutex mutex_;
  };

  static binary_fuse build(std::span<digest const> keys, goal g) {
    return build_of_words<binary_fuse>(distinct_words(keys), g);
  }

  binary_fuse() = default;  ///< of no keys

  [[nodiscard]] bool may_contain(digest x) const noexcept { return table_.contains(x.bits()); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { table_.prefetch(x.bits()); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    table_.contains(xs, next, hits);
  }

  [[nodiscard]] double fpr() const noexcept { return planned_fpr(shape(), table_.shape().items); }
  /// Exact: the keys were counted.
  [[nodiscard]] plan::estimate estimate() const noexcept {
    auto const items = static_cast<double>(table_.shape().items);
    return {items, items, items, false};
  }
  void clear() noexcept { table_.clear(); }
  [[nodiscard]] params shape() const noexcept {
    auto const shape = table_.shape();
    return {shape.items, table_.slots().size(), shape.slot_bits, shape.arity};
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return table_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return table_.slots().cells(); }
  [[nodiscard]] fuse_table const& table() const noexcept { return table_; }
  bool operator==(binary_fuse const&) const = default;

  static void fields(auto& self, auto& io) { io(self.table_); }
  [[nodiscard]] bool valid() const noexcept { return table_.valid(); }

 private:
  explicit binary_fuse(fuse_table table) noexcept : table_(std::move(table)) {}
  static plan::binary_fuse_shape shaped(params p) { return plan::binary_fuse_shape_of(p.items, p.slot_bits, p.arity); }

  fuse_table table_;
};

using binary_fuse_filter = of_keys<binary_fuse>;

}  // namespace hortus
