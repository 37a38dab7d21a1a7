// Cache-line-local filters: Parquet's bytes, keys that were selected by bits of their digests, folding.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/blocked_pair.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/hash/xxh64.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

/// The Parquet specification, word for word: eight 32-bit words per block, little-endian, as simple as possible.
std::vector<std::uint32_t> parquet_bitset(std::vector<std::string> const& keys, std::uint64_t blocks) {
  constexpr std::uint32_t salt[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                     0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
  std::vector<std::uint32_t> words(8 * blocks);
  for (auto const& key : keys) {
    std::uint64_t const h = xxh64().of_bytes(std::as_bytes(std::span(key))).bits();
    std::uint64_t const block = ((h >> 32) * blocks) >> 32;
    for (int i = 0; i < 8; ++i)
      words[8 * block + static_cast<std::uint64_t>(i)] |= 1U << ((static_cast<std::uint32_t>(h) * salt[i]) >> 27);
  }
  return words;
}

TEST(split_block, has_the_bytes_of_a_parquet_bitset) {
  for (std::uint64_t const blocks : {1U, 2U, 7U, 32U, 1000U}) {
    auto const members = keys<common_prefix_keys>(0, 1000);
    of_keys<split_block, xxh64> f(split_block({.blocks = blocks, .probes = 8}));
    f.insert(members);
    auto const expected = parquet_bitset(members, blocks);
    ASSERT_EQ(f.size_bytes(), expected.size() * 4);
    EXPECT_EQ(std::memcmp(f.family().cells().data(), expected.data(), f.size_bytes()), 0) << blocks;
  }
}

TEST(split_block, has_eight_probes_and_at_most_2_32_blocks) {
  EXPECT_THROW(split_block({.blocks = 1, .probes = 7}), error);
  EXPECT_THROW(split_block({.blocks = (std::uint64_t{1} << 32) + 1, .probes = 8}), error);
  EXPECT_THROW((void)split_block::plan({.items = 1000, .fpr = 0.01, .probes = 6}), error);
  EXPECT_THROW(sectorized({.blocks = 1, .probes = 3}), error) << "half of the probes in each of two words";
}

template <class F>
class in_one_block : public ::testing::Test {};
using families_in_one_block = ::testing::Types<blocked, blocked_pair, sectorized, split_block, register_blocked>;
TYPED_TEST_SUITE(in_one_block, families_in_one_block);

/// Digests of one shard, selected by their low bits, or by their top bits and then spread over the filter again like those of a
/// partition. The pattern in a block must not depend on that. False alarm: 1e-9 per line.
TYPED_TEST(in_one_block, keys_selected_by_their_digest_keep_the_rate_that_fpr_says) {
  for (unsigned const fixed : {1U, 8U, 12U})
    for (bool const top : {true, false}) {
      auto const selected = [&](std::uint64_t i) {
        auto const random = mix64(i * golden_ratio64);
        return digest(top ? random >> fixed : random << fixed | 1);
      };
      // Keys selected by their top bits all fall into the first 2^-fixed of the blocks. With 2^fixed times as many blocks,
      // those are as full as usual.
      auto params = TypeParam::plan({.items = 2000, .fpr = 0.01});
      if (top) params.blocks <<= fixed;
      TypeParam f(params);
      for (std::uint64_t i = 0; i < 2000; ++i) f.insert(selected(i));
      double const rate = top ? std::ldexp(f.fpr(), static_cast<int>(fixed)) : f.fpr();
      double hits = 0;
      for (std::uint64_t i = 0; i < 1'500'000; ++i) hits += f.may_contain(selected(absent + i)) ? 1 : 0;
      EXPECT_TRUE(binomial_band(1'500'000, rate).holds(hits))
          << (top ? "top " : "low ") << fixed << " bits fixed: " << hits / 1'500'000 << " where the fill says " << rate;
    }
}

TYPED_TEST(in_one_block, a_folded_filter_is_the_one_built_small) {
  for (std::uint64_t const by : {2U, 3U, 5U, 12U, 60U}) {
    unsigned const probes = 8;
    TypeParam large({.blocks = 60, .probes = probes});
    TypeParam small({.blocks = 60 / by, .probes = probes});
    for (std::uint64_t i = 0; i < 500; ++i) large.insert(digest::of_hash(i)), small.insert(digest::of_hash(i));
    large.fold(by);
    EXPECT_EQ(large, small) << by;
  }
}

TYPED_TEST(in_one_block, every_number_of_probes_works) {
  for (unsigned probes = 1; probes <= 64; ++probes) {
    auto const possible = [&] {
      try {
        return std::optional<TypeParam>(std::in_place, typename TypeParam::params{.blocks = 100, .probes = probes});
      } catch (error const&) {
        return std::optional<TypeParam>();
      }
    };
    auto made = possible();
    if (!made) continue;
    auto& f = *made;
    for (std::uint64_t i = 0; i < 100; ++i) f.insert(digest::of_hash(i));
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(f.may_contain(digest::of_hash(i))) << probes;
    EXPECT_FALSE(f.may_contain(digest::of_hash(absent)) && f.may_contain(digest::of_hash(absent + 1)) &&
                 f.may_contain(digest::of_hash(absent + 2)));
  }
}

}  // namespace
}  // namespace hortus::testing
