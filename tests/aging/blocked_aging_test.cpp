#include <hortus/aging/blocked_aging.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "key_sets.hpp"
#include "with_target.hpp"

namespace hortus::testing {
namespace {

using params = blocked_aging::params;

/// Row by row, slice by slice.
TEST(blocked_aging_rows, are_those_of_every_slice) {
  for (std::uint32_t slices = 0; slices < 1U << 16; ++slices)
    for (unsigned probes = 1; probes < 16; ++probes) {
      auto const row = (1U << probes) - 1;
      std::uint32_t expected = 0;
      for (unsigned i = 0; i + probes <= 16; ++i)
        if ((slices >> i & row) == row) expected |= 1U << i;
      ASSERT_EQ(kernels::rows_of(slices, probes), expected) << slices << ", " << probes;
    }
  EXPECT_EQ(kernels::by_age(0b1000'0000'0000'0011, 0), 0b1000'0000'0000'0011U);
  EXPECT_EQ(kernels::by_age(0b1000'0000'0000'0011, 1), 0b1100'0000'0000'0001U);
  EXPECT_EQ(kernels::by_age(0b1000'0000'0000'0011, 15), 0b0000'0000'0000'0111U);
}

/// Which slices have the key's bit, from the bits of the block alone.
std::uint32_t slices_with(block_ring const& ring, unsigned first, digest x) {
  std::uint32_t seen = 0;
  for (unsigned i = 0; i < 16; ++i) {
    auto const lane = (first + i) % 16;
    seen |= (ring.lane(ring.block_of(x), lane) >> age_bit(x, lane) & 1U) << i;
  }
  return seen;
}

/// With every instruction set: a key marks its bit in the youngest slices of its block and changes nothing else, and single
/// lookups and batches of every size find the rows that are there.
TEST(blocked_aging_kernels, do_what_the_bits_say) {
  for (auto const name : kernels::targets()) {
    with_target const chosen(name);
    for (unsigned probes = 1; probes < 16; ++probes) {
      block_ring ring(7, probes);
      std::uint64_t next = 0, found = 0, not_found = 0;
      for (unsigned turns = 0; turns < 40; ++turns) {
        auto const first = (16 - turns % 16) % 16;
        for (unsigned i = 0; i < 40; ++i) {
          auto const x = digest(mix64(next++));
          auto const before = ring;
          auto const seen = slices_with(ring, first, x);
          ring.mark(x);
          ASSERT_EQ(slices_with(ring, first, x), seen | ((1U << probes) - 1)) << name;
          for (std::uint64_t block = 0; block < ring.blocks(); ++block)
            for (unsigned lane = 0; lane < 16; ++lane) {
              bool const marked = block == ring.block_of(x) && (lane + 16 - first) % 16 < probes;
              ASSERT_EQ(ring.lane(block, lane), before.lane(block, lane) | (marked ? 1U << age_bit(x, lane) : 0U)) << name;
            }
        }
        std::vector<digest> xs;
        for (std::uint64_t i = 0; i < 64; ++i) xs.push_back(digest(mix64(i % 2 == 0 ? absent + i : next - 1 - i * 5 % next)));
        for (unsigned const end : {1U, 2U, ring.generations(), ring.generations() + 1}) {
          std::uint64_t expected = 0;
          for (std::size_t i = 0; i < xs.size(); ++i) {
            auto const slices = slices_with(ring, first, xs[i]);
            auto generation = block_ring::none;
            for (unsigned g = end; g-- > 0;)
              if ((slices >> g & ((1U << probes) - 1)) == (1U << probes) - 1) generation = g;
            ASSERT_EQ(ring.generation_of(xs[i], end), generation) << name << ", " << probes << " probes";
            expected |= std::uint64_t{generation != block_ring::none} << i;
            (generation == block_ring::none ? not_found : found) += 1;
          }
          for (std::size_t count = 0; count <= xs.size(); ++count) {
            std::uint64_t hits = ~std::uint64_t{0};
            auto const all = std::span<digest const>(xs);
            ring.find(all.first(count), all.subspan(count), &hits, end);
            ASSERT_EQ(hits, count == 0 ? 0 : expected & ~std::uint64_t{0} >> (64 - count)) << name << ", " << count << " keys";
          }
        }
        ring.turn();
      }
      EXPECT_TRUE(found > 100 && (not_found > 100 || probes < 3)) << probes;
    }
  }
}

TEST(blocked_aging_filter, a_turn_empties_one_slice_of_every_block) {
  block_ring ring(1000, 5);
  for (std::uint64_t i = 0; i < 100'000; ++i) ring.mark(digest(mix64(i)));
  for (unsigned turn = 1; turn <= 16; ++turn) {
    ring.turn();
    for (std::uint64_t block = 0; block < ring.blocks(); ++block) ASSERT_EQ(ring.lane(block, 16 - turn), 0U);
    EXPECT_EQ(ring.empty(), turn == 16) << turn;
  }
}

/// The mean rate at the end of a generation, over 60 generations, is the planned one. Each is good to 3 %: there are some 800
/// blocks, and generations have keys in common.
TEST(blocked_aging_filter, rates_are_as_planned) {
  for (unsigned const probes : {5U, 7U, 9U})
    for (std::uint64_t const items : {500U, 4000U}) {
      params const shape{items / 3, probes, 1, items, 0};
      blocked_aging_filter f{blocked_aging(shape)};
      (void)f.insert(keys<random_keys>(absent, items * 16));
      double sum = 0;
      double const turns = 60;
      for (std::uint64_t turn = 0; turn < 60; ++turn) {
        (void)f.insert(keys<random_keys>(turn * items, items));
        sum += f.fpr();  // a few keys were false positives and not counted: not quite the end of a generation
      }
      EXPECT_NEAR(sum / turns, blocked_aging::planned_fpr(shape, 0), 0.15 * blocked_aging::planned_fpr(shape, 0))
          << probes << " probes, " << items << " items";
    }
}

/// What fpr() says is what absent keys meet.
TEST(blocked_aging_filter, fpr_is_what_absent_keys_meet) {
  blocked_aging_filter f({.items = 100'000, .fpr = 0.02});
  (void)f.insert(keys<random_keys>(0, 250'000));
  auto const asked = keys<random_keys>(absent, 1'000'000);
  auto const found = static_cast<double>(f.may_contain(asked).count());
  EXPECT_NEAR(found, 1e6 * f.fpr(), 6 * std::sqrt(1e6 * f.fpr()));
  EXPECT_LE(found, 1e6 * 0.02);
  EXPECT_GT(found, 1e6 * 0.01);
}

/// Of more than 65,536 blocks some are looked at.
TEST(blocked_aging_filter, fpr_of_a_large_filter_is_that_of_all_blocks) {
  blocked_aging_filter f({.items = 3'000'000, .fpr = 0.01});
  ASSERT_GT(f.family().shape().blocks, 3U << 16);
  (void)f.insert(keys<random_keys>(0, 4'000'000));
  auto const asked = keys<random_keys>(absent, 2'000'000);
  EXPECT_NEAR(static_cast<double>(f.may_contain(asked).count()) / 2e6, f.fpr(), 0.05 * f.fpr());
}

}  // namespace
}  // namespace hortus::testing
