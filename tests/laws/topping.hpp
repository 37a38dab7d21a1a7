#pragma once
#include <set>

#include "laws/support.hpp"
#include "sketch/streams.hpp"

/// top: the most frequent keys themselves, beside the true counts of a stream.
namespace hortus::testing {

/// The true counts of a stream whose keys are numbers, made into keys by Keys.
using true_counts = std::map<std::uint64_t, std::uint64_t>;

/// What must hold of every answer, whatever was pushed out; ends at the first that does not. `error` is the planned one, as a
/// share of the stream.
template <class Keys, class F>
void check_top(of_keys<F> const& f, true_counts const& truth, double error) {
  std::uint64_t length = 0;
  std::map<std::uint64_t, std::uint64_t> numbers;  // of a digest
  for (auto const& [number, count] : truth) {
    length += count;
    numbers[f(Keys::make(number)).bits()] = number;
  }
  auto const allowed = error * static_cast<double>(length);
  for (std::uint64_t const most : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10}, ~std::uint64_t{0}}) {
    auto const top = f.top(most);
    ASSERT_LE(top.keys.size(), most);
    ASSERT_EQ(top.inserted, length);
    auto rest = truth;
    for (std::size_t i = 0; i < top.keys.size(); ++i) {
      auto const& key = top.keys[i];
      ASSERT_TRUE(numbers.contains(key.of.bits())) << "a key that never came";
      auto const number = numbers[key.of.bits()];
      ASSERT_EQ(rest.erase(number), 1U) << "twice in the list: " << number;
      ASSERT_LE(key.at_least(), truth.at(number)) << number;
      ASSERT_GE(key.count, truth.at(number)) << number;
      ASSERT_LE(static_cast<double>(key.error), allowed) << number;
      ASSERT_EQ(f.count(Keys::make(number)), key.count) << "count and top agree";
      ASSERT_TRUE(i == 0 || comes_before(top.keys[i - 1], key)) << "largest first";
      with_kept_key(Keys::make(number), [&](kept_key const& whole) {
        ASSERT_EQ(key.kind, whole.kind);
        ASSERT_EQ(key.length, whole.bytes.size());
        ASSERT_TRUE(std::ranges::equal(std::as_bytes(std::span(key.bytes)), whole.bytes.first(key.bytes.size())));
      });
    }
    std::multiset<std::uint64_t, std::greater<>> order;
    for (auto const& entry : truth) order.insert(entry.second);
    auto in_order = order.begin();
    ASSERT_LE(top.certain, top.keys.size());
    for (std::size_t i = 0; i < top.certain; ++i)
      ASSERT_EQ(truth.at(numbers[top.keys[i].of.bits()]), *in_order++) << "certain, and wrong: " << i;
    for (auto const& [number, count] : rest) {
      ASSERT_LE(count, top.others_at_most) << number;
      ASSERT_GE(static_cast<std::uint64_t>(f.count(Keys::make(number))), count) << number;
      ASSERT_TRUE(most != ~std::uint64_t{0} || static_cast<double>(count) <= allowed) << "a heavy key is missing: " << number;
    }
  }
}

