#pragma once
#include <hortus/concepts.hpp>
#include <hortus/verbs.hpp>

/// Which verbs a family has, and whether it declares them.
namespace hortus {

/// The verbs that the concepts find in a family.
template <family F>
[[nodiscard]] constexpr verb_set verbs_of() noexcept {
  verb_set found;
  auto const add = [&](bool has, verb_set some) {
    if (has) found = found | some;
  };
  add(buildable<F>, verb::build);
  add(insertable<F>, verb::insert);
  add(noticing<F>, verb::insert_if_new);
  add(weighted<F>, verb::insert_times);
  add(advancing<F>, verb::advance);
  add(membership<F>, verb::may_contain | verb::fpr);
  add(finding<F>, verb::find);
  add(putting<F>, verb::put);
  add(assigning<F>, verb::assign);
  add(erasable<F>, verb::erase);
  add(countable<F>, verb::count);
  add(topping<F>, verb::top);
  add(estimating<F>, verb::estimate);
  add(comparing<F>, verb::compare);
  add(mergeable<F>, verb::merge);
  add(intersectable<F>, verb::intersect);
  add(foldable<F>, verb::fold);
  add(growable<F>, verb::grow);
  return found | verb::clear | verb::size_bytes;
}

/// The verbs for which the concepts find a kernel for blocks of keys.
template <family F>
[[nodiscard]] constexpr verb_set kernels_of() noexcept {
  verb_set found;
  if (batched_insertable<F>) found = found | verb::insert;
  if (batched_noticing<F>) found = found | verb::insert_if_new;
  if (batched_membership<F>) found = found | verb::may_contain;
  if (batched_finding<F>) found = found | verb::find;
  if (batched_erasable<F>) found = found | verb::erase;
  if (batched_countable<F>) found = found | verb::count;
  return found;
}

/// Every family of the list declares `verbs`, without those that all families have, and `kernels`. Each family's own unit
/// compares these with what the concepts find. A verb or kernel that is lost because a signature changed does not compile.
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
