#include <hortus/aging/in_generations.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include <hortus/aging/age_partitioned.hpp>
#include <hortus/aging/blocked_aging.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

/// Windows of time, of all families that remember keys by generations.
namespace hortus::testing {
namespace {

unsigned generations_of(age_partitioned::params const& p) { return p.generations; }
unsigned generations_of(blocked_aging::params const& p) { return plan::block_slices - p.probes; }

template <class F>
class in_generations_filter : public ::testing::Test {};
using families_with_generations = ::testing::Types<age_partitioned, blocked_aging>;
TYPED_TEST_SUITE(in_generations_filter, families_with_generations);

TYPED_TEST(in_generations_filter, ages_by_time) {
  std::uint64_t constexpr window = 1000;
  of_keys<TypeParam> f({.items = 300, .fpr = 0.01, .ticks = window});
  ASSERT_GE(f.family().shape().generation_ticks * generations_of(f.family().shape()), window);
  std::map<std::uint64_t, std::uint64_t> inserted;  // key, and when it was last inserted
  std::uint64_t now = 1'700'000'000'000;            // starts anywhere
  f.advance(now);
  for (std::uint64_t step = 0; step < 4000; ++step) {
    now += step % 500 == 499 ? 3 * window : mix64(step) % 8;  // about one key in 4 ticks; sometimes a long pause
    f.advance(now);
    auto const key = random_keys::make(mix64(step) % 10 < 3 ? step / 2 : step);
    f.insert(key);
    inserted[key] = now;
    if (step % 10 == 0) {
      std::uint64_t old = 0, old_found = 0;
      for (auto const& [k, when] : inserted) {
        if (now - when <= window) {
          ASSERT_TRUE(f.may_contain(k)) << now - when << " ticks old";
        } else if (now - when > 2 * window) {
          ++old;
          old_found += f.may_contain(k) ? 1U : 0U;
        }
      }
      EXPECT_LE(static_cast<double>(old_found), binomial_band(static_cast<double>(old), 0.012).high);
    }
  }
  auto const before = to_bytes(f);
  f.advance(now - 5);  // clocks are set back
  EXPECT_EQ(to_bytes(f), before);
  auto again = from_bytes<of_keys<TypeParam>>(to_bytes(f));
  again.advance(now + window / 2);
  f.advance(now + window / 2);
  EXPECT_EQ(to_bytes(again), to_bytes(f));
  f.advance(~std::uint64_t{0});
  EXPECT_EQ(f.fpr(), 0) << "all is forgotten";
}

/// For readers that may not write: the answers that a copy gives that was told the time, false positives included.
TYPED_TEST(in_generations_filter, is_read_at_a_later_time_without_a_change) {
  for (auto const& settings : {typename TypeParam::goal{.items = 200, .fpr = 0.3, .ticks = 1000},
                               typename TypeParam::goal{.items = 2'000'000, .fpr = 0.3, .ticks = 1000}}) {  // beyond the caches
    of_keys<TypeParam> f(settings);
    std::uint64_t now = 1'700'000'000'000;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      f.advance(now += i % 2);
      f.insert(i);
    }
    std::vector<digest> asked;
    for (std::uint64_t i = 0; i < 4000; ++i) asked.push_back(f.digest_of(i));  // some were never inserted
    auto const before = to_bytes(f);
    for (std::uint64_t const later : {0U, 1U, 50U, 300U, 999U, 1000U, 1500U, 2000U, 1'000'000U}) {
      auto told = f;
      told.advance(now + later);
      bitmask hits(asked.size());
      f.family().may_contain_at(now + later, asked, hits.data());
      EXPECT_EQ(hits, told.may_contain(asked)) << later << " ticks later";
      EXPECT_EQ(f.family().turns(now + later) == 0, told.family().time() == f.family().time());
    }
    bitmask hits(asked.size());
    f.family().may_contain_at(0, asked, hits.data());
    EXPECT_EQ(hits, f.may_contain(asked)) << "an earlier time changes nothing";
    EXPECT_EQ(to_bytes(f), before);
  }
  of_keys<TypeParam> by_keys({.items = 100, .fpr = 0.01});
  EXPECT_EQ(by_keys.family().turns(~std::uint64_t{0}), 0U);
}

/// The first time that is told is a jump from 0 to now, and so is the first after a long pause: only the second forgets.
TYPED_TEST(in_generations_filter, has_forgotten_nothing_before_the_first_key) {
  of_keys<TypeParam> f({.items = 300, .fpr = 0.01, .ticks = 1000});
  std::uint64_t constexpr now = 1'700'000'000'000;
  f.advance(now);
  EXPECT_FALSE(f.has_forgotten());
  EXPECT_GT(f.family().time() + 1000, now);
  EXPECT_LE(f.family().time(), now);
  f.insert(7);
  f.advance(now + 500);
  EXPECT_TRUE(f.may_contain(7));
  EXPECT_FALSE(f.has_forgotten());
  f.advance(now + 1'000'000);
  EXPECT_FALSE(f.may_contain(7));
  EXPECT_TRUE(f.has_forgotten());
  EXPECT_EQ(f.fpr(), 0);
}

/// Keys of a window may all come at once, at its ends, or one by one: the rate keeps below what was asked for. The largest
/// excess over the plan is chance: five standard deviations of the fill of a slice.
TYPED_TEST(in_generations_filter, bursts_keep_the_rate_of_a_window_of_time) {
  constexpr std::uint64_t items = 20'000;
  using when_to_insert = std::uint64_t (*)(std::uint64_t, std::uint64_t);
  when_to_insert const at_once = [](std::uint64_t i, std::uint64_t window) { return i / items * window; };
  when_to_insert const evenly = [](std::uint64_t i, std::uint64_t window) { return i * window / items; };
  when_to_insert const in_halves = [](std::uint64_t i, std::uint64_t window) { return i / (items / 2) * (window / 2 + 1); };
  when_to_insert const now_and_then = [](std::uint64_t i, std::uint64_t window) {
    return i / items * 3 * window + i % items / (items / 4) * 70;
  };
  for (double const fpr : {0.1, 0.01, 1e-4})
    for (auto const when : {at_once, evenly, in_halves, now_and_then}) {
      of_keys<TypeParam> f({.items = items, .fpr = fpr, .ticks = 1000});
      auto const shape = f.family().shape();
      EXPECT_LE(shape.probes, generations_of(shape));
      auto const window = generations_of(shape) * shape.generation_ticks;  // rounded up to whole generations
      f.advance(1'000'000);
      double highest = 0;
      for (std::uint64_t i = 0; i < 6 * items; ++i) {
        f.advance(1'000'000 + when(i, window));
        f.insert(random_keys::make(i));
        if (i % (items / 8) == items / 8 - 1) highest = std::max(highest, f.fpr());
      }
      EXPECT_LE(highest, fpr * 1.05);
      EXPECT_GT(highest, fpr / 1000);
    }
}

TYPED_TEST(in_generations_filter, more_keys_than_planned_in_a_time_raise_the_rate_and_lose_nothing) {
  of_keys<TypeParam> f({.items = 100, .fpr = 0.01, .ticks = 1000});
  f.insert(keys<random_keys>(0, 5000));
  EXPECT_EQ(f.may_contain(keys<random_keys>(0, 5000)).count(), 5000U);
  EXPECT_GT(f.fpr(), 0.5);
  EXPECT_FALSE(f.has_forgotten());
}

TYPED_TEST(in_generations_filter, one_that_ages_by_keys_does_not_take_the_time) {
  of_keys<TypeParam> f({.items = 100, .fpr = 0.01});
  try {
    f.advance(7);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::unsupported);
  }
}

// A window of inserts takes half of the space, and is of inserts: repeats of other keys push a key out.
TYPED_TEST(in_generations_filter, a_window_of_inserts_is_smaller) {
  auto const of_keys_plan = age_partitioned::plan({.items = 100'000, .fpr = 0.01});
  auto const of_inserts = age_partitioned::plan({.items = 100'000, .fpr = 0.01, .distinct = 0});
  EXPECT_NEAR(static_cast<double>(age_partitioned::planned_bytes(of_keys_plan)),
              1.9 * static_cast<double>(age_partitioned::planned_bytes(of_inserts)), 1e5);
  EXPECT_EQ(of_inserts.young, 1U);
  EXPECT_GE(of_inserts.generation_items * of_inserts.generations, 100'000U);
  EXPECT_THROW((void)age_partitioned::plan({.items = 10, .distinct = 2}), error);
}

}  // namespace
}  // namespace hortus::testing
