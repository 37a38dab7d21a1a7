#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/concepts.hpp>
#include <hortus/maths/combine.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// A filter that with_removals can consist of: it takes every key and misses none.
template <class F>
concept keeping_layer = makeable<F> && membership<F> && storable<F> &&
                        F::misses == false_negatives::never&& requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<void>;
};

/// Removal by a second filter: `came` holds the inserted keys, `went` the erased ones. A key is found if `came` finds it and
/// `went` does not.
///
///     came  [ x x . x . x x . x . . x ]   every insert             found = in came, not in went
///     went  [ . x . . . x ]               every erase
///
/// Promise  an erased key is never found again. A member is missed if erased keys make it a false positive of `went`. A member
///          inserted before all erases is missed with probability miss_rate(), a later one with less, and one inserted after
///          the last erase never: insert() checks, and returns false if the key would not be found. An absent key is found
///          with probability fpr(): the rate of `came`, less what `went` hides by chance.
/// Price    both filters: 9.6 bits per item at a rate of 1 %, and 14.4 per removal at a miss rate of 0.1 %. Erasing frees no
///          space; both parts fill until the filter is worn(). Then regenerated() makes a new one from the application's
///          record of keys.
/// Lacks    inserting an erased key again before that: insert() refuses it. Counts: one erase undoes all inserts. `d_left`,
///          `blocked_counting` and `counting` have both and miss no member, in 1.7 to 3.5 times the space.
/// Source   folklore; the numbers are measured in tests/growing/with_removals_test.cpp. A cascade of filters, each of the keys
///          that the one before reports wrongly, is exact if all keys are known: J. Larisch et al., "CRLite", IEEE S&P 2017.
template <keeping_layer Layer = bloom<>>
class with_removals {
 public:
  static constexpr std::string_view name = "with_removals";
  static constexpr std::string_view room = "growing";
  static constexpr std::string_view summary = "a filter of what came and one of what went: removal, at the cost of misses";
  static constexpr auto misses = false_negatives::by_chance;
  static constexpr verb_set verbs = verb::insert | verb::may_contain | verb::erase | verb::estimate;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr bool erase_restores = false;
  static constexpr bool refuses_erased = true;
  static constexpr std::size_t block_keys = hortus::block_keys<Layer>;

