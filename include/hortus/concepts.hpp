#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <hortus/digest.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/overlap.hpp>
#include <hortus/top_keys.hpp>
#include <hortus/verbs.hpp>

/// The vocabulary: a verb means the same in every family. A family offers the verbs whose promises it keeps and lacks the
/// others. The rest of hortus asks by these concepts. Start reading here, then bloom/bloom.hpp.
namespace hortus {

/// When can a lookup miss a member? Every family states it.
enum class false_negatives {
  never,
  by_misuse,  ///< only after erasing a key that was not inserted
  by_age,     ///< old keys are forgotten, by design
  by_chance,  ///< some members are missed, at a planned rate
};

template <class F>
concept family = std::movable<F> && requires(F& f, F const& c) {
  { F::name } -> std::convertible_to<std::string_view>;     // "bloom": its name in files and at the command line
  { F::room } -> std::convertible_to<std::string_view>;     // "bloom": the folder of families that answer the same question
  { F::summary } -> std::convertible_to<std::string_view>;  // one line that helps to choose
  { F::misses } -> std::convertible_to<false_negatives>;
  { c.size_bytes() } -> std::same_as<std::size_t>;  // bytes that its cells occupy now
  {f.clear()};                                      // empty again, in the shape that was planned
};

/// insert(x) makes x a member. It returns void; in a family that can refuse keys, a [[nodiscard]] bool: was x inserted?
template <class F>
concept insertable = family<F> && requires(F& f, digest x) {
  f.insert(x);
};

/// Can insert(x) refuse a key? If so, the caller has to check its result.
template <class F>
inline constexpr bool can_refuse = requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<bool>;
};

/// Does it refuse keys because it is full? True of every family that refuses keys, except one that declares `static
/// constexpr bool refuses_erased = true`: that one always has room, and refuses only keys that were erased, or that it
/// mistakes for an erased key.
template <class F>
inline constexpr bool can_be_full = can_refuse<F> && !requires {
  requires F::refuses_erased;
};

/// may_contain(x): true for every member; true for an absent key with probability fpr().
template <class F>
concept membership = family<F> && requires(F const& c, digest x) {
  { c.may_contain(x) } -> std::same_as<bool>;
  { c.fpr() } -> std::same_as<double>;  // the false-positive rate now, computed from the actual fill
};

/// find(x): the value of x, always right for a key of the map. For an absent key: nothing, or with probability fpr() some
/// value.
template <class F>
concept finding = membership<F> && requires(F const& c, digest x) {
  { c.find(x) } -> std::same_as<std::optional<std::uint64_t>>;
  { c.value_bits() } -> std::same_as<unsigned>;  // of the largest value that this map can hold
};

/// put(x, value) makes x a key of the map, with this value. It returns void; in a family that can refuse keys, a [[nodiscard]]
/// bool: was x inserted? Of families that take keys one by one.
template <class F>
concept putting = finding<F> && requires(F& f, digest x, std::uint64_t value) {
  f.put(x, value);
};

/// assign(x, value) changes the value of x. False: x is certainly no key of the map, and nothing changed. Assigning to an
/// absent key that is found (a false positive) can change the value of a key.
template <class F>
concept assigning = finding<F> && requires(F& f, digest x, std::uint64_t value) {
  { f.assign(x, value) } -> std::same_as<bool>;
};

/// insert_if_new(x) makes x a member. True if x was certainly not a member before.
template <class F>
concept noticing = insertable<F> && requires(F& f, digest x) {
  { f.insert_if_new(x) } -> std::same_as<bool>;
};

/// has_forgotten(): can an inserted key be missed by now because it is too old? For families that forget by age.
template <class F>
concept forgetting = family<F> && requires(F const& c) {
  { c.has_forgotten() } -> std::same_as<bool>;
};

