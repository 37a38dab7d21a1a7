#include <hortus/aging/age_partitioned.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using params = age_partitioned::params;

/// The sheet's shapes: slices half full when k generations are in.
age_partitioned_filter half_full(unsigned probes, unsigned generations, std::uint64_t items) {
  auto const bits = static_cast<std::uint64_t>(std::ceil(static_cast<double>(probes * items) / std::log(2.0)));
  return age_partitioned_filter(age_partitioned(params{bits, probes, generations, 1, items, 0}));
}

// End and start of a generation: (4,3) .1074 and .0702; (7,5) .0128 and .0086; (10,7) .00147 and .00100. A new generation is
// seen by the rate falling. Each of 300 fills is 1 to 10 % off, and has a few generations in common with the next; their
// average is 1 % off, and by the steps of the looks another.
TEST(age_partitioned_filter, rates_of_the_sheet) {
  struct {
    unsigned probes, generations;
    double start, end;
  } const rows[] = {{4, 3, .070240, .107402}, {7, 5, .008566, .012832}, {10, 7, .000999, .001474}};
  for (auto const& row : rows) {
    std::uint64_t constexpr items = 2000;
    auto f = half_full(row.probes, row.generations, items);
    f.insert(keys<random_keys>(absent, items * (row.probes + row.generations)));
    double start = 0, end = 0, turns = 0, last = 0;
    for (std::uint64_t next = 0; next < 300 * items; next += items / 50) {
      f.insert(keys<random_keys>(next, items / 50));
      double const rate = f.fpr();
      if (rate < 0.9 * last) {
        start += rate;
        end += last;
        ++turns;
      }
      last = rate;
    }
    EXPECT_NEAR(turns, 298, 6);
    EXPECT_NEAR(start / turns, row.start, 0.04 * row.start);
    EXPECT_NEAR(end / turns, row.end, 0.04 * row.end);
  }
}

// Every key of the last l g, at every phase, and whoever came (l + 1) g keys ago is gone but for the rate.
TEST(age_partitioned_filter, remembers_as_many_inserts_as_it_says_and_no_more) {
  for (auto const& [probes, generations, items] :
       {std::array{7U, 5U, 40U}, {4U, 3U, 10U}, {3U, 9U, 1U}, {1U, 1U, 7U}, {10U, 20U, 3U}}) {
    auto f = half_full(probes, generations, items);
    double gone = 0, found = 0, expected = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      f.insert(random_keys::make(i));
      // A key taken for a young one that is there is not counted: then windows only get longer.
      for (std::uint64_t age = 0; age <= std::min<std::uint64_t>(i, generations * items); ++age)
        ASSERT_TRUE(f.may_contain(random_keys::make(i - age))) << age << " of " << generations * items;
      if (i < 3 * (generations + 1) * items) continue;
      ++gone;
      found += f.may_contain(random_keys::make(i - 3 * (generations + 1) * items)) ? 1 : 0;
      expected += f.fpr();
    }
    if (probes > 3) {
      EXPECT_LE(found, 2 * expected + 20) << "of " << gone;
    }
  }
}

/// The youngest generation of a key, found out bit by bit.
TEST(age_partitioned_filter, search_skips_nothing) {
  for (auto const& [probes, generations] : {std::array{1U, 1U}, {1U, 5U}, {2U, 3U}, {3U, 2U}, {4U, 9U}, {5U, 1U}}) {
    slice_ring ring(8, probes, generations);  // tiny: half of what is found is found by chance
    std::uint64_t next = 0, found = 0, not_found = 0;
    for (unsigned turns = 0; turns < 50; ++turns) {
      for (unsigned i = 0; i < 3; ++i) ring.mark(digest(mix64(next++)));
      // What generation_of(x, end) says for every end is what one row of slices after the other says.
      for (std::uint64_t i = 0; i < 200; ++i) {
        auto const x = digest(mix64(absent + i));
        std::vector<bool> has(probes + generations);
        for (unsigned slice = 0; slice < has.size(); ++slice) {
          auto const slot = (turns * (probes + generations - 1) + slice) % (probes + generations);
          has[slice] = ring.bits().test(slot * 8 + multiply_chain::at(x, 8, slot));
        }
        for (unsigned end = 1; end <= generations + 1; ++end) {
          auto expected = slice_ring::none;
          for (unsigned g = end; g-- > 0;)
            if (std::all_of(has.begin() + g, has.begin() + g + probes, [](bool b) { return b; })) expected = g;
          ASSERT_EQ(ring.generation_of(x, end), expected) << probes << ", " << generations << " after " << turns << " turns";
          (expected == slice_ring::none ? not_found : found) += 1;
        }
      }
      ring.turn();
    }
    EXPECT_TRUE(found > 100 && not_found > 100);
  }
}

