#include <gtest/gtest.h>

#include <hortus/any/any_filter.hpp>

#include "io/allocations.hpp"
#include "io/scratch_folder.hpp"

/// Every allocation of every verb that allocates fails in turn: std::bad_alloc, and nothing has changed.
namespace hortus::testing {
namespace {

any_filter sample(int keys) {
  auto filter = make_filter("partitioned", {.items = 100'000, .fpr = 0.01, .settings = {}});
  for (int i = 0; i < keys; ++i) (void)filter.insert(i);
  return filter;
}

/// act() with its first, its second, ... allocation failing, until it gets through; after each failure unchanged() looks
/// around. Returns how many allocations there were.
template <class Act, class Look>
int fail_each_allocation(Act act, Look unchanged) {
  for (int n = 0;; ++n) {
    bool threw = false;
    allocations = {.until_failure = n};
    try {
      act();
    } catch (std::bad_alloc const&) {
      threw = true;
    }
    bool const reached = allocations.until_failure < 0;
    allocations = {};
    EXPECT_EQ(threw, reached) << "allocation " << n;
    if (!reached) return n;
    unchanged();
  }
}

class no_memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  }
  scratch_folder folder;
  std::filesystem::path path = folder / "filter";
  any_filter const old = sample(3);
  std::vector<std::byte> const bytes = to_bytes(old);
  any_filter const fresh = sample(7);
  std::vector<std::byte> const new_bytes = to_bytes(fresh);
};

TEST_F(no_memory, to_read) {
  save(old, path);
  auto const nothing = [] {};
  EXPECT_GE(fail_each_allocation([&] { (void)load(path); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)open(path); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)from_bytes(bytes); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)*view(bytes); }, nothing), 3);
  EXPECT_EQ(contents(path), bytes);
}

TEST_F(no_memory, to_read_a_file_that_is_damaged) {
  auto damaged = bytes;
  damaged.at(damaged.size() - 1) ^= std::byte{1};
  write_contents(path, damaged);
  EXPECT_GE(fail_each_allocation(
                [&] {
                  try {
                    (void)load(path);
                  } catch (error const& e) {
                    if (e.code() != errc::corrupt) throw;
                  }
                },
                [] {}),
            4);
}

TEST_F(no_memory, to_write) {
  save(old, path);
  EXPECT_GE(fail_each_allocation([&] { save(fresh, path); },
                                 [&] {
                                   auto const now = contents(path);
                                   EXPECT_TRUE(now == bytes || now == new_bytes);
                                   EXPECT_EQ(folder.names(), std::vector<std::string>{"filter"});
                                 }),
            4);
  EXPECT_EQ(contents(path), new_bytes);
  EXPECT_GE(fail_each_allocation([&] { (void)to_bytes(fresh); }, [] {}), 3);
}

TEST_F(no_memory, to_copy_or_fold) {
  auto target = old;
  EXPECT_GE(fail_each_allocation([&] { target = fresh; }, [&] { EXPECT_EQ(to_bytes(target), bytes); }), 2);
  auto folded = fresh;
  EXPECT_GE(fail_each_allocation([&] { folded.fold(2); }, [&] { EXPECT_EQ(to_bytes(folded), new_bytes); }), 1);
  EXPECT_LT(folded.size_bytes(), fresh.size_bytes());
}

}  // namespace
}  // namespace hortus::testing