/// advance(now) sets the time in a family that can forget by time; no family reads a clock. ages_by_time(): was this filter
/// planned to? time(): the latest time it was given, rounded down to the start of a generation. turns(now): how many
/// generations advance(now) would end; 0: it would change nothing. may_contain_at(now, xs, hits): as may_contain() after
/// advance(now), without a change.
template <class F>
concept advancing = forgetting<F> &&
    requires(F& f, F const& c, std::uint64_t now, std::span<digest const> xs, std::uint64_t* hits) {
  f.advance(now);
  { c.ages_by_time() } -> std::same_as<bool>;
  { c.time() } -> std::same_as<std::uint64_t>;
  { c.turns(now) } -> std::same_as<std::uint64_t>;
  c.may_contain_at(now, xs, hits);
};

/// stages(): the number of filters it consists of now. For families that grow beyond the number of keys they were planned
/// for.
template <class F>
concept growing = insertable<F> && requires(F const& c) {
  { c.stages() } -> std::same_as<std::size_t>;
};

/// Does a family keep the false-positive rate of its goal for any number of keys? A family that does declares
/// `static constexpr bool keeps_fpr = true`. For the others planned_fpr says how the rate rises with more keys.
template <family F>
inline constexpr bool keeps_fpr = [] {
  if constexpr (requires { F::keeps_fpr; })
    return bool{F::keeps_fpr};
  else
    return false;
}();

/// erase(x) undoes one insert of x. False: x was certainly not a member, and nothing changed. Erasing a key that was never
/// inserted but is found (a false positive) can remove members: false_negatives::by_misuse. True is also returned for a key
/// whose counters are stuck at their maximum. Its count is unknown, so it stays a member; any_family::stuck() finds such
/// keys.
template <class F>
concept erasable = (insertable<F> || putting<F>)&&requires(F& f, digest x) {
  { f.erase(x) } -> std::same_as<bool>;
};

/// count(x): inserts of x minus erases of x. Never less than that where the card promises it. Signed where it may be
/// negative.
template <class F>
concept countable = family<F> && requires(F const& c, digest x) {
  { c.count(x) } -> std::integral;
};

/// The type that count() returns: std::uint64_t, or std::int64_t where counts may be negative.
template <countable F>
using count_type = std::remove_cvref_t<decltype(std::declval<F const&>().count(digest()))>;

/// insert(x, times): the same as `times` inserts of x. Of families that count.
template <class F>
concept weighted = insertable<F> && countable<F> && requires(F& f, digest x, count_type<F> times) {
  { f.insert(x, times) } -> std::same_as<void>;
};

/// The type of `times`: signed where counts are, and then -3 undoes three inserts.
template <weighted F>
using times_type = count_type<F>;

/// Is count(x) never less than the true count, or than the family's maximum count? Promised wherever counts are unsigned. A
/// family that cannot promise it declares `static constexpr bool never_undercounts = false`.
template <countable F>
inline constexpr bool never_undercounts = [] {
  if constexpr (requires { F::never_undercounts; })
    return bool{F::never_undercounts};
  else
    return std::unsigned_integral<count_type<F>>;
}();

/// top(most): the keys with the largest counts, themselves. The family keeps their bytes: see kept_keys.hpp.
template <class F>
concept topping = countable<F> && requires(F const& c, std::uint64_t most) {
  { c.top(most) } -> std::same_as<top_keys>;
};

/// Do r inserts and then r erases of a key restore every byte, as long as no cell was at its maximum? Promised by default.
/// A family that cannot promise it declares `static constexpr bool erase_restores = false`.
template <erasable F>
inline constexpr bool erase_restores = [] {
  if constexpr (requires { F::erase_restores; })
    return bool{F::erase_restores};
  else
    return true;
}();

/// estimate(): the number of distinct keys that were inserted, with a 95 % interval.
template <class F>
concept estimating = family<F> && requires(F const& c) {
  { c.estimate() } -> std::same_as<plan::estimate>;
};

