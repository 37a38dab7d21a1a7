#pragma once
#include "laws/support.hpp"

/// A filter cut into shards, and joined again.
namespace hortus::testing {

template <shardable F>
std::vector<F> shards_of(F const& whole, std::uint64_t shards) {
  std::vector<F> parts;
  for (std::uint64_t i = 0; i < shards; ++i) parts.push_back(whole.shard(shards, i));
  return parts;
}

template <shardable F>
F joined(std::vector<F> const& parts) {
  auto whole = parts.front().widened(parts.size());
  for (std::uint64_t i = 0; i < parts.size(); ++i) whole.put_shard(parts.size(), i, parts[i]);
  return whole;
}

/// The numbers of shards to try: a few small ones, odd ones among them, and a place each.
template <shardable F>
std::vector<std::uint64_t> shard_numbers(F const& whole) {
  auto ways = plan::divisors(whole.places());
  if (ways.size() > 8) ways.erase(ways.begin() + 7, ways.end() - 1);
  return ways;
}

template <class F>
requires shardable<F> && membership<F>
void a_shard_answers_for_its_keys_as_the_whole_filter_does() {
  auto const whole = filled<F>(3000).family();
  auto const asked = keys<random_keys>(0, 20'000);  // members and others
  of_keys<F> const front(whole);
  for (auto const shards : shard_numbers(whole)) {
    auto const parts = shards_of(whole, shards);
    for (auto const& key : asked) {
      auto const x = front.digest_of(key);
      auto const its = F::shard_of(x, whole.places(), shards);
      ASSERT_LT(its, shards);
      ASSERT_EQ(parts[its].may_contain(x), whole.may_contain(x)) << shards << " shards";
      if constexpr (countable<F>) {
        ASSERT_EQ(parts[its].count(x), whole.count(x)) << shards << " shards";
      }
    }
  }
}

template <shardable F>
void shards_join_to_the_filter_they_were_cut_from() {
  auto const whole = filled<F>(3000).family();
  for (auto const shards : shard_numbers(whole)) {
    auto const parts = shards_of(whole, shards);
    EXPECT_EQ(own_bytes(of_keys<F>(joined(parts))), own_bytes(of_keys<F>(whole))) << shards << " shards";
    // A shard is a shard of half as many, cut in two.
    if (parts.front().places() % 2 != 0) continue;
    for (std::uint64_t i = 0; i < 2 * shards; i += shards / 2 + 1)
      EXPECT_EQ(whole.shard(2 * shards, i), parts[i % shards].shard(2, i / shards)) << i << " of " << 2 * shards;
  }
}

template <shardable F>
void a_key_goes_into_its_shard_as_into_the_whole_filter() {
  auto whole = filled<F>(1000).family();
  auto const shards = shard_numbers(whole).at(2);
  auto parts = shards_of(whole, shards);
  of_keys<F> const front(whole);
  for (auto const& key : keys<random_keys>(1000, 500)) {
    auto const x = front.digest_of(key);
    whole.insert(x);
    parts[F::shard_of(x, whole.places(), shards)].insert(x);
  }
  EXPECT_EQ(joined(parts), whole);
  // A shard takes the place of another, whatever that held.
  auto changed = whole;
  changed.put_shard(shards, 1, filled<F>(1000, 5000).family().shard(shards, 1));
  EXPECT_NE(changed, whole);
  changed.put_shard(shards, 1, whole.shard(shards, 1));
  EXPECT_EQ(changed, whole);
}

template <shardable F>
void shards_that_do_not_exist_are_refused() {
  auto const whole = filled<F>(1000).family();
  auto const places = whole.places();
  for (auto const shards : {std::uint64_t{0}, places + 1, ~std::uint64_t{0}})
    EXPECT_EQ(code_of([&] { (void)whole.shard(shards, 0); }), errc::bad_params) << shards;
  EXPECT_EQ(code_of([&] { (void)whole.shard(1, 1); }), errc::bad_params);
  EXPECT_EQ(code_of([&] { (void)whole.widened(0); }), errc::bad_params);
  EXPECT_EQ(code_of([&] { (void)whole.widened(~std::uint64_t{0} / places + 2); }), errc::bad_params);
  auto other = whole;
  auto const two = shard_numbers(whole).at(1);
  EXPECT_EQ(code_of([&] { other.put_shard(two, two, whole.shard(two, 0)); }), errc::bad_params);
  EXPECT_EQ(code_of([&] { other.put_shard(two, 0, whole); }), errc::incompatible);
  EXPECT_EQ(other, whole);
}

template <class F>
void register_sharding_laws() {
  HORTUS_LAW(a_shard_answers_for_its_keys_as_the_whole_filter_does);
  HORTUS_LAW(shards_join_to_the_filter_they_were_cut_from);
  HORTUS_LAW(a_key_goes_into_its_shard_as_into_the_whole_filter);
  HORTUS_LAW(shards_that_do_not_exist_are_refused);
}

}  // namespace hortus::testing
