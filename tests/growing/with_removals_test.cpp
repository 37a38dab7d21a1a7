#include <hortus/growing/with_removals.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using over_blocked = of_keys<with_removals<blocked>>;

static_assert(makeable<with_removals<>> && erasable<with_removals<>> && batched_membership<with_removals<>>);
static_assert(!mergeable<with_removals<>> && !foldable<with_removals<>> && !erase_restores<with_removals<>>);

std::size_t found(auto const& f, std::uint64_t from, std::uint64_t count) {
  std::size_t hits = 0;
  for (std::uint64_t done = 0; done < count; done += 100'000)
    hits += f.may_contain(keys<random_keys>(from + done, std::min<std::uint64_t>(100'000, count - done))).count();
  return hits;
}

// 100 000 keys, 20 000 of them removed, ten bits and seven probes each. Of the remaining members f2 = .0082 are missed, of the
// removed keys none is found, and of the absent keys f1 (1 - f2) = .0081. Given both fills the counts are binomial: false alarm
// 1e-9 each.
TEST(with_removals_filter, misses_and_rate_are_those_of_two_independent_filters) {
  with_removals_filter f(with_removals<>(with_removals<>::params{{1'000'000, 7}, {200'000, 7}}));
  EXPECT_EQ(f.insert(keys<random_keys>(0, 100'000)), 100'000U);
  EXPECT_EQ(found(f, 0, 100'000), 100'000U) << "nothing went: nothing is missed";
  EXPECT_EQ(f.family().miss_rate(), 0);
  auto const erased = f.erase(keys<random_keys>(0, 20'000));
  // Some keys to be removed were already hidden by earlier removals.
  EXPECT_GT(erased, 19'900U);
  EXPECT_LE(erased, 20'000U);

  EXPECT_EQ(found(f, 0, 20'000), 0U) << "removed keys are hidden always";
  double const f2 = f.family().miss_rate();
  EXPECT_NEAR(f2, .0082, .0004);
  double const missed = 80'000 - static_cast<double>(found(f, 20'000, 80'000));
  EXPECT_TRUE(binomial_band(80'000, f2).holds(missed)) << missed << " missed at " << f2;
  EXPECT_NEAR(f.fpr(), .0081, .0002);
  auto const others = static_cast<double>(found(f, absent, 2'000'000));
  EXPECT_TRUE(binomial_band(2e6, f.fpr()).holds(others)) << others << " found at " << f.fpr();
}

// With the same digest, parts of equal size would use the same positions, and a false positive of one would be one of the
// other.
TEST(with_removals_filter, rate_is_right_when_both_parts_have_the_same_shape) {
  with_removals_filter f(with_removals<>(with_removals<>::params{{100'000, 4}, {100'000, 4}}));
  (void)f.insert(keys<random_keys>(0, 10'000));
  f.erase(keys<random_keys>(0, 10'000));
  auto const others = static_cast<double>(found(f, absent, 2'000'000));
  EXPECT_TRUE(binomial_band(2e6, f.fpr()).holds(others)) << others << " found at " << f.fpr();
}

TEST(with_removals_filter, an_erased_key_is_refused_and_so_are_its_twins_and_insert_says_so) {
  with_removals_filter f(with_removals<>(with_removals<>::params{{1'000'000, 7}, {1000, 1}}));
  (void)f.insert(keys<random_keys>(0, 1000));
  f.erase(keys<random_keys>(0, 300));
  EXPECT_FALSE(f.insert(random_keys::make(0)));
  EXPECT_FALSE(f.may_contain(random_keys::make(0)));
  std::uint64_t refused = 0;
  for (std::uint64_t i = absent; i < absent + 10'000; ++i) {
    bool const in = f.insert(random_keys::make(i));
    EXPECT_EQ(in, f.may_contain(random_keys::make(i))) << "what went in is found, what did not is not";
    refused += in ? 0 : 1;
  }
  EXPECT_TRUE(binomial_band(10'000, f.family().miss_rate()).holds(static_cast<double>(refused))) << refused;
  EXPECT_EQ(f.insert(keys<random_keys>(0, 300)), 0U) << "a batch says how many went in";
}

// Compared with a map from keys to "in" or "gone", with tiny filters, so that false positives are frequent.
template <class Filter>
void walk(Filter f, std::uint64_t seed, unsigned pool, unsigned steps) {
  std::map<std::uint64_t, bool> model;  // true: in, false: gone; not in the map: never inserted, or refused
  for (unsigned step = 0; step < steps; ++step) {
    auto const draw = mix64(seed + step);
    auto const key = random_keys::make(draw % pool);
    bool const before = f.may_contain(key);
    auto const bytes = to_bytes(f);
    auto const known = model.find(key);
    if (draw >> 40 & 1) {
      bool const in = f.insert(key);
      EXPECT_EQ(f.may_contain(key), in);
      EXPECT_FALSE(in && known != model.end() && !known->second) << "an erased key is hidden for good";
      if (in) model[key] = true;
    } else {
      EXPECT_EQ(f.erase(key), before);
      EXPECT_FALSE(f.may_contain(key));
      EXPECT_EQ(from_bytes<Filter>(bytes) == f, !before) << "false: nothing changed";
      if (before) model[key] = false;
    }
    for (auto const& [other, in] : model) EXPECT_FALSE(!in && f.may_contain(other));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(with_removals_filter, keeps_its_promises_beside_a_map) {
  for (unsigned const pool : {1U, 2U, 10U, 200U}) {
    walk(with_removals_filter({.items = pool}), pool, pool, 500);
    walk(over_blocked({.items = pool, .removals = pool, .miss_rate = 0.1}), pool, pool, 500);
    walk(with_removals_filter(with_removals<>()), pool, pool, 100);
  }
}

// Within the cache and beyond it, where batches prefetch.
TEST(with_removals_filter, batches_answer_what_keys_do_one_by_one) {
  for (std::uint64_t const items : {1000U, 4'000'000U}) {
    over_blocked f({.items = items, .fpr = 0.05, .removals = 2000, .miss_rate = 0.05});
    auto const some = keys<random_keys>(0, 4000);
    (void)f.insert(some);
    auto one_by_one = f;
    std::size_t erased = 0;
    for (auto const key : keys<random_keys>(1000, 1000)) erased += std::size_t{one_by_one.erase(key)};
    EXPECT_EQ(f.erase(keys<random_keys>(1000, 1000)), erased);
    EXPECT_EQ(f, one_by_one);
    auto const asked = keys<random_keys>(0, 10'000);
    auto const hits = f.may_contain(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(hits[i], f.may_contain(asked[i])) << i;
  }
}

TEST(with_removals_filter, plan_keeps_both_rates) {
  for (std::uint64_t const items : {1U, 1000U, 1'000'000U})
    for (std::uint64_t const removals : {1U, 500U}) {
      with_removals<>::goal const wish{.items = items, .fpr = 0.01, .removals = removals, .miss_rate = 1e-4};
      auto const shape = with_removals<>::plan(wish);
      EXPECT_LE(with_removals<>::planned_fpr(shape, items), 0.01);
      EXPECT_LE(with_removals<>::planned_miss_rate(shape, removals), 1e-4);
      with_removals<> const f(shape);
      EXPECT_EQ(f.shape(), shape);
      EXPECT_EQ(f.size_bytes(), with_removals<>::planned_bytes(shape));
    }
  EXPECT_EQ(with_removals<>::plan({.items = 1000}), with_removals<>::plan({.items = 1000, .removals = 100}));
  EXPECT_NO_THROW((void)with_removals<>::plan({}));
  EXPECT_THROW((void)with_removals<>::plan({.items = 10, .fpr = 0}), error);
  EXPECT_THROW((void)with_removals<>::plan({.items = 10, .miss_rate = 1}), error);
  EXPECT_THROW((void)with_removals<>(with_removals<>::params{}), error);
  auto const per_item = [](with_removals<>::goal g) {
    return 8e-6 * static_cast<double>(with_removals<>::planned_bytes(with_removals<>::plan(g)));
  };
  EXPECT_NEAR(per_item({.items = 1'000'000, .removals = 1}), 9.6, 0.05) << "as the card says";
  EXPECT_NEAR(per_item({.items = 1'000'000, .removals = 1'000'000}), 9.6 + 14.4, 0.1);
}

TEST(with_removals_filter, saved_and_loaded_it_goes_on) {
  with_removals_filter f({.items = 1000, .removals = 200});
  (void)f.insert(keys<common_prefix_keys>(0, 1000));
  f.erase(keys<common_prefix_keys>(0, 100));
  auto again = from_bytes<with_removals_filter>(to_bytes(f));
  EXPECT_EQ(again, f);
  EXPECT_EQ(again.about().items_planned, 1000U);
  EXPECT_TRUE(again.erase(common_prefix_keys::make(200)));
  EXPECT_FALSE(again.insert(common_prefix_keys::make(0)));
  f.erase(common_prefix_keys::make(200));
  EXPECT_EQ(again, f);
  EXPECT_THROW((void)from_bytes<over_blocked>(to_bytes(f)), error) << "parts of another kind";
  EXPECT_THROW((void)from_bytes<bloom_filter>(to_bytes(f)), error);
  auto bytes = to_bytes(f);
  for (std::size_t const size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW((void)from_bytes<with_removals_filter>(std::span(bytes).first(size)), error);
  f.clear();
  EXPECT_EQ(f, with_removals_filter({.items = 1000, .removals = 200}));
}

TEST(with_removals_filter, is_worn_when_either_rate_has_passed_its_limit) {
  with_removals_filter f({.items = 10'000, .fpr = 0.01, .removals = 1000, .miss_rate = 0.001});
  with_removals<>::limits const limits{.fpr = 0.015, .miss_rate = 0.002};
  (void)f.insert(keys<random_keys>(0, 10'000));
  f.erase(keys<random_keys>(0, 1000));
  EXPECT_FALSE(f.family().worn(limits));
  auto too_many_went = f;
  too_many_went.erase(keys<random_keys>(1000, 500));
  EXPECT_GT(too_many_went.family().miss_rate(), 0.002);
  EXPECT_TRUE(too_many_went.family().worn(limits));
  EXPECT_FALSE(too_many_went.family().worn({.fpr = 1, .miss_rate = 1}));
  auto too_many_came = f;
  (void)too_many_came.insert(keys<random_keys>(10'000, 2000));
  EXPECT_GT(too_many_came.fpr(), 0.015);
  EXPECT_TRUE(too_many_came.family().worn(limits));
}

// From a record of all keys ever inserted: found keys stay found, erased keys stay absent, the miss rate starts again at
// zero, and refused keys can be inserted. Given the old filter, exactly the keys that it finds are kept.
TEST(with_removals_filter, regenerated_of_a_record_it_finds_what_was_found_and_takes_erased_keys_again) {
  using filter = of_keys<with_removals<>, xxh3>;
  filter f({.items = 50'000, .fpr = 0.01, .removals = 10'000, .miss_rate = 0.01}, xxh3(7));
  (void)f.insert(keys<common_prefix_keys>(0, 50'000));
  f.erase(keys<common_prefix_keys>(0, 10'000));
  ASSERT_FALSE(f.insert(common_prefix_keys::make(1)));
  auto const record = keys<common_prefix_keys>(0, 50'000);
  auto const before = f.may_contain(record);
  auto fresh = regenerated(f, record, {.fpr = 0.001, .removals = 5000});
  EXPECT_EQ(fresh.hash(), f.hash());
  EXPECT_EQ(fresh.family().miss_rate(), 0);
  EXPECT_LE(fresh.fpr(), 0.0011);
  EXPECT_NEAR(static_cast<double>(fresh.size_bytes()), 40'000 * 14.4 / 8 + 5000 * 14.4 / 8, 2000) << "planned for what it took";
  auto const after = fresh.may_contain(record);
  std::uint64_t again = 0;
  for (std::size_t i = 0; i < record.size(); ++i) {
    EXPECT_FALSE(before[i] && !after[i]) << i;
    again += after[i] && !before[i] ? 1U : 0U;
  }
  EXPECT_LT(again, 100U) << "of 10 000 removed ones and some that were missed, by chance";
  EXPECT_TRUE(fresh.insert(common_prefix_keys::make(1)));
  EXPECT_TRUE(fresh.may_contain(common_prefix_keys::make(1)));
}

TEST(with_removals_filter, regenerated_of_other_keys_it_takes_false_positives_for_members) {
  with_removals_filter f({.items = 10'000, .fpr = 0.05, .removals = 1000, .miss_rate = 0.01});
  (void)f.insert(keys<random_keys>(0, 10'000));
  auto const strangers = keys<random_keys>(absent, 10'000);
  auto const fresh = regenerated(f, strangers, {.items = 10'000, .fpr = 1e-9});
  EXPECT_EQ(fresh.may_contain(strangers).count(), f.may_contain(strangers).count());
  EXPECT_EQ(regenerated(f, std::vector<std::string>{}, {}).may_contain(strangers).count(), 0U);
}

}  // namespace
}  // namespace hortus::testing
