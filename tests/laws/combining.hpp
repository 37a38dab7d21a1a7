#pragma once
#include "laws/support.hpp"

/// merge and intersect.
namespace hortus::testing {

template <class F>
requires mergeable<F> && makeable<F> &&(merge_is_union<F>)void merge_is_union_byte_for_byte() {
  for (std::uint64_t const items : {0U, 1U, 1000U}) {
    of_keys<F> a(goal_for<F>(2000)), b(goal_for<F>(2000)), both(goal_for<F>(2000));
    fill(a, keys<random_keys>(0, items));
    fill(b, keys<random_keys>(items, items));
    fill(both, keys<random_keys>(0, 2 * items));
    a.merge(b);
    EXPECT_EQ(to_bytes(a), to_bytes(both)) << items;
  }
  if constexpr (weighted<F>) {  // counts of all sizes, and keys that both have
    of_keys<F> a(goal_for<F>(2000)), b = a, both = a;
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto const of_a = random_keys::make(i), of_b = random_keys::make(i + 150);
      auto const times = static_cast<times_type<F>>(i);
      a.insert(of_a, times), both.insert(of_a, times);
      b.insert(of_b, 3 * times), both.insert(of_b, 3 * times);
    }
    a.merge(b);
    EXPECT_EQ(to_bytes(a), to_bytes(both));
  }
}

/// A filter of these keys, for a family that is built of all keys at once. Filters combine that were planned for equal numbers
/// of keys: those of the same capacity.
template <class F>
requires mergeable<F> && buildable<F> of_keys<F> built_for(std::uint64_t capacity, std::uint64_t from, std::uint64_t items,
                                                           xxh3 hash = {}) {
  auto goal = goal_for<F>(2000);
  goal.capacity = capacity;
  return of_keys<F>::build(keys<random_keys>(from, items), goal, hash);
}

/// Also of filters that share keys.
template <class F>
requires mergeable<F> && buildable<F> &&(merge_is_union<F>)void merge_of_built_filters_is_union_byte_for_byte() {
  for (std::uint64_t const items : {0U, 1U, 1000U})
    for (std::uint64_t const shared : {std::uint64_t{0}, items / 3, items}) {
      auto a = built_for<F>(2000, 0, items);
      a.merge(built_for<F>(2000, items - shared, items));
      EXPECT_EQ(own_bytes(a), own_bytes(built_for<F>(2000, 0, 2 * items - shared))) << items << ", shared " << shared;
      EXPECT_EQ(a.about().items_inserted, 2 * items);
      EXPECT_EQ(a.may_contain(keys<random_keys>(0, 2 * items - shared)).count(), 2 * items - shared);
    }
}

