#include <hortus/plan/hash_compaction.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <hortus/fingerprint/hash_compaction.hpp>
#include <hortus/maths/bloom_size.hpp>

#include "oracle.hpp"

namespace {

using namespace hortus::plan;
using hortus::digest;
using hortus::mix64;
using oracle::close;
using oracle::printed;
using oracle::thrown;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

/// The classic table: m slots in no order, double hashing, search up to a free slot.
double double_hashing_compares(double load) { return load / (1 - load); }
double linear_probing_compares(double load) { return (1 / ((1 - load) * (1 - load)) - 1) / 2; }

TEST(HashCompaction, ClassicRatesOfTheSheet) {
  for (auto const& [load, fpr] : {std::pair{.75, "7.3e-4"}, {.9, ".0022"}, {.95, ".0046"}})
    EXPECT_TRUE(printed(double_hashing_compares(load) / 4095, fpr)) << load;
  auto const bits_a_key = [](double load, auto compares) { return std::ceil(std::log2(1 + 100 * compares(load))) / load; };
  for (auto const& [load, of_double, of_linear] :
       {std::tuple{.75, "12.0", "13.3"}, {.9, "11.1", "14.4"}, {.95, "11.6", "15.8"}}) {
    EXPECT_TRUE(printed(bits_a_key(load, double_hashing_compares), of_double)) << load;
    EXPECT_TRUE(printed(bits_a_key(load, linear_probing_compares), of_linear)) << load;
  }
}

/// The sheet's simulation: 65521 slots of 12 bits. It gave 2.6e-4, 3.2e-4 and 4.5e-4 omissions, 13 to 28 keys in one run; the
/// limit is (ln(1/(1-a)) - a) / a / 4095. Sixteen runs here.
TEST(HashCompaction, ClassicTableBySimulation) {
  constexpr std::uint64_t slots = 65521, runs = 16;
  for (double const load : {.75, .9, .95}) {
    double omitted = 0, keys = 0, hits = 0, asked = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
      std::vector<unsigned> table(slots, 0);
      auto const slot_of = [&](std::uint64_t key) -> std::pair<std::uint64_t, unsigned> {
        auto at = hortus::fastrange(mix64(4 * key + 1), slots);
        auto const step = 1 + hortus::fastrange(mix64(4 * key + 2), slots - 1);
        auto const signature = 1 + static_cast<unsigned>(hortus::fastrange(mix64(4 * key + 3), 4095));
        while (table[at] != 0 && table[at] != signature) at = (at + step) % slots;
        return {at, signature};
      };
      auto const first = run << 32;
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(load * slots); ++i, ++keys) {
        auto const [at, signature] = slot_of(first + i);
        omitted += table[at] == signature ? 1 : 0;
        table[at] = signature;
      }
      for (std::uint64_t i = 0; i < 100'000; ++i, ++asked) hits += table[slot_of(first + (1 << 30) + i).first] != 0 ? 1 : 0;
    }
    double const expected = keys * (-std::log1p(-load) - load) / load / 4095;
    EXPECT_NEAR(omitted, expected, 6 * std::sqrt(expected)) << load;
    EXPECT_TRUE(close(hits / asked, double_hashing_compares(load) / 4095, .08)) << load;
  }
}

