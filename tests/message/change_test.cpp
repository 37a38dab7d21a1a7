// How long changes are: the entropy of the bits that differ.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include <hortus/bloom/bloom.hpp>
#include <hortus/counting/counting.hpp>
#include <hortus/fingerprint/cuckoo.hpp>
#include <hortus/message/message.hpp>

#include "message/array_bits.hpp"

namespace hortus::testing {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), from);
  return keys;
}

bloom_filter of_numbers(double bits_per_item, unsigned probes, std::uint64_t from, std::uint64_t count) {
  bloom_filter filter(
      bloom<>({.bits = static_cast<std::uint64_t>(bits_per_item * static_cast<double>(count)), .probes = probes}));
  filter.insert(numbers(from, count));
  return filter;
}

/// Bits for each of the items.
double bits_of(std::vector<std::byte> const& message, std::uint64_t items) {
  return 8 * static_cast<double>(message.size()) / static_cast<double>(items);
}

// Shares of keys that are replaced: 1 %, 5 %, 10 %, 20 %. Bits of a message for each key, by
// c H(2 e^(-k(1-x)/c) e^(-kx/c) (1 - e^(-kx/c))) with c bits and k probes a key.
TEST(change, has_the_length_of_the_table) {
  struct row {
    double bits;
    unsigned probes;
    double full;
    std::array<double, 4> changed;
  };
  constexpr std::array<double, 4> shares{0.01, 0.05, 0.1, 0.2};
  constexpr std::uint64_t items = 1'000'000;
  for (auto const& [bits, probes, full, changed] :
       {row{8, 6, 7.98, {.485, 1.742, 2.875, 4.494}}, row{14, 2, 7.92, {.350, 1.343, 2.331, 3.940}},
        row{16, 11, 16.0, {.950, 3.424, 5.663, 8.884}}, row{92, 1, 7.92, {.270, 1.118, 2.037, 3.677}}}) {
    auto const before = of_numbers(bits, probes, 0, items);
    EXPECT_NEAR(bits_of(pack(before), items), full, 0.01 * full);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      auto const after = of_numbers(bits, probes, static_cast<std::uint64_t>(shares[i] * items), items);
      auto const change = pack(after, before);
      EXPECT_NEAR(bits_of(change, items), changed[i], 0.02 * changed[i]) << bits << " bits, " << shares[i];
      EXPECT_EQ(unpack(change, before), after);
    }
  }
}

TEST(change, of_nothing_is_a_header) {
  auto const filter = of_numbers(10, 7, 0, 100'000);
  EXPECT_LT(pack(filter, filter).size(), 128U);
  EXPECT_EQ(unpack(pack(filter, filter), filter), filter);
}

TEST(change, to_another_filter_is_refused) {
  auto const one = of_numbers(10, 7, 0, 1000), two = of_numbers(10, 7, 1, 1000), three = of_numbers(10, 7, 2, 1000);
  EXPECT_EQ(unpack(pack(two, one), one), two);
  try {
    (void)unpack(pack(two, one), three);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::incompatible);
  }
  EXPECT_THROW((void)unpack(pack(two), one), error);                // complete
  EXPECT_THROW((void)unpack<bloom_filter>(pack(two, one)), error);  // not complete
}

TEST(change, of_other_sizes_comes_back) {
  auto const small = of_numbers(10, 7, 0, 1000), large = of_numbers(10, 7, 0, 100'000);
  EXPECT_EQ(unpack(pack(large, small), small), large);
  EXPECT_EQ(unpack(pack(small, large), large), small);
}

// Of counters and fingerprints only the cells of keys that came or went differ.
TEST(change, of_counters_and_fingerprints_is_short) {
  counting_filter counters({.items = 200'000, .fpr = 0.01});
  counters.insert(numbers(0, 200'000));
  auto more = counters;
  more.insert(numbers(200'000, 2000));
  // 7 cells of 4 bits for each of 2000 keys among 1.9 million: places, and which bits of the counter.
  EXPECT_LT(pack(more, counters).size(), pack(more).size() / 10);
  EXPECT_EQ(unpack(pack(more, counters), counters), more);

  cuckoo_filter prints({.items = 200'000, .fpr = 0.001});
  (void)prints.insert(numbers(0, 198'000));
  auto later = prints;
  (void)later.insert(numbers(198'000, 200));
  EXPECT_LT(pack(later, prints).size(), pack(later).size() / 10);
  EXPECT_EQ(unpack(pack(later, prints), prints), later);
}

}  // namespace
}  // namespace hortus::testing
