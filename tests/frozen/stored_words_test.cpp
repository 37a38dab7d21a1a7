// Words in memory or in a temporary file, given back part by part.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include <hortus/error.hpp>
#include <hortus/io/stored_records.hpp>

namespace hortus::testing {
namespace {

std::vector<digest> some_digests(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<digest> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(i % 3 == 2 ? keys[i / 2] : digest(random()));
  return keys;
}

void expect_same(stored_words const& stored, std::vector<std::uint64_t> const& expected) {
  ASSERT_EQ(stored.size(), expected.size());
  for (unsigned const log2 : {0U, 1U, 7U, 8U, 9U, 12U, 16U}) {
    word_parts const parts{log2};
    auto const sizes = stored.sizes(parts);
    std::vector<std::uint64_t> again;
    for (std::uint64_t part = 0; part < parts.count(); ++part) {
      auto const words = stored.of_part(parts, part);
      ASSERT_EQ(words.size(), sizes[part]);
      for (auto const word : words) EXPECT_EQ(parts.part_of(word), part);
      again.insert(again.end(), words.begin(), words.end());
    }
    EXPECT_EQ(again, expected) << log2;
  }
}

TEST(stored_words, come_back_sorted_without_duplicates_from_memory_and_from_a_file) {
  for (std::size_t const count : {0U, 1U, 2U, 300U, 20000U})
    for (std::uint64_t const memory : {0U, 10000U, 1U << 30}) {
      SCOPED_TRACE(std::to_string(count) + " keys in " + std::to_string(memory) + " bytes");
      auto const keys = some_digests(count);
      stored_words stored(memory);
      for (std::size_t i = 0; i < keys.size(); i += 100)
        stored.add(as_words(std::span<digest const>(keys).subspan(i, std::min<std::size_t>(100, keys.size() - i))));
      EXPECT_EQ(stored.added(), count);
      EXPECT_EQ(stored.in_file(), (count == 20000 && memory < 1U << 30) || (count == 300 && memory == 0));
      stored.sort();
      expect_same(stored, distinct_words(keys));
    }
}

TEST(stored_words, of_one_partition_only) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < 5000; ++i) keys.emplace_back(std::uint64_t{0xabcd} << 48 | i * 7);
  stored_words stored(0);
  for (auto const& key : keys) stored.add(as_words({&key, 1}));
  stored.sort();
  expect_same(stored, distinct_words(keys));
}

TEST(stored_words, a_folder_that_is_not_there_is_named) {
  auto const* const set = std::getenv("TMPDIR");
  std::string const before = set == nullptr ? "" : set;
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  stored_words stored(0);
  try {
    stored.add(as_words(some_digests(1000)));
    ADD_FAILURE() << "nothing thrown";
  } catch (error const& e) {
    EXPECT_NE(std::string(e.what()).find("/nowhere/at/all"), std::string::npos) << e.what();
  }
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}

TEST(stored_words, more_than_65536_parts_are_refused) {
  stored_words stored(1 << 20);
  stored.sort();
  EXPECT_THROW((void)stored.sizes(word_parts{17}), error);
}

}  // namespace
}  // namespace hortus::testing
