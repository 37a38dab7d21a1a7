#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <string>
#include <vector>

#include <hortus/any/families.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "sanitizers.hpp"
#include "statistics.hpp"

/// The laws: what every family promises by having a verb. Written once, asked of every family in any/families.hpp; a family is
/// asked only for the verbs it has. What is peculiar to one family is tested beside it, in tests/ROOM/FAMILY_test.cpp.
namespace hortus::testing {

/// From nothing to a million: small and odd sizes are where formulas and loops break.
inline std::vector<std::uint64_t> sizes() {
  return sanitized ? std::vector<std::uint64_t>{0, 1, 2, 7, 1000, 100'000}
                   : std::vector<std::uint64_t>{0, 1, 2, 7, 1000, 100'000, 1'000'000};
}

template <family F>
typename F::goal goal_for(std::uint64_t items, double fpr = 0.01) {
  typename F::goal goal;
  goal.items = items;
  goal.fpr = fpr;
  return goal;
}

/// Inserts keys that there is room for.
template <family F, class Keys>
void fill(of_keys<F>& f, Keys const& keys) {
  EXPECT_EQ(f.insert(keys), std::ranges::size(keys));
}

/// A filter of `items` keys, planned for them: filled in one batch, or built.
template <family F, class Keys = random_keys>
of_keys<F> filled(std::uint64_t items, std::uint64_t from = 0) {
  if constexpr (buildable<F>) {
    return of_keys<F>::build(keys<Keys>(from, items), goal_for<F>(items));
  } else {
    of_keys<F> f(goal_for<F>(items));
    EXPECT_EQ(f.insert(keys<Keys>(from, items)), items);
    return f;
  }
}

/// A file that is gone when the test is over.
class scratch_file {
 public:
  scratch_file() : path_(std::filesystem::temp_directory_path() / ("hortus_law_" + std::to_string(::getpid()))) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What act() throws; fails the test if it does not.
template <class Act>
errc code_of(Act act) {
  try {
    act();
  } catch (error const& e) {
    EXPECT_NE(std::string(e.what()), "");
    return e.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return errc::io;
}

/// What the family itself keeps, without the front's count of insert calls.
template <family F>
std::vector<std::byte> own_bytes(of_keys<F> const& f) {
  return to_bytes(of_keys<F>(f.family()));
}

/// How far a family counts: to 2^w - 1 with w-bit cells, say. Found out with a lone key, up to a thousand.
template <countable F>
std::uint64_t most_counted() {
  of_keys<F> f(goal_for<F>(10));
  std::uint64_t most = 0;
  while (most < 1000) {
    (void)f.insert(7);
    if (f.count(7) != static_cast<count_type<F>>(most + 1)) break;
    ++most;
  }
  return most;
}

/// Inserts a key; did it go in?
template <family F, class Key>
bool insert_key(of_keys<F>& f, Key const& key) {
  if constexpr (std::is_void_v<decltype(f.insert(key))>)
    return f.insert(key), true;
  else
    return f.insert(key);
}

/// Not certainly absent: found, or where there is no may_contain counted. Where counts may be too low nothing is certain.
template <family F, class Key>
bool perhaps_there(of_keys<F> const& f, Key const& key) {
  if constexpr (membership<F>)
    return f.may_contain(key);
  else if constexpr (never_undercounts<F>)
    return f.count(key) != 0;
  else
    return true;
}

/// Numbers that look random and are the same everywhere, below `range`.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()(std::uint64_t range) { return mix64(state_ += golden_ratio64) % range; }

 private:
  std::uint64_t state_;
};

/// Does a family that forgets by age miss keys of its window too, with a chance that it tells?
template <family F>
constexpr bool misses_in_window() {
  return F::misses == false_negatives::by_age && requires(typename F::params p) { F::planned_fnr(p, 1U); };
}

/// A window beside a filter that forgets by age: the last `items` distinct keys, and the one before them. With so many distinct
/// others after it, a key is as old as one may be to be remembered.
class window_model {
 public:
  explicit window_model(std::uint64_t items) : items_(items) {}
  void insert(std::uint64_t key) {
    std::erase(keys_, key);
    keys_.push_front(key);
    if (keys_.size() > items_ + 1) keys_.pop_back();
  }
  [[nodiscard]] std::deque<std::uint64_t> const& keys() const { return keys_; }  ///< youngest first

 private:
  std::uint64_t items_;
  std::deque<std::uint64_t> keys_;
};

template <class F>
class laws : public ::testing::Test {};
TYPED_TEST_SUITE_P(laws);

TYPED_TEST_P(laws, no_key_that_was_inserted_is_missed) {
  using F = TypeParam;
  if constexpr (membership<F> && !misses_in_window<F>())  // nothing is misused here, nor too old
    for (auto const items : sizes())
      for_each_key_set([&]<class Keys>() {
        auto const members = keys<Keys>(0, items);
        auto const f = filled<F, Keys>(items);
        EXPECT_EQ(f.may_contain(members).count(), items) << Keys::name << ", in a batch";
        for (auto const& key : members) ASSERT_TRUE(f.may_contain(key)) << Keys::name << ", one by one, of " << items;
      });
}

/// The conditional test: given the fill, a new key is found with chance fpr(), so the hits among N keys are binomial.
/// Two-sided: a rate that is too good means that the size is not what it is said to be.
TYPED_TEST_P(laws, other_keys_are_found_as_often_as_fpr_says) {
  using F = TypeParam;
  if constexpr (membership<F>)
    for (auto const items : sizes())
      for_each_key_set([&]<class Keys>() {
        auto const f = filled<F, Keys>(items);
        double const rate = f.fpr();
        if (items == 0) {
          EXPECT_EQ(rate, 0);
          EXPECT_EQ(f.may_contain(keys<Keys>(absent, 10'000)).count(), 0U) << Keys::name;
          return;
        }
        double const wanted = (sanitized ? 700 : hits_for_ten_percent) / std::max(rate, 1e-6);
        auto const asked = static_cast<std::uint64_t>(std::min(wanted, 2e6)) + 1;
        double hits = 0;
        constexpr std::uint64_t piece = 1 << 16;
        for (std::uint64_t done = 0; done < asked; done += piece)
          hits += static_cast<double>(f.may_contain(keys<Keys>(absent + done, std::min(piece, asked - done))).count());
        auto const expected = binomial_band(static_cast<double>(asked), rate);
        EXPECT_TRUE(expected.holds(hits)) << Keys::name << ", " << items << " items: " << hits << " hits in " << asked
                                          << " where " << expected.low << " to " << expected.high << " fit the rate " << rate;
      });
}

TYPED_TEST_P(laws, a_plan_keeps_the_rate_it_was_asked_for) {
  using F = TypeParam;
  if constexpr (plannable<F>)
    for (std::uint64_t const items : {0ULL, 1ULL, 2ULL, 7ULL, 1000ULL, 100'000ULL, 1'000'000ULL, 5'000'000'000ULL})
      for (double const fpr : {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6}) {
        typename F::params params;
        try {
          params = F::plan(goal_for<F>(items, fpr));
        } catch (error const& e) {  // billions of keys at a low rate may be more than a family with wide cells can hold
          EXPECT_TRUE(items > 1'000'000'000 && fpr < 0.1 && e.code() == errc::bad_goal) << items << " at " << fpr << e.what();
          continue;
        }
        EXPECT_LE(F::planned_fpr(params, items), fpr * (1 + 1e-9)) << items << " items at " << fpr;
        if (items > 100'000) continue;
        if constexpr (makeable<F>) {
          EXPECT_EQ(F(params).size_bytes(), F::planned_bytes(params));
        } else if (items != 0) {
          auto const f = of_keys<F>::build(keys<random_keys>(0, items), goal_for<F>(0, fpr));
          EXPECT_EQ(f.size_bytes(), F::planned_bytes(params)) << items << " items at " << fpr;
          EXPECT_EQ(f.family().shape(), params) << items << " items at " << fpr;
        }
      }
}

TYPED_TEST_P(laws, an_impossible_goal_is_refused) {
  using F = TypeParam;
  if constexpr (plannable<F>) {
    for (double const fpr : {0.0, 1.0, -0.5, 2.0, std::nan(""), HUGE_VAL})
      EXPECT_EQ(code_of([&] { (void)F::plan(goal_for<F>(10, fpr)); }), errc::bad_goal) << fpr;
    EXPECT_EQ(code_of([] { (void)F::plan(goal_for<F>(~std::uint64_t{0})); }), errc::bad_goal);
    if constexpr (makeable<F>) {
      EXPECT_EQ(code_of([] { F f{typename F::params{}}; }), errc::bad_params);
    } else {
      std::vector<digest> const keys{digest(1), digest(2)};
      EXPECT_EQ(code_of([&] { (void)F::build(keys, goal_for<F>(2, 0.0)); }), errc::bad_goal);
      EXPECT_NO_THROW((void)F::build(keys, goal_for<F>(~std::uint64_t{0}))) << "the keys say how many they are";
    }
  }
}

/// What a built family was given, in any order and whatever the goal said of their number, is what it holds.
TYPED_TEST_P(laws, a_built_filter_depends_on_its_keys_alone) {
  using F = TypeParam;
  if constexpr (buildable<F>)
    for (std::uint64_t const items : {0U, 1U, 2U, 7U, 1000U, 30'000U}) {
      auto members = keys<random_keys>(0, items);
      auto const f = of_keys<F>::build(members, goal_for<F>(items));
      EXPECT_EQ(f.about().items_inserted, items);
      EXPECT_EQ(f.about().kinds, items == 0 ? key_kind::none : key_kind::integers);
      std::ranges::reverse(members);
      for (std::uint64_t const hint : {std::uint64_t{0}, items / 2, 10 * items + 1, ~std::uint64_t{0}})
        EXPECT_EQ(of_keys<F>::build(members, goal_for<F>(hint)), f) << items << " keys, told " << hint;
      auto const listed = std::list<std::uint64_t>(members.begin(), members.end());  // a range that is read once
      EXPECT_EQ(of_keys<F>::build(listed, goal_for<F>(items)), f);
      std::vector<digest> digests;
      for (auto const key : members) digests.push_back(f(key));
      EXPECT_EQ(of_keys<F>::build(digests, goal_for<F>(items)), f);

      for (auto const key : keys<random_keys>(0, items / 2)) members.insert(members.end(), 2, key);  // some thrice
      auto const repeated = of_keys<F>::build(members, goal_for<F>(items));
      if constexpr (membership<F>) {
        EXPECT_EQ(repeated.may_contain(members).count(), members.size());
      }
      if constexpr (countable<F>)
        for (std::uint64_t i = 0; i < items && never_undercounts<F>; ++i) {
          ASSERT_GE(repeated.count(random_keys::make(i)), static_cast<count_type<F>>(i < items / 2 ? 3 : 1)) << i;
        }
    }
}

/// As a map of all sorts of counts says; at a rate so low that no count is wrong by chance: a thousand keys at 1e-12.
TYPED_TEST_P(laws, a_built_filter_counts_what_it_was_built_of) {
  using F = TypeParam;
  if constexpr (buildable<F> && countable<F>)
    for_each_key_set([&]<class Keys>() {
      std::vector<std::remove_cvref_t<decltype(Keys::make(0))>> all;
      auto const times = [](std::uint64_t i) { return i % 10 == 0 ? 1 + i * i % 1000 : 1 + i % 3; };
      for (std::uint64_t i = 0; i < 1000; ++i) all.insert(all.end(), times(i), Keys::make(i));
      auto const f = of_keys<F>::build(all, goal_for<F>(1000, 1e-12));
      for (std::uint64_t i = 0; i < 1000; ++i)
        ASSERT_EQ(f.count(Keys::make(i)), static_cast<count_type<F>>(times(i))) << Keys::name << i;
      EXPECT_EQ(f.count(Keys::make(absent)), 0) << Keys::name;
    });
}

TYPED_TEST_P(laws, clear_gives_back_the_filter_as_it_was_made) {
  using F = TypeParam;
  auto f = filled<F>(1000);
  f.clear();
  if constexpr (makeable<F>) {
    EXPECT_EQ(to_bytes(f), to_bytes(of_keys<F>(goal_for<F>(1000))));
  } else {  // what was built is only empty now
    EXPECT_EQ(f.about().items_inserted, 0U);
    if constexpr (membership<F>) {
      EXPECT_EQ(f.fpr(), 0);
      EXPECT_EQ(f.may_contain(keys<random_keys>(0, 1000)).count(), 0U);
    }
    EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(f)), f);
  }
}

TYPED_TEST_P(laws, a_batch_does_what_its_keys_do_one_by_one) {
  using F = TypeParam;
  if constexpr (buildable<F>)
    for (std::uint64_t const count : {0U, 1U, 2U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U}) {
      auto const f = filled<F>(count);
      auto const asked = keys<random_keys>(count / 2, count);  // half of them members
      if constexpr (membership<F>) {
        auto const hits = f.may_contain(asked);
        ASSERT_EQ(hits.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(hits[i], f.may_contain(asked[i])) << i << " of " << count;
      }
      if constexpr (countable<F>) {
        auto const counts = f.count(asked);
        ASSERT_EQ(counts.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(counts[i], f.count(asked[i])) << i << " of " << count;
      }
    }
  if constexpr (insertable<F>)
    for (std::uint64_t const count : {0U, 1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U}) {
      auto const members = keys<random_keys>(0, count);
      of_keys<F> singly(goal_for<F>(2000));
      of_keys<F> together(goal_for<F>(2000));
      for (auto const key : members) (void)singly.insert(key);
      EXPECT_EQ(together.insert(members), count);
      EXPECT_EQ(to_bytes(singly), to_bytes(together)) << count;

      auto const asked = keys<random_keys>(count / 2, count);
      if constexpr (membership<F>) {
        auto const hits = together.may_contain(asked);
        ASSERT_EQ(hits.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(hits[i], singly.may_contain(asked[i])) << i << " of " << count;
      }
      if constexpr (countable<F>) {
        fill(together, asked);  // so that there are counts of 1 and 2
        for (auto const key : asked) (void)singly.insert(key);
        auto const counts = together.count(asked);
        ASSERT_EQ(counts.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(counts[i], singly.count(asked[i])) << i << " of " << count;
      }
      if constexpr (erasable<F>) {
        auto const gone = keys<random_keys>(count / 2 + count / 4, count);  // members twice, once and not at all
        std::size_t erased = 0;
        for (auto const key : gone) erased += singly.erase(key) ? 1U : 0U;
        EXPECT_EQ(together.erase(gone), erased) << count;
        EXPECT_EQ(to_bytes(singly), to_bytes(together)) << count;
      }
    }
}

/// Large enough that batches take the way they take when the filter is not in the cache.
TYPED_TEST_P(laws, a_batch_in_a_large_filter_does_the_same) {
  using F = TypeParam;
  if constexpr (membership<F>) {
    auto const f = filled<F>(sanitized ? 2'000'000 : 4'000'000);
    auto const asked = keys<random_keys>(absent - 20'000, 40'000);  // none of them, and
    auto const members = keys<random_keys>(0, 10'000);
    auto const hits = f.may_contain(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(hits[i], f.may_contain(asked[i])) << i;
    if constexpr (!misses_in_window<F>()) {
      EXPECT_EQ(f.may_contain(members).count(), members.size());
    }
  }
}
TYPED_TEST_P(laws, a_batch_of_counts_and_erases_in_a_large_filter_does_the_same) {
  using F = TypeParam;
  if constexpr (countable<F> || erasable<F>) {
    auto singly = filled<F>(1'000'000);
    auto const asked = keys<random_keys>(995'000, 10'000);  // half of them members
    if constexpr (countable<F>) {
      auto const counts = singly.count(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(counts[i], singly.count(asked[i])) << i;
    }
    if constexpr (erasable<F>) {
      auto together = singly;
      std::size_t erased = 0;
      for (auto const key : asked) erased += singly.erase(key) ? 1U : 0U;
      EXPECT_GE(erased, 5000U);
      EXPECT_EQ(together.erase(asked), erased);
      EXPECT_EQ(together, singly);
    }
  }
}

TYPED_TEST_P(laws, a_lone_key_is_counted_exactly_as_far_as_the_family_counts) {
  using F = TypeParam;
  if constexpr (insertable<F> && countable<F>) {
    auto const most = most_counted<F>();
    ASSERT_GE(most, 1U);
    for_each_key_set([&]<class Keys>() {
      of_keys<F> f(goal_for<F>(1000));
      auto const key = Keys::make(5);
      EXPECT_EQ(f.count(key), 0) << Keys::name;
      for (std::uint64_t i = 1; i <= 1000; ++i) {
        (void)f.insert(key);
        ASSERT_EQ(f.count(key), static_cast<count_type<F>>(std::min(i, most))) << Keys::name;
      }
    });
  }
}

/// A key that does not fit is refused: insert says so, nothing changes, and every key that went in is still found. Overfilled
/// tenfold, one by one and in batches, with the front's books right.
TYPED_TEST_P(laws, a_full_filter_refuses_keys_and_loses_none) {
  using F = TypeParam;
  if constexpr (insertable<F>)
    if constexpr (can_refuse<F>)
      for (std::uint64_t const planned : {1U, 10U, 1000U}) {
        of_keys<F> f(goal_for<F>(planned));
        auto const offered = keys<random_keys>(0, 100 + 10 * planned);
        std::vector<std::uint64_t> members;
        std::uint64_t refused = 0;
        for (auto const key : offered) {
          auto const before = refused < 50 ? to_bytes(f) : std::vector<std::byte>();
          if (f.insert(key)) {
            members.push_back(key);
          } else if (refused++ < 50) {
            ASSERT_EQ(to_bytes(f), before) << "what is refused changes nothing";
          }
        }
        EXPECT_GE(members.size(), planned);
        EXPECT_GT(refused, 0U) << planned;
        EXPECT_EQ(f.about().items_inserted, members.size());
        EXPECT_EQ(f.may_contain(members).count(), members.size());

        of_keys<F> together(goal_for<F>(planned));
        EXPECT_EQ(together.insert(offered), members.size());
        EXPECT_EQ(to_bytes(together), to_bytes(f)) << planned;
        EXPECT_EQ(to_bytes(from_bytes<of_keys<F>>(to_bytes(f))), to_bytes(f));

        if constexpr (erasable<F>) {
          for (std::size_t i = 0; i < members.size(); i += 2) ASSERT_TRUE(f.erase(members[i]));
          for (std::size_t i = 1; i < members.size(); i += 2) ASSERT_TRUE(f.may_contain(members[i])) << i;
          for (std::size_t i = 0; i < members.size() / 4; ++i)  // there is room again
            ASSERT_TRUE(f.insert(random_keys::make(absent + i))) << i << " of " << planned;
        }
      }
}

/// Given the fill, an absent key is counted above zero with chance fpr(): as may_contain finds it.
TYPED_TEST_P(laws, absent_keys_are_counted_as_often_as_they_are_found) {
  using F = TypeParam;
  if constexpr (membership<F> && countable<F>)
    for (auto const items : {0U, 7U, 1000U, 100'000U}) {
      auto const f = filled<F>(items);
      auto const asked = keys<random_keys>(absent, 100'000);
      auto const hits = f.may_contain(asked);
      auto const counts = f.count(asked);
      double counted = 0;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!hits[i]) {
          ASSERT_EQ(counts[i], 0) << "certainly absent, and counted";
        }
        counted += counts[i] != 0 ? 1 : 0;
      }
      auto const expected = binomial_band(static_cast<double>(asked.size()), f.fpr());
      EXPECT_TRUE(expected.holds(counted)) << counted << " of " << asked.size() << " with a rate of " << f.fpr();
    }
}

/// A std::map beside it says what went in and was not taken out. Only what is there is erased, so nothing may be missed, and
/// where the family promises it nothing counted too low; counts may stop at the most it counts to. A filter is planned for
/// fewer keys than it gets in half of the runs, and one that grows for few of them: promises do not end with the plan.
TYPED_TEST_P(laws, a_multiset_beside_it_agrees) {
  using F = TypeParam;
  if constexpr (insertable<F> && (countable<F> || erasable<F>)) {
    std::uint64_t most = ~std::uint64_t{0};
    if constexpr (countable<F>)
      if (auto const found = most_counted<F>(); found < 1000) most = found;
    for (std::uint64_t const pool : {1U, 2U, 30U, 1000U, 20'000U})
      for_each_key_set([&]<class Keys>() {
        for (std::uint64_t const planned : {pool, (pool + 1) / 2, (pool + 19) / 20}) {
          if (planned < (pool + 1) / 2 && !growing<F>) continue;
          numbers draw(pool + planned);
          of_keys<F> f(goal_for<F>(planned));
          std::map<std::uint64_t, std::uint64_t> model;
          auto const check = [&] {
            for (auto const& entry : model) {
              [[maybe_unused]] auto const key = Keys::make(entry.first);
              if constexpr (membership<F> && F::misses != false_negatives::by_age) {
                ASSERT_TRUE(f.may_contain(key)) << Keys::name << " " << entry.first << " of " << pool;
              }
              if constexpr (countable<F>)
                if constexpr (never_undercounts<F>) {
                  ASSERT_GE(f.count(key), std::min(entry.second, most)) << Keys::name << " " << entry.first << " of " << pool;
                }
            }
          };
          auto const steps = std::max<std::uint64_t>(3 * pool, 2000);
          for (std::uint64_t step = 0; step < steps; ++step) {
            auto const number = draw(1 + draw(pool));  // small numbers often, large ones seldom
            bool erase = false;
            if constexpr (erasable<F>)
              erase = draw(10) < (step < steps / 2 ? 2 : 6) && model.contains(number);  // up, then down
            if (erase) {
              if constexpr (erasable<F>) {
                bool const erased = f.erase(Keys::make(number));
                if constexpr (countable<F> && !never_undercounts<F>)
                  if (!erased) continue;  // its counts may be too low, and then it does not know the member
                ASSERT_TRUE(erased) << "a member is certainly absent?";
              }
              if (--model[number] == 0) model.erase(number);
            } else if (insert_key(f, Keys::make(number))) {
              ++model[number];
            }
            if (step == steps / 2) check();
          }
          check();
        }
      });
  }
}

TYPED_TEST_P(laws, as_many_erases_as_inserts_restore_the_bytes) {
  using F = TypeParam;
  if constexpr (erasable<F>) {
    if constexpr (erase_restores<F>)
      for (std::uint64_t const items : {0U, 1U, 500U})
        for (std::uint64_t const added : {1U, 7U, 500U})
          for (unsigned const times : {1U, 2U}) {   // far from the maximum of any cell
            of_keys<F> f(goal_for<F>(2000, 1e-6));  // no two keys are taken for one: 2-bit counters have room for 3
            fill(f, keys<random_keys>(0, items));
            auto const before = own_bytes(f);
            auto const more = keys<random_keys>(items / 2, added);  // of them some that are there already
            for (unsigned i = 0; i < times; ++i) (void)f.insert(more);
            EXPECT_NE(own_bytes(f), before);
            for (unsigned i = 0; i < times; ++i) EXPECT_EQ(f.erase(more), added);
            EXPECT_EQ(own_bytes(f), before) << items << " items, " << added << " more, " << times << " times";
          }
    of_keys<F> f(goal_for<F>(100));
    for (auto const key : keys<random_keys>(0, 100)) {
      (void)f.insert(key);
      EXPECT_TRUE(f.erase(key));
      if constexpr (membership<F>) {
        EXPECT_FALSE(f.may_contain(key));
      }
      if constexpr (countable<F>) {
        EXPECT_EQ(f.count(key), 0);
      }
    }
  }
}

/// A count of 0 is certain only where counts are never too low; fast_ams, say, erases anything.
template <class F>
constexpr bool knows_what_is_absent() {
  if constexpr (countable<F> && !membership<F>)
    return never_undercounts<F>;
  else
    return membership<F>;
}
TYPED_TEST_P(laws, erasing_what_is_certainly_absent_changes_nothing_and_says_so) {
  using F = TypeParam;
  if constexpr (erasable<F> && knows_what_is_absent<F>())
    for (std::uint64_t const items : {0U, 1U, 1000U}) {
      auto f = filled<F>(items);
      auto const before = to_bytes(f);
      std::uint64_t refused = 0;
      for (auto const key : keys<random_keys>(absent, 1000)) {
        if (perhaps_there(f, key)) continue;  // would be misuse
        ASSERT_FALSE(f.erase(key)) << items;
        ++refused;
      }
      if constexpr (membership<F>) {
        EXPECT_GT(refused, 500U);
      }
      EXPECT_EQ(to_bytes(f), before) << items;
    }
}

TYPED_TEST_P(laws, insert_if_new_tells_new_keys_and_inserts_them) {
  using F = TypeParam;
  if constexpr (noticing<F> && membership<F>) {
    of_keys<F> f(goal_for<F>(1000));
    std::uint64_t fresh = 0;
    for (auto const key : keys<random_keys>(0, 1000)) {
      bool const before = f.may_contain(key);
      bool const is_new = f.insert_if_new(key);
      EXPECT_EQ(is_new, !before);
      EXPECT_FALSE(f.insert_if_new(key));
      fresh += is_new ? 1 : 0;
    }
    EXPECT_GT(fresh, 900U);
    if constexpr (!countable<F> && F::misses != false_negatives::by_age) {  // a second time may count, or age the others
      EXPECT_EQ(f, filled<F>(1000));
    }
  }
}

/// Also of keys that stand twice in a block, in a filter that is small and in one that is not in the cache.
TYPED_TEST_P(laws, a_batch_of_insert_if_new_does_the_same) {
  using F = TypeParam;
  if constexpr (noticing<F>)
    for (std::uint64_t const planned : {100U, sanitized ? 100'000U : 2'000'000U})
      for (std::uint64_t const count : {0U, 1U, 63U, 64U, 65U, 256U, 1000U, 5000U}) {
        std::vector<std::uint64_t> all;
        for (numbers draw(count); all.size() < count;) all.push_back(random_keys::make(draw(count)));
        of_keys<F> singly(goal_for<F>(planned));
        auto together = singly;
        auto const fresh = together.insert_if_new(all);
        ASSERT_EQ(fresh.size(), count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(fresh[i], singly.insert_if_new(all[i])) << i << " of " << count;
        EXPECT_EQ(together, singly) << count;
        EXPECT_EQ(together.about(), singly.about()) << count;
      }
}

/// Beside a deque, for streams without repeats, with many, and with some few keys again and again, which must push nobody out.
TYPED_TEST_P(laws, keys_of_the_window_are_remembered) {
  using F = TypeParam;
  if constexpr (F::misses == false_negatives::by_age && insertable<F> && membership<F>) {
    for (std::uint64_t const items : {1U, 2U, 3U, 7U, 30U, 200U})
      for (unsigned const stream : {0U, 1U, 2U, 3U}) {
        of_keys<F> f(goal_for<F>(items));
        window_model model(items);
        numbers draw(items + stream);
        for (std::uint64_t step = 0; step < 12 * items + 20; ++step) {
          auto const number = stream == 0               ? step
                              : stream == 1             ? draw(2 * items)
                              : stream == 2             ? draw(1 + draw(3 * items))
                              : step % (3 * items) == 0 ? absent + step
                                                        : step % items;  // seldom new among few
          auto const key = random_keys::make(number);
          bool const known = f.may_contain(key);
          if (draw(2) == 0) {
            (void)f.insert(key);
          } else if constexpr (noticing<F>) {
            EXPECT_EQ(f.insert_if_new(key), !known);
          }
          model.insert(key);
          ASSERT_TRUE(f.may_contain(key)) << "just inserted, step " << step << " of stream " << stream << " for " << items;
          if constexpr (!misses_in_window<F>()) {
            std::uint64_t age = 0;
            for (auto const old : model.keys())
              ASSERT_TRUE(f.may_contain(old)) << age++ << " distinct keys old at step " << step << " of stream " << stream
                                              << ", with a window of " << items;
            if (model.keys().size() <= items) {
              EXPECT_FALSE(f.has_forgotten());
            }
          }
        }
        if (stream == 0) {
          EXPECT_TRUE(f.has_forgotten());
        }
      }
  }
}

/// A stream of ten windows. The rate saws, and may not pass what was planned: the highest of many looks, given the fill, each
/// of which is off by a per cent or two. A key that came nine windows ago is a key like any other.
TYPED_TEST_P(laws, an_endless_stream_keeps_the_rate_and_forgets) {
  using F = TypeParam;
  if constexpr (F::misses == false_negatives::by_age && plannable<F>)
    for (double const fpr : {0.1, 0.01}) {
      std::uint64_t const items = sanitized ? 5000 : 20'000;
      of_keys<F> f(goal_for<F>(items, fpr));
      double highest = 0;
      std::uint64_t inserted = 0;
      for (; inserted < 10 * items; inserted += items / 50) {
        fill(f, keys<random_keys>(inserted, items / 50));
        highest = std::max(highest, f.fpr());
      }
      EXPECT_LE(highest, 1.1 * fpr);
      EXPECT_GE(highest, 0.7 * F::planned_fpr(f.family().shape(), items)) << "it could be smaller";
      auto const old = f.may_contain(keys<random_keys>(0, items)).count();
      EXPECT_TRUE(binomial_band(static_cast<double>(items), f.fpr()).holds(static_cast<double>(old)))
          << old << " at " << f.fpr();
    }
}

TYPED_TEST_P(laws, reloaded_in_the_middle_of_a_stream_it_goes_on_as_if_never_saved) {
  using F = TypeParam;
  if constexpr (F::misses == false_negatives::by_age && insertable<F>)
    for (std::uint64_t const items : {1U, 7U, 1000U}) {
      of_keys<F> never_saved(goal_for<F>(items));
      auto reloaded = never_saved;
      auto const piece = items / 7 + 1;
      for (std::uint64_t from = 0; from < 6 * items; from += piece) {
        auto const some = keys<random_keys>(from, piece);
        fill(never_saved, some);
        fill(reloaded, some);
        reloaded = from_bytes<of_keys<F>>(to_bytes(reloaded));
        ASSERT_EQ(to_bytes(reloaded), to_bytes(never_saved)) << "after " << from + piece << " keys, window of " << items;
      }
      EXPECT_TRUE(never_saved.has_forgotten());
      never_saved.clear();
      EXPECT_EQ(to_bytes(never_saved), to_bytes(of_keys<F>(goal_for<F>(items)))) << "clear starts anew";
    }
}

/// How far a growing family is taken from a first stage of `first` keys: ten doublings, or where the rate grows with the keys
/// ten stages.
template <growing F>
std::uint64_t grown_from(std::uint64_t first) {
  return keeps_fpr<F> ? 1024 * first : 10 * first;
}

/// At every step and just before and after a stage is opened, as the sizes of steps have it: about a fourth of what is there.
TYPED_TEST_P(laws, growing_it_misses_no_key) {
  using F = TypeParam;
  if constexpr (growing<F> && membership<F>)
    for (std::uint64_t const first : {1U, 7U, 100U})
      for_each_key_set([&]<class Keys>() {
        of_keys<F> f(goal_for<F>(first));
        auto const members = keys<Keys>(0, grown_from<F>(first));
        for (std::uint64_t inserted = 0, stages = 1; inserted < members.size();) {
          auto const step = std::min<std::uint64_t>(inserted / 4 + 1, members.size() - inserted);
          fill(f, std::span(members).subspan(inserted, step));
          inserted += step;
          ASSERT_EQ(f.may_contain(std::span(members).first(inserted)).count(), inserted) << Keys::name << " from " << first;
          ASSERT_GE(f.family().stages(), stages);
          stages = f.family().stages();
        }
        EXPECT_GE(f.family().stages(), 7U) << first;
        for (auto const& key : members) ASSERT_TRUE(f.may_contain(key)) << Keys::name << " from " << first;
      });
}

/// A first stage of 1000 keys has some hundred blocks, and then its rate is 10 % off its plan or so, those of later stages
/// less: that of all of them 3 % or so, and six times that is less than what is left of the goal. Keys that are taken for
/// others take no room, so that a filter has a little less of everything than its plan for all keys says: by its rate.
TYPED_TEST_P(laws, growing_it_has_the_rate_foretold) {
  using F = TypeParam;
  if constexpr (growing<F> && membership<F>)
    for (double const fpr : {keeps_fpr<F> ? 0.1 : 0.02, 0.01}) {
      std::uint64_t const first = 1000;
      of_keys<F> f(goal_for<F>(first, fpr));
      auto const all = grown_from<F>(first) / (sanitized ? 8 : 1);
      std::uint64_t looks = 0;
      for (std::uint64_t inserted = 0; inserted < all;) {
        auto const step = std::min(std::max(inserted / 4, first / 4), all - inserted);
        fill(f, keys<random_keys>(inserted, step));
        inserted += step;
        double const rate = f.fpr();
        if (keeps_fpr<F>) {
          EXPECT_LE(rate, fpr) << inserted;
        }
        double const foretold = F::planned_fpr(f.family().shape(), inserted);
        EXPECT_LE(rate, 1.25 * foretold + 0.02 * fpr) << inserted;
        EXPECT_GE(rate, 0.75 * foretold * (1 - foretold) - 0.02 * fpr) << inserted;
        if (looks++ % 8 != 7 && inserted != all) continue;
        auto const asked = static_cast<std::uint64_t>(std::min(hits_for_ten_percent / rate, 2e6));
        auto const hits = static_cast<double>(f.may_contain(keys<random_keys>(absent, asked)).count());
        auto const expected = binomial_band(static_cast<double>(asked), rate);
        EXPECT_TRUE(expected.holds(hits)) << hits << " of " << asked << " at " << rate << " with " << inserted << " keys";
      }
      if constexpr (estimating<F>) {
        auto const e = f.estimate();
        double const widened = z_two_sided / plan::z95;
        EXPECT_LE(static_cast<double>(all), e.value + widened * (e.high - e.value));
        EXPECT_GE(static_cast<double>(all), e.value - widened * (e.value - e.low));
      }
    }
}

/// With keys that come again, in blocks in which several stages are opened.
TYPED_TEST_P(laws, growing_in_batches_is_growing_one_by_one) {
  using F = TypeParam;
  if constexpr (growing<F>)
    for (std::uint64_t const first : {1U, 7U, 100U, 700U}) {
      auto const range = std::min<std::uint64_t>(grown_from<F>(first), 20'000);
      numbers draw(first);
      std::vector<std::uint64_t> all;
      while (all.size() < range) all.push_back(random_keys::make(draw(range)));
      of_keys<F> singly(goal_for<F>(first));
      auto together = singly;
      for (auto const key : all) (void)singly.insert(key);
      fill(together, all);
      ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
      EXPECT_GE(singly.family().stages(), 4U) << first;
      for (auto& key : all) key = random_keys::make(draw(2 * range));
      if constexpr (membership<F>) {
        auto const hits = together.may_contain(all);
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(hits[i], singly.may_contain(all[i])) << i << " from " << first;
      }
      if constexpr (noticing<F>) {
        auto const fresh = together.insert_if_new(all);
        for (std::size_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(fresh[i], singly.insert_if_new(all[i])) << i << " from " << first;
        ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
      }
      if constexpr (countable<F>) {
        auto const counts = together.count(all);
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(counts[i], singly.count(all[i])) << i << " from " << first;
      }
      if constexpr (erasable<F>)
        for (int round = 0; round < 3; ++round) {  // the last ones of stages, and what is not there any more
          for (auto& key : all) key = random_keys::make(draw(2 * range));
          std::size_t erased = 0;
          for (auto const key : all) erased += singly.erase(key) ? 1U : 0U;
          EXPECT_EQ(together.erase(all), erased);
          ASSERT_EQ(to_bytes(together), to_bytes(singly)) << first;
        }
    }
}

TYPED_TEST_P(laws, repeats_open_no_stage) {
  using F = TypeParam;
  if constexpr (growing<F>)
    for (std::uint64_t const first : {1U, 7U, 100U}) {
      of_keys<F> f(goal_for<F>(first));
      auto const members = keys<random_keys>(0, grown_from<F>(first));
      fill(f, members);
      auto const before = own_bytes(f);
      auto const stages = f.family().stages();
      fill(f, members);
      for (auto const key : members) (void)f.insert(key);
      EXPECT_EQ(f.family().stages(), stages);
      if constexpr (erasable<F>) {
        EXPECT_EQ(f.erase(members), members.size());
        for (auto const key : members) ASSERT_TRUE(f.erase(key));
      }
      if constexpr (!erasable<F>) {
        EXPECT_EQ(own_bytes(f), before) << first;
      } else if constexpr (erase_restores<F>) {
        EXPECT_EQ(own_bytes(f), before) << first;
        EXPECT_EQ(f.erase(members), members.size());
        EXPECT_EQ(f.family().stages(), 1U) << "stages go with their last key";
        EXPECT_EQ(f.fpr(), 0);
      }
      f.clear();
      EXPECT_EQ(to_bytes(f), to_bytes(of_keys<F>(goal_for<F>(first))));
    }
}

TYPED_TEST_P(laws, reloaded_while_it_grows_it_goes_on_as_if_never_saved) {
  using F = TypeParam;
  if constexpr (growing<F>)
    for (std::uint64_t const first : {1U, 7U, 100U}) {
      of_keys<F> never_saved(goal_for<F>(first));
      auto reloaded = never_saved;
      auto const all = grown_from<F>(first);
      for (std::uint64_t from = 0; from < all;) {
        auto const some = keys<random_keys>(from, from / 3 + 1);
        fill(never_saved, some);
        fill(reloaded, some);
        if constexpr (erasable<F>) {
          auto const gone = keys<random_keys>(from / 2, from / 6);
          EXPECT_EQ(never_saved.erase(gone), reloaded.erase(gone));
        }
        reloaded = from_bytes<of_keys<F>>(to_bytes(reloaded));
        from += some.size();
        ASSERT_EQ(to_bytes(reloaded), to_bytes(never_saved)) << "after " << from << " keys from " << first;
      }
      auto const bytes = to_bytes(reloaded);
      of_keys<F> copy = *view<of_keys<F>>(bytes);
      copy.clear();
      EXPECT_EQ(to_bytes(copy), to_bytes(of_keys<F>(goal_for<F>(first)))) << "clear starts anew";
    }
}

TYPED_TEST_P(laws, merge_is_union_byte_for_byte) {
  using F = TypeParam;
  if constexpr (mergeable<F>)
    for (std::uint64_t const items : {0U, 1U, 1000U}) {
      of_keys<F> a(goal_for<F>(2000)), b(goal_for<F>(2000)), both(goal_for<F>(2000));
      fill(a, keys<random_keys>(0, items));
      fill(b, keys<random_keys>(items, items));
      fill(both, keys<random_keys>(0, 2 * items));
      a.merge(b);
      EXPECT_EQ(to_bytes(a), to_bytes(both)) << items;
    }
}

/// Also of filters that share keys, and with what both know taken out again.
TYPED_TEST_P(laws, merge_adds_counts_and_erase_takes_off_again) {
  using F = TypeParam;
  if constexpr (mergeable<F> && insertable<F> && countable<F>) {
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
}

TYPED_TEST_P(laws, unequal_filters_do_not_combine_and_stay_as_they_were) {
  using F = TypeParam;
  if constexpr (mergeable<F> && plannable<F>) {
    auto f = filled<F>(1000);
    auto const before = to_bytes(f);
    auto const other_size = filled<F>(3000);
    of_keys<F> const other_seed(goal_for<F>(1000), xxh3(1));
    EXPECT_EQ(code_of([&] { f.merge(other_size); }), errc::incompatible);
    EXPECT_EQ(code_of([&] { f.merge(other_seed); }), errc::incompatible);
    if constexpr (intersectable<F>) {
      EXPECT_EQ(code_of([&] { f.intersect(other_size); }), errc::incompatible);
      EXPECT_EQ(code_of([&] { f.intersect(other_seed); }), errc::incompatible);
    }
    EXPECT_EQ(to_bytes(f), before);
  }
}

TYPED_TEST_P(laws, intersect_keeps_what_both_have) {
  using F = TypeParam;
  if constexpr (intersectable<F> && membership<F>) {
    of_keys<F> a(goal_for<F>(2000)), b(goal_for<F>(2000));
    fill(a, keys<random_keys>(0, 1500));
    fill(b, keys<random_keys>(500, 1500));
    auto const of_a = a.fpr();
    a.intersect(b);
    EXPECT_EQ(a.may_contain(keys<random_keys>(500, 1000)).count(), 1000U);
    EXPECT_LT(a.fpr(), of_a);
  }
}

TYPED_TEST_P(laws, fold_keeps_the_keys_and_has_the_rate_it_foretold) {
  using F = TypeParam;
  if constexpr (foldable<F> && membership<F>) {
    auto const original = filled<F>(10'000);
    auto const ways = plan::divisors(original.family().fold_width());
    auto const planned = F(F::plan(goal_for<F>(10'000'000))).fold_width();
    EXPECT_GE(plan::divisors(planned).size(), 20U) << "sizes are planned with divisors to spare: " << planned;
    for (auto const by : ways) {
      if (by > 200) break;
      auto f = original;
      double const foretold = f.family().fpr_folded(by);
      f.fold(by);
      EXPECT_DOUBLE_EQ(f.fpr(), foretold);
      // As planned: counters that were added up may need more bits than each did before.
      EXPECT_LE(F::planned_bytes(f.family().shape()), F::planned_bytes(original.family().shape()) / by + 8);
      EXPECT_EQ(f.may_contain(keys<random_keys>(0, 10'000)).count(), 10'000U) << "folded by " << by;
      if constexpr (erasable<F>) {
        EXPECT_EQ(f.erase(keys<random_keys>(0, 5000)), 5000U);
        EXPECT_EQ(f.may_contain(keys<random_keys>(5000, 5000)).count(), 5000U) << "folded by " << by << ", then erased";
      }
    }
    auto f = original;
    for (std::uint64_t const by : {std::uint64_t{0}, original.family().fold_width() + 1, ~std::uint64_t{0}}) {
      EXPECT_EQ(code_of([&] { f.fold(by); }), errc::bad_params) << by;
      EXPECT_EQ(code_of([&] { (void)f.family().fpr_folded(by); }), errc::bad_params) << by;
    }
    EXPECT_EQ(f, original);
  }
}

TYPED_TEST_P(laws, fold_to_a_rate_goes_as_far_as_it_may) {
  using F = TypeParam;
  if constexpr (foldable<F> && membership<F>) {
    of_keys<F> roomy(goal_for<F>(100'000, 1e-4));
    fill(roomy, keys<random_keys>(0, 5000));
    for (double const target : {0.5, 0.05, 0.001}) {
      auto f = roomy;
      auto const by = f.fold_to_fpr(target);
      EXPECT_GT(by, 1U);
      EXPECT_LE(f.fpr(), target);
      auto const ways = plan::divisors(roomy.family().fold_width());
      auto const next = std::ranges::upper_bound(ways, by);
      ASSERT_NE(next, ways.end());
      EXPECT_GT(roomy.family().fpr_folded(*next), target) << "it could have been smaller";
    }
    auto full = filled<F>(1000);
    auto const before = to_bytes(full);
    EXPECT_EQ(full.fold_to_fpr(full.fpr() / 2), 1U) << "it is above that rate already";
    EXPECT_EQ(to_bytes(full), before);
  }
}

/// The interval is one of 95 %; six standard deviations hold but for 1e-9, and one key for the smallest.
TYPED_TEST_P(laws, estimate_is_near_the_number_of_distinct_keys) {
  using F = TypeParam;
  if constexpr (estimating<F>)
    for (auto const items : sizes())
      for_each_key_set([&]<class Keys>() {
        auto f = filled<F, Keys>(items);
        if constexpr (insertable<F>)
          if (items < 1000) fill(f, keys<Keys>(0, items));  // again: duplicates are no new keys
        auto const e = f.estimate();
        EXPECT_LE(e.low, e.value);
        EXPECT_LE(e.value, e.high);
        if (e.saturated) return;  // a few keys may fill a tiny filter
        double const n = static_cast<double>(items);
        double const widened = z_two_sided / plan::z95;
        EXPECT_LE(n, e.value + widened * (e.high - e.value) + 1) << Keys::name;
        EXPECT_GE(n, e.value - widened * (e.value - e.low) - 1) << Keys::name;
      });
}

TYPED_TEST_P(laws, saved_and_loaded_it_goes_on_as_if_never_saved) {
  using F = TypeParam;
  scratch_file file;
  for (std::uint64_t const items : {0U, 1U, 7U, 1000U, 100'000U}) {
    auto original = filled<F>(items);
    save(original, file.path());
    auto const bytes = to_bytes(original);
    EXPECT_EQ(std::filesystem::file_size(file.path()), bytes.size());
    EXPECT_EQ(stored_size(original), bytes.size());

    auto loaded = load<of_keys<F>>(file.path());
    auto opened = open<of_keys<F>>(file.path(), {.key = {}, .verify = true});
    auto received = from_bytes<of_keys<F>>(bytes);
    auto const seen = view<of_keys<F>>(bytes, {.key = {}, .verify = true});
    of_keys<F> copy = *seen;
    EXPECT_EQ(*seen, original);
    for (auto* f : {&loaded, &opened, &received, &copy}) {
      EXPECT_EQ(to_bytes(*f), bytes);
      EXPECT_EQ(f->about(), original.about());
      if constexpr (insertable<F>) (void)f->insert(keys<random_keys>(absent, 100));
    }
    if constexpr (insertable<F>) (void)original.insert(keys<random_keys>(absent, 100));
    for (auto* f : {&loaded, &opened, &received, &copy}) EXPECT_EQ(to_bytes(*f), to_bytes(original));
    EXPECT_EQ(to_bytes(load<of_keys<F>>(file.path())), bytes) << "inserting into a mapped filter must not change its file";
    EXPECT_EQ(to_bytes(*seen), bytes);
  }
}

/// Bytes of the caller start on any multiple of 8, and so do the lines of cells in them.
TYPED_TEST_P(laws, a_view_answers_the_same_wherever_its_bytes_are) {
  using F = TypeParam;
  auto const original = filled<F>(1000);
  auto const bytes = to_bytes(original);
  auto const asked = keys<random_keys>(500, 1000);
  std::vector<std::uint64_t> space(bytes.size() / 8 + 16);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    auto const here = std::as_writable_bytes(std::span(space)).subspan(8 * shift, bytes.size());
    std::ranges::copy(bytes, here.begin());
    auto const seen = view<of_keys<F>>(here);
    if constexpr (membership<F>) {
      EXPECT_EQ(seen->fpr(), original.fpr());
      auto const hits = seen->may_contain(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(hits[i], original.may_contain(asked[i])) << shift << ", " << i;
        ASSERT_EQ(seen->may_contain(asked[i]), hits[i]) << shift << ", " << i;
      }
    }
    if constexpr (countable<F>) {
      auto const counts = seen->count(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(counts[i], original.count(asked[i])) << shift << ", " << i;
        ASSERT_EQ(seen->count(asked[i]), counts[i]) << shift << ", " << i;
      }
    }
  }
}

TYPED_TEST_P(laws, every_truncation_and_every_flipped_bit_is_noticed) {
  using F = TypeParam;
  auto const bytes = to_bytes(filled<F>(7));
  auto const step = bytes.size() / 2000 + 1;  // of a family that is large from the start, a sample
  auto const refused = [](std::span<std::byte const> damaged) {
    auto const copying = code_of([&] { (void)from_bytes<of_keys<F>>(damaged); });
    auto const viewing = code_of([&] { (void)view<of_keys<F>>(damaged, {.key = {}, .verify = true}); });
    EXPECT_EQ(copying, viewing);
    EXPECT_TRUE(copying == errc::corrupt || copying == errc::unsupported);
  };
  for (std::size_t size = 0; size < bytes.size(); size += step)
    refused(std::vector(bytes.begin(), bytes.begin() + static_cast<long>(size)));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += step) {
    auto damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    refused(damaged);
  }
  auto longer = bytes;
  longer.resize(bytes.size() + 64);
  refused(longer);
}

TYPED_TEST_P(laws, copies_are_independent_and_moves_leave_nothing_behind) {
  using F = TypeParam;
  auto original = filled<F>(1000);
  auto const bytes = to_bytes(original);
  auto copy = original;
  copy.clear();
  EXPECT_EQ(to_bytes(original), bytes);
  copy = original;
  auto const moved = std::move(original);
  EXPECT_EQ(to_bytes(moved), bytes);
  original = copy;  // a moved-from filter may be assigned to
  EXPECT_EQ(to_bytes(original), bytes);
}

TYPED_TEST_P(laws, the_same_input_gives_the_same_bytes) {
  using F = TypeParam;
  EXPECT_EQ(to_bytes(filled<F>(1000)), to_bytes(filled<F>(1000)));
  EXPECT_NE(to_bytes(filled<F>(1000)), to_bytes(filled<F>(1000, 1)));
}

REGISTER_TYPED_TEST_SUITE_P(
    laws, no_key_that_was_inserted_is_missed, other_keys_are_found_as_often_as_fpr_says, a_plan_keeps_the_rate_it_was_asked_for,
    an_impossible_goal_is_refused, a_built_filter_depends_on_its_keys_alone, a_built_filter_counts_what_it_was_built_of,
    clear_gives_back_the_filter_as_it_was_made, a_batch_does_what_its_keys_do_one_by_one,
    a_batch_in_a_large_filter_does_the_same, a_batch_of_counts_and_erases_in_a_large_filter_does_the_same,
    a_lone_key_is_counted_exactly_as_far_as_the_family_counts, absent_keys_are_counted_as_often_as_they_are_found,
    a_full_filter_refuses_keys_and_loses_none, a_multiset_beside_it_agrees, as_many_erases_as_inserts_restore_the_bytes,
    erasing_what_is_certainly_absent_changes_nothing_and_says_so, merge_adds_counts_and_erase_takes_off_again,
    insert_if_new_tells_new_keys_and_inserts_them, a_batch_of_insert_if_new_does_the_same, keys_of_the_window_are_remembered,
    an_endless_stream_keeps_the_rate_and_forgets, reloaded_in_the_middle_of_a_stream_it_goes_on_as_if_never_saved,
    growing_it_misses_no_key, growing_it_has_the_rate_foretold, growing_in_batches_is_growing_one_by_one, repeats_open_no_stage,
    reloaded_while_it_grows_it_goes_on_as_if_never_saved, merge_is_union_byte_for_byte,
    unequal_filters_do_not_combine_and_stay_as_they_were, intersect_keeps_what_both_have,
    fold_keeps_the_keys_and_has_the_rate_it_foretold, fold_to_a_rate_goes_as_far_as_it_may,
    estimate_is_near_the_number_of_distinct_keys, saved_and_loaded_it_goes_on_as_if_never_saved,
    a_view_answers_the_same_wherever_its_bytes_are, every_truncation_and_every_flipped_bit_is_noticed,
    copies_are_independent_and_moves_leave_nothing_behind, the_same_input_gives_the_same_bytes);

}  // namespace hortus::testing
