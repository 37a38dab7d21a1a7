#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/hashed_family.hpp>
#include <hortus/kept_keys.hpp>
#include <hortus/key_batches.hpp>
#include <hortus/noted_inserts.hpp>
#include <hortus/ordered_insert.hpp>

namespace hortus {

template <class Filter>
class concurrent;
struct insert_by_threads;

/// A family that takes keys. Families know only digests; this is the one front that turns keys into digests, one by one or in
/// batches, for all of them. Verbs of the whole filter (merge, fold, fpr, estimate, clear) are in hashed_family.hpp.
///
/// Verbs of single keys are noexcept where the family's and the hash are.
/// Threads: calls of const members may run at the same time; a call of another member alone (but see concurrent.hpp). To insert
/// by several threads: parallel.hpp.
template <family Family, key_hash Hash = default_hash>
class of_keys : public hashed_family<Family, Hash> {
  using base = hashed_family<Family, Hash>;
  using base::about_, base::family_, base::hash_;

 public:
  using base::base;

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
    if constexpr (digest_row<Keys>) {
      digests = std::span<digest const>(keys);
    } else {
      made = all_digests(hash, keys);
      digests = made;
    }
    of_keys built(make(digests), std::move(hash),
                  envelope{.items_planned = wish.items != 0 ? wish.items : digests.size(), .fpr_planned = wish.fpr});
    if (!digests.empty()) note_inserts<std::ranges::range_value_t<Keys const>>(built.about_, digests.size());
    return built;
  }

  // -- one key ---------------------------------------------------------------------------------------------------------------

  template <digestible Key>
  void insert(Key const& key) noexcept(hashes_nothrow<Hash, Key>&& inserts_nothrow<Family>)  //
      requires(insertable<Family> && !can_refuse<Family>) {
    insert_key(family_, this->digest_of(key), key);
    note_inserts<Key>(about_, 1);  // after the insert: one that throws has changed nothing
  }
  /// Where the family can be full: did it go in? If not, nothing changed.
  template <digestible Key>
  [[nodiscard]] bool insert(Key const& key) noexcept(hashes_nothrow<Hash, Key>&& inserts_nothrow<Family>) requires(
      can_refuse<Family>) {
    bool const in = insert_key(family_, this->digest_of(key), key);
    if (in) note_inserts<Key>(about_, 1);
    return in;
  }
  /// As so many inserts in a row. Where counts are signed `times` may be negative, and undoes as many.
  template <digestible Key, weighted F = Family>
  void insert(Key const& key,
              times_type<F> times) noexcept(hashes_nothrow<Hash, Key> &&
                                            !key_keeping<F>&& noexcept(std::declval<F&>().insert(digest(), times))) {
    insert_key(family_, this->digest_of(key), key, times);
    if (times > 0) note_inserts<Key>(about_, static_cast<std::uint64_t>(times));
  }
  template <digestible Key>
  bool insert_if_new(Key const& key) noexcept(
      hashes_nothrow<Hash, Key>&& noexcept(std::declval<Family&>().insert_if_new(digest()))) requires noticing<Family> {
    bool const fresh = family_.insert_if_new(this->digest_of(key));
    note_inserts<Key>(about_, 1);
    return fresh;
  }
  template <digestible Key>
  [[nodiscard]] bool may_contain(Key const& key) const noexcept(
      hashes_nothrow<Hash, Key>&& noexcept(std::declval<Family const&>().may_contain(digest()))) requires membership<Family> {
    return family_.may_contain(this->digest_of(key));
  }
  /// Undoes one insert. False: the key was certainly absent, and nothing changed. The number of insert calls stays as it is.
  template <digestible Key>
  bool erase(Key const& key) noexcept(
      hashes_nothrow<Hash, Key>&& noexcept(std::declval<Family&>().erase(digest()))) requires erasable<Family> {
    return family_.erase(this->digest_of(key));
  }
  template <digestible Key>
  [[nodiscard]] auto count(Key const& key) const
      noexcept(hashes_nothrow<Hash, Key>&& noexcept(std::declval<Family const&>().count(digest()))) requires countable<Family> {
    return family_.count(this->digest_of(key));
  }

  // -- batches: the same as one by one, faster -------------------------------------------------------------------------------

