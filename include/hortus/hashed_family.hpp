#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <hortus/budget.hpp>
#include <hortus/concepts.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/hash/secret_key.hpp>
#include <hortus/io/envelope.hpp>
#include <hortus/maths/divisors.hpp>
#include <hortus/maths/most_items.hpp>
#include <hortus/noted_inserts.hpp>

namespace hortus {

/// The name of a family in files. any_family has the name of the family it holds.
template <family Family>
std::string family_name(Family const&) {
  return std::string(Family::name);
}

/// The hash of a filter made without one: the default hash, or `Hash` with seed 0. A keyed hash has no default, because its
/// protection comes from a secret key.
template <key_hash Hash>
requires(!std::constructible_from<Hash, secret_key>) Hash hash_without_key() { return Hash(); }

/// A family, the hash of its keys, and what a file records about it: the plan, the number of insert calls, and whether the
/// keys were text or integers. The verbs of the whole filter are here; those that take keys are in of_keys.hpp.
///
/// It holds the family instead of deriving from it. So no call can bypass the comparison of hashes, and no file can be
/// written without the hash.
template <family Family, key_hash Hash>
class hashed_family {
 public:
  using family_type = Family;
  using hash_type = Hash;

  template <makeable F = Family>  // a template of its own, because any_family has no goal
  explicit hashed_family(typename F::goal wish, Hash hash = hash_without_key<Hash>())
      : hashed_family(Family(Family::plan(wish)), std::move(hash)) {
    about_.items_planned = wish.items;
    about_.fpr_planned = wish.fpr;
  }
  explicit hashed_family(Family f, Hash hash = hash_without_key<Hash>()) : family_(std::move(f)), hash_(std::move(hash)) {}
  template <std::same_as<budget> Budget, makeable F = Family>  // a template, so that {.items = n} stays a goal
  explicit hashed_family(Budget wish, Hash hash = hash_without_key<Hash>())
      : hashed_family(best_goal<F>(wish), std::move(hash)) {}
  hashed_family(Family f, Hash hash, envelope about) : family_(std::move(f)), hash_(std::move(hash)), about_(std::move(about)) {
    std::string().swap(about_.family);  // the family knows its name; a copy here would be uncounted memory
  }

  hashed_family(hashed_family const&) = default;
  hashed_family(hashed_family&&) noexcept = default;
  /// Copies everything, or changes nothing if memory runs out. Copying member by member could leave a family of several parts
  /// half copied.
  hashed_family& operator=(hashed_family const& other) {
    *this = hashed_family(other);
    return *this;
  }
  hashed_family& operator=(hashed_family&&) noexcept = default;
  ~hashed_family() = default;

  [[nodiscard]] Family const& family() const noexcept { return family_; }
  [[nodiscard]] Hash const& hash() const noexcept { return hash_; }

  /// The digest of a key under this filter's hash. It is valid for every filter with an equal hash, so a key needs hashing
  /// only once.
  template <digestible Key>
  [[nodiscard]] digest digest_of(Key const& key) const noexcept(hashes_nothrow<Hash, Key>) {
    return hortus::digest_of(hash_, key);
  }
  template <digestible Key>
  [[nodiscard]] digest operator()(Key const& key) const noexcept(hashes_nothrow<Hash, Key>) {
    return digest_of(key);
  }

  /// What a file records about this filter besides its cells.
  [[nodiscard]] envelope about() const {
    auto it = about_;
    it.family = family_name(family_);
    it.hash_id = hash_id(hash_);
    it.seed = hash_.seed();
    it.key_check = hash_.check();
    return it;
  }

  /// Sets the current time of a filter that forgets by time.
  void advance(std::uint64_t now) requires advancing<Family> { family_.advance(now); }
  /// Can a key that was inserted be missing by now?
  [[nodiscard]] bool has_forgotten() const requires forgetting<Family> { return family_.has_forgotten(); }

