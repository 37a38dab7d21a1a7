#include <hortus/plan/alternatives.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace hortus::plan;
using kind = alternative_kind;

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

std::vector<kind> kinds(exact_wish const& wish, std::optional<std::uint64_t> filter_bytes) {
  std::vector<kind> all;
  for (auto const& each : alternatives(wish, filter_bytes)) all.push_back(each.kind);
  return all;
}

TEST(Alternatives, ABitForEachIntegerInWholeWords) {
  EXPECT_EQ(bit_array_of(1, false), (alternative{kind::bit_array, 8, 0}));
  EXPECT_EQ(bit_array_of(64, false).bytes, 8U);
  EXPECT_EQ(bit_array_of(65, false).bytes, 16U);
  EXPECT_EQ(bit_array_of(100'000'000, false).bytes, 12'500'000U);
  EXPECT_EQ(bit_array_of(100, true).bytes, 800U);
  EXPECT_EQ(bit_array_of(huge, false).bytes, std::uint64_t{1} << 61);
  EXPECT_EQ(bit_array_of(huge, true).bytes, huge);
}

TEST(Alternatives, OfAKnownUniverseTheArrayIsAlwaysListed) {
  EXPECT_EQ(kinds({.items = 1'000'000, .universe = 2'000'000}, 1'200'000), std::vector{kind::bit_array});
  EXPECT_EQ(kinds({.items = 1'000'000, .universe = huge}, 1'200'000), std::vector{kind::bit_array});
  EXPECT_EQ(kinds({.items = 1'000'000, .universe = 2'000'000}, std::nullopt), std::vector{kind::bit_array});
  EXPECT_EQ(kinds({.items = 1'000'000}, 1'200'000), std::vector<kind>());
}

TEST(Alternatives, FewKeysNeedNoFilter) {
  EXPECT_EQ(kinds({.items = 2048}, 2500), std::vector{kind::key_table});  // 64 KiB of 32 bytes each
  EXPECT_EQ(kinds({.items = 2049}, 2500), std::vector<kind>());
  EXPECT_EQ(kinds({.items = 1638, .counts = true}, 2500), std::vector{kind::key_table});  // 40 bytes each
  EXPECT_EQ(kinds({.items = 1639, .counts = true}, 2500), std::vector<kind>());
  EXPECT_EQ(kinds({.items = 0}, std::nullopt), std::vector{kind::key_table});
}

TEST(Alternatives, DigestsWhereAFilterTakesMore) {
  EXPECT_EQ(kinds({.items = 1'000'000}, 8'000'000), std::vector<kind>());
  EXPECT_EQ(kinds({.items = 1'000'000}, 8'000'001), std::vector{kind::digest_table});
  EXPECT_EQ(kinds({.items = 1'000'000, .counts = true}, 16'000'000), std::vector<kind>());
  EXPECT_EQ(kinds({.items = 1'000'000, .counts = true}, 16'000'001), std::vector{kind::digest_table});
  EXPECT_DOUBLE_EQ(digest_table_of(1, false).fpr, 0x1p-64);
  EXPECT_EQ(digest_table_of(huge, true).bytes, huge);
}

}  // namespace