  /// Returns how many went in: all of them.
  template <key_range Keys>
  std::size_t insert(Keys const& keys) requires(insertable<Family> && !can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// Where the family can be full: how many went in. The others are not members, and nobody else is told.
  template <key_range Keys>
  [[nodiscard]] std::size_t insert(Keys const& keys) requires(can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// Key i as often as times[i] says; as many of them as keys, or errc::bad_params.
  template <sized_key_range Keys, weighted F = Family>
  void insert(Keys const& keys, std::span<times_type<F> const> times) {
    if (number_of(keys) != times.size())
      throw error(errc::bad_params,
                  std::to_string(number_of(keys)) + " keys want as many numbers of times, not " + std::to_string(times.size()));
    if constexpr (key_keeping<Family>)
      if (family_.keeps_keys()) {
        for (auto time = times.begin(); auto const& key : keys) insert(key, *time++);
        return;
      }
    in_key_blocks<access::update>(family_, hash_, keys, [&](auto block, auto next) {
      noting<std::ranges::range_value_t<Keys const>> noted{about_};
      insert_times_block(family_, block, next, times.data());
      std::uint64_t in = 0;
      for (auto const each : times.first(block.size()))
        if (each > 0) in = saturating_sum(in, static_cast<std::uint64_t>(each));
      noted.went_in(in);
      times = times.subspan(block.size());
    });
  }
  /// Which were certainly not members before; all are now.
  template <key_range Keys>
  bitmask insert_if_new(Keys const& keys) requires noticing<Family> {
    return mask_of<access::update>(family_, hash_, keys, noticing_block<Keys>());
  }
  /// The same into the words of the caller, a bit a key, as in bitmask::words(). Throws errc::bad_params, and inserts nothing,
  /// if there are fewer than mask_words(number of keys).
  template <sized_key_range Keys>
  void insert_if_new(Keys const& keys, std::span<std::uint64_t> fresh) requires noticing<Family> {
    mask_into<access::update>(family_, hash_, keys, fresh, noticing_block<Keys>());
  }

  [[nodiscard]] bitmask may_contain(key_range auto const& keys) const requires membership<Family> {
    return mask_of<access::lookup>(family_, hash_, keys, asking_block());
  }
  /// Into the words of the caller, a bit a key; nothing is allocated. Throws errc::bad_params if they are too few.
  void may_contain(sized_key_range auto const& keys, std::span<std::uint64_t> hits) const requires membership<Family> {
    mask_into<access::lookup>(family_, hash_, keys, hits, asking_block());
  }
  /// A selection vector: the positions in `keys` of those that may be members, ascending, at the front of `positions`; how many
  /// they are. There must be room for the positions of all keys, or errc::bad_params. Nothing is allocated.
  [[nodiscard]] std::size_t select(sized_key_range auto const& keys,
                                   std::span<std::uint32_t> positions) const requires membership<Family> {
    return select_into(family_, hash_, keys, positions);
  }

  /// How many were erased; the others were certainly absent.
  std::size_t erase(key_range auto const& keys) requires erasable<Family> {
    std::size_t erased = 0;
    in_key_blocks<access::update>(family_, hash_, keys,
                                  [&](auto block, auto next) { erased += erase_block(family_, block, next); });
    return erased;
  }
  [[nodiscard]] auto count(key_range auto const& keys) const requires countable<Family> {
    return counts_of(family_, hash_, keys);
  }
  /// counts[i] becomes the count of key i; nothing is allocated. Throws errc::bad_params if there are fewer than keys.
  template <sized_key_range Keys, countable F = Family>
  void count(Keys const& keys, std::span<count_type<F>> counts) const {
    counts_into(family_, hash_, keys, counts);
  }

  /// The keys with the largest counts, the largest first. They are views into this filter, valid until it changes.
  [[nodiscard]] top_keys top(std::uint64_t most) const requires topping<Family> { return family_.top(most); }

 private:
  template <class>
  friend class concurrent;
  friend struct insert_by_threads;

  template <class Keys>
  std::size_t insert_keys(Keys const& keys) {
    using key_type = std::ranges::range_value_t<Keys const>;
    if constexpr (key_keeping<Family>)
      if (family_.keeps_keys()) return insert_kept(family_, hash_, keys, [&] { note_inserts<key_type>(about_, 1); });
    if constexpr (placed<Family> && sized_key_range<Keys>)
      if (worth_ordering(family_, number_of(keys))) {
        noting<key_type> noted{.about = about_, .in = 0, .known = true};
        auto key = std::ranges::begin(keys);
        auto fill = [&](std::span<digest> space) { return digests_of(hash_, key, std::ranges::end(keys), space); };
        insert_ordered(family_, fill, noted.in);
        return noted.in;
      }
    std::size_t in = 0;
    in_key_blocks<access::update>(family_, hash_, keys, [&](auto block, auto next) {
      noting<key_type> noted{about_};
      noted.went_in(insert_block(family_, block, next));
      in += noted.in;
    });
    return in;
  }

  [[nodiscard]] auto asking_block() const {
    return [this](auto block, auto next, std::uint64_t* hits) { may_contain_block(family_, block, next, hits); };
  }
  template <class Keys>
  [[nodiscard]] auto noticing_block() {
    return [this](auto block, auto next, std::uint64_t* fresh) {
      noting<std::ranges::range_value_t<Keys const>> noted{about_};
      insert_if_new_block(family_, block, next, fresh);
      noted.went_in(block.size());
    };
  }
};

}  // namespace hortus
