#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <hortus/digest.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/plan/cardinality.hpp>
#include <hortus/top_keys.hpp>
#include <hortus/verbs.hpp>

/// The vocabulary: one verb, one meaning, in every family. A family offers the verbs it can keep the promise of and simply
/// lacks the others; these concepts are how the rest of hortus asks. Start reading here, then bloom/bloom.hpp.
namespace hortus {

/// When may a member be missed? Part of every family's card.
enum class false_negatives {
  never,
  by_misuse,  ///< only after erasing what was not inserted
  by_age,     ///< old keys are forgotten, by design
  by_chance,  ///< some are missed, as often as planned
};

template <class F>
concept family = std::movable<F> && requires(F& f, F const& c) {
  { F::name } -> std::convertible_to<std::string_view>;     // "bloom": its name in files and at the command line
  { F::room } -> std::convertible_to<std::string_view>;     // "bloom": the folder of families that answer the same question
  { F::summary } -> std::convertible_to<std::string_view>;  // one line for people who choose
  { F::misses } -> std::convertible_to<false_negatives>;
  { c.size_bytes() } -> std::same_as<std::size_t>;  // what its cells occupy now
  {f.clear()};                                      // back to as planned and empty
};

/// insert(x), then x is a member. Returns void, or where the filter can be full a [[nodiscard]] bool: did it go in?
template <class F>
concept insertable = family<F> && requires(F& f, digest x) {
  f.insert(x);
};

/// Can insert(x) refuse a key, because there is no room for it? Whoever calls it then has to look at the answer.
template <class F>
inline constexpr bool can_refuse = requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<bool>;
};

/// may_contain(x): true for every member; true for another with chance fpr().
template <class F>
concept membership = family<F> && requires(F const& c, digest x) {
  { c.may_contain(x) } -> std::same_as<bool>;
  { c.fpr() } -> std::same_as<double>;  // the rate now, from the actual fill
};

/// insert_if_new(x): true if x was certainly not a member before. A member now.
template <class F>
concept noticing = insertable<F> && requires(F& f, digest x) {
  { f.insert_if_new(x) } -> std::same_as<bool>;
};

/// has_forgotten(): may a key that was inserted be missed by now, because it is too old? Of families that forget by age.
template <class F>
concept forgetting = family<F> && requires(F const& c) {
  { c.has_forgotten() } -> std::same_as<bool>;
};

/// advance(now): tells the time to a family that can forget by it. No family reads a clock. ages_by_time(): was it planned to?
/// time(): up to when it has heard, to the length of a generation.
template <class F>
concept advancing = forgetting<F> && requires(F& f, F const& c, std::uint64_t now) {
  f.advance(now);
  { c.ages_by_time() } -> std::same_as<bool>;
  { c.time() } -> std::same_as<std::uint64_t>;
};

/// stages(): how many filters it has become. Of families that make room for more keys than they were planned for.
template <class F>
concept growing = insertable<F> && requires(F const& c) {
  { c.stages() } -> std::same_as<std::size_t>;
};

/// Does a family keep the rate of its goal however many keys come? Those that do say `static constexpr bool keeps_fpr = true`;
/// planned_fpr tells of the others what more keys cost.
template <family F>
inline constexpr bool keeps_fpr = [] {
  if constexpr (requires { F::keeps_fpr; })
    return bool{F::keeps_fpr};
  else
    return false;
}();

/// erase(x) undoes one insert of x. False: x was certainly not a member, and nothing changed. Erasing what was never inserted
/// but is found may take members away: false_negatives::by_misuse. True is also the answer for a key whose counters have stuck
/// at their maximum, of which nobody knows how often it came: it stays. any_family::stuck() tells such keys.
template <class F>
concept erasable = insertable<F> && requires(F& f, digest x) {
  { f.erase(x) } -> std::same_as<bool>;
};

/// count(x): how often x was inserted, erased ones taken off; never less where the card says so. Signed where it may be
/// negative.
template <class F>
concept countable = family<F> && requires(F const& c, digest x) {
  { c.count(x) } -> std::integral;
};

/// What a family's count() answers with: std::uint64_t, or std::int64_t where it may be negative.
template <countable F>
using count_type = std::remove_cvref_t<decltype(std::declval<F const&>().count(digest()))>;

/// Is count(x) never less than the truth, or than the most that the family counts to? So it is promised wherever counts are
/// unsigned; a family that cannot keep that says `static constexpr bool never_undercounts = false`.
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

/// Do r inserts and r erases of a key give back every byte, as long as no cell was at its maximum? So it is promised; a family
/// that cannot keep that says `static constexpr bool erase_restores = false`.
template <erasable F>
inline constexpr bool erase_restores = [] {
  if constexpr (requires { F::erase_restores; })
    return bool{F::erase_restores};
  else
    return true;
}();

/// estimate(): how many distinct keys went in, with a 95 % interval.
template <class F>
concept estimating = family<F> && requires(F const& c) {
  { c.estimate() } -> std::same_as<plan::estimate>;
};

/// a.merge(b): as if b's inserts had gone into a. Throws errc::incompatible and changes nothing.
template <class F>
concept mergeable = family<F> && requires(F& f, F const& c) {
  f.merge(c);
};

/// Does a.merge(b) give the bytes that the inserts of both would have? So it is promised; a family that keeps a part of its
/// keys only, and chooses it again when it merges, says `static constexpr bool merge_is_union = false`.
template <mergeable F>
inline constexpr bool merge_is_union = [] {
  if constexpr (requires { F::merge_is_union; })
    return bool{F::merge_is_union};
  else
    return true;
}();

