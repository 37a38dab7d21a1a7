#pragma once
#include "laws/support.hpp"

/// Families that forget by the clock: windows of time, and pauses.
namespace hortus::testing {

template <class F>
concept ages_by_time = advancing<F> && insertable<F> && membership<F> && requires(typename F::goal g) {
  g.ticks;
};

/// A filter for `items` keys in a window of `ticks`, which was told the time.
template <ages_by_time F>
of_keys<F> timed(std::uint64_t items, std::uint64_t ticks, std::uint64_t now) {
  auto goal = goal_for<F>(items);
  goal.ticks = ticks;
  of_keys<F> f(goal);
  f.advance(now);
  return f;
}

/// Beside a table of the times at which keys last came, at every pace: many keys a tick, one a generation, less than one a
/// window. Keys that come again are young again, whichever way they are inserted. What is four windows old is gone but
/// for the rate.
template <class F>
requires ages_by_time<F>
void keys_of_the_window_of_time_are_remembered_and_older_ones_are_not() {
  constexpr std::uint64_t window = 1000;
  for (std::uint64_t const most_ticks : {2U, 20U, 200U, 3000U}) {
    std::uint64_t now = 1'700'000'000'000;
    auto f = timed<F>(2000, window, now);
    numbers draw(most_ticks);
    std::map<std::uint64_t, std::uint64_t> came;  // key, and when
    double old = 0, old_found = 0, highest = 0;
    for (std::uint64_t step = 0; step < 3000; ++step) {
      f.advance(now += draw(most_ticks));
      auto const key = random_keys::make(draw(3) == 0 ? draw(step + 1) : step);
      if (draw(2) == 0)
        (void)f.insert(key);
      else if constexpr (noticing<F>)
        (void)f.insert_if_new(key);
      else
        fill(f, std::vector{key});
      came[key] = now;
      if (step % 50 != 0) continue;
      highest = std::max(highest, f.fpr());
      for (auto const& [k, when] : came) {
        bool const found = f.may_contain(k);
        if (now - when <= window) {
          ASSERT_TRUE(found) << now - when << " ticks old, with up to " << most_ticks << " between keys";
        } else if (now - when > 4 * window) {
          ++old;
          old_found += found ? 1 : 0;
        }
      }
    }
    EXPECT_LE(old_found, binomial_band(old, highest).high) << old << " old keys, with up to " << most_ticks;
  }
}

/// After a pause, whatever its length, only what is in the window is remembered: all of it after a short one, nothing after a
/// long one, and the filter goes on. Clocks that are set back change nothing.
template <class F>
requires ages_by_time<F>
void a_long_pause_forgets_everything() {
  constexpr std::uint64_t window = 1000;
  constexpr std::uint64_t start = 1'700'000'000'000;
  auto const members = keys<random_keys>(0, 500);
  auto const others = keys<random_keys>(absent, 500);
  for (std::uint64_t const pause :
       {std::uint64_t{0}, window - 1, window, 4 * window, 5 * window, 64 * window, 65 * window, 1000 * window,
        std::uint64_t{1} << 32, std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + 1, ~std::uint64_t{0} - start}) {
    auto f = timed<F>(1000, window, start);
    for (unsigned const warm_up : {0U, 300U, 600U}) {  // so that the keys are of several generations
      f.advance(start + warm_up);
      fill(f, members);
    }
    auto const before = to_bytes(f);
    f.advance(start);
    EXPECT_EQ(to_bytes(f), before) << "a clock that was set back";
    auto reloaded = from_bytes<of_keys<F>>(before);
    auto const now = start + std::min(pause + 600, ~std::uint64_t{0} - start);
    f.advance(now);
    reloaded.advance(now);
    EXPECT_EQ(to_bytes(reloaded), to_bytes(f)) << pause;
    if (pause <= window) {
      EXPECT_EQ(f.may_contain(members).count(), members.size()) << pause;
    } else {
      EXPECT_EQ(f.may_contain(members).count(), 0U) << pause;
      EXPECT_EQ(f.fpr(), 0) << pause;
      EXPECT_TRUE(f.has_forgotten()) << pause;
    }
    fill(f, others);
    EXPECT_EQ(f.may_contain(others).count(), others.size()) << "after a pause of " << pause;
  }
}

template <class F>
void register_aging_by_time_laws() {
  HORTUS_LAW(keys_of_the_window_of_time_are_remembered_and_older_ones_are_not);
  HORTUS_LAW(a_long_pause_forgets_everything);
}

}  // namespace hortus::testing
