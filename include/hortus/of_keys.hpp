#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/hash/secret_key.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/io/envelope.hpp>
#include <hortus/kept_keys.hpp>
#include <hortus/ordered_insert.hpp>
#include <hortus/plan/divisors.hpp>
#include <hortus/plan/most_items.hpp>

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

/// act(hash): for a hash chosen at run time, the choice is made here, once for a batch.
void with_hash(hash_policy auto const& hash, auto act) { act(hash); }

/// A batch of keys: a range of things that are keys, and that is not itself a key (a string is one key, not many).
template <class Keys>
concept key_range =
    std::ranges::input_range<Keys const> && !digestible<Keys> && digestible<std::ranges::range_value_t<Keys const>>;

template <class Filter>
class concurrent;

/// A family that takes keys. Families know only digests; this is the one front that owns the hash and turns keys into digests,
/// one by one or in batches, for all of them. It holds the family rather than deriving from it, so that no call can slip past
/// the comparison of hashes or lose the hash on the way to a file. It also remembers what was planned, how many insert calls
/// there were and whether the keys were text or integers: what a file tells the next person.
///
/// Threads: calls of const members may run at the same time; a call of another member alone (but see concurrent.hpp).
template <family Family, key_hash Hash = default_hash>
class of_keys {
 public:
  using family_type = Family;
  using hash_type = Hash;

  template <makeable F = Family>  // a template of its own: any_family has no goal
  explicit of_keys(typename F::goal wish, Hash hash = hash_without_key<Hash>())
      : of_keys(Family(Family::plan(wish)), std::move(hash)) {
    about_.items_planned = wish.items;
    about_.fpr_planned = wish.fpr;
  }
  explicit of_keys(Family f, Hash hash = hash_without_key<Hash>()) : family_(std::move(f)), hash_(std::move(hash)) {}
  of_keys(Family f, Hash hash, envelope about) : family_(std::move(f)), hash_(std::move(hash)), about_(std::move(about)) {}

  /// Of all keys at once, for families that need that. `wish.items` is a hint, for people who read the file; 0 says that there
  /// are as many as keys.
  template <key_range Keys, buildable F = Family>
  [[nodiscard]] static of_keys build(Keys const& keys, typename F::goal wish, Hash hash = hash_without_key<Hash>()) {
    return build_by(keys, wish, std::move(hash), [&](std::span<digest const> xs) { return F::build(xs, wish); });
  }
  /// The same with the family's part done by make(digests): a family chosen at run time has no goal of its own.
  template <key_range Keys>
  [[nodiscard]] static of_keys build_by(Keys const& keys, auto const& wish, Hash hash, auto make) {
    std::vector<digest> made;
    std::span<digest const> digests;
    if constexpr (std::ranges::contiguous_range<Keys const> && std::same_as<std::ranges::range_value_t<Keys const>, digest>) {
      digests = std::span<digest const>(keys);
    } else {
      with_hash(hash, [&](auto const& h) { made = all_digests(h, keys); });
      digests = made;
    }
    of_keys built(make(digests), std::move(hash),
                  envelope{.items_planned = wish.items != 0 ? wish.items : digests.size(), .fpr_planned = wish.fpr});
    if (!digests.empty()) built.template note<std::ranges::range_value_t<Keys const>>(digests.size());
    return built;
  }

  [[nodiscard]] Family const& family() const noexcept { return family_; }
  [[nodiscard]] Hash const& hash() const noexcept { return hash_; }

  /// The digest of a key under this filter's hash. Filters with equal hashes may share it: hash once, ask many.
  [[nodiscard]] digest operator()(digestible auto const& key) const { return digest_of(hash_, key); }

  /// What a file says of this filter besides its cells.
  [[nodiscard]] envelope about() const {
    auto it = about_;
    it.family = family_name(family_);
    it.hash_id = hash_id(hash_);
    it.seed = hash_.seed();
    it.key_check = hash_.check();
    return it;
  }

