// Filters that grow by stages: when stages are opened, how large they are, that erase finds the right one. The rest is in the
// laws.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/counting/counting.hpp>
#include <hortus/growing/dynamic.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/io/store.hpp>

#include "io/parts.hpp"
#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

/// Inserts keys, numbered from `next` on, until `count` of them were reported as new.
template <class Filter>
void take(Filter& f, std::uint64_t count, std::uint64_t& next) {
  while (count != 0) count -= f.insert_if_new(random_keys::make(next++)) ? 1U : 0U;
}

template <class Layer>
std::uint64_t planned_bytes(std::uint64_t items, double fpr) {
  typename Layer::goal g;
  g.items = items;
  g.fpr = fpr;
  return Layer::planned_bytes(Layer::plan(g));
}

TEST(scalable_filter, opens_a_stage_with_the_first_key_that_does_not_fit_and_as_large_as_planned) {
  scalable_filter f({.items = 1000, .fpr = 0.01});
  std::uint64_t next = 0, capacity = 1000, bytes = 0, all = 0;
  double rate = 0.0015;
  for (std::size_t stages = 1; stages <= 8; ++stages, capacity *= 2, rate *= 0.85) {
    take(f, 1, next);
    EXPECT_EQ(f.family().stages(), stages) << "lazily: there is no stage without a key";
    EXPECT_EQ(f.size_bytes(), bytes += planned_bytes<blocked>(capacity, rate));
    EXPECT_LE(f.fpr(), 0.01);
    take(f, capacity - 2, next);
    EXPECT_LE(f.fpr(), 0.01) << "one before the end";
    take(f, 1, next);
    EXPECT_EQ(f.family().stages(), stages);
    EXPECT_EQ(f.size_bytes(), bytes);
    EXPECT_NEAR(f.fpr(), scalable<>::planned_fpr(f.family().shape(), all += capacity), 0.0003);
    EXPECT_LE(f.fpr(), 0.01);
  }
}

