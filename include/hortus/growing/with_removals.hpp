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

/// What with_removals is made of: takes every key, misses none.
template <class F>
concept keeping_layer = makeable<F> && membership<F> && storable<F> &&
                        F::misses == false_negatives::never&& requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<void>;
};

/// Removal by a second filter: one of the keys that came, one of those that went. A key is found if it came and did not go.
///
///     came  [ x x . x . x x . x . . x ]   every insert             found = in came, not in went
///     went  [ . x . . . x ]               every erase
///
/// Promise  an erased key is hidden for good. A key is found until one is erased that `went` takes for it: a member from
///          before all erases is missed with chance miss_rate(), a later one less, and one put in after the last erase
///          never, for insert() looks and says false if the key would not be found. Other keys are found with chance
///          fpr(), that of `came` less what `went` hides by chance.
/// Price    that of both filters: 9.6 bits an item at 1 %, and 14.4 a removal at a miss rate of 0.1 %. Erasing frees
///          nothing; both parts fill until it is worn(). Then regenerated() makes a fresh one out of the application's
///          record of keys.
/// Lacks    a way back for an erased key before that: insert() refuses it. Counts: one erase undoes all inserts. Both have
///          `d_left`, `blocked_counting` and `counting`, which miss nobody, in 1.7 to 3.5 times the space.
/// Source   folklore; the numbers are measured in tests/growing/with_removals_test.cpp. Levels that go on in turn, each with
///          what the one before takes for its own, are exact where all keys are known: J. Larisch et al., "CRLite", IEEE
///          S&P 2017.
template <keeping_layer Layer = bloom<>>
class with_removals {
 public:
  static constexpr std::string_view name = "with_removals";
  static constexpr std::string_view room = "growing";
  static constexpr std::string_view summary = "a filter of what came and one of what went: removal, at the cost of misses";
  static constexpr auto misses = false_negatives::by_chance;
  static constexpr verb_set verbs = verb::insert | verb::may_contain | verb::erase;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr bool erase_restores = false;
  static constexpr bool refuses_erased = true;
  static constexpr std::size_t block_keys = hortus::block_keys<Layer>;

  struct goal {
    std::uint64_t items = 0;     ///< distinct keys that come, those that go again included
    double fpr = 0.01;           ///< once all have come
    std::uint64_t removals = 0;  ///< distinct keys that go before it is regenerated; 0: a tenth of the items
    double miss_rate = 0.001;    ///< chance that a member is missed, once all those are gone
    static void fields(auto& self, auto& io) {
      io("removals", self.removals,
         setting_note{"distinct keys that are erased before a new filter is made; by default a tenth of the items",
                      "1 to 2^64 - 1", "100000"});
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

  static params plan(goal g) { return {part(g.items, g.fpr), part(g.removals != 0 ? g.removals : g.items / 10, g.miss_rate)}; }
  /// Before the first erase, when `went` hides nothing: each one lowers it a little.
  static double planned_fpr(params p, std::uint64_t items) { return Layer::planned_fpr(p.came, items); }
  static double planned_miss_rate(params p, std::uint64_t removals) { return Layer::planned_fpr(p.went, removals); }
  /// After the removals of a goal that names none.
  static double planned_fnr(params p, std::uint64_t items) { return planned_miss_rate(p, items / 10); }
  static std::uint64_t planned_bytes(params p) { return Layer::planned_bytes(p.came) + Layer::planned_bytes(p.went); }
  static double lines_touched(params p) { return Layer::lines_touched(p.came) + 1; }  // one is enough to see that it stayed

  with_removals() = default;  ///< the smallest valid one: of the smallest filters
  explicit with_removals(params p) : came_(p.came), went_(p.went) {}

  /// Did it go in? Not if it would be hidden: it was erased, or is one that `went` takes for an erased one.
  [[nodiscard]] bool insert(digest x) noexcept {
    if (hidden(x)) return false;
    came_.insert(x);
    return true;
  }
  /// False: it is not found, and nothing changed. It is certainly absent, or hidden already.
  bool erase(digest x) noexcept {
    if (!may_contain(x)) return false;
    went_.insert(in_went(x));
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return came_.may_contain(x) && !hidden(x); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    may_contain_block(came_, xs, next, hits);
    if (!next.empty()) for_each_hit(xs.size(), hits, [&](std::size_t i) { ask_for<access::lookup>(went_, in_went(xs[i])); });
    for_each_hit(xs.size(), hits, [&](std::size_t i) { hits[i / 64] &= ~(std::uint64_t{hidden(xs[i])} << (i % 64)); });
  }
  void prefetch(digest x) const noexcept { ask_for<access::lookup>(came_, x); }
  void prefetch_all(digest x) const noexcept {
    ask_for<access::update>(came_, x);
    ask_for<access::update>(went_, in_went(x));
  }

  [[nodiscard]] double fpr() const { return plan::one_not_other_fpr(came_.fpr(), miss_rate()); }
  /// The chance that a member from before all erases is missed, and that insert() refuses a key that never was there.
  [[nodiscard]] double miss_rate() const { return went_.fpr(); }

  /// How bad it may get.
  struct limits {
    double fpr;
    double miss_rate;
  };
  /// Is it time for regenerated()?
  [[nodiscard]] bool worn(limits most) const { return !(fpr() <= most.fpr && miss_rate() <= most.miss_rate); }

  /// A fresh one of those candidates that this one finds. Out of a record of all keys that ever came it leaves those that
  /// went, and with them the members that were missed; of a record with other keys it takes the false positives, too. Who
  /// knows which keys are members needs no filter for that, and inserts them into a new one. Without a number of items it is
  /// planned for as many as it takes.
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
  /// Independent of its digest in `came`: a key that is found there by chance must not be likelier found here.
  static digest in_went(digest x) noexcept { return x.remixed(1); }
  [[nodiscard]] bool hidden(digest x) const noexcept { return went_.may_contain(in_went(x)); }

  /// act(i) for the bits that are set. It may clear that bit.
  static void for_each_hit(std::size_t count, std::uint64_t const* hits, auto act) {
    for (std::size_t word = 0; word * 64 < count; ++word)
      for (auto left = hits[word]; left != 0; left &= left - 1)
        act(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

  Layer came_;
  Layer went_;
};

/// Of keys: a fresh filter of those candidates that `old` finds, with its hash. What is kept and what is lost: see
/// with_removals::regenerated(). While it is made `old` goes on; keys that come meanwhile belong in both.
template <class Layer, class Hash, key_range Keys>
[[nodiscard]] of_keys<with_removals<Layer>, Hash> regenerated(of_keys<with_removals<Layer>, Hash> const& old,
                                                              Keys const& candidates,
                                                              typename with_removals<Layer>::goal wish) {
  return of_keys<with_removals<Layer>, Hash>::build_by(
      candidates, wish, old.hash(), [&](std::span<digest const> xs) { return old.family().regenerated(xs, wish); });
}

using with_removals_filter = of_keys<with_removals<>>;

}  // namespace hortus
