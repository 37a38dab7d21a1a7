// Counters grow, so an insert sometimes allocates. If that fails, nothing must have changed.
#include <gtest/gtest.h>

#include <hortus/counting/spectral_increase.hpp>
#include <hortus/counting/spectral_recurring.hpp>
#include <hortus/counting/spectral_selection.hpp>

#include "io/allocations.hpp"

namespace hortus::testing {
namespace {

template <class F>
class without_memory : public ::testing::Test {};
using all_three = ::testing::Types<spectral_selection<>, spectral_increase<>, spectral_recurring<>>;
TYPED_TEST_SUITE(without_memory, all_three);

TYPED_TEST(without_memory, an_insert_that_fails_changes_nothing) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  int failures = 0;
  for (std::uint64_t const items : {1U, 5U, 40U, 300U}) {
    TypeParam f(TypeParam::plan({.items = items, .fpr = 0.02}));
    for (std::uint64_t step = 0; step < 15 * items; ++step) {
      auto const x = digest::of_hash(mix64(step) % items);
      auto const times = step % 5 == 0 ? std::uint64_t{1} << step % 37 : 1;
      auto const before = f;
      for (int allowed = 0;; ++allowed) {
        bool threw = false;
        allocations = {.until_failure = allowed};
        try {
          f.insert(x, times);
        } catch (std::bad_alloc const&) {
          threw = true;
        }
        allocations = {};
        if (!threw) break;
        ++failures;
        ASSERT_EQ(f, before) << step << " with " << allowed;
      }
      ASSERT_GE(f.count(x), times);
    }
  }
  EXPECT_GT(failures, 20);
}

TYPED_TEST(without_memory, asking_and_erasing_allocate_nothing) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  TypeParam f(TypeParam::plan({.items = 1000, .fpr = 0.01}));
  for (std::uint64_t i = 0; i < 1000; ++i) f.insert(digest::of_hash(i), i % 100 + 1);
  auto const peak = peak_of([&] {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      (void)f.count(digest::of_hash(i));
      (void)f.may_contain(digest::of_hash(i));
      if constexpr (erasable<TypeParam>) (void)f.erase(digest::of_hash(i));
    }
    (void)f.fpr();
  });
  EXPECT_EQ(peak, 0U);
}

}  // namespace
}  // namespace hortus::testing
