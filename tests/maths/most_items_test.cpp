#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/most_items.hpp>

#include "../plan/oracle.hpp"

namespace {

using namespace hortus::plan;

TEST(MostItems, AreTheMost) {
  for (std::uint64_t const most : {1ULL, 2ULL, 3ULL, 63ULL, 64ULL, 65ULL, 1'000'000'007ULL}) {
    auto const with = [&](std::uint64_t items) { return items <= most ? 0.01 : 0.02; };
    EXPECT_EQ(most_items(with, 0.01), most);
    EXPECT_EQ(most_items(with, 0.001), 1U) << "a plan is for one";
  }
  EXPECT_GE(most_items([](std::uint64_t) { return 0.0; }, 0.5), std::uint64_t{1} << 61) << "it ends";
  for (double const fpr : {0.3, 0.01, 1e-6}) {
    bloom_shape const shape{960'000, 7};
    auto const most = most_items([&](std::uint64_t items) { return bloom_fpr(shape, items); }, fpr);
    EXPECT_LE(bloom_fpr(shape, most), fpr);
    EXPECT_GT(bloom_fpr(shape, most + 1), fpr);
  }
}

}  // namespace
