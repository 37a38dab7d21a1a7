#pragma once
#include <string_view>

#include <hortus/fingerprint/cuckoo.hpp>
#include <hortus/growing/in_stages.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// A cuckoo filter that takes every key of its stage: up to the planned number it always has room.
struct cuckoo_stage : cuckoo {
  static constexpr bool stages_disjoint = true;
  using cuckoo::cuckoo;

  /// Throws errc::full if there is no room after all, which has a probability below 1e-9, unless a file lies about its keys.
  void insert(digest x) {
    if (!cuckoo::insert(x)) throw error(errc::full, "a stage of an expandable filter has no room for its planned keys");
  }
  bool insert_if_new(digest x) {
    bool const is_new = !may_contain(x);
    insert(x);
    return is_new;
  }
  bool operator==(cuckoo_stage const&) const = default;
};

/// Expandable filter: cuckoo filters in stages, each twice as large as the one before and with a lower false-positive rate.
///
///     stage 0   [a7 .. 3c 91 ]                    full          a key is looked up in all stages, oldest first;
///     stage 1   [.. 5e .. 08 c2 .. 77 .. ]        fpr / 6 ...   a new key goes into the newest;
///     stage 2   [.. .. .. 1d .. .. .. .. 4b ...   less still    an erased one leaves the stage that holds it
///
/// Promise  any number of keys, a false-positive rate that never exceeds fpr, erase and count. Growing moves and hashes no key
///          again. Every key inserted more often than erased is found. Room that erased keys leave in the newest stage is used
///          again, and a stage is dropped with its last key: a filter whose keys come and go stays at the size that the most
///          keys at one time needed.
/// Price    at a rate of 1 %: 13.2 bits per key up to the planned number; 14.4 with all stages full after five doublings, and
///          up to twice that when a stage has just been opened. Two cache lines per stage and operation.
/// Lacks    merge and fold (quotient merges filters of any size). Erasing a key that was never inserted but is found removes
///          members.
/// Source   the stages of P. S. Almeida et al., "Scalable Bloom filters", 2007; how a key's stage is found again:
/// in_stages.hpp.
struct expandable_growth : scalable_growth {
  static constexpr std::string_view name = "expandable";
  static constexpr std::string_view summary = "grows with its keys, keeps its rate, and erases";

  static expandable_growth of(goal g) { return {scalable_growth::of(g)}; }
  bool operator==(expandable_growth const&) const = default;
};

template <stage_layer Layer = cuckoo_stage>
using expandable = in_stages<expandable_growth, Layer>;
using expandable_filter = of_keys<expandable<>>;

}  // namespace hortus
