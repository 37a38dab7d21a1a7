#include <hortus/cells/compact_counters.hpp>
#include <hortus/cells/counter_array.hpp>

#include "cells/large_memory.hpp"

/// Sums of more than 2^32 cells that are looked at one by one, or take 32 GiB of addresses: some ten seconds each.
namespace hortus::testing {
namespace {

constexpr std::uint64_t past_32_bits = (std::uint64_t{1} << 32) + (1 << 20);

TEST(large_sums, of_counters_that_cross_words) {
  auto full = all_ones(past_32_bits * 3 / 8);
  if (full.size() == 0) GTEST_SKIP() << "no address space for it";
  auto const array = store_of<counter_array>({3, past_32_bits}, std::move(full));
  EXPECT_EQ(array.nonzero(), past_32_bits);
  EXPECT_EQ(array.saturated(), past_32_bits);
}

TEST(large_sums, of_words) {
  auto full = all_ones(past_32_bits * 8);
  if (full.size() == 0) GTEST_SKIP() << "no address space for it";
  EXPECT_EQ(store_of<counter_array>({64, past_32_bits}, memory::borrow(full.bytes(), nullptr)).nonzero(), past_32_bits);
  auto const counters = store_of<compact_counters>({past_32_bits, 6, past_32_bits}, std::move(full), memory());
  EXPECT_EQ(counters.saturated(), past_32_bits);
  EXPECT_EQ(counters.nonzero(), past_32_bits);
}

}  // namespace
}  // namespace hortus::testing
