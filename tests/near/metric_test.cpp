// The locality-sensitive hashes: equal with probability 1 - distance, over the draws. Each test fails by chance with
// probability 1e-9 at most; seeds are fixed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <hortus/hash/siphash.hpp>
#include <hortus/near/any_metric.hpp>

#include "statistics.hpp"

namespace hortus::testing {
namespace {

constexpr std::uint64_t draws = 200'000;

/// In how many draws the samples of two keys are equal.
template <class Metric>
double equal_samples_of(Metric const& metric, auto const& a, auto const& b, std::uint64_t seed = 1) {
  xxh3 const hash(seed);
  auto const first = metric.prepared(a, hash);
  auto const second = metric.prepared(b, hash);
  std::uint64_t equal = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    auto const draw = hash.of_integer(i).bits();
    if (first.sample(draw) == second.sample(draw)) ++equal;
  }
  return static_cast<double>(equal);
}

/// Is this a plausible number of equal samples? At 0 and 1 there is no chance in it.
bool plausible(double equal, double probability) {
  if (probability == 0 || probability == 1) return equal == probability * draws;
  return binomial_band(draws, probability).holds(equal);
}

using bits256 = std::array<std::uint8_t, 32>;

bits256 flipped(bits256 of, unsigned bits, std::mt19937_64& random) {
  std::array<unsigned, 256> order{};
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, random);
  for (unsigned i = 0; i < bits; ++i) of[order[i] / 8] = static_cast<std::uint8_t>(of[order[i] / 8] ^ 1U << (order[i] % 8));
  return of;
}

TEST(hamming_samples, are_equal_with_probability_1_minus_distance) {
  std::mt19937_64 random(1);
  bits256 const x{};
  for (unsigned const flips : {0U, 1U, 13U, 64U, 128U, 255U, 256U}) {
    auto const equal = equal_samples_of(hamming(), x, flipped(x, flips, random));
    EXPECT_TRUE(plausible(equal, 1 - flips / 256.0)) << flips << ' ' << equal;
  }
}

// Sampling without replacement would give 0.423 here, and miss more near keys.
TEST(hamming_samples, are_drawn_with_replacement) {
  std::mt19937_64 random(2);
  constexpr unsigned samples = 16;
  std::array<digest, 1024> one{};
  std::array<digest, 1024> two{};
  double equal = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    bits256 const x{};
    auto const y = flipped(x, 13, random);
    locality_digests(hamming().prepared(x, xxh3(seed)), xxh3(seed), samples, one);
    locality_digests(hamming().prepared(y, xxh3(seed)), xxh3(seed), samples, two);
    for (std::size_t i = 0; i < one.size(); ++i) equal += one[i] == two[i] ? 1 : 0;
  }
  EXPECT_TRUE(binomial_band(300.0 * 1024, std::pow(243 / 256.0, samples)).holds(equal)) << equal;
  EXPECT_FALSE(binomial_band(300.0 * 1024, 0.423).holds(equal)) << "or this test is too weak";
}

TEST(hamming_keys, are_the_same_however_they_are_given) {
  xxh3 const hash;
  std::uint64_t const word = 0x0123456789abcdef;
  auto const bytes = little_endian_bytes(word);
  auto const of_word = hamming().prepared(word, hash);
  auto const of_bytes = hamming().prepared(bytes, hash);
  auto const of_bits = hamming().prepared(bit_string{bytes, 64}, hash);
  EXPECT_EQ(of_word.dimension(), 64U);
  EXPECT_EQ(of_bytes.dimension(), 64U);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    auto const draw = hash.of_integer(i).bits();
    EXPECT_EQ(of_word.sample(draw), of_bytes.sample(draw));
    EXPECT_EQ(of_word.sample(draw), of_bits.sample(draw));
  }
  EXPECT_EQ(hamming().prepared(std::uint8_t{5}, hash).dimension(), 8U);
  EXPECT_EQ(hamming().prepared(bit_string{bytes, 61}, hash).dimension(), 61U);
}

TEST(hamming_keys, need_their_bytes) {
  xxh3 const hash;
  std::array<std::byte, 2> const bytes{};
  EXPECT_THROW((void)hamming().prepared(bit_string{bytes, 17}, hash), error);
  EXPECT_THROW((void)hamming().prepared(bit_string{bytes, 0}, hash), error);
  EXPECT_THROW((void)hamming().prepared(std::string(), hash), error);
  EXPECT_NO_THROW((void)hamming().prepared(bit_string{bytes, 16}, hash));
}

TEST(jaccard_samples, are_equal_with_probability_of_the_similarity) {
  std::mt19937_64 random(3);
  for (std::size_t const common : {0U, 1U, 20U, 60U, 95U, 100U}) {
    std::vector<digest> a;
    std::vector<digest> b;
    for (std::size_t i = 0; i < 100; ++i) {  // 100 in the union
      digest const x(random());
      if (i < common || i % 2 == 0) a.push_back(x);
      if (i < common || i % 2 == 1) b.push_back(x);
    }
    auto const equal = equal_samples_of(jaccard(), std::span<digest const>(a), std::span<digest const>(b));
    EXPECT_TRUE(plausible(equal, static_cast<double>(common) / 100)) << common << ' ' << equal;
  }
}

TEST(jaccard_samples, of_texts_are_those_of_their_pieces) {
  std::string_view const a = "distance";  // dist ista stan tanc ance
  std::string_view const b = "instance";  // inst nsta stan tanc ance: 3 of 7 in common
  EXPECT_TRUE(binomial_band(draws, 3 / 7.0).holds(equal_samples_of(jaccard(), a, b)));
  // ista, stan, tanc, ance are 4 of the 5 pieces of the whole, and a set does not count
  EXPECT_TRUE(binomial_band(draws, 4 / 5.0).holds(equal_samples_of(jaccard(), a, std::string_view("istance"))));
  EXPECT_EQ(equal_samples_of(jaccard{2}, std::string_view("aaaa"), std::string_view("aaaaaaaa")), double{draws});
}