  [[nodiscard]] double fpr() const requires membership<Family> { return family_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const requires estimating<Family> { return family_.estimate(); }

  [[nodiscard]] plan::overlap compare(hashed_family const& other) const requires comparing<Family> {
    check_equal_hash(other);
    return family_.compare(other.family_);
  }

  void merge(hashed_family const& other) requires mergeable<Family> {
    check_equal_hash(other);
    family_.merge(other.family_);
    about_.items_inserted = saturating_sum(about_.items_inserted, other.about_.items_inserted);
    about_.kinds = about_.kinds | other.about_.kinds;
  }
  void intersect(hashed_family const& other) requires intersectable<Family> {
    check_equal_hash(other);
    family_.intersect(other.family_);
    about_.items_inserted = std::min(about_.items_inserted, other.about_.items_inserted);
  }

  /// Makes the filter `by` times smaller, without needing the keys. It then holds `by` times fewer keys at the planned rate,
  /// and its plan changes to that number, so that a caller who inserts more is warned in time. A family that takes no more
  /// keys, or any number of them, keeps its plan.
  void fold(std::uint64_t by) requires foldable<Family> {
    bool const keeps_plan = !takes_keys() || about_.items_planned == 0 || is_for_any_number();
    family_.fold(by);
    if (keeps_plan) return;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): fold(0) throws
    about_.items_planned = std::max<std::uint64_t>(about_.items_planned / by, 1);
  }
  /// Makes the filter as small as possible with fpr() at most `target`. Returns the factor, 1 if it cannot shrink. A target
  /// above the planned rate becomes the planned rate, and the planned number of keys is what the filter then holds at that
  /// rate.
  std::uint64_t fold_to_fpr(double target) requires foldable<Family> {
    auto const ways = plan::divisors(family_.fold_width());  // ascending, as are the rates after folding by them
    auto const kept = std::ranges::partition_point(ways, [&](std::uint64_t by) { return family_.fpr_folded(by) <= target; });
    if (kept == ways.begin()) return 1;
    bool const any_number = is_for_any_number();
    fold(*std::prev(kept));
    if (target > about_.fpr_planned && about_.fpr_planned > 0) {
      about_.fpr_planned = target;
      if (takes_keys() && !any_number)
        about_.items_planned = plan::most_items([&](std::uint64_t items) { return planned_fpr(items); }, target);
    }
    return *std::prev(kept);
  }

  /// Makes room for twice as many keys, without needing those that are there. The plan changes to that number, and to the rate
  /// that the filter then has.
  void grow() requires growable<Family> {
    family_.grow();
    if (about_.items_planned > std::numeric_limits<std::uint64_t>::max() / 2) return;
    about_.items_planned *= 2;
    if (about_.fpr_planned > 0) about_.fpr_planned = std::max(about_.fpr_planned, planned_fpr(about_.items_planned));
  }

  /// The false-positive rate predicted for a filter of this shape with `items` keys.
  [[nodiscard]] double planned_fpr(std::uint64_t items) const {
    if constexpr (plannable<Family>)
      return Family::planned_fpr(family_.shape(), items);
    else
      return family_.planned_fpr(items);
  }

  [[nodiscard]] std::size_t size_bytes() const noexcept { return family_.size_bytes(); }
  void clear() {
    family_.clear();
    about_.items_inserted = 0;
    about_.kinds = key_kind::none;
  }

  /// Equal filters give equal answers, now and after equal inserts. The plan and the number of insert calls are not compared.
  bool operator==(hashed_family const& other) const { return hash_ == other.hash_ && family_ == other.family_; }

 protected:
  Family family_;
  [[no_unique_address]] Hash hash_;
  envelope about_;  // about() fills in family and hash

 private:
  /// Can keys be inserted? Of a family that was chosen at run time, only the filter knows.
  [[nodiscard]] bool takes_keys() const {
    if constexpr (requires { family_.has(verb::insert); })
      return family_.has(verb::insert);
    else
      return insertable<Family>;
  }
  /// Is the rate the same for any number of keys, as the error of an estimate is?
  [[nodiscard]] bool is_for_any_number() const {
    return planned_fpr(1) == planned_fpr(std::max<std::uint64_t>(about_.items_planned, 2));
  }
  void check_equal_hash(hashed_family const& other) const {
    if (!(hash_ == other.hash_))
      throw error(errc::incompatible, "filters combine only when made with the same hash and the same seed or secret key");
  }
};

}  // namespace hortus