  template <digestible Key>
  void insert(Key const& key) requires(insertable<Family> && !can_refuse<Family>) {
    insert_key(family_, (*this)(key), key);
    note<Key>(1);  // after the insert: one that throws has changed nothing
  }
  /// Where the family can be full: did it go in? If not, nothing changed.
  template <digestible Key>
  [[nodiscard]] bool insert(Key const& key) requires(can_refuse<Family>) {
    bool const in = insert_key(family_, (*this)(key), key);
    if (in) note<Key>(1);
    return in;
  }
  template <digestible Key>
  bool insert_if_new(Key const& key) requires noticing<Family> {
    bool const fresh = family_.insert_if_new((*this)(key));
    note<Key>(1);
    return fresh;
  }
  [[nodiscard]] bool may_contain(digestible auto const& key) const requires membership<Family> {
    return family_.may_contain((*this)(key));
  }

  /// Undoes one insert. False: the key was certainly absent, and nothing changed. The number of insert calls stays as it is.
  bool erase(digestible auto const& key) requires erasable<Family> { return family_.erase((*this)(key)); }
  [[nodiscard]] auto count(digestible auto const& key) const requires countable<Family> { return family_.count((*this)(key)); }

  /// A batch: the same as one by one, faster. Returns how many went in: all of them.
  template <key_range Keys>
  std::size_t insert(Keys const& keys) requires(insertable<Family> && !can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// Where the family can be full: how many went in. The others are not members, and nobody else is told.
  template <key_range Keys>
  [[nodiscard]] std::size_t insert(Keys const& keys) requires(can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// The same by several threads, in filters that keep a key in one place. They share no memory that they write to, so there
  /// is no atomic and the bytes are those of one thread. Takes as much memory as the filter has for the while.
  template <key_range Keys>
  std::size_t insert(Keys const& keys, unsigned threads) requires placed<Family> &&
      std::ranges::random_access_range<Keys const> && std::ranges::sized_range<Keys const> {
    return insert_in_order(keys, std::max(threads, 1U));
  }
  /// Which were certainly not members before; all are now.
  template <key_range Keys>
  bitmask insert_if_new(Keys const& keys) requires noticing<Family> {
    bitmask fresh;
    if constexpr (std::ranges::sized_range<Keys const>) fresh.resize(std::ranges::size(keys));
    std::size_t done = 0;
    in_blocks<access::update>(keys, [&](auto block, auto next) {
      if (fresh.size() < done + block.size()) fresh.resize(done + block.size());
      noting<Keys> noted{*this};
      insert_if_new_block(family_, block, next, fresh.data() + done / 64);
      noted.went_in(block.size());
      done += block.size();
    });
    return fresh;
  }
  [[nodiscard]] bitmask may_contain(key_range auto const& keys) const requires membership<Family> {
    bitmask hits;
    if constexpr (std::ranges::sized_range<decltype(keys)>) hits.resize(std::ranges::size(keys));
    std::size_t done = 0;
    in_blocks<access::lookup>(keys, [&](auto block, auto next) {
      if (hits.size() < done + block.size()) hits.resize(done + block.size());
      may_contain_block(family_, block, next, hits.data() + done / 64);
      done += block.size();
    });
    return hits;
  }

  /// How many were erased; the others were certainly absent.
  std::size_t erase(key_range auto const& keys) requires erasable<Family> {
    std::size_t erased = 0;
    in_blocks<access::update>(keys, [&](auto block, auto next) { erased += erase_block(family_, block, next); });
    return erased;
  }
  [[nodiscard]] auto count(key_range auto const& keys) const requires countable<Family> {
    std::vector<count_type<Family>> counts;
    if constexpr (std::ranges::sized_range<decltype(keys)>) counts.reserve(std::ranges::size(keys));
    in_blocks<access::count>(keys, [&](auto block, auto next) {
      auto const done = counts.size();
      counts.resize(done + block.size());
      count_block(family_, block, next, counts.data() + done);
    });
    return counts;
  }

  /// The keys with the largest counts, the largest first. They are views into this filter, until it changes.
  [[nodiscard]] top_keys top(std::uint64_t most) const requires topping<Family> { return family_.top(most); }

  /// Tells the time to a filter that forgets by it.
  void advance(std::uint64_t now) requires advancing<Family> { family_.advance(now); }
  /// May a key that was inserted be missed by now?
  [[nodiscard]] bool has_forgotten() const requires forgetting<Family> { return family_.has_forgotten(); }

  [[nodiscard]] double fpr() const requires membership<Family> { return family_.fpr(); }
  [[nodiscard]] plan::estimate estimate() const requires estimating<Family> { return family_.estimate(); }

  void merge(of_keys const& other) requires mergeable<Family> {
    check_equal_hash(other);
    family_.merge(other.family_);
    about_.items_inserted += other.about_.items_inserted;
    about_.kinds = about_.kinds | other.about_.kinds;
  }
  void intersect(of_keys const& other) requires intersectable<Family> {
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
  bool operator==(of_keys const& other) const { return hash_ == other.hash_ && family_ == other.family_; }

 private:
  template <class>
  friend class concurrent;

  template <class Key>
  void note(std::size_t inserts) noexcept {
    about_.items_inserted += inserts;
    about_.kinds = about_.kinds | kind_of<Key>;
  }

  /// Notes how many keys of a batch went in when the scope is left, also by an exception. A block that throws does not say how
  /// many of its keys are in: then `known` is still false, and their kind is noted in any case.
  template <class Keys>
  struct noting {
    of_keys& self;
    std::size_t in = 0;
    bool known = false;

    void went_in(std::size_t keys) {
      in = keys;
      known = true;
    }
    ~noting() {
      if (in != 0 || !known) self.template note<std::ranges::range_value_t<Keys const>>(in);
    }
  };

  template <class Keys>
  std::size_t insert_keys(Keys const& keys) {
    if constexpr (key_keeping<Family>)
      if (family_.keeps_keys())
        return insert_kept(family_, hash_, keys, [&] { note<std::ranges::range_value_t<Keys const>>(1); });
    if constexpr (placed<Family> && std::ranges::sized_range<Keys const>)
      if (worth_ordering(family_, std::ranges::size(keys))) return insert_in_order(keys, 1);
    std::size_t in = 0;
    in_blocks<access::update>(keys, [&](auto block, auto next) {
      noting<Keys> noted{*this};
      noted.went_in(insert_block(family_, block, next));
      in += noted.in;
    });
    return in;
  }

  template <class Keys>
  std::size_t insert_in_order(Keys const& keys, unsigned threads) {
    using iterator = std::ranges::iterator_t<Keys const>;
    auto const size = static_cast<std::uint64_t>(std::ranges::size(keys));
    noting<Keys> noted{.self = *this, .in = 0, .known = true};
    with_hash(hash_, [&](auto const& hash) {
      struct share {
        decltype(hash) of;
        iterator key;
        iterator end;
        std::size_t operator()(std::span<digest> space) { return digests_of(of, key, end, space); }
      };
      std::vector<share> shares;
      auto const at = [&](std::uint64_t i) {
        return std::ranges::next(std::ranges::begin(keys), static_cast<std::ranges::range_difference_t<Keys const>>(i));
      };
      for (unsigned t = 0; t < threads; ++t) shares.push_back({hash, at(size * t / threads), at(size * (t + 1) / threads)});
      insert_ordered(family_, std::span(shares), noted.in);
    });
    return noted.in;
  }

  /// act(block, next) for block after block of digests; see batch.hpp.
  template <access For, class Keys, class Act>
  void in_blocks(Keys const& keys, Act act) const {
    if constexpr (std::ranges::contiguous_range<Keys const> && std::same_as<std::ranges::range_value_t<Keys const>, digest>) {
      hortus::in_blocks<For>(family_, std::span<digest const>(keys), act);
    } else {
      with_hash(hash_, [&](auto const& hash) {
        auto key = std::ranges::begin(keys);
        auto const end = std::ranges::end(keys);
        auto const fill = [&](std::span<digest> space) { return digests_of(hash, key, end, space); };
        hortus::in_blocks<For>(family_, fill, act);
      });
    }
  }

  void check_equal_hash(of_keys const& other) const {
    if (!(hash_ == other.hash_))
      throw error(errc::incompatible, "filters combine only when made with the same hash and the same seed or secret key");
  }

  Family family_;
  [[no_unique_address]] Hash hash_;
  envelope about_;  // family and hash are filled in by about()
};

}  // namespace hortus