  struct goal {
    std::uint64_t items = 0;     ///< distinct keys that are inserted, including those that are erased later
    double fpr = 0.01;           ///< once all items are inserted
    std::uint64_t removals = 0;  ///< distinct keys that are erased before the filter is regenerated; 0: as removed_share says
    double miss_rate = 0.001;    ///< probability that a member is missed, once all removals are made
    double removed_share = 0.1;  ///< of the items
    static void fields(auto& self, auto& io) {
      io("removed_share", self.removed_share,
         setting_note{"share of the items that are erased before a new filter is made", "above 0, below 1", "0.2"});
      io("miss_rate", self.miss_rate,
         setting_note{"chance that a member is missed once all removals were made", "above 0, below 1", "0.01"});
    }
  };
  struct params {
    typename Layer::params came = {};
    typename Layer::params went = {};
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      Layer::params::fields(self.came, io);
      auto const of_removed = [&](std::string_view field, auto& value) { io("removed_" + std::string(field), value); };
      Layer::params::fields(self.went, of_removed);
    }
  };

  static params plan(goal g) {
    if (!(g.removed_share > 0 && g.removed_share < 1))
      throw error(errc::bad_goal,
                  "removed_share is " + plan::text(g.removed_share) + ": it must lie between 0 and 1, both excluded");
    auto const share = static_cast<std::uint64_t>(static_cast<double>(g.items) * g.removed_share);
    return {part(g.items, g.fpr), part(g.removals != 0 ? g.removals : share, g.miss_rate)};
  }
  /// The rate before the first erase. Every erase lowers it a little, because `went` hides more keys.
  static double planned_fpr(params p, std::uint64_t items) { return Layer::planned_fpr(p.came, items); }
  static double planned_miss_rate(params p, std::uint64_t removals) { return Layer::planned_fpr(p.went, removals); }
  /// After the default number of removals.
  static double planned_fnr(params p, std::uint64_t items) { return planned_miss_rate(p, items / 10); }
  static std::uint64_t planned_bytes(params p) { return Layer::planned_bytes(p.came) + Layer::planned_bytes(p.went); }
  static double lines_touched(params p) { return Layer::lines_touched(p.came) + 1; }  // one line of `went` usually rejects x

  with_removals() = default;  ///< the smallest valid one: two of the smallest filters
  explicit with_removals(params p) : came_(p.came), went_(p.went) {}

  /// False if x would be hidden: it was erased, or is a false positive of `went`. Then nothing has changed.
  [[nodiscard]] bool insert(digest x) noexcept {
    if (hidden(x)) return false;
    came_.insert(x);
    return true;
  }
  /// False if x is not found: it is certainly absent, or hidden already. Then nothing has changed.
  bool erase(digest x) noexcept {
    if (!may_contain(x)) return false;
    went_.insert(in_went(x));
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return came_.may_contain(x) && !hidden(x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    may_contain_block(came_, xs, next, hits);
    if (!next.empty())
      for_each_hit(xs.size(), hits, [&](std::size_t i) { prefetch_for<access::lookup>(went_, in_went(xs[i])); });
    for_each_hit(xs.size(), hits, [&](std::size_t i) { hits[i / 64] &= ~(std::uint64_t{hidden(xs[i])} << (i % 64)); });
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { prefetch_for<access::lookup>(came_, x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept {
    prefetch_for<access::update>(came_, x);
    prefetch_for<access::update>(went_, in_went(x));
  }

  [[nodiscard]] double fpr() const { return plan::one_not_other_fpr(came_.fpr(), miss_rate()); }
  /// The probability that a member inserted before all erases is missed, and that insert() refuses a key that was never erased.
  [[nodiscard]] double miss_rate() const { return went_.fpr(); }

  /// The number of distinct keys that were inserted, erased ones included.
  [[nodiscard]] plan::estimate estimate() const requires estimating<Layer> { return came_.estimate(); }

  /// The highest rates that are acceptable.
  struct limits {
    double fpr;
    double miss_rate;
  };
  /// Is it time for regenerated()?
  [[nodiscard]] bool worn(limits most) const { return !(fpr() <= most.fpr && miss_rate() <= most.miss_rate); }

  /// A new filter of those candidates that this one finds. If the candidates are all keys ever inserted, it leaves out the
  /// erased keys, and with them the members that were missed. If they include other keys, it also takes false positives. A
  /// caller that knows which keys are members should insert them into a new filter instead. If wish.items is 0, the filter is
  /// planned for the number of keys it takes.
  [[nodiscard]] with_removals regenerated(std::span<digest const> candidates, goal wish) const {
    std::vector<digest> kept;
    std::array<std::uint64_t, block_keys / 64> hits;
    in_blocks<access::lookup>(*this, candidates, [&](auto block, auto next) {
      may_contain(block, next, hits.data());
      for_each_hit(block.size(), hits.data(), [&](std::size_t i) { kept.push_back(block[i]); });
    });
    if (wish.items == 0) wish.items = kept.size();
    with_removals fresh(plan(wish));
    (void)insert_all(fresh, std::span<digest const>(kept));
    return fresh;
  }

  void clear() noexcept {
    came_.clear();
    went_.clear();
  }
  [[nodiscard]] params shape() const noexcept { return {came_.shape(), went_.shape()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return came_.size_bytes() + went_.size_bytes(); }
  bool operator==(with_removals const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(name_id(Layer::name), "kind of filter for its parts");
    io(self.came_, self.went_);
  }
  [[nodiscard]] bool valid() const noexcept { return came_.valid() && went_.valid(); }

 private:
  static typename Layer::params part(std::uint64_t items, double fpr) {
    typename Layer::goal g;
    g.items = items;
    g.fpr = fpr;
    return Layer::plan(g);
  }
  /// The digest of x in `went`, independent of the one in `came`: a false positive of `came` must not be a likelier one here.
  static digest in_went(digest x) noexcept { return x.remixed(1); }
  [[nodiscard]] bool hidden(digest x) const noexcept { return went_.may_contain(in_went(x)); }

  /// act(i) for each set bit i. act may clear that bit.
  static void for_each_hit(std::size_t count, std::uint64_t const* hits, auto act) {
    for (std::size_t word = 0; word * 64 < count; ++word)
      for (auto left = hits[word]; left != 0; left &= left - 1)
        act(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

  Layer came_;
  Layer went_;
};

/// The same for a filter of keys: a new filter of those candidates that `old` finds, with the same hash. See
/// with_removals::regenerated() for what is kept and what is lost. `old` can be used meanwhile; keys that are inserted during
/// that time must go into both.
template <class Layer, class Hash, key_range Keys>
[[nodiscard]] of_keys<with_removals<Layer>, Hash> regenerated(of_keys<with_removals<Layer>, Hash> const& old,
                                                              Keys const& candidates,
                                                              typename with_removals<Layer>::goal wish) {
  return of_keys<with_removals<Layer>, Hash>::build_by(
      candidates, wish, old.hash(), [&](std::span<digest const> xs) { return old.family().regenerated(xs, wish); });
}

using with_removals_filter = of_keys<with_removals<>>;

}  // namespace hortus
