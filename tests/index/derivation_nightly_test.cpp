#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "measured_rate.hpp"
#include "policies.hpp"
#include "rejected.hpp"

// Prints the tables of docs/index-derivation.md; each takes a minute or two. It also checks the table for policies without a
// penalty: no ratio differs from 1 by more than 6.5 standard errors. By chance one of their 54 cells would, in one run of 2e8.
// (Seeds are fixed, so all runs are the same.)
namespace {

using index_test::keys;
using index_test::measure;
using index_test::shape;

struct row {
  shape s;
  std::uint64_t filters, queries;
};
constexpr row rows[] = {{{2000, 100, 14}, 2000, 100'000}, {{20000, 1000, 14}, 500, 400'000},    {{1000, 100, 7}, 2000, 10'000},
                        {{8000, 1000, 6}, 400, 20'000},   {{100000, 5000, 14}, 200, 1'000'000}, {{512, 36, 14}, 4000, 5'000}};

constexpr auto print_cells = []<class Index>(keys kind, bool without_penalty) {
  std::printf("| %-30s |", Index::name.data());
  for (auto const& [s, filters, queries] : rows) {
    auto const m = measure<Index>(s, kind, filters, queries);
    std::printf(" %.3f +- %.3f (%.3f) |", m.ratio, m.error, m.given_fill);
    std::fflush(stdout);
    if (without_penalty) {
      EXPECT_NEAR(m.ratio, 1, 6.5 * m.error) << Index::name;
    }
  }
  std::printf("\n");
};

void print_head(char const* keys) {
  std::printf("%s: ratio +- standard error (given the fill)\n| |", keys);
  for (auto const& r : rows)
    std::printf(" %llu, %llu, %u |", static_cast<unsigned long long>(r.s.bits), static_cast<unsigned long long>(r.s.items),
                r.s.probes);
  std::printf("\n");
}

void print_policies(char const* name, keys kind) {
  print_head(name);
  index_test::for_each_policy([kind]<class Index>() { print_cells.template operator()<Index>(kind, Index::id <= 3); });
}
void print_rejected(char const* name, keys kind) {
  print_head(name);
  index_test::for_each_rejected([kind]<class Index>() { print_cells.template operator()<Index>(kind, false); });
}

TEST(index_derivation, policies_on_random_keys) { print_policies("random keys", keys::random); }
TEST(index_derivation, policies_on_sequential_keys) { print_policies("sequential keys", keys::sequential); }
TEST(index_derivation, policies_on_the_keys_of_one_shard) { print_policies("the keys of one shard", keys::one_shard); }
TEST(index_derivation, rejected_on_random_keys) { print_rejected("random keys", keys::random); }
TEST(index_derivation, rejected_on_the_keys_of_one_shard) { print_rejected("the keys of one shard", keys::one_shard); }

/// Nanoseconds for one of 14 positions of a key, the best of many short runs.
template <class Index>
double position_ns(std::uint64_t range) {
  double best = 1e9;
  std::uint64_t sum = 0;
  for (int run = 0; run < 200; ++run) {
    auto const start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      Index at(hortus::digest(i * hortus::golden_ratio64), range);
      for (int p = 0; p < 14; ++p) sum ^= at.next();
    }
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / (10'000 * 14));
  }
  return sum == 1 ? 0 : best;  // so that the work is not optimised away
}

TEST(index_derivation, cost) {
  auto const print = []<class Index>() {
    std::printf("| %-30s | %.2f | %.2f |\n", Index::name.data(), position_ns<Index>(20'000),
                position_ns<Index>(std::uint64_t{1} << 30));
  };
  std::printf("nanoseconds a position: range 20,000 and 2^30\n");
  index_test::for_each_policy(print);
  index_test::for_each_rejected(print);
}

}  // namespace
