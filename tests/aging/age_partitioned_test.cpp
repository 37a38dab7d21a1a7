#include <hortus/aging/age_partitioned.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "key_sets.hpp"

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
