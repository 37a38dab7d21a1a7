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
  scratch_folder folder_;
  std::filesystem::path path_ = folder_ / "filter";
  any_filter const old_ = sample(3);
  std::vector<std::byte> const bytes_ = to_bytes(old_);
  any_filter const fresh_ = sample(7);
  std::vector<std::byte> const new_bytes_ = to_bytes(fresh_);
};

TEST_F(no_memory, to_read) {
  save(old_, path_);
  auto const nothing = [] {};
  EXPECT_GE(fail_each_allocation([&] { (void)load(path_); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)open(path_); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)from_bytes(bytes_); }, nothing), 4);
  EXPECT_GE(fail_each_allocation([&] { (void)*view(bytes_); }, nothing), 3);
  EXPECT_EQ(contents(path_), bytes_);
}

TEST_F(no_memory, to_read_a_file_that_is_damaged) {
  auto damaged = bytes_;
  damaged.at(damaged.size() - 1) ^= std::byte{1};
  write_contents(path_, damaged);
  EXPECT_GE(fail_each_allocation(
                [&] {
                  try {
                    (void)load(path_);
                  } catch (error const& e) {
                    if (e.code() != errc::corrupt) throw;
                  }
                },
                [] {}),
            4);
}

TEST_F(no_memory, to_write) {
  save(old_, path_);
  EXPECT_GE(fail_each_allocation([&] { save(fresh_, path_); },
                                 [&] {
                                   auto const now = contents(path_);
                                   EXPECT_TRUE(now == bytes_ || now == new_bytes_);
                                   EXPECT_EQ(folder_.names(), std::vector<std::string>{"filter"});
                                 }),
            4);
  EXPECT_EQ(contents(path_), new_bytes_);
  EXPECT_GE(fail_each_allocation([&] { (void)to_bytes(fresh_); }, [] {}), 3);
}

TEST_F(no_memory, to_copy_or_fold) {
  auto target = old_;
  EXPECT_GE(fail_each_allocation([&] { target = fresh_; }, [&] { EXPECT_EQ(to_bytes(target), bytes_); }), 2);
  auto folded = fresh_;
  EXPECT_GE(fail_each_allocation([&] { folded.fold(2); }, [&] { EXPECT_EQ(to_bytes(folded), new_bytes_); }), 1);
  EXPECT_LT(folded.size_bytes(), fresh_.size_bytes());
}

}  // namespace
}  // namespace hortus::testing