/// Streams by Zipf's law, uniform ones, all keys once, and a heavy key among many that come once.
inline std::vector<std::vector<std::uint64_t>> streams() {
  std::vector<std::vector<std::uint64_t>> all;
  for (double const exponent : {0.0, 0.8, 1.0, 1.5}) all.push_back(shuffled(draw_counts(3000, 20'000, exponent, 1), 2));
  auto& once = all.emplace_back();
  for (std::uint64_t i = 0; i < 5000; ++i) once.push_back(i);
  auto& heavy = all.emplace_back();
  for (std::uint64_t i = 0; i < 10'000; ++i) heavy.push_back(i % 10 == 0 ? 0 : i);
  return all;
}

template <class F>
requires topping<F>
void top_keeps_its_bounds_and_has_every_heavy_key() {
  for (double const error : {0.5, 0.05, 0.005})
    for_each_key_set([&]<class Keys>() {
      for (auto const& stream : streams()) {
        of_keys<F> f(goal_for<F>(1000, error));
        true_counts truth;
        for (auto const number : stream) {
          (void)insert_key(f, Keys::make(number));
          ++truth[number];
        }
        SCOPED_TRACE(Keys::name);
        check_top<Keys>(f, truth, error);
      }
    });
}

template <class F>
requires topping<F>
void while_every_key_has_a_counter_all_is_exact() {
  for_each_key_set([&]<class Keys>() {
    of_keys<F> f(goal_for<F>(1000, 0.01));
    true_counts truth;
    numbers draw(5);
    for (int i = 0; i < 3000; ++i) {
      auto const number = draw(1 + draw(99));
      (void)insert_key(f, Keys::make(number));
      ++truth[number];
    }
    auto const top = f.top(1000);
    EXPECT_EQ(top.keys.size(), truth.size());
    EXPECT_EQ(top.certain, truth.size());
    EXPECT_EQ(top.others_at_most, 0U);
    for (auto const& entry : truth) EXPECT_EQ(f.count(Keys::make(entry.first)), entry.second) << Keys::name;
    for (auto const& key : top.keys) EXPECT_EQ(key.error, 0U);
    EXPECT_EQ(f.count(Keys::make(absent)), 0U);
  });
}

/// Cut into parts, each with a sketch of its own, and merged in a row or by pairs.
template <class F>
requires topping<F> && mergeable<F>
void merged_sketches_keep_the_bounds_of_the_whole_stream() {
  for (double const error : {0.5, 0.05, 0.005})
    for_each_key_set([&]<class Keys>() {
      for (auto const& stream : streams()) {
        constexpr std::size_t parts = 8;
        std::vector<of_keys<F>> all(parts, of_keys<F>(goal_for<F>(1000, error)));
        true_counts truth;
        for (std::size_t i = 0; i < stream.size(); ++i) {
          (void)insert_key(all[i * parts / stream.size()], Keys::make(stream[i]));
          ++truth[stream[i]];
        }
        SCOPED_TRACE(Keys::name);
        auto in_a_row = all[0];
        for (std::size_t i = 1; i < parts; ++i) in_a_row.merge(all[i]);
        check_top<Keys>(in_a_row, truth, error);
        for (std::size_t step = 1; step < parts; step *= 2)
          for (std::size_t i = 0; i + step < parts; i += 2 * step) all[i].merge(all[i + step]);
        check_top<Keys>(all[0], truth, error);
        EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(all[0])), all[0]);
        auto reloaded = from_bytes<of_keys<F>>(to_bytes(all[0]));
        for (std::size_t i = 0; i < stream.size(); i += 7) {  // and goes on
          (void)insert_key(all[0], Keys::make(stream[i]));
          (void)insert_key(reloaded, Keys::make(stream[i]));
          ++truth[stream[i]];
        }
        check_top<Keys>(all[0], truth, error);
        EXPECT_EQ(to_bytes(reloaded), to_bytes(all[0]));
      }
    });
}

/// Reloaded again and again while keys push each other out.
template <class F>
requires topping<F>
void reloaded_while_keys_are_pushed_out_it_goes_on_the_same() {
  of_keys<F> f(goal_for<F>(100, 0.1));
  auto g = f;
  std::size_t i = 0;
  auto const stream = streams()[1];
  for (auto const number : stream) {
    auto const key = common_prefix_keys::make(number);
    (void)insert_key(f, key);
    (void)insert_key(g, key);
    if (++i % 97 == 0) g = from_bytes<of_keys<F>>(to_bytes(g));
    if (i % 1000 == 0) {
      ASSERT_EQ(to_bytes(f), to_bytes(g)) << i;
    }
  }
}

template <class F>
void register_topping_laws() {
  HORTUS_LAW(top_keeps_its_bounds_and_has_every_heavy_key);
  HORTUS_LAW(while_every_key_has_a_counter_all_is_exact);
  HORTUS_LAW(merged_sketches_keep_the_bounds_of_the_whole_stream);
  HORTUS_LAW(reloaded_while_keys_are_pushed_out_it_goes_on_the_same);
}

}  // namespace hortus::testing
