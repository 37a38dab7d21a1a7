// Counters in one cache line: compared with a simple model of the cells, at every cell width, and with the promises of plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <hortus/counting/blocked_counting.hpp>
#include <hortus/io/store.hpp>

#include "statistics.hpp"

namespace hortus::testing {
namespace {

digest key(std::uint64_t i) { return digest::of_hash(i); }

std::vector<std::byte> bytes(blocked_counting const& f) { return to_bytes(of_keys<blocked_counting>(f)); }

/// Pseudorandom numbers that are the same on every machine.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(mix64(seed + 1)) {}
  std::uint64_t operator()(std::uint64_t below) { return fastrange(mix64(state_ += golden_ratio64), below); }

 private:
  std::uint64_t state_;
};

/// The card as a simple model: a number for each cell, and the set of cells that a key has.
class model {
 public:
  model(std::uint64_t blocks, unsigned probes) : cells_(256 * blocks), blocks_(blocks), probes_(probes) {}

  [[nodiscard]] std::set<std::uint64_t> of(digest x) const {
    std::set<std::uint64_t> mine;
    auto bits = pattern_bits(x);
    for (unsigned i = 0; i < probes_; ++i) {
      if (i != 0 && i % 8 == 0) bits = more_pattern_bits(bits);
      mine.insert(256 * fastrange(x.bits(), blocks_) + (bits >> (i % 8 * 8) & 255));
    }
    return mine;
  }
  void insert(digest x, std::uint64_t times = 1) {
    for (auto const cell : of(x)) cells_[cell] += times;
  }
  bool erase(digest x) {
    if (count(x) == 0) return false;
    for (auto const cell : of(x)) --cells_[cell];
    return true;
  }
  [[nodiscard]] std::uint64_t count(digest x) const {
    auto least = ~std::uint64_t{0};
    for (auto const cell : of(x)) least = std::min(least, cells_[cell]);
    return least;
  }
  void expect_equal(blocked_counting const& f) const {
    ASSERT_EQ(f.counters().size(), cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) ASSERT_EQ(f.counters().get(i), cells_[i]) << "cell " << i;
  }
  [[nodiscard]] double fpr() const {
    double sum = 0;
    for (std::uint64_t b = 0; b < blocks_; ++b) {
      double set = 0;
      for (std::uint64_t i = 0; i < 256; ++i) set += cells_[256 * b + i] != 0 ? 1 : 0;
      sum += std::pow(set / 256, probes_);
    }
    return sum / static_cast<double>(blocks_);
  }

