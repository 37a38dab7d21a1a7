// Copies of fingerprints beyond those that a table stores itself, beside a std::map.
#include <hortus/cells/extra_copies.hpp>

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include <hortus/hash/mix64.hpp>
#include <hortus/io/fields.hpp>

namespace hortus::testing {
namespace {

using entry = overflow_table::entry;

std::vector<entry> in_file(extra_copies const& copies) {
  field_writer out;
  out(copies);
  auto const section = out.sections().at(0);
  auto const* const first = reinterpret_cast<entry const*>(section.data());
  return {first, first + section.size() / sizeof(entry)};
}

extra_copies from_file(std::vector<entry> const& entries, std::size_t bytes_less = 0) {
  memory section(entries.size() * sizeof(entry) - bytes_less);
  std::copy_n(reinterpret_cast<std::byte const*>(entries.data()), section.size(), section.data());
  std::vector<memory> sections;
  sections.push_back(std::move(section));
  field_reader in({}, std::move(sections));
  extra_copies copies;
  in(copies);
  return copies;
}

TEST(extra_copies, agree_with_a_map) {
  extra_copies copies;
  std::map<std::uint64_t, std::uint64_t> model;
  EXPECT_EQ(copies.size_bytes(), 0U);
  for (std::uint64_t i = 0; i < 30000; ++i) {
    auto const fingerprint = mix64(i) % 2000;
    bool const adds = mix64(i + 1) % 5 < (i < 15000 ? 3 : 2);
    if (adds) {
      copies.add(fingerprint);
      ++model[fingerprint];
    } else {
      EXPECT_EQ(copies.take(fingerprint), model.contains(fingerprint));
      if (model.contains(fingerprint) && --model[fingerprint] == 0) model.erase(fingerprint);
    }
  }
  ASSERT_GT(model.size(), 100U);
  for (std::uint64_t fingerprint = 0; fingerprint < 2000; ++fingerprint)
    EXPECT_EQ(copies.count(fingerprint), model.contains(fingerprint) ? model[fingerprint] : 0);
  std::map<std::uint64_t, std::uint64_t> seen;
  copies.for_each([&](std::uint64_t fingerprint, std::uint64_t times) { seen[fingerprint] = times; });
  EXPECT_EQ(seen, model);
  EXPECT_EQ(from_file(in_file(copies)), copies);
  for (auto const& [fingerprint, times] : model)
    for (std::uint64_t i = 0; i < times; ++i) EXPECT_TRUE(copies.take(fingerprint));
  EXPECT_TRUE(copies.empty());
  EXPECT_EQ(copies, extra_copies());
}

TEST(extra_copies, stay_at_the_maximum) {
  auto const most = std::numeric_limits<std::uint64_t>::max();
  auto copies = from_file({{7, most}});
  copies.add(7);
  EXPECT_EQ(copies.count(7), most);
}

TEST(extra_copies, refuse_files_that_lie) {
  EXPECT_NO_THROW(from_file({{1, 1}, {2, 5}}));
  EXPECT_THROW(from_file({{2, 1}, {1, 5}}), error);     // not in order
  EXPECT_THROW(from_file({{1, 1}, {1, 5}}), error);     // twice
  EXPECT_THROW(from_file({{1, 0}}), error);             // no copy
  EXPECT_THROW(from_file({{1, 1}, {2, 5}}, 1), error);  // half an entry
}

TEST(extra_copies, refuse_fingerprints_chosen_to_share_a_place) {
  std::vector<entry> chosen;  // with hashes below 2^-9 of the range: at the beginning of the table
  for (std::uint64_t i = 0; chosen.size() < 10000; ++i)
    if (mix64(i) >> 55 == 0) chosen.push_back({i, 1});
  EXPECT_THROW(from_file(chosen), error);
}

TEST(extra_copies, many_at_once_are_as_many_one_by_one) {
  extra_copies singly, at_once;
  for (std::uint64_t const more : {0U, 1U, 5U, 100U}) {
    for (std::uint64_t i = 0; i < more; ++i) singly.add(7);
    at_once.add(7, more);
    EXPECT_EQ(singly, at_once) << more;
  }
  at_once.add(7, ~std::uint64_t{0});
  EXPECT_EQ(at_once.count(7), ~std::uint64_t{0}) << "it stays at the maximum";
}

}  // namespace
}  // namespace hortus::testing