TEST(age_partitioned_filter, ages_by_time) {
  std::uint64_t constexpr window = 1000;
  age_partitioned_filter f({.items = 300, .fpr = 0.01, .ticks = window});
  ASSERT_GE(f.family().shape().generation_ticks * f.family().shape().generations, window);
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
  auto again = from_bytes<age_partitioned_filter>(to_bytes(f));
  again.advance(now + window / 2);
  f.advance(now + window / 2);
  EXPECT_EQ(to_bytes(again), to_bytes(f));
  f.advance(~std::uint64_t{0});
  EXPECT_EQ(f.fpr(), 0) << "all is forgotten";
}

/// For readers that may not write: the answers that a copy gives that was told the time, false positives included.
TEST(age_partitioned_filter, is_read_at_a_later_time_without_a_change) {
  for (auto const& settings : {age_partitioned::goal{.items = 200, .fpr = 0.3, .ticks = 1000},
                               age_partitioned::goal{.items = 2'000'000, .fpr = 0.3, .ticks = 1000}}) {  // beyond the caches
    age_partitioned_filter f(settings);
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
  age_partitioned_filter by_keys({.items = 100, .fpr = 0.01});
  EXPECT_EQ(by_keys.family().turns(~std::uint64_t{0}), 0U);
}

/// The first time that is told is a jump from 0 to now, and so is the first after a long pause: only the second forgets.
TEST(age_partitioned_filter, has_forgotten_nothing_before_the_first_key) {
  age_partitioned_filter f({.items = 300, .fpr = 0.01, .ticks = 1000});
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
TEST(age_partitioned_filter, bursts_keep_the_rate_of_a_window_of_time) {
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
      age_partitioned_filter f({.items = items, .fpr = fpr, .ticks = 1000});
      auto const shape = f.family().shape();
      EXPECT_LE(shape.probes, shape.generations);
      auto const window = shape.generations * shape.generation_ticks;  // rounded up to whole generations
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

TEST(age_partitioned_filter, more_keys_than_planned_in_a_time_raise_the_rate_and_lose_nothing) {
  age_partitioned_filter f({.items = 100, .fpr = 0.01, .ticks = 1000});
  f.insert(keys<random_keys>(0, 5000));
  EXPECT_EQ(f.may_contain(keys<random_keys>(0, 5000)).count(), 5000U);
  EXPECT_GT(f.fpr(), 0.5);
  EXPECT_FALSE(f.has_forgotten());
}

TEST(age_partitioned_filter, one_that_ages_by_keys_does_not_take_the_time) {
  age_partitioned_filter f({.items = 100, .fpr = 0.01});
  try {
    f.advance(7);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::unsupported);
  }
}

// A window of inserts takes half of the space, and is of inserts: repeats of other keys push a key out.
TEST(age_partitioned_filter, a_window_of_inserts_is_smaller) {
  auto const of_keys_plan = age_partitioned::plan({.items = 100'000, .fpr = 0.01});
  auto const of_inserts = age_partitioned::plan({.items = 100'000, .fpr = 0.01, .distinct = 0});
  EXPECT_NEAR(static_cast<double>(age_partitioned::planned_bytes(of_keys_plan)),
              1.9 * static_cast<double>(age_partitioned::planned_bytes(of_inserts)), 1e5);
  EXPECT_EQ(of_inserts.young, 1U);
  EXPECT_GE(of_inserts.generation_items * of_inserts.generations, 100'000U);
  EXPECT_THROW((void)age_partitioned::plan({.items = 10, .distinct = 2}), error);
}

TEST(age_partitioned_filter, slices_retire_half_full_in_the_shapes_of_the_paper) {
  auto f = half_full(7, 5, 1000);
  f.insert(keys<random_keys>(0, 30'000));
  // All slices from the seventh on have had seven generations: the whole is 1/12 sum of 1 - 2^(-min(i + 1, 7)/7) full.
  double expected = 0;
  for (int i = 0; i < 12; ++i) expected += (1 - std::exp2(-std::min(i + 1, 7) / 7.0)) / 12;
  auto const* words = reinterpret_cast<std::uint64_t const*>(f.family().cells().data());
  double ones = 0;
  for (std::size_t w = 0; w < f.size_bytes() / 8; ++w) ones += std::popcount(words[w]);
  EXPECT_NEAR(ones / (static_cast<double>(f.family().shape().slice_bits) * 12), expected, 0.01);
}

}  // namespace
}  // namespace hortus::testing