 private:
  std::vector<std::uint64_t> cells_;
  std::uint64_t blocks_;
  unsigned probes_;
};

/// Erases of members and of other keys, one by one and in batches. Keys come once or a thousand times, so that cells become
/// 2, 4, 8 and 16 bits wide and the table is used at each width.
TEST(blocked_counting, does_what_a_plain_array_of_counters_does) {
  unsigned widest = 0;
  for (auto const& [blocks, probes] :
       {std::pair{1UL, 1U}, std::pair{1UL, 5U}, std::pair{3UL, 8U}, std::pair{20UL, 9U}, std::pair{40UL, 64U}})
    for (std::uint64_t const most : {1UL, 6UL, 3000UL}) {
      blocked_counting f({.blocks = blocks, .probes = probes});
      model m(blocks, probes);
      numbers draw(blocks + probes + most);
      for (unsigned round = 0; round < 60; ++round) {
        std::vector<digest> xs;
        for (auto n = draw(200); n != 0; --n) xs.push_back(key(draw(1 + draw(30 * blocks))));
        auto const all = std::span<digest const>(xs);
        switch (draw(4)) {
          case 0:
            for (auto const x : xs) f.insert(x), m.insert(x);
            break;
          case 1:
            ASSERT_EQ(insert_all(f, all), xs.size());
            for (auto const x : xs) m.insert(x);
            break;
          case 2: {
            std::size_t erased = 0;
            for (auto const x : xs) erased += m.erase(x) ? 1U : 0U;
            ASSERT_EQ(erase_all(f, all), erased);
            break;
          }
          default:
            for (auto const x : xs) {
              ASSERT_EQ(f.erase(x), m.erase(x));
              auto const times = draw(most);
              f.insert(x, times), m.insert(x, times);
              bool const fresh = m.count(x) == 0;
              ASSERT_EQ(f.insert_if_new(x), fresh);
              m.insert(x);
            }
        }
        widest = std::max(widest, f.counters().cell_bits());
        m.expect_equal(f);
        std::vector<std::uint64_t> hits(xs.size() / 64 + 1);
        may_contain_all(f, all, hits.data());
        auto at = std::size_t{0};
        for_each_count(f, all, [&](std::uint64_t count) {
          auto const truth = m.count(xs[at]);
          ASSERT_EQ(count, truth);
          ASSERT_EQ(f.count(xs[at]), truth);
          ASSERT_EQ(f.may_contain(xs[at]), truth != 0);
          ASSERT_EQ(hits[at / 64] >> at % 64 & 1, truth != 0 ? 1 : 0);
          ++at;
        });
        ASSERT_NEAR(f.fpr(), m.fpr(), 1e-12);
      }
    }
  EXPECT_GE(widest, 8U) << "or the test never saw wide cells";
}

TEST(blocked_counting, a_folded_filter_is_the_one_built_small) {
  for (std::uint64_t const by : {1U, 2U, 3U, 5U, 12U, 60U})
    for (std::uint64_t const times : {1U, 5U, 300U}) {
      blocked_counting large({.blocks = 60, .probes = 9}), small({.blocks = 60 / by, .probes = 9});
      for (std::uint64_t i = 0; i < 500; ++i) large.insert(key(i), 1 + i % times), small.insert(key(i), 1 + i % times);
      double const foretold = large.fpr_folded(by);
      large.fold(by);
      EXPECT_EQ(bytes(large), bytes(small)) << by;
      EXPECT_EQ(large.fpr(), foretold);
      for (std::uint64_t i = 0; i < 500; ++i)
        for (std::uint64_t t = 0; t < 1 + i % times; ++t) ASSERT_TRUE(large.erase(key(i)));
      EXPECT_EQ(bytes(large), bytes(blocked_counting({.blocks = 60 / by, .probes = 9}))) << "nothing is left behind";
    }
}

TEST(blocked_counting, cleared_it_has_the_size_it_was_planned_with) {
  auto const shape = blocked_counting::plan({.items = 1000, .fpr = 0.01});
  blocked_counting f(shape);
  for (std::uint64_t i = 0; i < 1000; ++i) f.insert(key(i), 1000);
  EXPECT_GT(f.size_bytes(), blocked_counting::planned_bytes(shape));
  f.clear();
  EXPECT_EQ(f.size_bytes(), blocked_counting::planned_bytes(shape));
  EXPECT_EQ(bytes(f), bytes(blocked_counting(shape)));
}

/// A full filter is as large as planned: the table need not grow. 5 900 entries are expected, with a standard deviation
/// below 150 (more than the 77 of independent cells, because the cells of a block share its load); 17 000 fit.
TEST(blocked_counting, filled_as_planned_it_needs_no_more_space_than_planned) {
  auto const shape = blocked_counting::plan({.items = 1'000'000, .fpr = 0.01});
  blocked_counting f(shape);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) f.insert(key(i));
  EXPECT_EQ(f.size_bytes(), blocked_counting::planned_bytes(shape));
  EXPECT_LT(8e-6 * static_cast<double>(f.size_bytes()), 25.0) << "bits a key";
  double const expected =
      plan::share_past_three(plan::cell_load({block_cells::layout, shape.blocks, shape.probes}, 1'000'000)) *
      static_cast<double>(f.counters().size());
  EXPECT_NEAR(static_cast<double>(f.counters().beyond()), expected, z_two_sided * 150);
  EXPECT_LE(f.fpr(), 0.01 * 1.01);
}

/// Keys of one shard, selected by their low bits, or by their top bits. False alarm: 1e-9 per line.
TEST(blocked_counting, keys_selected_by_their_digest_keep_the_rate_that_fpr_says) {
  for (unsigned const fixed : {1U, 8U, 12U})
    for (bool const top : {true, false}) {
      auto const selected = [&](std::uint64_t i) {
        auto const random = mix64(i * golden_ratio64);
        return digest(top ? random >> fixed : random << fixed | 1);
      };
      auto params = blocked_counting::plan({.items = 2000, .fpr = 0.01});
      if (top) params.blocks <<= fixed;
      blocked_counting f(params);
      for (std::uint64_t i = 0; i < 2000; ++i) f.insert(selected(i));
      double const rate = top ? std::ldexp(f.fpr(), static_cast<int>(fixed)) : f.fpr();
      double hits = 0;
      for (std::uint64_t i = 0; i < 1'500'000; ++i) hits += f.may_contain(selected((1ULL << 40) + i)) ? 1 : 0;
      EXPECT_TRUE(binomial_band(1'500'000, rate).holds(hits)) << (top ? "top " : "low ") << fixed;
    }
}

TEST(blocked_counting, impossible_shapes_are_refused) {
  EXPECT_THROW(blocked_counting({.blocks = 0, .probes = 5}), error);
  EXPECT_THROW(blocked_counting({.blocks = 1, .probes = 0}), error);
  EXPECT_THROW(blocked_counting({.blocks = 1, .probes = 65}), error);
  EXPECT_THROW(blocked_counting({.blocks = (std::uint64_t{1} << 32) + 1, .probes = 5}), error);
  EXPECT_THROW((void)blocked_counting::plan({.items = 10, .fpr = 0.01, .probes = 65}), error);
}

}  // namespace
}  // namespace hortus::testing
