// Goals by space: the lowest rate that fits, in every family, and never a byte more.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/families.hpp>

namespace hortus::testing {
namespace {

/// What act() says is wrong with a goal.
template <class Act>
std::string complaint(Act act) {
  try {
    act();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_goal);
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(budget, is_kept_and_used_by_every_family) {
  families::for_each([]<class F>() {
    for (std::uint64_t const items : {1U, 10U, 1000U, 100'000U})
      for (double const bits : {2.5, 10.0, 40.0, 4000.0}) {
        SCOPED_TRACE(std::string(F::name) + ", " + std::to_string(items) + " items, " + std::to_string(bits));
        budget const wish{.items = items, .bits_per_item = bits};
        typename F::goal goal;
        try {
          goal = best_goal<F>(wish);
        } catch (error const& e) {
          EXPECT_EQ(e.code(), errc::bad_goal);
          EXPECT_TRUE(items < 10'000 || bits < 200) << e.what();
          continue;
        }
        auto const params = F::plan(goal);
        EXPECT_LE(F::planned_bytes(params), bytes_of(wish));
        EXPECT_EQ(goal.items, items);
        if constexpr (makeable<F>)
          if (items <= 1000) {
            EXPECT_LE(F(params).size_bytes(), bytes_of(wish));
          }
        // A lower rate would not have fitted, unless it is the lowest that there is. (Plans of a few bytes go up and down.)
        if (goal.fpr > 1e-17 && items >= 1000) {
          auto stricter = goal;
          stricter.fpr = goal.fpr * (1 - 1e-6);
          try {
            EXPECT_GT(F::planned_bytes(F::plan(stricter)), bytes_of(wish));
          } catch (error const& e) {  // fingerprints of 64 bits have no lower rate
            EXPECT_EQ(e.code(), errc::bad_goal) << e.what();
          }
        }
        EXPECT_EQ(goal.fpr, best_fpr_in(card_of(F::name), {.items = items, .fpr = 0.5, .settings = {}}, bytes_of(wish)));
      }
  });
}

TEST(budget, makes_filters) {
  bloom_filter const by_key(budget{.items = 100'000, .bits_per_item = 10});
  bloom_filter const in_all(budget{.items = 100'000, .bytes = 125'000});
  EXPECT_EQ(by_key.family(), in_all.family());
  EXPECT_LE(by_key.size_bytes(), 125'000U);
  EXPECT_GE(by_key.size_bytes(), 124'500U);
  EXPECT_EQ(by_key.about().items_planned, 100'000U);
  EXPECT_NEAR(by_key.about().fpr_planned, 0.0082, 0.0003);
  bloom_filter const seeded(budget{.items = 100'000, .bytes = 125'000}, xxh3(7));
  EXPECT_EQ(seeded.hash().seed(), 7U);
  bloom_filter const by_rate({.items = 100});  // a goal, as before
  EXPECT_EQ(by_rate.about().fpr_planned, 0.01);
}

TEST(budget, keeps_the_other_fields_of_a_goal) {
  auto const goal = best_goal<bloom<>>(budget{.items = 1000, .bits_per_item = 10}, {.probes = 3});
  EXPECT_EQ(bloom<>::plan(goal).probes, 3U);
  EXPECT_GT(goal.fpr, best_goal<bloom<>>(budget{.items = 1000, .bits_per_item = 10}).fpr);
}

TEST(budget, that_says_too_little_or_too_much_is_refused) {
  auto const made = [](budget wish) { return complaint([&] { (void)best_goal<bloom<>>(wish); }); };
  EXPECT_NE(made({.items = 10}).find("needs bytes or bits_per_item"), std::string::npos);
  EXPECT_NE(made({.items = 10, .bytes = 100, .bits_per_item = 10}).find("not both"), std::string::npos);
  EXPECT_NE(made({.bits_per_item = 10}).find("needs items"), std::string::npos);
  EXPECT_NE(made({.items = 1'000'000, .bytes = 8}).find("8 bytes are too few for 1000000 items in the family bloom"),
            std::string::npos);
  for (double const bits : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300})
    EXPECT_NE(made({.items = 10, .bits_per_item = bits}).find("bits_per_item must be above 0"), std::string::npos) << bits;
}

}  // namespace
}  // namespace hortus::testing
