// The d-left filter: places, loads, rate, size and counts as in the literature, churn, a full filter.
#include <gtest/gtest.h>

#include <set>

#include <hortus/counting/d_left.hpp>
#include <hortus/plan/bloom.hpp>

#include "statistics.hpp"

namespace hortus::testing {
namespace {

static_assert(membership<d_left> && countable<d_left> && erasable<d_left> && estimating<d_left> && plannable<d_left>);
static_assert(!mergeable<d_left> && !foldable<d_left>);

digest key(std::uint64_t i) { return digest::of_hash(i); }

/// In every table every fingerprint has a place of its own, and the place determines the fingerprint.
TEST(d_left_fingerprint, places_are_bijections_for_any_number_of_buckets) {
  for (std::uint64_t const buckets : {1U, 2U, 3U, 7U, 64U, 100U})
    for (unsigned const bits : {1U, 2U, 3U, 7U}) {
      std::set<std::pair<std::uint64_t, std::uint64_t>> taken;  // place, remainder
      for (std::uint64_t b = 0; b < buckets; ++b)
        for (std::uint64_t remainder = 1; remainder < std::uint64_t{1} << bits; ++remainder) {
          d_left_fingerprint const print{b, remainder};
          auto const places = print.places(buckets);
          for (unsigned i = 0; i < 4; ++i) {
            EXPECT_EQ(places[i] / buckets, i);
            EXPECT_TRUE(taken.insert({places[i], remainder}).second) << "two fingerprints in one place";
            EXPECT_EQ(d_left_fingerprint::in(places[i], remainder, buckets), print);
          }
        }
      EXPECT_EQ(taken.size(), 4 * buckets * ((std::uint64_t{1} << bits) - 1));
    }
}

TEST(d_left_fingerprint, places_come_back_at_large_sizes) {
  for (std::uint64_t const buckets : {std::uint64_t{1} << 31, (std::uint64_t{1} << 35) - 19})
    for (std::uint64_t i = 0; i < 1000; ++i) {
      auto const print = d_left_fingerprint::of(key(i), buckets, 20);
      ASSERT_LT(print.bucket, buckets);
      ASSERT_GE(print.remainder, 1U);
      ASSERT_LT(print.remainder, 1U << 20);
      for (auto const place : print.places(buckets)) ASSERT_EQ(d_left_fingerprint::in(place, print.remainder, buckets), print);
    }
}

/// The fraction of buckets with at least j cells in use.
std::vector<double> loads(d_left const& f) {
  std::vector<double> at_least(9);
  for (std::uint64_t b = 0; b < f.buckets().size(); ++b)
    for (std::size_t j = 0; j == 0 || f.buckets().used(b) >> (j - 1) != 0; ++j) at_least[j] += 1;
  for (auto& part : at_least) part /= static_cast<double>(f.buckets().size());
  return at_least;
}

/// The number of buckets above each load varies no more than with independent buckets, because their sum is fixed. So the
/// binomial band of the limit's fraction holds except with probability 1e-9. The limit is reached to about one bucket of 8192.
void expect_loads(d_left const& f, plan::d_left_limit const& limit) {
  auto const found = loads(f);
  auto const buckets = static_cast<double>(f.buckets().size());
  for (unsigned j = 1; j <= 8; ++j) {
    bool const few = limit.loads[j] < .5;  // the band is for rare events, so the rarer side is counted
    double const part = few ? limit.loads[j] : std::max(0.0, 1 - limit.loads[j]);
    EXPECT_TRUE(binomial_band(buckets, part).holds(buckets * (few ? found[j] : 1 - found[j])))
        << j << ": " << found[j] << " where the limit says " << limit.loads[j];
  }
}

double measured_fpr(d_left const& f, std::uint64_t asked) {
  double hits = 0;
  for (std::uint64_t i = 0; i < asked; ++i) hits += f.may_contain(key((std::uint64_t{1} << 40) + i)) ? 1 : 0;
  EXPECT_TRUE(binomial_band(static_cast<double>(asked), f.fpr()).holds(hits)) << hits << " of " << asked << " at " << f.fpr();
  return hits / static_cast<double>(asked);
}

/// The paper's example: 2048 buckets a table, 14 bits, six keys a bucket; then 2^20 keys replaced by new ones.
TEST(d_left, loads_rate_and_size_of_the_literature) {
  constexpr std::uint64_t items = 49152;
  auto const params = d_left::plan({.items = items, .fpr = .001465});
  ASSERT_EQ(params, (d_left::params{2048, 14}));
  d_left f(params);
  std::vector<std::uint64_t> live(items);
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(f.insert(key(live[i] = i)));
  expect_loads(f, plan::d_left_loads(6));
  double const fresh = measured_fpr(f, 4'000'000);
  EXPECT_NEAR(fresh, .001463, 1.3e-4);  // 6 sd of 4 million queries

  double const counting_bits = 4 * static_cast<double>(plan::bloom({items, fresh}).bits);
  EXPECT_GT(counting_bits / (8 * static_cast<double>(f.size_bytes())), 2.5) << "at the rate measured";

  for (std::uint64_t t = 0; t < 1 << 20; ++t) {
    auto& old = live[mix64(t) % items];
    ASSERT_TRUE(f.erase(key(old)));
    ASSERT_TRUE(f.insert(key(old = items + t)));
  }
  expect_loads(f, plan::d_left_loads(6, 20));
  EXPECT_NEAR(measured_fpr(f, 4'000'000), .001463, 1.3e-4);
  for (auto const i : live) ASSERT_TRUE(f.may_contain(key(i)));
  std::uint64_t copies = 0;
  for (std::uint64_t b = 0; b < f.buckets().size(); ++b)
    for (unsigned c = 0; f.buckets().used(b) >> c != 0; ++c) copies += f.buckets().counter(b, c) + 1;
  EXPECT_EQ(copies, items) << "counters hold every key once";
  for (auto const i : live) ASSERT_TRUE(f.erase(key(i)));
  EXPECT_EQ(f, d_left(params)) << "and nothing stays behind";
}

/// As those of one shard are, whose digests agree in the top or low bits.
TEST(d_left, selected_keys_load_buckets_as_others_do) {
  for (unsigned const fixed : {8U, 16U, 24U})
    for (bool const top : {true, false}) {
      d_left f(d_left::plan({.items = 20'000, .fpr = .01}));
      for (std::uint64_t i = 0; i < 20'000; ++i) {
        auto const random = mix64(i * golden_ratio64);
        ASSERT_TRUE(f.insert(digest(top ? random >> fixed : random << fixed | 1)));
      }
      expect_loads(f, plan::d_left_loads(20'000.0 / static_cast<double>(f.buckets().size())));
    }
}

TEST(d_left, counts_to_four_and_stays_there) {
  d_left f({100, 20});
  for (std::uint64_t i = 1000; i < 2000; ++i) ASSERT_TRUE(f.insert(key(i)));
  auto const before = f;
  for (std::uint64_t copies = 1; copies <= 3; ++copies) {
    for (std::uint64_t i = 0; i < copies; ++i) {
      EXPECT_EQ(f.count(key(1)), i);
      EXPECT_TRUE(f.insert(key(1)));
    }
    for (std::uint64_t i = copies; i > 0; --i) {
      EXPECT_EQ(f.count(key(1)), i);
      EXPECT_TRUE(f.erase(key(1)));
    }
    EXPECT_EQ(f, before) << copies;
  }
  EXPECT_FALSE(f.erase(key(1)));
  EXPECT_EQ(f, before);
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(f.insert(key(1)));
  EXPECT_EQ(f.count(key(1)), 4U);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(f.erase(key(1)));
  EXPECT_EQ(f.count(key(1)), 4U) << "nobody knows how many more there were";
}

TEST(d_left, every_width_of_remainder_works) {
  for (unsigned bits = 1; bits <= 62; ++bits) {
    d_left f({100, bits});
    std::vector<std::uint64_t> in;
    for (std::uint64_t i = 0; i < 1000; ++i)
      if (f.insert(key(i))) in.push_back(i);
    EXPECT_EQ(in.size(), 1000U) << bits;
    for (auto const i : in) ASSERT_GE(f.count(key(i)), 1U) << bits;
    if (bits < 30) continue;
    EXPECT_EQ(f.buckets().used(), 1000U) << bits;
    for (std::uint64_t i = 1000; i < 2000; ++i) EXPECT_FALSE(f.erase(key(i))) << bits;
  }
}

/// Any content of the cells is safe: holes, remainder 0 with a counter, the same fingerprint everywhere.
TEST(d_left, cells_that_nobody_wrote_do_no_harm) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    d_left const shape({3, 1 + static_cast<unsigned>(seed % 62)});
    field_writer out;
    d_left::fields(shape, out);
    memory cells(shape.size_bytes());
    for (std::size_t i = 0; i + 8 < cells.size(); ++i)
      cells.data()[i] = static_cast<std::byte>(mix64(seed * 1000 + i) & mix64(seed + i));
    std::vector<memory> sections;
    sections.push_back(std::move(cells));
    field_reader in(out.scalars(), std::move(sections));
    d_left f;
    d_left::fields(f, in);
    ASSERT_TRUE(f.valid());
    for (std::uint64_t i = 0; i < 200; ++i) {
      (void)f.erase(key(i % 50));
      (void)f.insert(key(i));
      EXPECT_EQ(f.may_contain(key(i)), f.count(key(i)) > 0);
    }
    EXPECT_LE(f.fpr(), 1);
    EXPECT_GE(f.estimate().high, f.estimate().low);
    EXPECT_TRUE(f.valid());
  }
}

TEST(d_left, a_shape_that_does_not_fit_its_bytes_is_not_valid) {
  d_left const good({3, 6});
  field_writer out;
  d_left::fields(good, out);
  ASSERT_EQ(out.scalars().size(), 3U);  // derivation, buckets, remainder bits
  auto const read = [&](std::uint64_t buckets, std::uint64_t bits, bool tail = false) {
    d_left f;
    std::vector<memory> sections;
    sections.push_back(good.cells());
    if (tail) sections.back().data()[sections.back().size() - 1] = std::byte{1};
    field_reader in({out.scalars()[0], buckets, bits}, std::move(sections));
    d_left::fields(f, in);
    return f.valid();
  };
  EXPECT_TRUE(read(12, 6));
  EXPECT_TRUE(read(32, 1)) << "as many bytes";
  EXPECT_FALSE(read(12, 6, true)) << "bytes past the cells are 0";
  using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  for (auto const& [buckets, bits] :
       pairs{{0, 6}, {12, 5}, {12, 0}, {12, 63}, {13, 6}, {6, 14}, {2, 46}, {36, 1}, {~0ULL, 6}, {1ULL << 63, 6}, {0, 94}})
    EXPECT_FALSE(read(buckets, bits)) << buckets << " " << bits;
  EXPECT_THROW(d_left(d_left::params{}), error);
  EXPECT_THROW(d_left({1, 63}), error);
  EXPECT_THROW(d_left({~std::uint64_t{0}, 5}), error);
}

}  // namespace
}  // namespace hortus::testing
