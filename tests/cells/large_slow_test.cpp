#include <hortus/aging/slice_ring.hpp>
#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/block_array.hpp>
#include <hortus/cells/compact_counters.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/cells/plane_buckets.hpp>

#include "cells/large_memory.hpp"

/// Every store as large as it may be: its last cell is reached, and no two cells are one. Sums of more than 2^32 ones are
/// right. A 32-bit number anywhere on the way, of cells, bits, bytes or words, breaks one of these.
namespace hortus::testing {
namespace {

constexpr std::uint64_t past_32_bits = (std::uint64_t{1} << 32) + (1 << 20);

#define NEEDS_ADDRESSES(memory) \
  if ((memory).size() == 0) GTEST_SKIP() << "no address space for it"

TEST(large_bit_array, has_bits_of_their_own) {
  auto space = untouched(bit_array::max_bits / 8);
  NEEDS_ADDRESSES(space);
  auto bits = store_of<bit_array>({bit_array::max_bits}, std::move(space));
  expect_cells_of_their_own(
      bits.size(), [&](auto i) { bits.set(i); }, [&](auto i) { bits.clear(i, i + 1); }, [&](auto i) { return bits.test(i); });
  expect_cells_of_their_own(
      bits.size(), [&](auto i) { EXPECT_TRUE(bits.set_shared(i)); }, [&](auto i) { bits.clear(i, i + 1); },
      [&](auto i) { return bits.test_shared(i); });
  expect_cells_of_their_own(
      bits.size(), [&](auto i) { bits.set(i); }, [&](auto i) { bits.clear(i, i + 1); },
      [&](auto i) { return bits.ones(i, i + 1) == 1; });
}

/// The kinds of widths: those that divide 64, the one with a short cut, and those that cross words.
class large_counter_array : public ::testing::TestWithParam<unsigned> {};
TEST_P(large_counter_array, has_cells_of_their_own) {
  auto const width = GetParam();
  auto const cells = counter_array::max_bits / width;
  auto space = untouched(counter_array::bytes_for(cells, width));
  NEEDS_ADDRESSES(space);
  auto array = store_of<counter_array>({width, cells}, std::move(space));
  EXPECT_TRUE(array.valid());
  auto const is_set = [&](auto i) { return array.get(i) == array.max(); };
  auto const is_some = [&](auto i) { return array.test(i); };
  expect_cells_of_their_own(
      cells, [&](auto i) { array.put(i, array.max()); }, [&](auto i) { array.put(i, 0); }, is_set);
  expect_cells_of_their_own(
      cells, [&](auto i) { array.increment(i); }, [&](auto i) { width == 1 ? array.put(i, 0) : array.decrement(i); },
      is_some);  // a bit that is set stays at its maximum
  expect_cells_of_their_own(
      cells, [&](auto i) { array.increment(i); }, [&](auto i) { array.lower(i, i + 1); }, is_some);
}
INSTANTIATE_TEST_SUITE_P(widths, large_counter_array, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 63, 64));

template <class Blocks>
class large_block_array : public ::testing::Test {};
using block_arrays = ::testing::Types<block_array<1>, block_array<4>, block_array<8>, block_array<16>>;
TYPED_TEST_SUITE(large_block_array, block_arrays);
TYPED_TEST(large_block_array, has_blocks_of_their_own) {
  auto space = untouched(TypeParam::max_blocks * TypeParam::block_bytes);
  NEEDS_ADDRESSES(space);
  auto blocks = store_of<TypeParam>({TypeParam::max_blocks}, std::move(space));
  auto const last = TypeParam::block_bytes / 8 - 1;
  expect_cells_of_their_own(
      blocks.size(), [&](auto i) { blocks[i][0] = blocks[i][last] = 7; }, [&](auto i) { blocks[i][0] = blocks[i][last] = 0; },
      [&](auto i) { return (blocks[i][0] | std::as_const(blocks)[i][last]) != 0; });
}

class large_plane_buckets : public ::testing::TestWithParam<unsigned> {};
TEST_P(large_plane_buckets, are_buckets_of_their_own) {
  auto const tag_bits = GetParam();
  auto const size = bit_array::max_bits / 8 / (tag_bits + plane_buckets::counter_bits);
  auto space = untouched(plane_buckets::bytes(size, tag_bits));
  NEEDS_ADDRESSES(space);
  auto buckets = store_of<plane_buckets>({size, tag_bits}, std::move(space));
  EXPECT_TRUE(buckets.valid());
  auto const tag = buckets.spread(1);
  expect_cells_of_their_own(
      size,
      [&](auto i) {
        buckets.put(i, 0, tag);
        buckets.set_counter(i, 0, 3);
      },
      [&](auto i) { buckets.take(i, 0); },
      [&](auto i) {
        bool const there = buckets.matches(i, tag) == 1;
        EXPECT_EQ(buckets.used(i), there ? 1U : 0U);
        EXPECT_EQ(buckets.tag(i, 0), there ? 1U : 0U);
        EXPECT_EQ(buckets.counter(i, 0), there ? 3U : 0U);
        return there;
      });
}
INSTANTIATE_TEST_SUITE_P(tags, large_plane_buckets, ::testing::Values(1, 5, 6, 14, 62));

/// Cells of 2, 4 ... 64 bits; those of 64 bits are 8 TiB of addresses.
class large_compact_counters : public ::testing::TestWithParam<unsigned> {};
TEST_P(large_compact_counters, are_counters_of_their_own) {
  auto const log_width = GetParam();
  constexpr auto cells = compact_counters::max_cells;
  auto space = untouched((cells << log_width) / 8);
  NEEDS_ADDRESSES(space);
  auto const large = log_width == 1 ? 0 : cells;  // as if all of them needed that width
  auto counters = store_of<compact_counters>({cells, log_width, large}, std::move(space), memory());
  ASSERT_EQ(counters.cell_bits(), 1U << log_width);
  for (std::uint64_t const amount : {std::uint64_t{1}, std::uint64_t{1000}}) {  // in the cell, and at small widths beyond it
    auto const is = [&](auto i) { return counters.get(i) == amount; };
    expect_cells_of_their_own(
        cells, [&](auto i) { counters.add(i, amount); }, [&](auto i) { counters.subtract(i, amount); }, is);
    expect_cells_of_their_own(
        cells, [&](auto i) { counters.add(&i, 1, amount); },
        [&](auto i) {
          for (auto left = amount; left != 0; --left) EXPECT_TRUE(counters.take(&i, 1));
        },
        [&](auto i) { return counters.least(&i, 1) == amount; });
    expect_cells_of_their_own(
        cells, [&](auto i) { counters.raise_least(&i, 1, amount); }, [&](auto i) { counters.subtract(i, amount); },
        [&](auto i) { return counters.test(i); });
  }
}
INSTANTIATE_TEST_SUITE_P(widths, large_compact_counters, ::testing::Values(1, 2, 3, 4, 5, 6));

slice_ring ring_of(std::uint64_t slice_bits, unsigned probes, unsigned generations) {
  auto const bits = slice_bits * (probes + generations);
  auto space = untouched(bits / 8);
  if (space.size() == 0) return {};
  return store_of<slice_ring>({multiply_chain::id, slice_bits, probes, generations, 0, bits}, std::move(space));
}

/// Keys mark the bits that docs/file-format.md says, in every slice and up to its end. Single keys and blocks find them.
TEST(large_slice_ring, marks_every_slice_to_its_end) {
  constexpr std::uint64_t slice_bits = std::uint64_t{1} << 39;
  auto ring = ring_of(slice_bits, 8 - 1, 1);
  if (ring.slices() != 8) GTEST_SKIP() << "no address space for it";
  EXPECT_TRUE(ring.valid());
  std::vector<digest> members, others;
  for (std::uint64_t i = 0; i < 200; ++i) {
    members.push_back(digest(mix64(i)));
    others.push_back(digest(mix64(i + 1000)));
  }
  std::uint64_t sixteenths = 0;
  for (auto const x : members) {
    ring.mark(x);
    for (unsigned slice = 0; slice < ring.probes(); ++slice) {
      auto const at = multiply_chain::at(x, slice_bits, slice);
      EXPECT_TRUE(ring.bits().test(slice * slice_bits + at));
      sixteenths |= std::uint64_t{1} << at / (slice_bits / 16);
    }
  }
  EXPECT_EQ(sixteenths, 0xffffU);
  std::uint64_t hits[4], strangers[4];
  ring.find(members, {}, hits, ring.generations() + 1);
  ring.find(others, {}, strangers, ring.generations() + 1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(ring.generation_of(members[i], 2), 0U);
    EXPECT_EQ(ring.generation_of(others[i], 2), slice_ring::none);
    EXPECT_EQ(hits[i / 64] >> i % 64 & 1, 1U);
    EXPECT_EQ(strangers[i / 64] >> i % 64 & 1, 0U);
  }
}

/// A turn empties the oldest slice, all of it, and no other.
TEST(large_slice_ring, turns_whole_slices) {
  constexpr std::uint64_t slice_bits = past_32_bits;
  auto ring = ring_of(slice_bits, 1, 2);
  if (ring.slices() != 3) GTEST_SKIP() << "no address space for it";
  std::vector<digest> members;
  for (std::uint64_t i = 0; i < 200; ++i) members.push_back(digest(mix64(i)));
  for (auto const x : members) ring.mark(x);
  EXPECT_GT(ring.fpr(), 0);
  for (unsigned turns = 1; turns <= 3; ++turns) {
    ring.turn();
    for (auto const x : members) ASSERT_EQ(ring.generation_of(x, 3), turns < 3 ? turns : slice_ring::none);
  }
  EXPECT_EQ(ring.bits().ones(), 0U);
  EXPECT_EQ(ring.fpr(), 0);
}

TEST(large_sums, of_bits) {
  auto full = all_ones(past_32_bits / 8);
  NEEDS_ADDRESSES(full);
  EXPECT_EQ(store_of<block_array<8>>({past_32_bits / 512}, memory::borrow(full.bytes(), nullptr)).ones(), past_32_bits);
  auto const bits = store_of<bit_array>({past_32_bits}, std::move(full));
  EXPECT_EQ(bits.ones(), past_32_bits);
  EXPECT_EQ(bits.ones(1, past_32_bits - 1), past_32_bits - 2);
}

TEST(large_sums, of_counters_that_divide_a_word) {
  for (unsigned const width : {1U, 4U}) {
    auto full = all_ones(past_32_bits * width / 8);
    NEEDS_ADDRESSES(full);
    auto const array = store_of<counter_array>({width, past_32_bits}, std::move(full));
    EXPECT_EQ(array.nonzero(), past_32_bits) << width;
    EXPECT_EQ(array.saturated(), past_32_bits) << width;
  }
}

TEST(large_sums, of_compact_counters) {
  auto full = all_ones(past_32_bits * 2 / 8);
  NEEDS_ADDRESSES(full);
  auto const counters = store_of<compact_counters>({past_32_bits, 1, 0}, std::move(full), memory());
  EXPECT_EQ(counters.nonzero(), past_32_bits);
  EXPECT_EQ(counters.nonzero(32, past_32_bits - 32), past_32_bits - 32);
}

TEST(large_sums, of_buckets) {
  constexpr std::uint64_t buckets = past_32_bits / plane_buckets::cells_in_bucket;
  auto full = all_ones(plane_buckets::bytes(buckets, 1));
  NEEDS_ADDRESSES(full);
  auto const cells = store_of<plane_buckets>({buckets, 1}, std::move(full));
  EXPECT_EQ(cells.used(), past_32_bits);
  EXPECT_EQ(cells.saturated(), past_32_bits);
}

}  // namespace
}  // namespace hortus::testing
