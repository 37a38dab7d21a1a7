// Filters that are planned for a message, sent: their length and their rate are those of the plan.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <hortus/bloom/bloom.hpp>
#include <hortus/message/message.hpp>
#include <hortus/plan/compressed.hpp>

namespace hortus::testing {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), from);
  return keys;
}

bloom_filter filled(plan::bloom_shape shape, std::uint64_t items) {
  bloom_filter filter(bloom<>({.bits = shape.bits, .probes = shape.probes}));
  filter.insert(numbers(0, items));
  return filter;
}

/// The share of a million absent keys that are found.
double measured_rate(bloom_filter const& filter) {
  return static_cast<double>(filter.may_contain(numbers(std::uint64_t{1} << 40, 1'000'000)).count()) / 1e6;
}

// The tables of M. Mitzenmacher: bits in a message and rates, measured. The coder takes at most 0.6 % more than the entropy;
// the half-full ones, which he sends raw, are a little shorter. Six standard deviations of the rate.
TEST(planned_message, tables_of_the_paper_measured) {
  struct row {
    double bits;
    unsigned probes;
    double message, fpr;
  };
  constexpr std::uint64_t items = 1'000'000;
  for (auto const& [bits, probes, message, fpr] :
       {row{8, 6, 8, .0216}, row{14, 2, 7.923, .0177}, row{92, 1, 7.923, .0108}, row{16, 11, 16, 4.59e-4},
        row{28, 4, 15.846, 3.14e-4}, row{48, 3, 15.829, 2.22e-4}, row{12.6, 2, 7.582, .0216}, row{46, 1, 6.891, .0215},
        row{37.5, 3, 14.666, 4.54e-4}, row{93, 2, 13.815, 4.53e-4}}) {
    auto const filter = filled({static_cast<std::uint64_t>(bits * items), probes}, items);
    auto const packed = pack(filter);
    double const sent = 8.0 * static_cast<double>(packed.size()) / items;
    double const rate = measured_rate(filter);
    std::printf("%5.1f bits %2u probes: %.3f bits sent, table %.3f; rate %.3e, table %.3e\n", bits, probes, sent, message, rate,
                fpr);
    EXPECT_LE(sent, 1.006 * message);
    EXPECT_GE(sent, 0.995 * message);
    EXPECT_NEAR(rate, fpr, 6 * std::sqrt(fpr / 1e6) + 0.005 * fpr);
    EXPECT_EQ(unpack<bloom_filter>(packed), filter);
  }
}

TEST(planned_message, fits_and_has_its_rate) {
  for (std::uint64_t const bytes : {100'000U, 130'000U, 200'000U})
    for (std::uint64_t const memory : {1'500'000U, 3'000'000U, 20'000'000U}) {
      auto const plan = plan::compressed({.items = 100'000, .message_bytes = bytes, .memory_bits = memory});
      auto const filter = filled(plan.shape, 100'000);
      EXPECT_LE(pack(filter).size(), bytes) << memory;
      EXPECT_GE(static_cast<double>(pack(filter).size()), plan.message_bytes * 0.985) << memory;
      EXPECT_NEAR(measured_rate(filter), plan.fpr, 6 * std::sqrt(plan.fpr / 1e6) + 0.02 * plan.fpr);
      if (8 * bytes >= memory) continue;  // there is no memory for a sparse one
      EXPECT_LT(plan.fpr, plan.raw_fpr);
    }
}

}  // namespace
}  // namespace hortus::testing