// The paper's P = .01, r = .8, s = 2, from 1000 keys to 255 000 in eight stages. With slices that are half full, and their
// number rounded up, the rate is .00657 (tests/maths/stages_test.cpp); planned exactly a stage wastes none: P (1 - .8^8) =
// .00832.
TEST(scalable_filter, eight_stages_of_slices) {
  using over_slices = scalable<partitioned<>>;
  of_keys<over_slices> f({.items = 1000, .fpr = 0.01, .growth = 2, .tightening = 0.8});
  std::uint64_t next = 0;
  take(f, 255'000, next);
  EXPECT_EQ(f.family().stages(), 8U);
  double const planned = over_slices::planned_fpr(f.family().shape(), 255'000);
  EXPECT_LE(planned, 0.01 * (1 - std::pow(.8, 8)));
  EXPECT_GE(planned, 0.98 * 0.01 * (1 - std::pow(.8, 8)));
  EXPECT_NEAR(f.fpr(), planned, 0.03 * planned);
  constexpr std::uint64_t asked = 1'900'000;  // for 15 110 hits: enough to detect an error of 10 % either way
  auto const hits = static_cast<double>(f.may_contain(keys<random_keys>(absent, asked)).count());
  EXPECT_TRUE(binomial_band(asked, f.fpr()).holds(hits)) << hits << " at " << f.fpr();
}

TEST(scalable_filter, bits_of_the_card) {
  auto const bits = [](unsigned doublings) {
    double all = 0, keys = 0;
    for (unsigned i = 0; i <= doublings; ++i) {
      auto const items = std::uint64_t{1000} << i;
      all += 8 * static_cast<double>(planned_bytes<blocked>(items, plan::stage_fpr(0.01, 0.85, i)));
      keys += static_cast<double>(items);
    }
    return all / keys;
  };
  EXPECT_NEAR(bits(0), 14.8, 0.1);
  EXPECT_NEAR(bits(5), 16.3, 0.1);
  EXPECT_NEAR(bits(10), 18.4, 0.1);
}

TEST(scalable_filter, planned_for_nobody_knows_how_many) {
  scalable_filter f({.fpr = 0.01});
  EXPECT_EQ(f.family().shape().growth.items, 4096U);
  f.insert(keys<random_keys>(0, 100'000));
  EXPECT_EQ(f.family().stages(), 5U);
  EXPECT_LE(f.fpr(), 0.01);
  EXPECT_EQ(f.about().items_planned, 0U);
}

TEST(scalable_filter, settings) {
  auto const code = [](scalable_growth::goal g) {
    try {
      (void)scalable<>::plan(g);
    } catch (error const& e) {
      return e.code();
    }
    return errc::io;
  };
  EXPECT_EQ(code({.items = 10, .growth = 1}), errc::bad_goal);
  EXPECT_EQ(code({.items = 10, .growth = 17}), errc::bad_goal);
  for (double const wrong : {0.0, 0.05, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(code({.items = 10, .tightening = wrong}), errc::bad_goal) << wrong;
  scalable_filter f({.items = 100, .fpr = 0.01, .growth = 4, .tightening = 0.5});
  std::uint64_t next = 0;
  take(f, 100 + 400 + 1600 + 1, next);
  EXPECT_EQ(f.family().stages(), 4U);
  EXPECT_EQ(f.size_bytes(), planned_bytes<blocked>(100, .005) + planned_bytes<blocked>(400, .0025) +
                                planned_bytes<blocked>(1600, .00125) + planned_bytes<blocked>(6400, .000625));
}

/// A growth policy whose second stage is larger than any filter may be.
struct steep : scalable_growth {
  [[nodiscard]] std::uint64_t next(std::uint64_t) const noexcept { return ~std::uint64_t{0}; }
  [[nodiscard]] bool is_stage(std::uint64_t its) const noexcept { return its == first(); }
  static steep of(goal g) { return {scalable_growth::of(g)}; }
  bool operator==(steep const&) const = default;
};
TEST(scalable_filter, one_that_cannot_grow_says_so_and_stays_as_it_was) {
  of_keys<in_stages<steep, blocked>> f({.items = 10, .fpr = 0.01});
  std::uint64_t next = 0;
  take(f, 10, next);
  auto const before = to_bytes(of_keys(f.family()));
  auto const refused = [&](auto act) {
    try {
      act();
    } catch (error const& e) {
      EXPECT_NE(std::string(e.what()).find("cannot grow any more"), std::string::npos) << e.what();
      return e.code() == errc::full;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { f.insert(random_keys::make(absent)); }));
  EXPECT_TRUE(refused([&] { f.insert(keys<random_keys>(absent, 3)); }));
  f.insert(keys<random_keys>(0, next));
  EXPECT_EQ(to_bytes(of_keys(f.family())), before);
  EXPECT_EQ(f.may_contain(keys<random_keys>(0, next)).count(), next);
}

// At the planned number of keys the rate is that of the goal, whether they are in one stage or in ten. It grows linearly after
// that.
TEST(dynamic_filter, rate_at_the_planned_number_and_past_it) {
  for (std::uint64_t const a_stage : {0U, 10'000U, 3000U, 1000U}) {
    dynamic_filter f({.items = 10'000, .fpr = 0.01, .layer_items = a_stage});
    EXPECT_LE(dynamic<>::planned_fpr(f.family().shape(), 10'000), 0.01);
    EXPECT_GE(dynamic<>::planned_fpr(f.family().shape(), 10'000), 0.0085);
    EXPECT_NEAR(dynamic<>::planned_fpr(f.family().shape(), 50'000), 0.048, 0.005);
    f.insert(keys<random_keys>(0, 10'000));
    EXPECT_EQ(f.family().stages(), a_stage == 0 ? 1U : (9'999 + a_stage) / a_stage) << a_stage;
    EXPECT_NEAR(f.fpr(), 0.0095, 0.0012) << a_stage;
    f.insert(keys<random_keys>(10'000, 40'000));
    EXPECT_NEAR(f.fpr(), 0.046, 0.005) << a_stage;
  }
  EXPECT_THROW((void)dynamic<>::plan({.items = 6400, .fpr = 0.01, .layer_items = 100}), error);
  EXPECT_NO_THROW((void)dynamic<>::plan({.items = 6399, .fpr = 0.01, .layer_items = 100}));
  EXPECT_NEAR(8.0 * static_cast<double>(planned_bytes<blocked_counting>(1'000'000, 0.01)) / 1e6, 24.9, 0.1) << "the card";
}

/// Compared with a multiset of keys, in dozens of small stages. At a rate of 5 % each, most keys are false positives of some
/// older or younger stage. (At a rate so high that a key has one cell the test would show nothing: it would be the same cell in
/// every stage.) In any order of inserts and erases, no member is missed and no count is too low, and when all keys are erased
/// nothing is left.
template <class F>
void runs_beside_a_multiset(std::uint64_t seed) {
  of_keys<F> f({.items = 40, .fpr = 0.05});
  std::map<std::uint64_t, std::uint64_t> model;
  std::uint64_t state = seed;
  auto const draw = [&](std::uint64_t range) { return mix64(state += golden_ratio64) % range; };
  std::size_t most_stages = 0;
  for (int step = 0; step < 20'000; ++step) {
    most_stages = std::max(most_stages, f.family().stages());
    auto const up = step / 4000 % 2 == 0 ? 7U : 2U;
    if (draw(10) < up || model.empty()) {
      auto const key = draw(2000);
      f.insert(key);
      ++model[key];
    } else {
      auto at = model.lower_bound(draw(2000));
      if (at == model.end()) at = model.begin();
      ASSERT_TRUE(f.erase(at->first)) << "a member is certainly absent?";
      if (--at->second == 0) model.erase(at);
    }
    if (step % 500 == 0)
      for (auto const& [key, times] : model) {
        ASSERT_TRUE(f.may_contain(key)) << step;
        ASSERT_GE(f.count(key), times) << step;
      }
    if (step % 4000 == 3999) {
      f = from_bytes<of_keys<F>>(to_bytes(f));
    }
  }
  EXPECT_GT(most_stages, 3U);
  for (auto const& [key, times] : model)
    for (std::uint64_t i = 0; i < times; ++i) ASSERT_TRUE(f.erase(key));
  EXPECT_EQ(f.family().stages(), 1U);
  EXPECT_EQ(f.fpr(), 0);
}
TEST(dynamic_filter, no_key_is_missed_where_many_stages_report_it) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) runs_beside_a_multiset<dynamic<>>(seed);
}
TEST(scalable_filter, over_counters_erases_too) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) runs_beside_a_multiset<scalable<blocked_counting>>(seed);
  of_keys<scalable<blocked_counting>> f({.items = 10, .fpr = 0.001});
  f.insert(keys<random_keys>(0, 200));
  EXPECT_EQ(f.erase(keys<random_keys>(0, 100)), 100U);  // the first stages are dropped, so the numbers of stages change
  EXPECT_LT(f.family().stages(), 5U);
  auto again = from_bytes<decltype(f)>(to_bytes(f));
  again.insert(keys<random_keys>(200, 400));
  EXPECT_EQ(again.may_contain(keys<random_keys>(100, 500)).count(), 500U);
  again.clear();
  EXPECT_EQ(to_bytes(again), to_bytes(decltype(f)({.items = 10, .fpr = 0.001})));
}

// The invariant of in_stages.hpp by experiment: a key that several stages report is always in the oldest of them.
TEST(dynamic_filter, a_key_is_in_the_oldest_stage_that_reports_it) {
  dynamic_filter f({.items = 30, .fpr = 0.05});
  std::vector<std::uint64_t> inserted;
  std::uint64_t crowded = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    f.insert(i);
    inserted.push_back(i);
    if (i % 3 == 2) {  // some from the middle, so that closed stages change too
      auto const at = static_cast<std::ptrdiff_t>(mix64(i) % inserted.size());
      ASSERT_TRUE(f.erase(inserted[static_cast<std::size_t>(at)]));
      inserted.erase(inserted.begin() + at);
    }
  }
  for (auto const key : inserted) crowded += f.count(key) > 1 ? 1U : 0U;
  EXPECT_GT(crowded, 100U) << "or there is nothing to see here";
  for (auto const key : inserted) ASSERT_TRUE(f.erase(key));
  EXPECT_EQ(f.family().stages(), 1U) << "a key erased from a stage that it is not in would leave its own behind";
  EXPECT_EQ(f.fpr(), 0);
}

// With a constant number of live keys as planned, one stage is enough, because room is used again. The stage's number of
// keys is right except for keys that were false positives when inserted and not when erased, or vice versa: about sqrt(2 f
// n) of them.
TEST(dynamic_filter, room_of_erased_keys_is_used_again) {
  dynamic_filter f({.items = 1000, .fpr = 0.01});
  f.insert(keys<random_keys>(0, 900));
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(f.erase(random_keys::make(i)));
    f.insert(random_keys::make(i + 900));
  }
  EXPECT_EQ(f.family().stages(), 1U);
  EXPECT_LE(f.fpr(), 0.012);
}

// A queue of ten stages' keys: stages are dropped at the old end and opened at the new end.
TEST(dynamic_filter, stages_go_with_their_last_key) {
  dynamic_filter f({.items = 100, .fpr = 1e-4});
  f.insert(keys<random_keys>(0, 1000));
  EXPECT_EQ(f.family().stages(), 10U);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    f.insert(random_keys::make(i + 1000));
    ASSERT_TRUE(f.erase(random_keys::make(i)));
    ASSERT_LE(f.family().stages(), 12U);
    ASSERT_GE(f.family().stages(), 10U);
  }
  EXPECT_EQ(f.erase(keys<random_keys>(5000, 1000)), 1000U);
  EXPECT_EQ(f.family().stages(), 1U);
}

// The number of stages is limited by the file format. Further keys make the last stage fuller, and no key is refused.
TEST(dynamic_filter, the_last_stage_there_may_be_takes_all) {
  for (bool const counting : {false, true}) {
    auto const grow = [](auto f) {
      auto const members = keys<random_keys>(0, 2000);
      f.insert(std::span(members).first(1000));
      for (auto const key : std::span(members).last(1000)) f.insert(key);
      EXPECT_EQ(f.family().stages(), 64U);
      EXPECT_EQ(f.may_contain(members).count(), 2000U);
      auto const again = from_bytes<decltype(f)>(to_bytes(f));
      EXPECT_EQ(again, f);
      return f;
    };
    if (counting) {
      auto f = grow(dynamic_filter({.items = 5, .fpr = 1e-6}));
      EXPECT_EQ(f.erase(keys<random_keys>(0, 20)), 20U);  // now there is room for some again
      f.insert(keys<random_keys>(2000, 40));
      EXPECT_EQ(f.may_contain(keys<random_keys>(20, 2020)).count(), 2020U);
      EXPECT_EQ(from_bytes<dynamic_filter>(to_bytes(f)), f);
    } else {
      (void)grow(of_keys<dynamic<bloom<>>>({.items = 5, .fpr = 1e-6}));
    }
  }
}

TEST(dynamic_filter, over_other_layers) {
  of_keys<dynamic<counting<>>> f({.items = 100, .fpr = 0.001});
  f.insert(keys<random_keys>(0, 1000));
  EXPECT_EQ(f.family().stages(), 10U);
  EXPECT_EQ(f.erase(keys<random_keys>(0, 500)), 500U);
  EXPECT_EQ(f.may_contain(keys<random_keys>(500, 500)).count(), 500U);
  EXPECT_THROW((void)from_bytes<dynamic_filter>(to_bytes(f)), error) << "stages of another kind";
}

// The numbers in a file must be consistent. Otherwise the next key could allocate any amount of memory.
TEST(in_stages, claims_that_do_not_fit_are_not_valid) {
  auto const make = [](scalable_growth rule, std::uint64_t blocks, unsigned probes) {
    return scalable<>({rule, {blocks, probes}});
  };
  scalable_growth const rule{1000, 0.01, 2, 0.85};
  EXPECT_NO_THROW((void)make(rule, 30, 8));
  EXPECT_THROW((void)make(rule, 20, 8), error) << "too small for its keys";
  for (auto const& wrong :
       {scalable_growth{0, 0.01, 2, 0.85}, scalable_growth{1000, 0, 2, 0.85}, scalable_growth{1000, std::nan(""), 2, 0.85},
        scalable_growth{1000, 0.01, 1, 0.85}, scalable_growth{1000, 0.01, 2, 1},
        scalable_growth{~std::uint64_t{0}, 0.01, 2, 0.85}, scalable_growth{std::uint64_t{1} << 40, 0.999, 2, 0.1}})
    EXPECT_THROW((void)make(wrong, 30, 8), error);
}

// Changes every number of a file of several stages, with all checksums corrected. The file is refused, or gives a filter that
// matches the file and continues to grow in proportion.
template <class Filter>
void grown_file_that_lies(Filter f) {
  f.insert(keys<random_keys>(0, 700));
  ASSERT_GE(f.family().stages(), 4U);
  auto const file = to_bytes(f);
  auto const parts = take_apart(file);
  unsigned taken = 0, refused = 0;
  for (std::size_t i = 0; i < parts.scalars.size(); ++i) {
    auto const old = parts.scalars[i];
    std::vector<std::uint64_t> values{0,  1,       2,       3,       16,      63,      64,
                                      65, old + 1, old - 1, 2 * old, old / 2, 0 - old, ~std::uint64_t{0}};
    for (unsigned const bit : {16U, 31U, 32U, 42U, 52U, 62U, 63U}) values.push_back(std::uint64_t{1} << bit);
    for (double const rate : {0.5, 0.9999, 1.0, -0.5, 1e-19, 1e-300, std::nan(""), HUGE_VAL})
      values.push_back(std::bit_cast<std::uint64_t>(rate));
    for (auto const value : values) {
      auto lie = parts;
      lie.scalars[i] = value;
      auto const bytes = put_together(lie);
      try {
        auto g = from_bytes<Filter>(bytes);
        ++taken;
        EXPECT_EQ(to_bytes(g), bytes);
        g.insert(keys<random_keys>(absent, 2000));
        EXPECT_EQ(g.may_contain(keys<random_keys>(absent, 2000)).count(), 2000U);
        EXPECT_LE(g.size_bytes(), 100 * file.size()) << "scalar " << i << " = " << value;
        g.clear();
        EXPECT_LE(g.size_bytes(), 100 * file.size()) << "scalar " << i << " = " << value;
      } catch (error const& e) {
        ++refused;
        EXPECT_TRUE(e.code() == errc::corrupt || e.code() == errc::incompatible) << e.what();
      }
    }
  }
  EXPECT_GT(taken, 10U);
  EXPECT_GT(refused, 100U);
}
TEST(in_stages, a_grown_file_that_lies_is_refused_or_harmless) {
  grown_file_that_lies(scalable_filter({.items = 40, .fpr = 0.01}));
  grown_file_that_lies(dynamic_filter({.items = 100, .fpr = 0.01}));
}

}  // namespace
}  // namespace hortus::testing
