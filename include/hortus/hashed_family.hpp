#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// The name a family has in files. any_family has one of its own.
template <family Family>
std::string family_name(Family const&) {
  return std::string(Family::name);
}

/// A hash nobody had to choose: the default one, or one with seed 0. A keyed hash has none, for without its key it keeps no
/// secret.
template <key_hash Hash>
requires(!std::constructible_from<Hash, secret_key>) Hash hash_without_key() { return Hash(); }

/// A family, the hash of its keys and what a file says of it: what was planned, how many insert calls there were, whether the
/// keys were text or integers. Here are the verbs of the whole filter; those that take keys are in of_keys.hpp.
///
/// It holds the family rather than deriving from it, so that no call can slip past the comparison of hashes or lose the hash on
/// the way to a file.
template <family Family, key_hash Hash>
class hashed_family {
 public:
  using family_type = Family;
  using hash_type = Hash;

  template <makeable F = Family>  // a template of its own: any_family has no goal
  explicit hashed_family(typename F::goal wish, Hash hash = hash_without_key<Hash>())
      : hashed_family(Family(Family::plan(wish)), std::move(hash)) {
    about_.items_planned = wish.items;
    about_.fpr_planned = wish.fpr;
  }
  explicit hashed_family(Family f, Hash hash = hash_without_key<Hash>()) : family_(std::move(f)), hash_(std::move(hash)) {}
  template <std::same_as<budget> Budget, makeable F = Family>  // a template: {.items = n} stays a goal
  explicit hashed_family(Budget wish, Hash hash = hash_without_key<Hash>())
      : hashed_family(best_goal<F>(wish), std::move(hash)) {}
  hashed_family(Family f, Hash hash, envelope about) : family_(std::move(f)), hash_(std::move(hash)), about_(std::move(about)) {
    std::string().swap(about_.family);  // the family knows its name; here it would be memory that nobody counts
  }

  hashed_family(hashed_family const&) = default;
  hashed_family(hashed_family&&) noexcept = default;
  /// All of it or, without memory for all of it, nothing. Member by member a family of several parts could be torn.
  hashed_family& operator=(hashed_family const& other) { return *this = hashed_family(other); }
  hashed_family& operator=(hashed_family&&) noexcept = default;
  ~hashed_family() = default;

  [[nodiscard]] Family const& family() const noexcept { return family_; }
  [[nodiscard]] Hash const& hash() const noexcept { return hash_; }

  /// The digest of a key under this filter's hash. Filters with equal hashes may share it: hash once, ask many.
  template <digestible Key>
  [[nodiscard]] digest digest_of(Key const& key) const noexcept(hashes_nothrow<Hash, Key>) {
    return hortus::digest_of(hash_, key);
  }
  template <digestible Key>
  [[nodiscard]] digest operator()(Key const& key) const noexcept(hashes_nothrow<Hash, Key>) {
    return digest_of(key);
  }

  /// What a file says of this filter besides its cells.
  [[nodiscard]] envelope about() const {
    auto it = about_;
    it.family = family_name(family_);
    it.hash_id = hash_id(hash_);
    it.seed = hash_.seed();
    it.key_check = hash_.check();
    return it;
  }

  /// Tells the time to a filter that forgets by it.
  void advance(std::uint64_t now) requires advancing<Family> { family_.advance(now); }
  /// May a key that was inserted be missed by now?
  [[nodiscard]] bool has_forgotten() const requires forgetting<Family> { return family_.has_forgotten(); }

  [[nodiscard]] double fpr() const requires membership<Family> { return family_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const requires estimating<Family> { return family_.estimate(); }

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

  /// Makes the filter `by` times smaller, without the keys. At the planned rate it then holds so many times fewer, and that is
  /// its plan from now on: whoever adds to it is told in time.
  void fold(std::uint64_t by) requires foldable<Family> {
    family_.fold(by);
    if (about_.items_planned != 0) about_.items_planned = std::max<std::uint64_t>(about_.items_planned / by, 1);
  }
  /// Makes it as small as it can be with fpr() at most `target`; by how much is returned, 1 if it cannot shrink at all. A
  /// target above the planned rate is the new plan, for as many keys as it then holds.
  std::uint64_t fold_to_fpr(double target) requires foldable<Family> {
    auto const ways = plan::divisors(family_.fold_width());  // ascending, as are the rates they lead to
    auto const kept = std::ranges::partition_point(ways, [&](std::uint64_t by) { return family_.fpr_folded(by) <= target; });
    if (kept == ways.begin()) return 1;
    fold(*std::prev(kept));
    if (target > about_.fpr_planned && about_.fpr_planned > 0) {
      about_.fpr_planned = target;
      about_.items_planned = plan::most_items([&](std::uint64_t items) { return planned_fpr(items); }, target);
    }
    return *std::prev(kept);
  }

  /// What the filter, shaped as it is, promises with so many keys.
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

  /// Equal filters give equal answers, now and after equal inserts. What was planned and how often it was called does not
  /// count.
  bool operator==(hashed_family const& other) const { return hash_ == other.hash_ && family_ == other.family_; }

 protected:
  Family family_;
  [[no_unique_address]] Hash hash_;
  envelope about_;  // family and hash are filled in by about()

 private:
  void check_equal_hash(hashed_family const& other) const {
    if (!(hash_ == other.hash_))
      throw error(errc::incompatible, "filters combine only when made with the same hash and the same seed or secret key");
  }
};

}  // namespace hortus
