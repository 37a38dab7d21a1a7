#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <new>

#include <hortus/any/any_filter.hpp>

#include "key_sets.hpp"

/// Every family with more than 4 GiB in its first section: keys go everywhere in it, and are found, counted and erased there.
/// What is not touched takes no memory; huge pages would.
namespace hortus::testing {
namespace {

class large_filter : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
  static void TearDownTestSuite() { ::prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }

  /// Where every key has cells.
  static std::span<std::byte const> first_section(any_filter const& filter) { return image_of(filter).sections.front(); }
  /// The first of those twice as large and twice as large again that has such a section.
  static any_filter made(std::string const& family) {
    for (request wish{.items = 1U << 20, .fpr = 1e-3, .settings = {}};; wish.items *= 2)
      if (card_of(family).plan(wish).size_bytes > past_4_gib)
        if (auto filter = make_filter(family, wish); first_section(filter).size() > past_4_gib) return filter;
  }
  static constexpr std::uint64_t past_4_gib = (std::uint64_t{4} << 30) + 1;
};

TEST_P(large_filter, is_used_to_its_end) try {
  auto filter = made(GetParam());
  auto const members = keys<random_keys>(0, 400);
  auto const one_by_one = std::span(members).first(200);
  auto const together = std::span(members).subspan(200);
  auto const others = keys<random_keys>(absent, 400);
  auto const& family = filter.family();
  for (auto const key : one_by_one) EXPECT_TRUE(filter.insert(key));
  EXPECT_EQ(filter.insert(together), together.size());

  auto const cells = first_section(filter);
  auto const part = cells.size() / 16;
  // The first keys of a d_left filter are in its leftmost table, and those of a ring in its youngest slices: the stores of
  // these two are filled to their ends in tests/cells/large_slow_test.cpp.
  bool const everywhere = GetParam() != "d_left" && GetParam() != "age_partitioned";
  for (std::size_t i = 0; i < 16 && everywhere; ++i)
    EXPECT_TRUE(std::ranges::any_of(cells.subspan(i * part, part), [](std::byte b) { return b != std::byte{0}; }))
        << "nothing in sixteenth " << i;

  auto const expect_all = [&](std::vector<std::uint64_t> const& asked, bool there) {
    if (family.has(verb::may_contain)) {
      EXPECT_EQ(filter.may_contain(asked).count(), there ? asked.size() : 0);
      for (auto const key : asked) EXPECT_EQ(filter.may_contain(key), there);
    }
    if (family.has(verb::count)) {
      EXPECT_EQ(filter.count(asked), std::vector<std::int64_t>(asked.size(), there ? 1 : 0));
      for (auto const key : asked) EXPECT_EQ(filter.count(key), there ? 1 : 0);
    }
  };
  expect_all(members, true);
  expect_all(others, false);
  if (family.has(verb::estimate)) {
    EXPECT_NEAR(filter.estimate().value, 400, 10);  // a key has fewer bits than probes, now and then
  }
  if (family.has(verb::erase)) {
    for (auto const key : one_by_one) EXPECT_TRUE(filter.erase(key));
    EXPECT_EQ(filter.erase(together), together.size());
    expect_all(members, false);
  }
} catch (std::bad_alloc const&) {
  GTEST_SKIP() << "no address space for it";
}

std::vector<std::string> families_that_insert() {
  std::vector<std::string> all;
  for (auto const& family : catalogue())
    // The size of those that tell the most frequent keys, or the number of distinct keys, does not depend on items.
    if (family.has(verb::insert) && family.answers() != question::which_keys && family.answers() != question::how_many)
      all.emplace_back(family.name);
  return all;
}
auto const name_of = [](auto const& family) { return family.param; };
INSTANTIATE_TEST_SUITE_P(families, large_filter, ::testing::ValuesIn(families_that_insert()), name_of);

}  // namespace
}  // namespace hortus::testing