/// a.compare(b): the sizes of both sets of keys, of their union, intersection and differences, estimated, each with a 95 %
/// interval. Filters that cannot be compared: throws errc::incompatible.
template <class F>
concept comparing = estimating<F> && requires(F const& c) {
  { c.compare(c) } -> std::same_as<plan::overlap>;
};

/// a.merge(b): as if b's inserts had also been made into a. Filters that cannot combine: throws errc::incompatible and
/// changes nothing.
template <class F>
concept mergeable = family<F> && requires(F& f, F const& c) {
  f.merge(c);
};

/// Does a.merge(b) give the bytes that the inserts of both would have? Promised by default. A family that keeps only some of
/// its keys, and selects them again when it merges, declares `static constexpr bool merge_is_union = false`.
template <mergeable F>
inline constexpr bool merge_is_union = [] {
  if constexpr (requires { F::merge_is_union; })
    return bool{F::merge_is_union};
  else
    return true;
}();

/// Do filters of different shapes merge? Not by default. A family in which they do declares
/// `static constexpr bool merges_any_shape = true`. Some pairs may still be refused.
template <mergeable F>
inline constexpr bool merges_any_shape = [] {
  if constexpr (requires { F::merges_any_shape; })
    return bool{F::merges_any_shape};
  else
    return false;
}();

/// a.intersect(b): afterwards a finds at least the keys that are in both. Filters that cannot combine: throws
/// errc::incompatible and changes nothing.
template <class F>
concept intersectable = family<F> && requires(F& f, F const& c) {
  f.intersect(c);
};

/// fold(by): becomes the filter that the same keys would have made in 1 / `by` of the cells. `by` divides fold_width().
template <class F>
concept foldable = family<F> && requires(F& f, F const& c, std::uint64_t by) {
  f.fold(by);
  { c.fold_width() } -> std::same_as<std::uint64_t>;  // `by` may be any of its divisors
  { c.fpr_folded(by) } -> std::same_as<double>;       // fpr() as it will be after fold(by)
};

/// A filter in shards: a key belongs to one place of the filter, and place p to shard p mod `shards`, in which it is place
/// p / shards. So a shard is a filter of its own, made with 1 / shards of the places, and gives the whole filter's answers for
/// its keys; and the shards are the filter. Relies on places being nested: see fastrange.hpp. `shards` divides places().
template <class F>
concept shardable = foldable<F> &&
    requires(F& f, F const& c, digest x, std::uint64_t places, std::uint64_t shards, std::uint64_t i) {
  { c.places() } -> std::same_as<std::uint64_t>;
  { F::shard_of(x, places, shards) } -> std::same_as<std::uint64_t>;  // of a filter with `places` places
  { c.shard(shards, i) } -> std::same_as<F>;
  { c.widened(shards) } -> std::same_as<F>;  // an empty filter with `shards` times the places
  f.put_shard(shards, i, c);                 // its shard i becomes `c`
};

/// grow(): room for twice as many keys, without the keys. No answer changes. Throws errc::full, and changes nothing, if the
/// filter has no room for that. More keys raise the rate as planned_fpr says.
template <class F>
concept growable = insertable<F> && requires(F& f) {
  { f.grow() } -> std::same_as<void>;
};

/// prefetch(x): prefetches the cells that a lookup of x reads first. Batches call it. A family whose inserts touch more has
/// prefetch_all(x), too.
template <class F>
concept prefetchable = family<F> && requires(F const& c, digest x) {
  c.prefetch(x);
};

/// A kernel that inserts a block of at most block_keys<F> keys and returns how many were inserted. The caller has
/// prefetched xs. The kernel prefetches `next`, the following block or nothing, in between.
template <class F>
concept batched_insertable = insertable<F> && requires(F& f, std::span<digest const> xs) {
  { f.insert(xs, xs) } -> std::same_as<std::size_t>;
};

/// The same for insert_if_new: bit i of `fresh` becomes the answer for xs[i].
template <class F>
concept batched_noticing = noticing<F> && requires(F& f, std::span<digest const> xs, std::uint64_t* fresh) {
  f.insert_if_new(xs, xs, fresh);
};

