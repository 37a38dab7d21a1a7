#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <hortus/hash/mix64.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>

#include "policies.hpp"

namespace {

using hortus::digest;

constexpr std::uint64_t largest = ~std::uint64_t{0};

constexpr std::uint64_t two_to(unsigned n) { return std::uint64_t{1} << n; }

/// Ranges at the edges: tiny, around powers of two, past 32 bits, at and near the end of 64.
constexpr auto ranges = std::to_array<std::uint64_t>({1,
                                                      2,
                                                      3,
                                                      4,
                                                      5,
                                                      7,
                                                      64,
                                                      1000,
                                                      65535,
                                                      65536,
                                                      1000003,
                                                      two_to(32) - 1,
                                                      two_to(32),
                                                      two_to(32) + 1,
                                                      two_to(42),
                                                      two_to(56),
                                                      two_to(56) + 1,
                                                      two_to(63),
                                                      two_to(63) + 1,
                                                      largest});

/// Digests at the edges, then ordinary ones.
std::vector<digest> some_digests() {
  std::vector<digest> xs = {digest(0), digest(1), digest(2), digest(largest), digest(two_to(63))};
  for (std::uint64_t i = 0; i < 100; ++i) xs.push_back(digest::of_hash(i));
  return xs;
}

template <class Index>
std::vector<std::uint64_t> positions(digest x, std::uint64_t range, std::size_t count) {
  Index at(x, range);
  std::vector<std::uint64_t> all(count);
  for (auto& position : all) position = at.next();
  return all;
}

template <class Index>
class index_policies : public testing::Test {};
TYPED_TEST_SUITE(index_policies, index_test::policies, index_test::policy_names);

TYPED_TEST(index_policies, stay_in_range) {
  for (auto range : ranges)
    for (auto x : some_digests())
      for (auto position : positions<TypeParam>(x, range, 200)) ASSERT_LT(position, range);
}

TYPED_TEST(index_policies, depend_on_digest_and_range_alone) {
  for (auto range : ranges)
    for (auto x : some_digests()) {
      TypeParam at(x, range);
      (void)at.next();
      auto copy = at;  // a copy goes on where the original is
      EXPECT_EQ(copy.next(), at.next());
      EXPECT_EQ(positions<TypeParam>(x, range, 20), positions<TypeParam>(x, range, 20));
    }
}

TYPED_TEST(index_policies, work_at_compile_time) {
  static constexpr auto third = [] {
    TypeParam at(digest(7), 1000);
    at.next();
    at.next();
    return at.next();
  }();
  EXPECT_EQ(third, positions<TypeParam>(digest(7), 1000, 3)[2]);
}

// Half the range on the left, half on the right, at every probe and in every one of the upper 12 bits: 2^14 keys, sigma 64 of
// 8192. 16 probes times 12 bits, 7 sigma: exceeded with chance 192 * 3e-12 = 5e-10 in each of the six policies.
TYPED_TEST(index_policies, use_the_whole_range_at_every_probe) {
  constexpr std::uint64_t range = two_to(40);
  constexpr int keys = 1 << 14;
  std::array<std::array<int, 12>, 16> ones{};
  for (std::uint64_t i = 0; i < keys; ++i) {
    TypeParam at(digest(hortus::mix64(i * hortus::golden_ratio64 + 1)), range);
    for (auto& probe : ones) {
      auto const position = at.next();
      for (unsigned bit = 0; bit < 12; ++bit) probe[bit] += static_cast<int>(position >> (39 - bit) & 1);
    }
  }
  for (auto const& probe : ones)
    for (auto count : probe) EXPECT_NEAR(count, keys / 2.0, 7 * 64);
}

// Folding: the position for range n, divided by d, is the position for n / d. Policies that do not fold must declare it;
// each of them breaks the rule somewhere.
TYPED_TEST(index_policies, fold_if_they_say_so) {
  bool holds = true;
  for (std::uint64_t divisor : {2U, 3U, 5U, 64U, 1000U})
    for (std::uint64_t width : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{33}, two_to(20), std::uint64_t{12345678901}})
      for (auto x : some_digests()) {
        auto wide = positions<TypeParam>(x, width * divisor, 32);
        for (auto& position : wide) position /= divisor;
        holds = holds && wide == positions<TypeParam>(x, width, 32);
      }
  EXPECT_EQ(holds, TypeParam::folds);
}
static_assert(hortus::multiply_chain::folds && hortus::seeded_probes::folds && !hortus::sliced_probes::folds);
static_assert(!hortus::double_hashing::folds && !hortus::enhanced_double_hashing::folds && !hortus::triple_hashing::folds);

