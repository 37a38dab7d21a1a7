#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// A family that takes keys. Families know only digests. This class turns keys into digests for all of them, one by one or in
/// batches. Verbs of the whole filter (merge, fold, fpr, estimate, clear) are in hashed_family.hpp.
///
/// Verbs of single keys are noexcept where both the family's verb and the hash are. Threads: calls of const members may run
/// at the same time. A call of any other member must run alone (but see concurrent.hpp). To insert with several threads, see
/// parallel.hpp.
template <family Family, key_hash Hash = default_hash>
class of_keys : public hashed_family<Family, Hash> {
  using base = hashed_family<Family, Hash>;
  using base::about_, base::family_, base::hash_;

 public:
  using base::base;

  /// Builds the filter from all keys at once, for families that need them all. `wish.items` is only recorded in the file, as
  /// a hint; 0 stands for the number of keys.
  template <key_range Keys, buildable F = Family>
  [[nodiscard]] static of_keys build(Keys const& keys, typename F::goal wish, Hash hash = hash_without_key<Hash>()) {
    return build_by(keys, wish, std::move(hash), [&](std::span<digest const> xs) { return F::build(xs, wish); });
  }
  /// The same, with make(digests) building the family, because a family chosen at run time has no goal of its own.
  template <key_range Keys>
  [[nodiscard]] static of_keys build_by(Keys const& keys, auto const& wish, Hash hash, auto make) {
    std::vector<digest> made;
    std::span<digest const> digests;
    if constexpr (digest_row<Keys>) {
      digests = digests_in(keys);
    } else {
      made = all_digests(hash, keys);
      digests = made;
    }
    of_keys built(make(digests), std::move(hash),
                  envelope{.items_planned = wish.items != 0 ? wish.items : digests.size(), .fpr_planned = wish.fpr});
    if (!digests.empty()) note_inserts<std::ranges::range_value_t<Keys const>>(built.about_, digests.size());
    return built;
  }

  /// Builds a map: keys[i] has values[i]. Throws conflicting_values if a key has two values.
  template <key_range Keys, map_buildable F = Family>
  [[nodiscard]] static of_keys build(Keys const& keys, std::span<std::uint64_t const> values, typename F::goal wish,
                                     Hash hash = hash_without_key<Hash>()) {
    return build_by(keys, wish, std::move(hash), [&](std::span<digest const> xs) { return F::build(xs, values, wish); });
  }

  /// Builds a set that tells the keys of one list from those of another. Throws conflicting_values if a key is in both.
  template <key_range Keys, key_range Others, buildable F = Family>
  [[nodiscard]] static of_keys build(Keys const& keys, Others const& others, typename F::goal wish = {},
                                     Hash hash = hash_without_key<Hash>())  //
      requires(requires(std::span<digest const> xs) { F::build(xs, xs, wish); }) {
    auto const apart = all_digests(hash, others);
    return build_by(keys, wish, std::move(hash), [&](std::span<digest const> xs) { return F::build(xs, apart, wish); });
  }

  // -- one key ---------------------------------------------------------------------------------------------------------------

  template <digestible Key>
  void insert(Key const& key) noexcept(hashes_nothrow<Hash, Key>&& inserts_nothrow<Family>)  //
      requires(insertable<Family> && !can_refuse<Family>) {
    insert_key(family_, this->digest_of(key), key);
    note_inserts<Key>(about_, 1);  // after the insert: an insert that throws has changed nothing
  }
  /// For families that can be full: returns whether the key was inserted. If not, nothing changed.
  template <digestible Key>
  [[nodiscard]] bool insert(Key const& key) noexcept(hashes_nothrow<Hash, Key>&& inserts_nothrow<Family>) requires(
      can_refuse<Family>) {
    bool const in = insert_key(family_, this->digest_of(key), key);
    if (in) note_inserts<Key>(about_, 1);
    return in;
  }
  /// The same as `times` inserts in a row. Where counts are signed, `times` may be negative: then it undoes -times inserts.
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
  /// The value of a key, or nothing. An absent key has some value with probability fpr().
  template <digestible Key>
  [[nodiscard]] std::optional<std::uint64_t> find(Key const& key) const
      noexcept(hashes_nothrow<Hash, Key>&& noexcept(std::declval<Family const&>().find(digest()))) requires finding<Family> {
    return family_.find(this->digest_of(key));
  }
  /// The same; throws errc::absent if there is none.
  template <digestible Key>
  [[nodiscard]] std::uint64_t at(Key const& key) const requires finding<Family> {
    if (auto const value = find(key)) return *value;
    throw error(errc::absent, "the key is not in the map");
  }
  /// Makes the key one of the map, with this value. Pre: it is none yet; see the family's card.
  template <digestible Key>
  auto put(Key const& key, std::uint64_t value) requires putting<Family> {
    auto const x = this->digest_of(key);
    if constexpr (std::is_void_v<decltype(family_.put(x, value))>) {
      family_.put(x, value);
      note_inserts<Key>(about_, 1);
    } else {
      bool const in = family_.put(x, value);
      if (in) note_inserts<Key>(about_, 1);
      return in;
    }
  }
  /// Changes the value of a key of the map. False: the key is certainly none, and nothing changed.
  template <digestible Key>
  bool assign(Key const& key, std::uint64_t value) requires assigning<Family> {
    return family_.assign(this->digest_of(key), value);
  }
  /// Undoes one insert. False: the key was certainly absent, and nothing changed. The recorded number of insert calls does
  /// not change.
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

