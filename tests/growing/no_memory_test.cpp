// A stage that cannot be allocated is not opened: one insert that fails changes nothing, and of a batch that fails no member is
// lost.
#include <gtest/gtest.h>

#include <vector>

#include <hortus/growing/dynamic.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/io/store.hpp>

#include "io/allocations.hpp"
#include "key_sets.hpp"

namespace hortus::testing {
namespace {

/// Runs act() with a limited number of allocations. True if they were enough.
template <class Act>
bool succeeds(std::ptrdiff_t allowed, Act act) {
  bool threw = false;
  allocations = {.until_failure = allowed};
  try {
    act();
  } catch (std::bad_alloc const&) {
    threw = true;
  }
  allocations = {};
  return !threw;
}

template <class F>
class growing_without_memory : public ::testing::Test {};
using some_growing = ::testing::Types<scalable<>, dynamic<>, scalable<blocked_counting>>;
TYPED_TEST_SUITE(growing_without_memory, some_growing);

TYPED_TEST(growing_without_memory, an_insert_that_fails_changes_nothing) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  int failures = 0;
  TypeParam f(TypeParam::plan({.items = 7, .fpr = 0.01}));
  for (std::uint64_t i = 0; i < 200; ++i) {
    auto const x = digest::of_hash(i % 150);
    auto const before = f;
    for (std::ptrdiff_t allowed = 0; !succeeds(allowed, [&] { f.insert(x); }); ++allowed) {
      ++failures;
      ASSERT_EQ(f, before) << i << " with " << allowed;
    }
    ASSERT_TRUE(f.may_contain(x));
  }
  EXPECT_GT(failures, 10);
  EXPECT_GT(f.stages(), 4U);
}

TYPED_TEST(growing_without_memory, a_batch_that_fails_loses_no_member) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  int failures = 0;
  std::vector<digest> members, more;
  for (std::uint64_t i = 0; i < 30; ++i) members.push_back(digest::of_hash(i));
  for (std::uint64_t i = 10; i < 330; ++i) more.push_back(digest::of_hash(i % 200));
  of_keys<TypeParam> before({.items = 7, .fpr = 0.01});
  before.insert(members);
  for (std::ptrdiff_t allowed = 0;; ++allowed) {
    auto f = before;
    bool const done = succeeds(allowed, [&] { f.insert(more); });
    EXPECT_EQ(f.may_contain(members).count(), members.size()) << allowed;
    EXPECT_EQ(from_bytes<of_keys<TypeParam>>(to_bytes(f)), f) << allowed;
    if (done) break;
    ++failures;
    f.insert(more);
    EXPECT_EQ(f.may_contain(more).count(), more.size()) << allowed;
    if constexpr (erasable<TypeParam>) {  // erases the second insert of each key; the first one stays
      EXPECT_EQ(f.erase(more), more.size());
      EXPECT_EQ(f.may_contain(members).count(), members.size()) << allowed;
    }
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace hortus::testing
