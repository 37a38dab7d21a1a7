#pragma once
#include "laws/support.hpp"

/// may_contain and fpr, one by one and in batches.
namespace hortus::testing {

template <class F>
requires membership<F> &&(!misses_in_window<F>()) void no_key_that_was_inserted_is_missed() {
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
template <class F>
requires membership<F>
void other_keys_are_found_as_often_as_fpr_says() {
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

/// Large enough that batches take the way they take when the filter is not in the cache.
template <class F>
requires membership<F>
void a_batch_in_a_large_filter_does_the_same() {
  auto const f = filled<F>(sanitized ? 2'000'000 : 4'000'000);
  auto const asked = keys<random_keys>(absent - 20'000, 40'000);  // none of them, and
  auto const members = keys<random_keys>(0, 10'000);
  auto const hits = f.may_contain(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(hits[i], f.may_contain(asked[i])) << i;
  if constexpr (!misses_in_window<F>()) {
    EXPECT_EQ(f.may_contain(members).count(), members.size());
  }
}

template <class F>
void register_asking_laws() {
  HORTUS_LAW(no_key_that_was_inserted_is_missed);
  HORTUS_LAW(other_keys_are_found_as_often_as_fpr_says);
  HORTUS_LAW(a_batch_in_a_large_filter_does_the_same);
}

}  // namespace hortus::testing