TEST(jaccard_samples, of_short_texts_are_those_of_the_text) {
  EXPECT_EQ(equal_samples_of(jaccard(), std::string_view("ab"), std::string_view("ab")), double{draws});
  EXPECT_EQ(equal_samples_of(jaccard(), std::string_view("ab"), std::string_view("abc")), 0);
  EXPECT_EQ(equal_samples_of(jaccard(), std::string_view(), std::string_view()), double{draws});
  EXPECT_EQ(equal_samples_of(jaccard(), std::string_view(), std::string_view("a")), 0);
}

/// The coordinates of planes are nearly normal, not exactly: a rate may be off by this much for vectors of few coordinates,
/// where it matters most.
constexpr double planes_off = 0.003;

void expect_angle(std::vector<double> const& a, std::vector<double> const& b, double share) {
  auto const equal = equal_samples_of(angle(), a, b);
  EXPECT_GE(equal, binomial_band(draws, std::max(0.0, 1 - share - planes_off)).low) << share;
  EXPECT_LE(equal, binomial_band(draws, std::min(1.0, 1 - share + planes_off)).high) << share;
}

TEST(angle_samples, are_equal_with_probability_1_minus_the_share_of_a_half_turn) {
  for (double share = 0.05; share < 1; share += 0.05)
    expect_angle({1, 0}, {std::cos(share * std::numbers::pi), std::sin(share * std::numbers::pi)}, share);
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (std::size_t const dimension : {3U, 20U, 100U}) {
    std::vector<double> a(dimension);
    std::vector<double> b(dimension);
    for (std::size_t i = 0; i < dimension; ++i) {
      a[i] = normal(random);
      b[i] = a[i] + normal(random);
    }
    double const ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    double const aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
    double const bb = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
    expect_angle(a, b, std::acos(ab / std::sqrt(aa * bb)) / std::numbers::pi);
  }
}

TEST(angle_samples, do_not_depend_on_length) {
  std::vector<double> const a{1, -2, 3};
  EXPECT_EQ(equal_samples_of(angle(), a, std::vector<double>{1e-300, -2e-300, 3e-300}), double{draws});
  EXPECT_EQ(equal_samples_of(angle(), a, std::vector<float>{4, -8, 12}), double{draws});
  // Opposite vectors are on the same side only of planes in which they lie.
  EXPECT_LE(equal_samples_of(angle(), a, std::vector<double>{-1, 2, -3}), 5);
}

TEST(angle_samples, of_the_largest_vectors_do_not_overflow) {  // a sum that did would be undefined behaviour
  std::vector<double> const ones(angle::max_dimension, 1.0);
  auto const key = angle().prepared(ones, xxh3());
  std::uint64_t above = 0;
  for (std::uint64_t i = 0; i < 40; ++i) above += key.sample(mix64(i));
  EXPECT_GT(above, 0U);
  EXPECT_LT(above, 40U);
}

TEST(angle_keys, need_a_direction) {
  xxh3 const hash;
  auto const refused = [&](std::vector<double> const& v) { EXPECT_THROW((void)angle().prepared(v, hash), error); };
  refused({});
  refused({0, 0, -0.0});
  refused({1, std::nan("")});
  refused({1, HUGE_VAL});
  refused(std::vector<double>(angle::max_dimension + 1, 1.0));
}

TEST(locality_digests, differ_between_arrays_and_seeds) {
  std::array<digest, 100> row{};
  std::array<digest, 100> other{};
  auto const key = hamming().prepared(std::uint64_t{0}, xxh3());  // every sample is 0
  locality_digests(key, xxh3(1), 3, row);
  locality_digests(key, xxh3(2), 3, other);
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_NE(row[i], other[i]);
    if (i > 0) {
      EXPECT_NE(row[i], row[0]);
    }
  }
}

TEST(any_metric, samples_as_the_metric_it_stands_for) {
  siphash const hash{secret_key()};
  std::array<digest, 50> row{};
  std::array<digest, 50> of_any{};
  auto const expect_equal = [&](auto const& metric, auto const& key, char const* name) {
    locality_digests(metric.prepared(key, hash), hash, 7, row);
    locality_digests(any_metric::named(name)->prepared(near_key(key), hash), hash, 7, of_any);
    EXPECT_EQ(row, of_any) << name;
  };
  auto const bytes = little_endian_bytes(12345);
  std::vector<double> const numbers{1, 2, 3};
  expect_equal(hamming(), bit_string{bytes, 64}, "hamming");
  expect_equal(jaccard(), std::string_view("some text"), "jaccard");
  expect_equal(angle(), std::span<double const>(numbers), "angle");
  EXPECT_FALSE(any_metric::named("euclid"));
  EXPECT_THROW((void)any_metric::named("angle")->prepared(near_key(std::string_view("x")), hash), error);
}

TEST(any_metric, is_valid_only_with_the_piece_length_of_its_metric) {
  for (auto const* const name : {"hamming", "jaccard", "angle"}) {
    auto metric = *any_metric::named(name);
    EXPECT_EQ(metric.kind(), name);
    EXPECT_TRUE(metric.valid());
    metric.gram = 65;
    EXPECT_FALSE(metric.valid());
    metric.gram = metric.number == jaccard::number ? 0 : 4;
    EXPECT_FALSE(metric.valid());
  }
  EXPECT_FALSE((any_metric{0, 0}.valid()));
  EXPECT_FALSE((any_metric{4, 0}.valid()));
}

}  // namespace
}  // namespace hortus::testing
