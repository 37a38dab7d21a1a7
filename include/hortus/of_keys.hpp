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
#include <hortus/plan/divisors.hpp>

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

/// A family that takes keys. Families know only digests; this is the one front that owns the hash and turns keys into digests,
/// one by one or in batches, for all of them. It holds the family rather than deriving from it, so that no call can slip past
/// the comparison of hashes or lose the hash on the way to a file. It also remembers what was planned, how many insert calls
/// there were and whether the keys were text or integers: what a file tells the next person.
///
/// Threads: calls of const members may run at the same time; a call of another member alone.
template <family Family, key_hash Hash = default_hash>
class of_keys {
 public:
  using family_type = Family;
  using hash_type = Hash;

  template <plannable F = Family>  // a template of its own: any_family has no goal
  explicit of_keys(typename F::goal wish, Hash hash = hash_without_key<Hash>())
      : of_keys(Family(Family::plan(wish)), std::move(hash)) {
    about_.items_planned = wish.items;
    about_.fpr_planned = wish.fpr;
  }
  explicit of_keys(Family f, Hash hash = hash_without_key<Hash>()) : family_(std::move(f)), hash_(std::move(hash)) {}
  of_keys(Family f, Hash hash, envelope about) : family_(std::move(f)), hash_(std::move(hash)), about_(std::move(about)) {}

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
  decltype(auto) insert(Key const& key) requires insertable<Family> {
    auto const x = (*this)(key);
    note<Key>(1);
    return family_.insert(x);
  }
  template <digestible Key>
  bool insert_if_new(Key const& key) requires noticing<Family> {
    auto const x = (*this)(key);
    note<Key>(1);
    return family_.insert_if_new(x);
  }
  [[nodiscard]] bool may_contain(digestible auto const& key) const requires membership<Family> {
    return family_.may_contain((*this)(key));
  }

  /// Undoes one insert. False: the key was certainly absent, and nothing changed. The number of insert calls stays as it is.
  bool erase(digestible auto const& key) requires erasable<Family> { return family_.erase((*this)(key)); }
  [[nodiscard]] auto count(digestible auto const& key) const requires countable<Family> { return family_.count((*this)(key)); }

  /// A batch: the same as one by one, faster. Returns how many went in: all of them, unless the family can be full.
  template <key_range Keys>
  std::size_t insert(Keys const& keys) requires insertable<Family> {
    std::size_t in = 0;
    in_blocks(keys, [&](std::span<digest const> xs) {
      note<std::ranges::range_value_t<Keys const>>(xs.size());
      in += insert_block(family_, xs);
    });
    return in;
  }
  [[nodiscard]] bitmask may_contain(key_range auto const& keys) const requires membership<Family> {
    bitmask hits;
    in_blocks(keys, [&](std::span<digest const> xs) {
      auto const done = hits.size();
      hits.resize(done + xs.size());
      may_contain_block(family_, xs, hits.data() + done / 64);
    });
    return hits;
  }

  /// How many were erased; the others were certainly absent.
  std::size_t erase(key_range auto const& keys) requires erasable<Family> {
    std::size_t erased = 0;
    in_blocks(keys, [&](std::span<digest const> xs) { erased += erase_block(family_, xs); });
    return erased;
  }
  [[nodiscard]] auto count(key_range auto const& keys) const requires countable<Family> {
    std::vector<count_type<Family>> counts;
    if constexpr (std::ranges::sized_range<decltype(keys)>) counts.reserve(std::ranges::size(keys));
    in_blocks(keys, [&](std::span<digest const> xs) {
      auto const done = counts.size();
      counts.resize(done + xs.size());
      count_block(family_, xs, counts.data() + done);
    });
    return counts;
  }

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

  /// Makes the filter `by` times smaller, without the keys.
  void fold(std::uint64_t by) requires foldable<Family> { family_.fold(by); }
  /// Makes it as small as it can be with fpr() at most `target`; by how much is returned, 1 if it cannot shrink at all.
  std::uint64_t fold_to_fpr(double target) requires foldable<Family> {
    auto const ways = plan::divisors(family_.fold_width());  // ascending, as are the rates they lead to
    auto const kept = std::ranges::partition_point(ways, [&](std::uint64_t by) { return family_.fpr_folded(by) <= target; });
    if (kept == ways.begin()) return 1;
    family_.fold(*std::prev(kept));
    return *std::prev(kept);
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
  template <class Key>
  void note(std::size_t inserts) noexcept {
    about_.items_inserted += inserts;
    about_.kinds = about_.kinds | kind_of<Key>;
  }

  /// act(digests), block_keys of them at a time (fewer at the end); whole blocks, so that answers fill whole words.
  template <class Keys, class Act>
  void in_blocks(Keys const& keys, Act act) const {
    if constexpr (std::ranges::contiguous_range<Keys const> && std::same_as<std::ranges::range_value_t<Keys const>, digest>) {
      std::span<digest const> const all(keys);
      for (std::size_t i = 0; i < all.size(); i += block_keys) act(all.subspan(i, std::min(block_keys, all.size() - i)));
    } else {
      with_hash(hash_, [&](auto const& hash) {
        std::array<digest, block_keys> block;
        std::size_t n = 0;
        for (auto const& key : keys) {
          block[n++] = digest_of(hash, key);
          if (n == block.size()) act(std::span<digest const>(block)), n = 0;
        }
        if (n != 0) act(std::span<digest const>(block).first(n));
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