/// a.intersect(b): finds at least the keys that are in both. Throws errc::incompatible and changes nothing.
template <class F>
concept intersectable = family<F> && requires(F& f, F const& c) {
  f.intersect(c);
};

/// fold(by): the filter that the same keys would have made with size / by cells. `by` divides fold_width().
template <class F>
concept foldable = family<F> && requires(F& f, F const& c, std::uint64_t by) {
  f.fold(by);
  { c.fold_width() } -> std::same_as<std::uint64_t>;  // its divisors are the ways to fold
  { c.fpr_folded(by) } -> std::same_as<double>;       // what fpr() will be after fold(by)
};

/// prefetch(x): ask memory for what a lookup of x reads first; batches do. Where an insert touches more, prefetch_all(x)
/// too.
template <class F>
concept prefetchable = family<F> && requires(F const& c, digest x) {
  c.prefetch(x);
};

/// A kernel that inserts a block, at most block_keys<F>, and says how many went in. Memory has been asked for xs; it asks for
/// `next`, the block that follows or nothing, in between.
template <class F>
concept batched_insertable = insertable<F> && requires(F& f, std::span<digest const> xs) {
  { f.insert(xs, xs) } -> std::same_as<std::size_t>;
};

/// The same for insert_if_new: bit i of `fresh` becomes its answer for xs[i].
template <class F>
concept batched_noticing = noticing<F> && requires(F& f, std::span<digest const> xs, std::uint64_t* fresh) {
  f.insert_if_new(xs, xs, fresh);
};

/// The same for lookups: bit i of `hits` becomes the answer for xs[i].
template <class F>
concept batched_membership = membership<F> && requires(F const& c, std::span<digest const> xs, std::uint64_t* hits) {
  c.may_contain(xs, xs, hits);
};

/// The same for erasing; how many were erased. The others were certainly absent.
template <class F>
concept batched_erasable = erasable<F> && requires(F& f, std::span<digest const> xs) {
  { f.erase(xs, xs) } -> std::same_as<std::size_t>;
};

/// The same for counts: counts[i] becomes the answer for xs[i].
template <class F>
concept batched_countable = countable<F> && requires(F const& c, std::span<digest const> xs, count_type<F>* counts) {
  c.count(xs, xs, counts);
};

/// plan(goal) is pure and cheap: what a filter of so many keys will be. planned_fpr says what these params promise: the rate
/// of false positives, or for a family without may_contain the chance that a count is wrong.
template <class F>
concept plannable = family<F> && requires(F const& c, typename F::goal g, typename F::params p) {
  { F::plan(g) } -> std::same_as<typename F::params>;
  { F::planned_fpr(p, g.items) } -> std::same_as<double>;
  { F::planned_bytes(p) } -> std::same_as<std::uint64_t>;
  { F::lines_touched(p) } -> std::same_as<double>;  // cache lines a lookup of a member reads
  { c.shape() } -> std::same_as<typename F::params>;
};

/// F(plan(goal)): made empty, with room for what is inserted later.
template <class F>
concept makeable = plannable<F> && insertable<F> && std::constructible_from<F, typename F::params>;

/// build(keys, goal): the filter of these keys, for families that need all of them at once and take none later. In any order;
/// a key that occurs twice was inserted twice. The keys say how many they are: goal.items is a hint, right or wrong.
template <class F>
concept buildable = plannable<F> && requires(std::span<digest const> keys, typename F::goal g) {
  { F::build(keys, g) } -> std::same_as<F>;
};

/// What the list of families takes: it can be planned, and there is a way to fill it.
template <class F>
concept plantable = makeable<F> || buildable<F>;

/// The verbs of a family, as the concepts find them.
template <family F>
[[nodiscard]] constexpr verb_set verbs_of() noexcept {
  verb_set found;
  auto const add = [&](bool has, verb_set some) {
    if (has) found = found | some;
  };
  add(buildable<F>, verb::build);
  add(insertable<F>, verb::insert);
  add(noticing<F>, verb::insert_if_new);
  add(advancing<F>, verb::advance);
  add(membership<F>, verb::may_contain | verb::fpr);
  add(erasable<F>, verb::erase);
  add(countable<F>, verb::count);
  add(topping<F>, verb::top);
  add(estimating<F>, verb::estimate);
  add(mergeable<F>, verb::merge);
  add(intersectable<F>, verb::intersect);
  add(foldable<F>, verb::fold);
  return found | verb::clear | verb::size_bytes;
}

/// Those of them that have a kernel for blocks of keys.
template <family F>
[[nodiscard]] constexpr verb_set kernels_of() noexcept {
  verb_set found;
  if (batched_insertable<F>) found = found | verb::insert;
  if (batched_noticing<F>) found = found | verb::insert_if_new;
  if (batched_membership<F>) found = found | verb::may_contain;
  if (batched_erasable<F>) found = found | verb::erase;
  if (batched_countable<F>) found = found | verb::count;
  return found;
}

/// Every family of the list declares what it has: `verbs`, without those that all have, and `kernels`. In a unit of its own
/// this is compared with what the concepts find, so that a verb or a kernel which is lost by a changed signature does not
/// compile.
template <family F>
consteval bool declares_what_it_has() {
  constexpr auto found = verbs_of<F>().without(verb::clear | verb::size_bytes | verb::fpr);
  static_assert(F::verbs.has_all(found), "F has a verb that it does not declare in `verbs`");
  static_assert(found.has_all(F::verbs), "F declares a verb that the concepts do not find: has a signature changed?");
  static_assert(F::kernels.has_all(kernels_of<F>()), "F has a kernel for blocks that it does not declare in `kernels`");
  static_assert(kernels_of<F>().has_all(F::kernels), "F declares a kernel for blocks that the concepts do not find");
  return true;
}

}  // namespace hortus