/// The same for lookups: bit i of `hits` becomes the answer for xs[i].
template <class F>
concept batched_membership = membership<F> && requires(F const& c, std::span<digest const> xs, std::uint64_t* hits) {
  c.may_contain(xs, xs, hits);
};

/// The same for values: values[i] becomes the value of xs[i], and bit i of `hits` says whether it has one. Where it has none,
/// values[i] is 0.
template <class F>
concept batched_finding = finding<F> &&
    requires(F const& c, std::span<digest const> xs, std::uint64_t* values, std::uint64_t* hits) {
  c.find(xs, xs, values, hits);
};

/// The same for erase. Returns how many keys were erased; the others were certainly absent.
template <class F>
concept batched_erasable = erasable<F> && requires(F& f, std::span<digest const> xs) {
  { f.erase(xs, xs) } -> std::same_as<std::size_t>;
};

/// The same for counts: counts[i] becomes the answer for xs[i].
template <class F>
concept batched_countable = countable<F> && requires(F const& c, std::span<digest const> xs, count_type<F>* counts) {
  c.count(xs, xs, counts);
};

/// plan(goal) computes the params of a filter for `goal.items` keys; it is pure and cheap. planned_fpr(params, items) is
/// the predicted false-positive rate or, for a family without may_contain, the probability that a count is wrong.
template <class F>
concept plannable = family<F> && requires(F const& c, typename F::goal g, typename F::params p) {
  { F::plan(g) } -> std::same_as<typename F::params>;
  { F::planned_fpr(p, g.items) } -> std::same_as<double>;
  { F::planned_bytes(p) } -> std::same_as<std::uint64_t>;
  { F::lines_touched(p) } -> std::same_as<double>;  // cache lines that a lookup of a member reads
  { c.shape() } -> std::same_as<typename F::params>;
};

/// Does planned_bytes give the exact size? Promised by default. A family built of all keys at once that puts some of them
/// aside, and learns only then how many, declares `static constexpr bool plans_exactly = false`: its size may differ by a few
/// percent.
template <plannable F>
inline constexpr bool plans_exactly = [] {
  if constexpr (requires { F::plans_exactly; })
    return bool{F::plans_exactly};
  else
    return true;
}();

/// Is planned_bytes() the most that a filter takes, and an empty one smaller? Not by default. A family that starts small
/// declares `static constexpr bool starts_small = true`.
template <plannable F>
inline constexpr bool starts_small = [] {
  if constexpr (requires { F::starts_small; })
    return bool{F::starts_small};
  else
    return false;
}();

/// F(plan(goal)) is an empty filter; keys are inserted later.
template <class F>
concept makeable = plannable<F> &&(insertable<F> || putting<F>)&&std::constructible_from<F, typename F::params>;

/// build(keys, goal): the filter of these keys, for families that need all keys at once and take none later. Keys come in
/// any order; a duplicate counts as a second insert. The number of keys is that of the span: goal.items is a hint and may
/// be wrong.
template <class F>
concept buildable = plannable<F> && requires(std::span<digest const> keys, typename F::goal g) {
  { F::build(keys, g) } -> std::same_as<F>;
};

/// build(keys, values, goal): the map in which keys[i] has values[i]. Equal pairs count once. Throws errc::bad_params if a key
/// has two values, or if a value has more than goal.value_bits bits; 0 stands for as many as the largest value needs.
template <class F>
concept map_buildable = buildable<F> && finding<F> &&
    requires(std::span<digest const> keys, std::span<std::uint64_t const> values, typename F::goal g) {
  { F::build(keys, values, g) } -> std::same_as<F>;
  { g.value_bits } -> std::convertible_to<unsigned>;
  { F::max_value_bits() } -> std::same_as<unsigned>;
};

/// A family that can be in the list of families: it can be planned, and there is a way to fill it.
template <class F>
concept plantable = makeable<F> || buildable<F>;

}  // namespace hortus
