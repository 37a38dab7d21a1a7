// The fill of Bloom filters, and the result of folding: things that the law tests cannot see from outside.
#include <gtest/gtest.h>

#include <bit>

#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/index/seeded_probes.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

std::uint64_t ones(memory const& cells) {
  std::uint64_t n = 0;
  for (auto const byte : cells.bytes()) n += static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(byte)));
  return n;
}

/// Counts the bits that all probes of all keys set. That catches biased reduction, lost address bits and repeated probes at
/// once, without a single query. False alarm: 1e-9 per line.
TEST(fill, a_bloom_filter_is_as_full_as_independent_probes_make_it) {
  for (std::uint64_t const items : {1000U, 100'000U, 1'000'000U})
    for_each_key_set([&]<class Keys>() {
      bloom_filter f({.items = items, .fpr = 0.01});
      f.insert(keys<Keys>(0, items));
      auto const [bits, probes] = f.family().shape();
      auto const expected = occupancy_band(static_cast<double>(bits), static_cast<double>(probes * items));
      EXPECT_TRUE(expected.holds(static_cast<double>(ones(f.family().cells())))) << Keys::name << ", " << items;
    });
}

TEST(fill, every_slice_of_a_partitioned_filter_is_as_full) {
  for (std::uint64_t const items : {1000U, 100'000U, 1'000'000U})
    for_each_key_set([&]<class Keys>() {
      partitioned_filter f({.items = items, .fpr = 0.01});
      f.insert(keys<Keys>(0, items));
      auto const [slice_bits, probes] = f.family().shape();
      auto const expected = occupancy_band(static_cast<double>(slice_bits), static_cast<double>(items));
      bit_array bits(slice_bits * probes);
      ASSERT_EQ(bits.size_bytes(), f.size_bytes());
      std::uint64_t const* const words = reinterpret_cast<std::uint64_t const*>(f.family().cells().data());
      for (std::uint64_t i = 0; i < bits.size(); ++i)
        if ((words[i / 64] >> (i % 64) & 1) != 0) bits.set(i);
      for (unsigned slice = 0; slice < probes; ++slice)
        EXPECT_TRUE(expected.holds(static_cast<double>(bits.ones(slice * slice_bits, (slice + 1) * slice_bits))))
            << Keys::name << ", " << items << ", slice " << slice;
    });
}

TEST(fold, a_folded_filter_is_the_one_built_small) {
  for (std::uint64_t const by : {2U, 3U, 4U, 5U, 7U, 12U, 64U, 105U, 6720U}) {
    bloom<> large({.bits = 6720 * 64, .probes = 5});
    bloom<> small({.bits = 6720 * 64 / by, .probes = 5});
    partitioned<> large_slices({.slice_bits = 6720, .probes = 5});
    partitioned<> small_slices({.slice_bits = 6720 / by, .probes = 5});
    for (std::uint64_t i = 0; i < 3000; ++i) {
      auto const x = digest::of_hash(i);
      large.insert(x), small.insert(x), large_slices.insert(x), small_slices.insert(x);
    }
    large.fold(by);
    large_slices.fold(by);
    EXPECT_EQ(large, small) << by;
    EXPECT_EQ(large_slices, small_slices) << by;
  }
}

TEST(fold, commutes_with_merge) {
  bloom<> a({.bits = 960, .probes = 3}), b = a;
  for (std::uint64_t i = 0; i < 50; ++i) a.insert(digest::of_hash(i)), b.insert(digest::of_hash(i + 1000));
  auto merged = a;
  merged.merge(b);
  merged.fold(15);
  a.fold(15), b.fold(15), a.merge(b);
  EXPECT_EQ(merged, a);
}

TEST(shape, wrong_shapes_are_refused) {
  for (auto const& [bits, probes] : {std::pair<std::uint64_t, unsigned>{0, 1},
                                     {1, 0},
                                     {64, 65},
                                     {(std::uint64_t{1} << 42) + 1, 1},
                                     {~std::uint64_t{0}, 64}}) {
    EXPECT_THROW(bloom<>({.bits = bits, .probes = probes}), error) << bits;
    EXPECT_THROW(partitioned<>({.slice_bits = bits, .probes = probes}), error) << bits;
  }
  EXPECT_THROW(partitioned<>({.slice_bits = std::uint64_t{1} << 40, .probes = 5}), error) << "2^42 bits in all";
}

TEST(shape, the_smallest_filters_work) {
  bloom<> one({.bits = 1, .probes = 1});
  EXPECT_FALSE(one.may_contain(digest(5)));
  one.insert(digest(5));
  EXPECT_TRUE(one.may_contain(digest(6))) << "one bit: after one key everything is found";
  EXPECT_TRUE(one.estimate().saturated);
  EXPECT_EQ(one.fpr(), 1);
}

TEST(probes, can_be_chosen_and_the_size_follows) {
  for (unsigned const probes : {1U, 3U, 20U, 64U}) {
    bloom_filter const f({.items = 1000, .fpr = 0.01, .probes = probes});
    EXPECT_EQ(f.family().shape().probes, probes);
    EXPECT_LE(bloom<>::planned_fpr(f.family().shape(), 1000), 0.01);
    partitioned_filter const g({.items = 1000, .fpr = 0.01, .probes = probes});
    EXPECT_EQ(g.family().shape().probes, probes);
    EXPECT_LE(partitioned<>::planned_fpr(g.family().shape(), 1000), 0.01);
  }
  EXPECT_THROW((void)bloom<>::plan({.items = 1000, .fpr = 0.01, .probes = 65}), error);
}

/// A filter with another index derivation is a different filter: its file does not load as the default one.
TEST(index, is_remembered_by_the_file) {
  using seeded = of_keys<bloom<seeded_probes>>;
  seeded f({.items = 100, .fpr = 0.01});
  f.insert("ada");
  auto const bytes = to_bytes(f);
  EXPECT_TRUE(from_bytes<seeded>(bytes).may_contain("ada"));
  EXPECT_THROW((void)from_bytes<bloom_filter>(bytes), error);
}

/// A test cannot insert 600 million digests, but it can use a filter of more than 2^32 bits (512 MiB). The high bits must be
/// used.
TEST(size, past_2_32_bits_positions_reach_the_end) {
  bloom<> f({.bits = (std::uint64_t{1} << 32) + 960, .probes = 4});
  for (std::uint64_t i = 0; i < 20'000; ++i) f.insert(digest::of_hash(i));
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(f.may_contain(digest::of_hash(i)));
  auto const expected = occupancy_band(0x1p32 + 960, 80'000);
  auto const set = f.estimate().value;
  EXPECT_NEAR(set, 20'000, 20);
  EXPECT_LT(expected.low, 80'000);
  std::uint64_t last_quarter = 0;
  auto const bytes = f.cells().bytes();
  for (auto const byte : bytes.subspan(bytes.size() / 4 * 3))
    last_quarter += static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(byte)));
  EXPECT_TRUE(binomial_band(80'000, 0.25).holds(static_cast<double>(last_quarter))) << last_quarter;
}

}  // namespace
}  // namespace hortus::testing
