#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hortus/bitmask.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/hashed_family.hpp>
#include <hortus/near/metric.hpp>
#include <hortus/noted_inserts.hpp>

namespace hortus {

/// The front of families that ask how near a key is, as of_keys is of those that ask for the same key. It makes a row of
/// digests from a key: near keys have many of them in common. Merge, clear, equality, and what files record are those of every
/// filter: hashed_family.hpp, io/store.hpp.
///
/// Threads: calls of const members may run at the same time. A call of any other member must run alone.
template <family Family, key_hash Hash = default_hash>
class near_filter : public hashed_family<Family, Hash> {
  using base = hashed_family<Family, Hash>;
  using base::about_, base::family_, base::hash_;
  using metric_type = std::remove_cvref_t<decltype(std::declval<Family const&>().metric_used())>;

 public:
  using base::base;
  explicit near_filter(typename Family::goal const& wish, Hash hash = hash_without_key<Hash>())
      : base(Family(Family::plan(wish)), std::move(hash), envelope{.items_planned = wish.items, .fpr_planned = wish.fpr}) {}

  /// Makes the key a member. All keys of a filter have the same dimension, that of the first: throws errc::bad_params and
  /// changes nothing for another, and for a key without direction (a vector of zeros).
  template <class Key>
  requires key_of_metric<metric_type, Key>
  void insert(Key const& key) {
    with_row(key, [&](std::uint64_t dimension, std::span<digest const> row) {
      family_.set_dimension(dimension);
      family_.insert(row);
    });
    note_inserts<std::string_view>(about_, 1);
  }
  /// The number of arrays in which the key looks like a member: all of them for a member, 0 in an empty filter. Throws as
  /// insert does.
  template <class Key>
  requires key_of_metric<metric_type, Key>
  [[nodiscard]] unsigned score(Key const& key) const {
    unsigned found = 0;
    with_row(key, [&](std::uint64_t, std::span<digest const> row) { found = family_.score(row); });
    return found;
  }
  /// True for every member. For a key within distance `near` of one, except with probability fnr. For a key at least `far` from
  /// all of them, with probability fpr.
  template <class Key>
  requires key_of_metric<metric_type, Key>
  [[nodiscard]] bool is_near(Key const& key) const { return score(key) >= family_.threshold(); }

  // -- batches: the same as one by one ---------------------------------------------------------------------------------------

  /// Returns the number of keys, all of which are members then. If one cannot be inserted, those before it were.
  template <std::ranges::input_range Keys>
  requires(key_of_metric<metric_type, std::ranges::range_value_t<Keys>> && !key_of_metric<metric_type, Keys>) std::size_t
      insert(Keys const& keys) {
    std::size_t inserted = 0;
    for (auto const& key : keys) {
      insert(key);
      ++inserted;
    }
    return inserted;
  }
  template <std::ranges::input_range Keys>
  requires(key_of_metric<metric_type, std::ranges::range_value_t<Keys>> && !key_of_metric<metric_type, Keys>)
      [[nodiscard]] std::vector<unsigned> score(Keys const& keys) const {
    std::vector<unsigned> scores;
    for (auto const& key : keys) scores.push_back(score(key));
    return scores;
  }
  template <std::ranges::input_range Keys>
  requires(key_of_metric<metric_type, std::ranges::range_value_t<Keys>> && !key_of_metric<metric_type, Keys>)
      [[nodiscard]] bitmask is_near(Keys const& keys) const {
    auto const scores = score(keys);
    bitmask near(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (scores[i] >= family_.threshold()) near.data()[i / 64] |= std::uint64_t{1} << (i % 64);
    return near;
  }

  [[nodiscard]] unsigned arrays() const noexcept { return family_.arrays(); }        ///< the largest score
  [[nodiscard]] unsigned threshold() const noexcept { return family_.threshold(); }  ///< the least score that means near
  /// The probability now that a key at distance `far` from all members is accepted.
  [[nodiscard]] double fpr() const { return family_.fpr(); }
  /// The probability that a near key is missed in a filter of this shape with `items` members.
  [[nodiscard]] double planned_fnr(std::uint64_t items) const { return Family::planned_fnr(family_.shape(), items); }

 private:
  template <class Key>
  void with_row(Key const& key, auto act) const {
    auto const prepared = family_.metric_used().prepared(key, hash_);
    family_.check_dimension(prepared.dimension());
    std::array<digest, plan::max_arrays> space;
    auto const row = std::span(space).first(family_.arrays());
    locality_digests(prepared, hash_, family_.samples(), row);
    act(prepared.dimension(), row);
  }
};

}  // namespace hortus
