#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/bitmask.hpp>
#include <hortus/bloom/blocked.hpp>
#include <hortus/concepts.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/active_active.hpp>

namespace hortus {

/// What active_active requires of the two filters that it consists of.
template <class F>
concept buffer_layer = noticing<F> && membership<F> && intersectable<F> && plannable<F> && storable<F>;

/// Active-active buffering (A2): two filters. The active one takes keys until it is full. Then the other one, which holds the
/// oldest keys, is cleared and becomes the active one. A key is found if either filter finds it.
///
///     active   [ . . x . x . . . ]   <- inserts           full:   passive [ . . x . x . x x ]   oldest keys
///     passive  [ x x . . x . x x ]   oldest keys                  active  [ . . . . . . . . ]   <- inserts
///
/// Promise  the last `items` distinct keys are remembered: a key is found as long as at most `items` distinct other keys were
///          inserted since its last insert. Repeated keys push no other key out. After 2 `items` keys it is forgotten, except
///          as a false positive. The false-positive rate never exceeds fpr, and is about half of it on average.
/// Price    23.1 bits for each of the `items` at a rate of 1 %, and two cache lines per lookup; with bloom<> as Layer 22.1 bits
///          and more lines. The rate follows a sawtooth. One insert in `items` clears a half.
/// Lacks    estimate and merge: the order of keys in two streams is not known.
/// Source   M. Yoon, "Aging Bloom filter with two active buffers for dynamic sets", IEEE TKDE 22(1), 2010. The capacity differs
///          from the paper's, which keeps the rate only where log2(1/half rate) is an integer.
template <buffer_layer Layer = blocked>
class active_active {
 public:
  static constexpr std::string_view name = "active_active";
  static constexpr std::string_view room = "aging";
  static constexpr std::string_view summary = "two filters in turn: the last n distinct keys are never missed";
  static constexpr auto misses = false_negatives::by_age;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain;
  static constexpr verb_set kernels = verb::insert | verb::insert_if_new | verb::may_contain;
  static constexpr std::size_t block_keys = hortus::block_keys<Layer>;

  using goal = probed_goal<>;
  struct params {
    std::uint64_t items = 0;  ///< keys that one half takes
    typename Layer::params half = {};
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      Layer::params::fields(self.half, io);
    }
  };

  static params plan(goal g) {
    typename Layer::goal half;
    half.items = std::max<std::uint64_t>(g.items, 1);
    half.fpr = plan::half_fpr(g.fpr);
    half.probes = g.probes;
    return {half.items, Layer::plan(half)};
  }
  /// The rate with both halves full, which it never exceeds, however long the stream.
  static double planned_fpr(params p, std::uint64_t) {
    double const half = Layer::planned_fpr(p.half, p.items);
    return plan::either_fpr(half, half);
  }
  static std::uint64_t planned_bytes(params p) { return 2 * Layer::planned_bytes(p.half); }
  static double lines_touched(params p) { return 2 * Layer::lines_touched(p.half); }

  active_active() = default;  ///< the smallest valid one: the smallest halves, for one key each
  explicit active_active(params p) : items_(p.items), active_(p.half), passive_(p.half) {
    if (!valid()) throw error(errc::bad_params, "an active-active filter takes at least one item in each half");
  }

  /// A key that the active half finds, as a member or as a false positive, stays found until that half is cleared. So it is not
  /// counted.
  void insert(digest x) noexcept {
    make_room_for(x);
    count_ += std::uint64_t{active_.insert_if_new(x)};
  }
  bool insert_if_new(digest x) noexcept {
    bool const older = passive_.may_contain(x);  // asked before make_room_for() may clear it
    make_room_for(x);
    bool const fresh = active_.insert_if_new(x);
    count_ += std::uint64_t{fresh};
    return fresh && !older;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return active_.may_contain(x) || passive_.may_contain(x); }
  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) noexcept {
    answers fresh;
    if (takes(xs.size()))
      insert_in_active(xs, next, fresh.data());
    else
      for (auto const x : xs) insert(x);
    return xs.size();
  }
  void insert_if_new(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* fresh) noexcept {
    std::fill_n(fresh, mask_words(xs.size()), 0);
    if (takes(xs.size())) {
      answers older;
      may_contain_block(passive_, xs, next, older.data());
      insert_in_active(xs, next, fresh);
      for (std::size_t i = 0; i < mask_words(xs.size()); ++i) fresh[i] &= ~older[i];
    } else {
      for (std::size_t i = 0; i < xs.size(); ++i) fresh[i / 64] |= std::uint64_t{insert_if_new(xs[i])} << (i % 64);
    }
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    answers older;
    may_contain_block(active_, xs, next, hits);
    may_contain_block(passive_, xs, next, older.data());
    for (std::size_t i = 0; i < mask_words(xs.size()); ++i) hits[i] |= older[i];
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    prefetch_for<access::lookup>(active_, x);
    prefetch_for<access::lookup>(passive_, x);
  }

  /// Both halves use the same positions for a key, so P(either) = P(active) + P(passive) - P(both), where "both" is the rate of
  /// their intersection. Copies one half.
  [[nodiscard]] double fpr() const {
    auto both = active_;
    both.intersect(passive_);
    return std::clamp(active_.fpr() + passive_.fpr() - both.fpr(), 0.0, 1.0);
  }
  /// Has a half that held keys been cleared yet?
  [[nodiscard]] bool has_forgotten() const noexcept { return swaps_ == 2; }

  void clear() noexcept {
    active_.clear();
    passive_.clear();
    count_ = swaps_ = 0;
  }
  [[nodiscard]] params shape() const noexcept { return {items_, active_.shape()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return active_.size_bytes() + passive_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return active_.cells(); }
  bool operator==(active_active const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(name_id(Layer::name), "kind of filter for its halves");
    io(self.items_, self.count_, self.swaps_, self.active_, self.passive_);
  }
  /// count_ cannot be checked: the bits do not show how many keys the active half took. A wrong number in a file only changes
  /// when the halves are swapped. Whatever it is, files written later are valid.
  [[nodiscard]] bool valid() const noexcept {
    return active_.valid() && passive_.valid() && active_.shape() == passive_.shape() && items_ >= 1 && count_ <= items_ &&
           swaps_ <= 2;
  }

 private:
  using answers = std::array<std::uint64_t, block_keys / 64>;

  /// Is there room for that many more keys without a swap, even if all are new?
  [[nodiscard]] bool takes(std::size_t keys) const noexcept { return items_ - count_ >= keys; }
  void insert_in_active(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* fresh) noexcept {
    insert_if_new_block(active_, xs, next, fresh);
    for (std::size_t i = 0; i < mask_words(xs.size()); ++i) count_ += static_cast<std::uint64_t>(std::popcount(fresh[i]));
  }
  /// Swaps the halves if the active one is full and x is new to it. This happens before x is inserted, so that a half never
  /// holds more than `items` keys.
  void make_room_for(digest x) noexcept {
    if (count_ < items_ || active_.may_contain(x)) return;
    std::swap(active_, passive_);
    active_.clear();
    count_ = 0;
    swaps_ = std::min<std::uint64_t>(swaps_ + 1, 2);
  }

  std::uint64_t items_ = 1;
  std::uint64_t count_ = 0;  // keys that the active half took
  std::uint64_t swaps_ = 0;  // 2 means 2 or more
  Layer active_;
  Layer passive_;
};

using active_active_filter = of_keys<active_active<>>;

}  // namespace hortus
