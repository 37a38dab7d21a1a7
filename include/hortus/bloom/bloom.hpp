#pragma once
#include <utility>

#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/bit_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/bloom.hpp>

namespace hortus {

/// Bloom filter: an array of bits, `probes` of them set for every key.
///
///     key --Hash--> digest --Index--> p1 p2 .. pk      0 1 0 0 1 0 0 1 0 0 0 0
///                                                        ^p2   ^pk   ^p1
///
/// Promise  every inserted key is found; an absent key is found with probability plan::bloom_fpr(). Merge, intersect and
///          fold.
/// Price    1.44 log2(1/fpr) bits per key, and up to `probes` cache misses per operation.
/// Lacks    erase, growth, and an answer from one cache line.
/// Source   B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970.
template <index_policy Index = multiply_chain>
class bloom {
 public:
  static constexpr std::string_view name = "bloom";
  static constexpr std::string_view room = "bloom";
  static constexpr std::string_view summary = "the classic: bits set all over one array; smallest of those that merge and fold";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain | verb::estimate | verb::compare |
                                    verb::merge | verb::intersect | verb::fold;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;

  using goal = probed_goal<>;
  struct params {
    std::uint64_t bits = 0;
    unsigned probes = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("bits", self.bits);
      io("probes", self.probes);
    }
  };

  static params plan(goal g) {
    if (g.probes != 0) return {plan::with_divisors(plan::bloom_bits(g.items, g.fpr, g.probes)), g.probes};
    auto const shape = plan::bloom({g.items, g.fpr});
    return {shape.bits, shape.probes};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bloom_fpr({p.bits, p.probes}, items); }
  static std::uint64_t planned_bytes(params p) { return p.bits / 64 * 8 + (p.bits % 64 != 0 ? 8 : 0); }
  static double lines_touched(params p) { return p.probes; }

  bloom() = default;  ///< the smallest valid one: 1 bit, 1 probe
  explicit bloom(params p) : bloom(bit_array(p.bits), p.probes) {}

  /// From existing bits, for example one bit for each nonzero cell of a counting filter.
  bloom(bit_array bits, unsigned probes) : bits_(std::move(bits)), probes_(probes) {
    if (!valid()) throw error(errc::bad_params, "a bloom filter needs 1 to 2^42 bits and 1 to 64 probes");
  }

  void insert(digest x) noexcept { probing().set(bits_, x); }
  bool insert_if_new(digest x) noexcept { return probing().set_new(bits_, x); }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return probing().all_set(bits_, x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    probing().all_set(bits_, xs, next, hits);
  }
  /// Safe while other threads call these two: see concurrent.hpp.
  bool insert_shared(digest x) noexcept { return probing().set_new_shared(bits_, x); }
  [[nodiscard]] bool may_contain_shared(digest x) const noexcept { return probing().all_set_shared(bits_, x); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { probing().prefetch(bits_, x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { probing().prefetch_all(bits_, x); }
  /// For many keys at once: see ordered_insert.hpp.
  void for_each_cell(digest x, auto act) const noexcept {
    probing().for_each(x, [&](std::uint64_t bit) { return act(bit), true; });
  }
  void mark(std::uint64_t bit) noexcept { bits_.set(bit); }
  [[nodiscard]] std::uint64_t places() const noexcept { return bits_.size(); }

  [[nodiscard]] double fpr() const noexcept { return plan::fill_fpr(layout(), bits_.ones()); }
  [[nodiscard]] plan::estimate estimate() const { return plan::bloom_cardinality(layout(), bits_.ones()); }
  [[nodiscard]] plan::overlap compare(bloom const& other) const {
    check_equal_shape(*this, other);
    return plan::bloom_overlap(layout(), {bits_.ones(), other.bits_.ones(), bits_.ones_of_either(other.bits_)});
  }
  /// The share of set bits.
  [[nodiscard]] double load() const noexcept { return static_cast<double>(bits_.ones()) / static_cast<double>(bits_.size()); }

  void merge(bloom const& other) {
    check_equal_shape(*this, other);
    bits_ |= other.bits_;
  }
  void intersect(bloom const& other) {
    check_equal_shape(*this, other);
    bits_ &= other.bits_;
  }

  /// Exact, because positions come from the high bits of a hash: bit i of the folded filter is the OR of the old bits i*by
  /// to i*by+by-1.
  void fold(std::uint64_t by) requires Index::folds { bits_ = bits_.folded(plan::checked_fold(fold_width(), by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept requires Index::folds { return bits_.size(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const requires Index::folds {
    auto const small = bits_.folded(plan::checked_fold(fold_width(), by));
    return plan::fill_fpr(plan::bloom_shape{small.size(), probes_}, small.ones());
  }

  void clear() noexcept { bits_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {bits_.size(), probes_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bits_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return bits_.cells(); }
  bool operator==(bloom const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    io(self.probes_, self.bits_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return bits_.valid() && bits_.size() >= 1 && probes_ >= 1 && probes_ <= plan::max_probes;
  }

 private:
  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes_, bits_.size(), 0}; }
  [[nodiscard]] plan::bloom_shape layout() const noexcept { return {bits_.size(), probes_}; }

  bit_array bits_ = bit_array(1);
  unsigned probes_ = 1;
};

using bloom_filter = of_keys<bloom<>>;

}  // namespace hortus
