#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <hortus/build_by_threads.hpp>
#include <hortus/cells/vector_target.hpp>
#include <hortus/frozen/homogeneous_ribbon.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/io/store.hpp>

#include "statistics.hpp"
#include "with_target.hpp"

namespace hortus {
namespace {

std::vector<digest> random_digests(std::uint64_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<digest> all(count);
  for (auto& x : all) x = digest(random());
  return all;
}

homogeneous_ribbon built(std::vector<digest> const& keys, double fpr) {
  return homogeneous_ribbon::build(keys, {.items = 0, .fpr = fpr});
}

/// How many absent keys are found, in batches.
double found_of(homogeneous_ribbon const& f, std::uint64_t asked, std::uint64_t seed) {
  double hits = 0;
  std::mt19937_64 random(seed);
  std::vector<digest> some(1 << 16);
  for (std::uint64_t done = 0; done < asked; done += some.size()) {
    for (auto& x : some) x = digest(random());
    bitmask found(some.size());
    may_contain_all(f, std::span<digest const>(some), found.data());
    hits += static_cast<double>(found.count());
  }
  return hits;
}

/// Are all found, one by one and in a batch?
void expect_found(homogeneous_ribbon const& f, std::vector<digest> const& keys, std::string const& what) {
  bitmask hits(keys.size());
  may_contain_all(f, std::span<digest const>(keys), hits.data());
  EXPECT_EQ(hits.count(), keys.size()) << what;
  for (auto const x : keys) ASSERT_TRUE(f.may_contain(x)) << what;
  EXPECT_TRUE(f.valid()) << what;
}

TEST(homogeneous_ribbon, is_built_of_any_small_number_of_keys) {
  for (std::uint64_t items = 0; items <= 1000; ++items)
    for (double const fpr : {0.02, 1e-5}) {
      auto const keys = random_digests(items, items);
      auto const f = built(keys, fpr);
      expect_found(f, keys, std::to_string(items));
      EXPECT_EQ(f.estimate().value, static_cast<double>(items));
      std::uint64_t hits = 0;
      for (auto const x : random_digests(1000, items + 5000)) hits += f.may_contain(x);
      EXPECT_LE(hits, items == 0 ? 0U : 60U) << items;  // 20 of 1000 are expected; 60 have probability 1e-12
    }
}

TEST(homogeneous_ribbon, needs_a_tenth_more_than_the_bits_of_its_rate) {
  auto const over = [](std::uint64_t items, double bits) {
    auto const f = built(random_digests(items), std::exp2(-bits));
    return 8 * static_cast<double>(f.size_bytes()) / static_cast<double>(items) / bits - 1;
  };
  for (int const bits : {8, 16}) {
    EXPECT_LE(over(10'000, bits), 0.145);
    EXPECT_LE(over(100'000, bits), 0.125);
    EXPECT_LE(over(1'000'000, bits), 0.101);
    EXPECT_LE(over(3'000'000, bits), 0.101);
  }
  for (double const bits : {1.0, 2.0, 5.0, 6.64, 9.97, 12.0, 20.0, 32.0, 60.0}) EXPECT_LE(over(1'000'000, bits), 0.12) << bits;
}

/// build() knows how many of its rows are dependent: the hits are binomial with fpr(), also in filters that have more or fewer
/// of them than planned.
TEST(homogeneous_ribbon, finds_absent_keys_as_often_as_fpr_says) {
  for (std::uint64_t const items : {1U, 100U, 700U, 1013U, 2000U, 30'000U, 300'000U})
    for (double const fpr : {0.3, 0.01, 0x1p-8}) {
      auto const f = built(random_digests(items, items), fpr);
      constexpr std::uint64_t asked = 62 << 16;
      double const hits = found_of(f, asked, 77);
      EXPECT_TRUE(testing::binomial_band(static_cast<double>(asked), f.fpr()).holds(hits))
          << items << " at " << fpr << ": " << hits / static_cast<double>(asked) << " " << f.fpr();
      EXPECT_NEAR(f.fpr() / homogeneous_ribbon::planned_fpr(f.shape(), items), 1, 0.15) << items << " at " << fpr;
    }
}

/// Several layers: their rates multiply. 8 million keys give 122 hits at 2^-16.
TEST(homogeneous_ribbon, multiplies_the_rates_of_its_layers) {
  auto const f = built(random_digests(50'000), 0x1p-16);
  ASSERT_EQ(f.shape().layers, 2U);
  constexpr std::uint64_t asked = 128 << 16;
  EXPECT_TRUE(testing::binomial_band(static_cast<double>(asked), f.fpr()).holds(found_of(f, asked, 78)));
}

/// Keys that are sequential numbers, and asked in sequence: only the hash makes them random.
TEST(homogeneous_ribbon, keeps_its_rate_for_sequential_keys) {
  std::vector<std::uint64_t> keys(200'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  auto const f = homogeneous_ribbon_filter::build(keys, {.items = 0, .fpr = 0x1p-8});
  EXPECT_EQ(f.may_contain(keys).count(), keys.size());
  std::vector<std::uint64_t> others(4'000'000);
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = keys.size() + i;
  EXPECT_TRUE(testing::binomial_band(4e6, f.fpr()).holds(static_cast<double>(f.may_contain(others).count())));
}

/// Digests that are not mixed: they meet in few slots, or all in one, and must be found nevertheless. fpr() is the rate of
/// random digests, most of which do not meet there. It multiplies those of layers, which is wrong here: strips with too many
/// keys have too many in every layer.
TEST(homogeneous_ribbon, is_built_of_structured_digests) {
  for (std::uint64_t const items : {100U, 5000U, 300'000U})
    for (double const fpr : {0.01, 0x1p-16}) {
      auto const expect_built = [&](auto digest_of, std::string const& what) {
        std::vector<digest> keys;
        for (std::uint64_t i = 0; i < items; ++i) keys.push_back(digest(digest_of(i)));
        auto const f = built(keys, fpr);
        expect_found(f, keys, what);
        if (f.shape().layers > 1) return;
        constexpr std::uint64_t asked = 8 << 16;
        EXPECT_TRUE(testing::binomial_band(static_cast<double>(asked), f.fpr()).holds(found_of(f, asked, 3))) << what << items;
      };
      expect_built([](auto i) { return i; }, "sequential");
      expect_built([](auto i) { return i << 44; }, "equal low bits");
      expect_built([](auto i) { return std::uint64_t{0xabcdef} << 40 | mix64(i) >> 24; }, "equal top bits");
      expect_built([](auto i) { return i % 2 == 0 ? i : ~i; }, "the lowest and the highest");
    }
}

TEST(homogeneous_ribbon, depends_on_the_set_of_keys_alone) {
  auto keys = random_digests(400'000);
  auto const f = built(keys, 1e-4);
  std::reverse(keys.begin(), keys.end());
  keys.insert(keys.end(), keys.begin(), keys.begin() + 1000);
  EXPECT_EQ(built(keys, 1e-4), f);
}

TEST(homogeneous_ribbon, has_the_same_bytes_whatever_the_number_of_threads) {
  for (std::uint64_t const items : {0U, 1U, 1000U, 3'000'000U}) {
    auto const keys = random_digests(items);
    auto const f = built(keys, 0x1p-12);
    expect_found(f, keys, std::to_string(items));
    for (unsigned const threads : {0U, 1U, 2U, 5U})
      EXPECT_EQ(build_by_threads<homogeneous_ribbon>(keys, {.items = 0, .fpr = 0x1p-12}, threads), f) << threads;
  }
  EXPECT_THROW((void)build_by_threads<homogeneous_ribbon>(random_digests(100), {.items = 0, .fpr = 2}, 3), error);
}

/// What is left of a folded filter is what it was: the first columns of the first layers.
TEST(homogeneous_ribbon, folds_by_dropping_columns_and_layers) {
  auto const keys = random_digests(300'000);
  auto const f = built(keys, 0x1p-16);
  ASSERT_EQ(f.fold_width(), 16U);
  for (unsigned const by : {1U, 2U, 4U, 8U, 16U}) {
    auto folded = f;
    double const foretold = f.fpr_folded(by);
    folded.fold(by);
    EXPECT_EQ(folded.shape().layers * folded.shape().columns, 16 / by);
    EXPECT_EQ(folded.fpr(), foretold);
    expect_found(folded, keys, std::to_string(by));
    if (by == 1) {
      EXPECT_EQ(folded, f);
      continue;
    }
    constexpr std::uint64_t asked = 16 << 16;
    EXPECT_TRUE(testing::binomial_band(static_cast<double>(asked), foretold).holds(found_of(folded, asked, by))) << by;
  }
  // Three layers of nine columns, by three: one of nine. By nine: three columns.
  auto const three = built(keys, 0x1p-27);
  ASSERT_EQ(three.shape().layers, 3U);
  ASSERT_EQ(three.fold_width(), 27U);
  auto one = three;
  one.fold(3);
  EXPECT_EQ(one.shape().layers, 1U);
  EXPECT_EQ(one.shape().columns, 9U);
  EXPECT_THROW(one.fold(2), error);
  EXPECT_THROW(one.fold(0), error);
}

TEST(homogeneous_ribbon, says_and_stores_the_same_with_all_instruction_sets) {
  auto const keys = random_digests(20'000);
  auto const asked = random_digests(20'000, 9);
  for (double const fpr : {0.9, 0.6, 0.2, 0x1p-4, 0.01, 0x1p-8, 1e-3, 0x1p-16, 1e-6, 1e-12}) {
    auto const f = built(keys, fpr);
    bitmask found(asked.size());
    may_contain_all(f, std::span<digest const>(asked), found.data());
    for (auto const name : kernels::targets()) {
      testing::with_target const use(name);
      EXPECT_EQ(built(keys, fpr), f) << name << " at " << fpr;
      bitmask again(asked.size());
      may_contain_all(f, std::span<digest const>(asked), again.data());
      EXPECT_EQ(again, found) << name << " at " << fpr;
      for (std::size_t i = 0; i < asked.size(); i += 7) ASSERT_EQ(f.may_contain(asked[i]), found[i]) << name << " at " << fpr;
      expect_found(f, keys, std::string(name));
    }
  }
}

/// From 2^18 keys on there are strips, between which lie blocks without starts.
TEST(homogeneous_ribbon, has_the_same_strips_with_all_instruction_sets) {
  auto const keys = random_digests(300'000);
  for (double const fpr : {0x1p-8, 1e-4}) {
    auto const f = built(keys, fpr);
    ASSERT_EQ(f.shape().strips, 4U);
    for (auto const name : kernels::targets()) {
      testing::with_target const use(name);
      EXPECT_EQ(built(keys, fpr), f) << name;
      expect_found(f, keys, std::string(name));
    }
  }
}

/// If layers asked for the same starts, keys that meet in one would meet in all.
TEST(homogeneous_ribbon, has_independent_starts_in_its_layers) {
  plan::homogeneous_shape s{300'000, 3, 8, 4, 1300, 0};
  homogeneous_cells const cells(s);
  int same = 0;
  for (auto const x : random_digests(100'000))
    for (unsigned layer = 1; layer < 3; ++layer) {
      auto const word = cells.word_in(layer, x.bits());
      ASSERT_EQ(cells.strip(word), cells.strip(x.bits()));
      auto const before = cells.word_in(layer - 1, x.bits());
      same += cells.start(word) / 64 == cells.start(before) / 64 ? 1 : 0;
    }
  EXPECT_LE(same, 230);  // 154 are expected
}

TEST(homogeneous_ribbon, finds_nothing_when_cleared) {
  for (std::uint64_t const items : {0U, 10U, 5000U}) {
    auto const keys = random_digests(items);
    auto f = built(keys, 0x1p-8);
    f.clear();
    EXPECT_EQ(f.fpr(), 0);
    EXPECT_EQ(f.estimate().value, 0);
    EXPECT_TRUE(f.valid());
    bitmask hits(keys.size());
    may_contain_all(f, std::span<digest const>(keys), hits.data());
    EXPECT_EQ(hits.count(), 0U);
    for (auto const x : keys) EXPECT_FALSE(f.may_contain(x));
  }
}

/// A filter with other numbers, and perhaps another chance in its first layer.
homogeneous_ribbon read_again(homogeneous_ribbon const& f, std::vector<std::uint64_t> scalars, std::uint64_t more_chance = 0) {
  field_writer written;
  homogeneous_ribbon::fields(f, written);
  std::vector<memory> sections;
  for (auto const bytes : written.sections()) {
    memory copy(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.data());
    sections.push_back(std::move(copy));
  }
  *reinterpret_cast<std::uint64_t*>(sections[1].data()) += more_chance;
  field_reader reader(std::move(scalars), std::move(sections));
  homogeneous_ribbon read;
  homogeneous_ribbon::fields(read, reader);
  return read;
}

std::vector<std::uint64_t> scalars_of(homogeneous_ribbon const& f) {
  field_writer written;
  homogeneous_ribbon::fields(f, written);
  return written.scalars();
}

TEST(homogeneous_ribbon, refuses_every_wrong_number) {
  auto const f = built(random_digests(1000), 0x1p-16);
  auto const scalars = scalars_of(f);
  EXPECT_TRUE(read_again(f, scalars).valid());
  for (std::size_t i = 1; i < scalars.size(); ++i)
    for (auto const wrong : {scalars[i] + 1, scalars[i] - 1, std::uint64_t{0}, std::uint64_t{64}, 2 * scalars[i]}) {
      if (wrong == scalars[i] || wrong > 0xffff'ffff) continue;
      auto changed = scalars;
      changed[i] = wrong;
      EXPECT_FALSE(read_again(f, changed).valid()) << "scalar " << i << " is " << wrong;
    }
  auto none = scalars;
  none[0] = 0;
  EXPECT_FALSE(read_again(f, none).valid()) << "layers, but no keys";
  auto const most = f.shape().start_blocks * 64 << 16;
  EXPECT_FALSE(read_again(f, scalars, most).valid()) << "a probability above 1";
}

/// Any numbers with bytes of the right size: refused, or answered without reading outside.
TEST(homogeneous_ribbon, reads_nothing_outside_whatever_its_numbers_are) {
  auto const f = built(random_digests(1000), 0x1p-16);
  auto const original = scalars_of(f);
  std::mt19937_64 random(3);
  auto const asked = random_digests(200, 4);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto scalars = original;
    auto const at = random() % scalars.size();
    switch (random() % 4) {
      case 0:
        scalars[at] = random() >> random() % 64;
        break;
      case 1:
        scalars[at] += random() % 3 - 1;
        break;
      case 2:
        scalars[at] *= 2;
        break;
      default:
        scalars[at] = std::uint64_t{1} << random() % 64;
        break;
    }
    if (at > 0 && at < 4 && scalars[at] > 0xffff'ffff) continue;  // refused by the reader
    auto const read = read_again(f, scalars);
    if (!read.valid()) continue;
    ++accepted;
    EXPECT_LE(read.fpr(), 1);
    for (auto const x : asked) (void)read.may_contain(x);
    bitmask hits(asked.size());
    may_contain_all(read, std::span<digest const>(asked), hits.data());
  }
  EXPECT_GT(accepted, 100);  // another number of keys is no wrong shape
}

}  // namespace
}  // namespace hortus