  /// Returns the number of keys inserted, which is all of them.
  template <key_range Keys>
  std::size_t insert(Keys const& keys) requires(insertable<Family> && !can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// For families that can be full: returns the number of keys inserted. The others are not members; only this result tells.
  template <key_range Keys>
  [[nodiscard]] std::size_t insert(Keys const& keys) requires(can_refuse<Family>) {
    return insert_keys(keys);
  }
  /// Inserts key i times[i] times. Throws errc::bad_params unless `times` has one number for each key.
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
  /// Inserts all keys; returns which of them were certainly not members before.
  template <key_range Keys>
  bitmask insert_if_new(Keys const& keys) requires noticing<Family> {
    return mask_of<access::update>(family_, hash_, keys, noticing_block<Keys>());
  }
  /// The same into the caller's words, one bit a key, as in bitmask::words(). Throws errc::bad_params and inserts nothing if
  /// there are fewer than mask_words(number of keys) words.
  template <sized_key_range Keys>
  void insert_if_new(Keys const& keys, std::span<std::uint64_t> fresh) requires noticing<Family> {
    mask_into<access::update>(family_, hash_, keys, fresh, noticing_block<Keys>());
  }

  [[nodiscard]] bitmask may_contain(key_range auto const& keys) const requires membership<Family> {
    return mask_of<access::lookup>(family_, hash_, keys, asking_block());
  }
  /// Writes into the caller's words, one bit a key, and allocates nothing. Throws errc::bad_params if there are too few
  /// words.
  void may_contain(sized_key_range auto const& keys, std::span<std::uint64_t> hits) const requires membership<Family> {
    mask_into<access::lookup>(family_, hash_, keys, hits, asking_block());
  }
  /// Makes a selection vector: writes the positions in `keys` of those that may be members, ascending, to the front of
  /// `positions`, and returns their number. Throws errc::bad_params unless `positions` has room for one position per key.
  /// Allocates nothing.
  [[nodiscard]] std::size_t select(sized_key_range auto const& keys,
                                   std::span<std::uint32_t> positions) const requires membership<Family> {
    return select_into(family_, hash_, keys, positions);
  }

  [[nodiscard]] found_values find(sized_key_range auto const& keys) const requires finding<Family> {
    found_values found{std::vector<std::uint64_t>(number_of(keys)), bitmask(number_of(keys))};
    values_into(family_, hash_, keys, found.values, {found.hits.data(), mask_words(number_of(keys))});
    return found;
  }
  /// Sets values[i] to the value of key i, and bit i of `hits` if it has one; where it has none, the value is 0. Allocates
  /// nothing. Throws errc::bad_params if there is too little room.
  void find(sized_key_range auto const& keys, std::span<std::uint64_t> values,
            std::span<std::uint64_t> hits) const requires finding<Family> {
    values_into(family_, hash_, keys, values, hits);
  }

  /// Returns the number of keys erased; the others were certainly absent.
  std::size_t erase(key_range auto const& keys) requires erasable<Family> {
    std::size_t erased = 0;
    in_key_blocks<access::update>(family_, hash_, keys,
                                  [&](auto block, auto next) { erased += erase_block(family_, block, next); });
    return erased;
  }
  [[nodiscard]] auto count(key_range auto const& keys) const requires countable<Family> {
    return counts_of(family_, hash_, keys);
  }
  /// Sets counts[i] to the count of key i and allocates nothing. Throws errc::bad_params if there are fewer counts than keys.
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
    if constexpr (orderable<Family> && sized_key_range<Keys>)
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

template <family Family>
of_keys(Family) -> of_keys<Family>;
template <family Family, key_hash Hash>
of_keys(Family, Hash) -> of_keys<Family, Hash>;
template <family Family, key_hash Hash>
of_keys(Family, Hash, envelope) -> of_keys<Family, Hash>;

}  // namespace hortus