/// The table of this family at the same loads: fewer signatures to be mistaken for, although a key reads one line.
TEST(HashCompaction, RatesBySimulation) {
  for (unsigned const bits : {8U, 12U, 20U, 57U})
    for (double const load : {.5, .75, .9, .95}) {
      hash_compaction_shape const shape{20'000, bits};
      auto const keys = static_cast<std::uint64_t>(load * static_cast<double>(shape.slots()));
      hortus::hash_compaction f({shape.lines, bits});
      double omitted = 0;
      for (std::uint64_t i = 0; i < keys; ++i) omitted += f.insert_if_new(digest::of_hash(i)) ? 0 : 1;
      EXPECT_TRUE(close(f.fpr(), hash_compaction_fpr(shape, keys), bits == 8 ? .1 : .02)) << bits << " " << load;
      EXPECT_LT(f.fpr(), 1.02 * hash_compaction_fpr(shape, keys)) << bits << " " << load;
      EXPECT_LT(f.fpr(), .97 * double_hashing_compares(load) / shape.signatures() + .05 / shape.signatures()) << bits << load;
      double const expected = hash_compaction_omissions(shape, keys) * static_cast<double>(keys);
      EXPECT_NEAR(omitted, expected, 6 * std::sqrt(expected + 1) + .02 * expected) << bits << " " << load;
    }
}

// Few lines vary less in their load than the Poisson law says, but a short table has one line less to go on to.
TEST(HashCompaction, FewLinesAreNoWorse) {
  for (std::uint64_t const lines : {1U, 2U, 3U, 10U, 50U, 300U})
    for (double const load : {.5, .9, .95}) {
      hash_compaction_shape const shape{lines, 13};
      auto const keys = static_cast<std::uint64_t>(load * static_cast<double>(shape.slots()));
      double sum = 0;
      std::uint64_t const runs = 12'000 / lines;
      for (std::uint64_t run = 0; run < runs; ++run) {
        hortus::hash_compaction f({lines, 13});
        for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(f.insert(digest::of_hash(run << 32 | i)));
        sum += f.fpr();
      }
      EXPECT_LT(sum / static_cast<double>(runs), 1.02 * hash_compaction_fpr(shape, keys)) << lines << " " << load;
    }
}

TEST(HashCompaction, SpaceAndLines) {
  auto const a_key = [](double fpr) { return 8 * hash_compaction({10'000'000, fpr}).bytes() / 1e7; };
  EXPECT_TRUE(printed(a_key(.01), "10.17"));
  EXPECT_TRUE(printed(a_key(.001), "14.04"));
  EXPECT_TRUE(printed(a_key(1e-6), "24.72"));
  EXPECT_LT(a_key(.01), 11.1) << "double hashing at a load of .9, of the sheet";
  EXPECT_LT(a_key(.001), bloom_bits_per_item(.001, 10));
  EXPECT_TRUE(printed(hash_compaction_lines_read({1000, 12}, .9), "1.036"));
  EXPECT_TRUE(printed(hash_compaction_lines_read({1000, 12}, .95), "1.08"));
  // 20 bits a key at a load of .9: 18-bit signatures; 9/2^18 in the sheet.
  EXPECT_TRUE(printed(hash_compaction_fpr({1'000'000, 18}, 25'200'000), "2.25e-5"));
}

TEST(HashCompaction, EveryGoalIsKeptInTheFewestBytes) {
  for (double items = 1; items < 0x1p33; items = std::ceil(items * 7.3))
    for (double fpr = 0.93; fpr >= 1e-15; fpr *= 0.07) {
      auto const n = static_cast<std::uint64_t>(items);
      auto const shape = hash_compaction({n, fpr});
      EXPECT_LE(hash_compaction_fpr(shape, n), fpr) << n << " " << fpr;
      EXPECT_LE(items, hash_compaction_max_load * static_cast<double>(shape.slots()));
      EXPECT_LE(n, shape.capacity());
      if (shape.lines == 1) continue;
      for (unsigned bits = 4; bits <= 57; ++bits) {  // no other shape with fewer bytes does
        hash_compaction_shape const fewer{shape.lines - 1, bits};
        if (items > hash_compaction_max_load * static_cast<double>(fewer.slots())) continue;
        EXPECT_GT(hash_compaction_fpr(fewer, n), fpr * (1 - 1e-9)) << n << " " << fpr << " " << bits;
      }
    }
}

TEST(HashCompaction, TheRateRisesWithKeysUntilItIsFull) {
  hash_compaction_shape const shape{100, 12};
  EXPECT_EQ(hash_compaction_fpr(shape, 0), 0);
  EXPECT_EQ(hash_compaction_omissions(shape, 0), 0);
  for (std::uint64_t n = 50; n <= shape.capacity(); n += 50)
    EXPECT_GT(hash_compaction_fpr(shape, n), hash_compaction_fpr(shape, n - 50));
  EXPECT_EQ(hash_compaction_fpr(shape, huge), hash_compaction_fpr(shape, shape.slots()));
  EXPECT_EQ(shape.capacity(), 4200U - 131U);
  EXPECT_EQ((hash_compaction_shape{1, 57}).capacity(), 8U);
  EXPECT_EQ((hash_compaction_shape{4, 57}).capacity(), 31U);
}

TEST(HashCompaction, ImpossibleGoalsAndShapesAreRefused) {
  for (double const wrong : {0.0, 1.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(thrown([&] { return hash_compaction({10, wrong}); }), oracle::bad_goal) << wrong;
  EXPECT_EQ(thrown([] { return hash_compaction({huge, .01}); }), oracle::bad_goal);
  for (auto const s : {hash_compaction_shape{0, 5}, hash_compaction_shape{5, 3}, hash_compaction_shape{5, 58},
                       hash_compaction_shape{huge, 5}, hash_compaction_shape{(1ULL << 33) + 1, 5}})
    EXPECT_EQ(thrown([&] { return hash_compaction_fpr(s, 1); }), oracle::bad_params);
  EXPECT_EQ(hash_compaction_cardinality({10, 9}, 0), estimate{});
}

}  // namespace
