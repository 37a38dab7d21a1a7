#pragma once
#include "laws/support.hpp"

/// Families that forget: their window, their rate in an endless stream.
namespace hortus::testing {

/// Beside a deque, for streams without repeats, with many, and with some few keys again and again, which must push nobody out.
template <class F>
requires forgetting<F> && insertable<F> && membership<F>
void keys_of_the_window_are_remembered() {
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
            ASSERT_TRUE(f.may_contain(old))
                << age++ << " distinct keys old at step " << step << " of stream " << stream << ", with a window of " << items;
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

/// A stream of ten windows. The rate saws, and may not pass what was planned: the highest of many looks, given the fill, each
/// of which is off by a per cent or two. A key that came nine windows ago is a key like any other.
template <class F>
requires forgetting<F> && plannable<F>
void an_endless_stream_keeps_the_rate_and_forgets() {
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
    EXPECT_TRUE(binomial_band(static_cast<double>(items), f.fpr()).holds(static_cast<double>(old))) << old << " at " << f.fpr();
  }
}

template <class F>
requires forgetting<F> && insertable<F>
void reloaded_in_the_middle_of_a_stream_it_goes_on_as_if_never_saved() {
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

/// Of keys of every age, in a filter that has turned over several times: in the cache, and beyond it, where batches take
/// another way. Both ways to insert, with keys that come again.
template <class F>
requires(F::misses == false_negatives::by_age) &&
    insertable<F>&& membership<F> void batches_of_old_and_young_keys_do_what_single_keys_do() {
  for (std::uint64_t const items : {1U, 50U, 5000U, sanitized ? 10'000U : 800'000U}) {
    of_keys<F> singly(goal_for<F>(items));
    auto together = singly;
    numbers draw(items);
    std::uint64_t next = 0;
    for (unsigned round = 0; round < 12; ++round) {
      std::vector<std::uint64_t> some;
      while (some.size() < items / 3 + 1) some.push_back(random_keys::make(draw(4) == 0 ? draw(next + 1) : next++));
      if (round % 2 == 0) {
        for (auto const key : some) (void)singly.insert(key);
        fill(together, some);
      } else if constexpr (noticing<F>) {
        auto const fresh = together.insert_if_new(some);
        for (std::size_t i = 0; i < some.size(); ++i)
          ASSERT_EQ(singly.insert_if_new(some[i]), fresh[i]) << i << " of round " << round << ", window of " << items;
      }
      ASSERT_TRUE(together == singly) << "round " << round << ", window of " << items;
      std::vector<std::uint64_t> asked;  // from the first key to some that have not come yet
      for (std::uint64_t i = 0; i < 3000; ++i) asked.push_back(random_keys::make(draw(next + next / 4 + 1)));
      auto const hits = together.may_contain(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(hits[i], singly.may_contain(asked[i])) << i << ", " << items;
    }
    EXPECT_TRUE(singly.has_forgotten());
  }
}

template <class F>
void register_aging_laws() {
  HORTUS_LAW(keys_of_the_window_are_remembered);
  HORTUS_LAW(an_endless_stream_keeps_the_rate_and_forgets);
  HORTUS_LAW(reloaded_in_the_middle_of_a_stream_it_goes_on_as_if_never_saved);
  HORTUS_LAW(batches_of_old_and_young_keys_do_what_single_keys_do);
}

}  // namespace hortus::testing
