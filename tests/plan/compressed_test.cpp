// Filters planned for messages: the tables of the literature, and that the search finds the optimum.
#include <gtest/gtest.h>

#include <cmath>

#include <hortus/plan/compressed.hpp>

namespace hortus::plan {
namespace {

// M. Mitzenmacher, "Compressed Bloom filters": bits, probes, bits in a message and rate. Raw filters have whole bits there.
TEST(compressed_plan, table_of_the_paper) {
  struct row {
    double bits, probes, message, fpr;
  };
  for (auto const& [bits, probes, message, fpr] :
       {row{8, 6, 7.9824, .021577}, row{14, 2, 7.9231, .017722}, row{92, 1, 7.9231, .010811}, row{16, 11, 15.9996, 4.5871e-4},
        row{28, 4, 15.8463, 3.1405e-4}, row{48, 3, 15.8290, 2.2240e-4}, row{12.6, 2, 7.5815, .021542},
        row{46, 1, 6.8911, .021505}, row{37.5, 3, 14.6663, 4.5447e-4}, row{93, 2, 13.8147, 4.5266e-4}}) {
    EXPECT_NEAR(message_bits_per_item(bits, probes), message, 6e-5);
    EXPECT_NEAR(limit_rate(bits, probes) / fpr, 1, 5e-5);
  }
}

// The best filter for 6, 8, 10, 12 and 16 bits a key in a message, with 1 to 4 probes: bits a key, and rate.
TEST(compressed_plan, best_sizes_for_a_length) {
  struct row {
    double message;
    unsigned probes;
    double bits, fpr;
  };
  for (auto const& [message, probes, bits, fpr] :
       {row{6, 1, 25.6, .0384},    row{6, 2, 7.76, .0516},   row{6, 3, 6.26, .0552},    row{6, 4, 6.00, .0560},
        row{8, 1, 96.9, .01027},   row{8, 2, 14.34, .01695}, row{8, 3, 9.49, .0199},    row{8, 4, 8.35, .0210},
        row{10, 1, 380, .00263},   row{10, 2, 26.8, .00516}, row{10, 3, 14.3, .00681},  row{10, 4, 11.4, .00763},
        row{12, 1, 1511, 6.6e-4},  row{12, 2, 51.1, .00147}, row{12, 3, 21.5, .00221},  row{12, 4, 15.5, .00266},
        row{16, 1, 24115, 4.1e-5}, row{16, 2, 194, 1.05e-4}, row{16, 3, 49.8, 2.00e-4}, row{16, 4, 28.7, 2.88e-4}}) {
    double const found = bits_per_item_in_message(message, probes);
    EXPECT_NEAR(found / bits, 1, 6e-3) << message << ", " << probes;
    EXPECT_NEAR(limit_rate(found, probes) / fpr, 1, 1.2e-2) << message << ", " << probes;
    EXPECT_NEAR(message_bits_per_item(found, probes), message, 1e-9);
  }
  EXPECT_EQ(bits_per_item_in_message(8, 7), 0);  // even half full its message would be longer
}

TEST(compressed_plan, shortest_messages_for_a_rate) {
  struct row {
    double fpr;
    unsigned probes;
    double message;
  };
  for (auto const& [fpr, probes, message] : {row{.01, 1, 8.039}, row{.01, 2, 8.903}, row{.01, 7, 9.584}, row{.001, 1, 11.402},
                                             row{.001, 2, 12.602}, row{.001, 3, 13.354}})
    EXPECT_NEAR(message_bits_per_item(bloom_bits_per_item(fpr, probes), probes), message, 6e-4);
}

TEST(compressed_plan, one_probe_is_best_where_memory_allows) {
  auto const free = compressed({.items = 1'000'000, .message_bytes = 1'000'000});
  EXPECT_EQ(free.shape.probes, 1U);
  EXPECT_LE(free.message_bytes, 1e6);
  EXPECT_GT(free.message_bytes, 0.9999e6);
  EXPECT_NEAR(free.fpr, .0108, .0002);  // of 7.92 bits: the header and a hundredth for the coder
  EXPECT_NEAR(free.raw_fpr, .0216, .0002);
  auto const tight = compressed({.items = 1'000'000, .message_bytes = 1'000'000, .memory_bits = 14'000'000});
  EXPECT_EQ(tight.shape, (bloom_shape{tight.shape.bits, 2}));
  EXPECT_NEAR(tight.fpr, .0177, .0003);
  EXPECT_LE(tight.shape.bits, 14'000'000U);
  EXPECT_LE(tight.message_bytes, 1e6);
}

TEST(compressed_plan, no_neighbour_is_better) {
  for (std::uint64_t const bytes : {700'000U, 1'000'000U, 2'000'000U})
    for (std::uint64_t const memory : {9'000'000U, 20'000'000U, 60'000'000U}) {
      auto const plan = compressed({.items = 700'000, .message_bytes = bytes, .memory_bits = memory});
      EXPECT_LE(plan.message_bytes, static_cast<double>(bytes));
      for (unsigned probes = 1; probes <= 20; ++probes)
        for (double bits = 1e6; bits <= static_cast<double>(memory); bits *= 1.01) {
          auto const other = detail::message_planned({static_cast<std::uint64_t>(bits), probes}, 700'000);
          if (other.message_bytes > static_cast<double>(bytes) || bits < probes * 7e5 / std::log(2.0)) continue;
          EXPECT_GE(other.fpr, plan.fpr * (1 - 1e-9)) << probes << " probes, " << bits;
        }
    }
}

TEST(compressed_plan, a_rate_is_kept) {
  for (double const fpr : {0.1, 0.01, 0.001, 1e-4})
    for (std::uint64_t const memory : {max_bits, std::uint64_t{40'000'000}}) {
      auto const plan = compressed({.items = 1'000'000, .fpr = fpr, .memory_bits = memory});
      EXPECT_LE(plan.fpr, fpr);
      EXPECT_LE(plan.shape.bits, memory);
      EXPECT_LT(plan.message_bytes, 1e6 * bloom_bits_per_item(fpr) / 8);
    }
  EXPECT_EQ(compressed({.items = 1'000'000, .fpr = 0.01}).shape.probes, 1U);
  EXPECT_NEAR(compressed({.items = 1'000'000, .fpr = 0.01}).message_bytes * 8e-6, 8.039 * 1.01, .01);
}

TEST(compressed_plan, impossible_goals_say_so) {
  EXPECT_THROW((void)compressed({.items = 1'000'000, .message_bytes = 100}), error);
  EXPECT_THROW((void)compressed({.items = 1'000'000, .fpr = 0.01, .memory_bits = 1'000'000}), error);
  EXPECT_THROW((void)compressed({.items = 1'000'000, .fpr = 0}), error);
  EXPECT_NO_THROW((void)compressed({.items = 0, .message_bytes = 1000}));
}

}  // namespace
}  // namespace hortus::plan