/// Those of one filter that the other finds: more than the keys of both, by the rate.
template <class F>
requires intersectable<F> && buildable<F>
void intersect_of_built_filters_keeps_what_both_have() {
  auto a = built_for<F>(2000, 0, 1500);
  auto const b = built_for<F>(2000, 500, 1500);
  auto const of_a = a.fpr(), of_both = built_for<F>(2000, 500, 1000).fpr();
  auto const asked = keys<random_keys>(absent, 10'000);
  auto const in_a = a.may_contain(asked), in_b = b.may_contain(asked);
  a.intersect(b);
  EXPECT_EQ(a.may_contain(keys<random_keys>(500, 1000)).count(), 1000U);
  EXPECT_LT(a.fpr(), of_a);
  EXPECT_GE(a.fpr(), of_both);
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(a.may_contain(asked[i]), in_a[i] && in_b[i]) << i;
}

template <class F>
requires mergeable<F> && buildable<F>
void unequal_built_filters_do_not_combine_and_stay_as_they_were() {
  auto f = built_for<F>(2000, 0, 1000);
  auto const before = to_bytes(f);
  auto const other_size = built_for<F>(3000, 0, 1000);
  auto const other_seed = built_for<F>(2000, 0, 1000, xxh3(1));
  for (auto const* other : {&other_size, &other_seed}) {
    EXPECT_EQ(code_of([&] { f.merge(*other); }), errc::incompatible);
    if constexpr (intersectable<F>) {
      EXPECT_EQ(code_of([&] { f.intersect(*other); }), errc::incompatible);
    }
  }
  EXPECT_EQ(to_bytes(f), before);
}

/// How many keys two filters share is estimated from both. The true numbers are within 4.5 standard deviations (7e-6 for each
/// of ten figures), and the estimates fit each other.
template <class F>
requires comparing<F>
void comparison_finds_how_many_keys_both_have() {
  auto const made = [](std::uint64_t first, std::uint64_t count) {
    if constexpr (buildable<F>) {
      return built_for<F>(6000, first, count);
    } else {
      of_keys<F> f(goal_for<F>(6000));
      fill(f, keys<random_keys>(first, count));
      return f;
    }
  };
  auto const a = made(0, 4000), b = made(2500, 3000), none = made(0, 0);
  auto const near = [](plan::estimate const& e, double truth) {
    EXPECT_LE(e.low, e.value);
    EXPECT_LE(e.value, e.high);
    EXPECT_NEAR(e.value, truth, 4.5 / plan::z95 * (e.high - e.low) / 2 + 1e-6 * truth) << e.low << " to " << e.high;
  };
  auto const found = a.compare(b), turned = b.compare(a);
  near(found.a, 4000), near(found.b, 3000), near(found.either, 5500), near(found.both, 1500);
  near(found.only_a, 2500), near(found.only_b, 1500), near(found.jaccard, 1500.0 / 5500);
  EXPECT_LT(found.both.high - found.both.low, 1500);  // an interval that says something
  EXPECT_DOUBLE_EQ(found.a.value, a.estimate().value);
  EXPECT_DOUBLE_EQ(turned.only_a.value, found.only_b.value);
  EXPECT_DOUBLE_EQ(turned.both.value, found.both.value);
  EXPECT_EQ(turned.either, found.either);
  if (found.by_counters) {
    near(found.by_counters->only_a, 2500), near(found.by_counters->only_b, 1500);
    EXPECT_NEAR(a.compare(a).by_counters->only_a.value, 0, 1e-9);
  }
  auto const same = a.compare(a);
  EXPECT_NEAR(same.only_a.value, 0, 1e-6);
  EXPECT_DOUBLE_EQ(same.both.value, same.a.value);
  EXPECT_NEAR(same.jaccard.value, 1, 1e-12);
  EXPECT_EQ(none.compare(none).either, plan::estimate{});
  EXPECT_DOUBLE_EQ(a.compare(none).only_a.value, a.estimate().value);
  EXPECT_EQ(a.compare(none).both.value, 0);
}

template <class F>
requires comparing<F> && makeable<F> && mergeable<F>
void filters_made_otherwise_are_not_compared() {
  auto const f = filled<F>(1000);
  EXPECT_EQ(code_of([&] { (void)f.compare(of_keys<F>(goal_for<F>(1000), xxh3(1))); }), errc::incompatible);
  if constexpr (!merges_any_shape<F>) {
    EXPECT_EQ(code_of([&] { (void)f.compare(filled<F>(3000, 0, 0.003)); }), errc::incompatible);
  }
}

/// Also of filters that share keys, and with what both know taken out again.
template <class F>
requires mergeable<F> && insertable<F> && countable<F>
void merge_adds_counts_and_erase_takes_off_again() {
  of_keys<F> a(goal_for<F>(2000)), b(goal_for<F>(2000));
  fill(a, keys<random_keys>(0, 1000));
  fill(b, keys<random_keys>(500, 1000));
  auto const alone = a.family();
  a.merge(b);
  auto const most = most_counted<F>();
  if constexpr (never_undercounts<F>)
    for (std::uint64_t i = 0; i < 1500; ++i) {
      ASSERT_GE(a.count(random_keys::make(i)), std::min<std::uint64_t>(i >= 500 && i < 1000 ? 2 : 1, most)) << i;
    }
  if constexpr (erasable<F>) {
    EXPECT_EQ(a.erase(keys<random_keys>(500, 1000)), 1000U);
    if constexpr (erase_restores<F>) {
      EXPECT_TRUE(a.family() == alone);
    }
  }
}

template <class F>
requires mergeable<F> && makeable<F>
void unequal_filters_do_not_combine_and_stay_as_they_were() {
  auto f = filled<F>(1000);
  auto const before = to_bytes(f);
  auto const other_size = filled<F>(3000, 0, 0.003);  // some are planned by one of these only
  of_keys<F> const other_seed(goal_for<F>(1000), xxh3(1));
  if constexpr (!merges_any_shape<F>) {
    EXPECT_EQ(code_of([&] { f.merge(other_size); }), errc::incompatible);
  }
  EXPECT_EQ(code_of([&] { f.merge(other_seed); }), errc::incompatible);
  if constexpr (intersectable<F>) {
    EXPECT_EQ(code_of([&] { f.intersect(other_size); }), errc::incompatible);
    EXPECT_EQ(code_of([&] { f.intersect(other_seed); }), errc::incompatible);
  }
  EXPECT_EQ(to_bytes(f), before);
}

/// In both directions: nothing is missed, and the rate is the one it has. A filter that was planned for one key may be too
/// coarse for the others; then nothing changes.
template <class F>
requires mergeable<F> && membership<F> &&(merges_any_shape<F>)void filters_of_different_shapes_merge() {
  for (std::uint64_t const few : {0U, 1U, 1000U})
    for (double const fpr : {.1, .01, 1e-4}) {
      auto const small = filled<F>(few, 0, fpr), large = filled<F>(3000, few);
      for (auto const& [to, from] : {std::pair(small, large), std::pair(large, small)}) {
        auto both = to;
        try {
          both.merge(from);
        } catch (error const& e) {
          EXPECT_TRUE(few == 1 && e.code() == errc::incompatible) << few << " at " << fpr << ": " << e.what();
          EXPECT_EQ(to_bytes(both), to_bytes(to));
          continue;
        }
        EXPECT_EQ(both.may_contain(keys<random_keys>(0, few + 3000)).count(), few + 3000) << few << " at " << fpr;
        EXPECT_EQ(both.about().items_inserted, few + 3000);
        EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(both)), both);
        auto const hits = both.may_contain(keys<random_keys>(absent, 100'000)).count();
        EXPECT_TRUE(binomial_band(1e5, both.fpr()).holds(static_cast<double>(hits))) << hits << " at " << both.fpr();
      }
    }
}

template <class F>
requires intersectable<F> && makeable<F> && membership<F>
void intersect_keeps_what_both_have() {
  of_keys<F> a(goal_for<F>(2000)), b(goal_for<F>(2000));
  fill(a, keys<random_keys>(0, 1500));
  fill(b, keys<random_keys>(500, 1500));
  auto const of_a = a.fpr();
  a.intersect(b);
  EXPECT_EQ(a.may_contain(keys<random_keys>(500, 1000)).count(), 1000U);
  EXPECT_LT(a.fpr(), of_a);
}

/// Bit by bit what both have, to the last bit: the cells of a family that intersects are bits.
template <class F>
requires intersectable<F> && makeable<F>
void intersect_is_the_and_of_all_cells() {
  auto const cells = [](of_keys<F> const& f) {
    std::vector<std::byte> all;
    auto const stored = image_of(f);
    for (auto const section : stored.sections) all.insert(all.end(), section.begin(), section.end());
    return all;
  };
  for (std::uint64_t const planned : {1U, 7U, 100U, 2000U, 100'000U}) {
    of_keys<F> a(goal_for<F>(planned)), b(goal_for<F>(planned));
    fill(a, keys<random_keys>(0, 2 * planned));  // overfilled: bits in every word
    fill(b, keys<random_keys>(planned, planned));
    auto expected = cells(a);
    auto const of_b = cells(b);
    std::ranges::transform(expected, of_b, expected.begin(), std::bit_and<>());
    a.intersect(b);
    EXPECT_EQ(cells(a), expected) << planned;
    EXPECT_EQ(a.about().items_inserted, planned);
  }
}

/// How many inserts there were, and of what kinds of keys, in both: also when one of them is empty, and after a reload.
template <class F>
requires mergeable<F> && insertable<F>
void merge_keeps_the_books_of_both() {
  of_keys<F> const empty(goal_for<F>(1000));
  auto of_integers = empty, of_text = empty, of_digests = empty;
  fill(of_integers, keys<random_keys>(0, 100));
  fill(of_text, keys<common_prefix_keys>(0, 10));
  ASSERT_TRUE(insert_key(of_digests, digest(7)));
  struct {
    of_keys<F> const& a;
    of_keys<F> const& b;
    key_kind kinds;
    std::uint64_t inserts;
  } const rows[] = {{of_integers, of_text, key_kind::integers | key_kind::bytes, 110},
                    {of_text, of_integers, key_kind::integers | key_kind::bytes, 110},
                    {of_digests, of_text, key_kind::digests | key_kind::bytes, 11},
                    {of_integers, of_integers, key_kind::integers, 200},
                    {empty, of_text, key_kind::bytes, 10},
                    {of_text, empty, key_kind::bytes, 10},
                    {empty, empty, key_kind::none, 0}};
  for (auto const& row : rows) {
    auto both = row.a;
    both.merge(row.b);
    EXPECT_EQ(both.about().kinds, row.kinds);
    EXPECT_EQ(both.about().items_inserted, row.inserts);
    EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(both)).about(), both.about());
  }
}

template <class F>
void register_combining_laws() {
  HORTUS_LAW(merge_is_union_byte_for_byte);
  HORTUS_LAW(merge_of_built_filters_is_union_byte_for_byte);
  HORTUS_LAW(comparison_finds_how_many_keys_both_have);
  HORTUS_LAW(filters_made_otherwise_are_not_compared);
  HORTUS_LAW(intersect_of_built_filters_keeps_what_both_have);
  HORTUS_LAW(unequal_built_filters_do_not_combine_and_stay_as_they_were);
  HORTUS_LAW(merge_adds_counts_and_erase_takes_off_again);
  HORTUS_LAW(unequal_filters_do_not_combine_and_stay_as_they_were);
  HORTUS_LAW(filters_of_different_shapes_merge);
  HORTUS_LAW(intersect_keeps_what_both_have);
  HORTUS_LAW(intersect_is_the_and_of_all_cells);
  HORTUS_LAW(merge_keeps_the_books_of_both);
}

}  // namespace hortus::testing