// Positions determine the bits in every file, so they never change.
struct golden {
  std::uint32_t id;
  std::string_view name;
  std::array<std::uint64_t, 8> of_1000, of_2_42;
  std::uint64_t fold;  // of all ranges above, all of some_digests(), 20 positions each
};

template <class Index>
void expect(golden const& g) {
  EXPECT_EQ(Index::id, g.id);
  EXPECT_EQ(Index::name, g.name);
  digest const x(0x0123456789abcdefU);
  EXPECT_EQ(positions<Index>(x, 1000, 8), std::vector(g.of_1000.begin(), g.of_1000.end()));
  EXPECT_EQ(positions<Index>(x, two_to(42), 8), std::vector(g.of_2_42.begin(), g.of_2_42.end()));
  std::uint64_t fold = 0;
  for (auto range : ranges)
    for (auto d : some_digests())
      for (auto position : positions<Index>(d, range, 20)) fold = hortus::mix64(fold ^ position) + 1;
  EXPECT_EQ(fold, g.fold);
}

TEST(multiply_chain, golden_positions) {
  expect<hortus::multiply_chain>(
      {1,
       "multiply_chain",
       {679, 520, 510, 102, 476, 694, 130, 306},
       {2989194423438, 2287487887236, 2243736708051, 452318053193, 2095775316026, 3052925889215, 573663771829, 1349311027247},
       0x025df804341b280eU});
}
TEST(seeded_probes, golden_positions) {
  expect<hortus::seeded_probes>(
      {2,
       "seeded_probes",
       {887, 38, 312, 95, 683, 973, 133, 868},
       {3902906276348, 171394717262, 1374207232461, 420866972839, 3004652011997, 4281194168503, 588331632766, 3819835248266},
       0xa5c9b630d1fe2fadU});
}
TEST(sliced_probes, golden_positions) {
  expect<hortus::sliced_probes>(
      {3,
       "sliced_probes",
       {887, 342, 952, 38, 921, 225, 312, 133},
       {3902906276348, 171394717262, 1374207232461, 420866972839, 3004652011997, 4281194168503, 588331632766, 3819835248266},
       0x7628e9c2b1699de1U});
}
TEST(double_hashing, golden_positions) {
  expect<hortus::double_hashing>(
      {4,
       "double_hashing",
       {887, 926, 965, 4, 43, 82, 121, 160},
       {3902906276348, 4074300993611, 4245695710874, 19043917033, 190438634296, 361833351559, 533228068822, 704622786085},
       0xfe4ea65180794db9U});
}
TEST(enhanced_double_hashing, golden_positions) {
  expect<hortus::enhanced_double_hashing>(
      {5,
       "enhanced_double_hashing",
       {887, 925, 964, 5, 49, 97, 150, 209},
       {3902906276348, 4074300993610, 4245695710873, 19043917034, 190438634302, 361833351574, 533228068851, 704622786134},
       0x8a3208893eabbee3U});
}
TEST(triple_hashing, golden_positions) {
  expect<hortus::triple_hashing>(
      {6,
       "triple_hashing",
       {887, 925, 275, 937, 911, 197, 795, 705},
       {3902906276348, 4074300993610, 1221856432229, 4141665614413, 4037635517954, 909766142852, 3554150511315, 3174695601135},
       0xfc52aa2df1d68358U});
}

TEST(index_policies, have_ids_of_their_own) {
  std::set<std::uint32_t> ids;
  std::set<std::string_view> names;
  index_test::for_each_policy([&]<class Index>() {
    EXPECT_TRUE(ids.insert(Index::id).second);
    EXPECT_TRUE(names.insert(Index::name).second);
  });
  EXPECT_EQ(ids.size(), 6U);
}

// Two numbers below range determine all positions of double hashing. The textbook's formula, with its division.
TEST(double_hashing, is_a_plus_i_times_b_with_b_not_zero) {
  for (std::uint64_t range : {2U, 3U, 1000U, 1U << 20})
    for (auto x : some_digests()) {
      auto const p = positions<hortus::double_hashing>(x, range, 30);
      auto const step = (p[1] + range - p[0]) % range;
      EXPECT_NE(step, 0U);
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], (p[0] + i * step) % range);
    }
}

TEST(enhanced_double_hashing, has_the_cubic_term) {
  for (std::uint64_t range : {1U, 2U, 3U, 10U, 1000U, 1U << 20})
    for (auto x : some_digests()) {
      auto const p = positions<hortus::enhanced_double_hashing>(x, range, 64);
      auto const step = (p[1] + range - p[0]) % range;
      for (std::uint64_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], (p[0] + i * step + (i * i * i - i) / 6) % range) << i;
    }
}

TEST(triple_hashing, has_the_square_term) {
  for (std::uint64_t range : {1U, 2U, 3U, 10U, 1000U, 1U << 20})
    for (auto x : some_digests()) {
      auto const p = positions<hortus::triple_hashing>(x, range, 64);
      auto const step = (p[1] + range - p[0]) % range;
      auto const growth = (p[2] + 2 * range - p[1] - step) % range;
      for (std::uint64_t i = 0; i < p.size(); ++i)
        EXPECT_EQ(p[i], (p[0] + i * step + (i * i - i) / 2 % range * growth) % range) << i;
    }
}

// 1000 takes 10 bits and 8 more: three slices a word, then the next word. 10,000 digests, because a slice that overlaps the
// next by mistake moves its position only once in some hundred times.
TEST(sliced_probes, slices_follow_each_other_and_never_overlap) {
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    auto const x = digest::of_hash(key);
    auto const p = positions<hortus::sliced_probes>(x, 1000, 9);
    for (std::uint64_t i = 0; i < 9; ++i) {
      auto const slice = x.remixed(i / 3).bits() << (i % 3 * 18) >> 46;
      ASSERT_EQ(p[i], slice * 1000 >> 18);
    }
    ASSERT_EQ(positions<hortus::sliced_probes>(x, largest, 1)[0], hortus::fastrange(x.remixed(0).bits(), largest));
  }
}

TEST(multiply_chain, never_gets_stuck) {
  for (auto x : some_digests()) {
    auto const p = positions<hortus::multiply_chain>(x, two_to(40), 64);
    EXPECT_EQ(std::set(p.begin(), p.end()).size(), p.size());
  }
}

TEST(multiply_chain, tells_a_position_without_those_before_it) {
  for (auto x : some_digests())
    for (std::uint64_t const range : {std::uint64_t{1}, std::uint64_t{1000}, two_to(40)}) {
      auto const p = positions<hortus::multiply_chain>(x, range, 64);
      for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(hortus::multiply_chain::at(x, range, i), p[i]);
    }
}

TEST(add_mod, adds_without_overflow) {
  using hortus::add_mod;
  static_assert(add_mod(0, 0, 1) == 0 && add_mod(3, 4, 7) == 0 && add_mod(3, 4, 8) == 7 && add_mod(6, 6, 7) == 5);
  static_assert(add_mod(largest - 1, largest - 1, largest) == largest - 2 && add_mod(largest - 1, 0, largest) == largest - 1);
  for (std::uint64_t range = 1; range <= 40; ++range)
    for (std::uint64_t a = 0; a < range; ++a)
      for (std::uint64_t b = 0; b <= range; ++b) EXPECT_EQ(add_mod(a, b, range), (a + b) % range);
}

TEST(fastrange, is_monotone_and_nested) {
  using hortus::fastrange;
  EXPECT_EQ(fastrange(largest, largest), largest - 1);
  EXPECT_EQ(fastrange(largest, 1), 0U);
  EXPECT_EQ(fastrange(std::uint64_t{1} << 63, 10), 5U);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    auto const word = hortus::mix64(i + 1);
    for (std::uint64_t range : {6U, 1000U, 720720U}) {
      EXPECT_EQ(fastrange(word, range) / 2, fastrange(word, range / 2));
      EXPECT_LE(fastrange(word - 1, range), fastrange(word, range));
    }
  }
}

}  // namespace
