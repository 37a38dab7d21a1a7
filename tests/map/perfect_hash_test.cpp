#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <hortus/io/store.hpp>
#include <hortus/map/perfect_hash.hpp>
#include <hortus/part_threads.hpp>

namespace hortus {
namespace {

std::vector<digest> digests(std::uint64_t from, std::uint64_t count) {
  std::vector<digest> made;
  for (std::uint64_t i = 0; i < count; ++i) made.emplace_back(mix64(from + i + 1));
  return made;
}

/// Do these different keys have all numbers from 0 to their number - 1?
bool numbers_all(perfect_hash const& hash, std::span<digest const> keys) {
  std::vector<bool> seen(keys.size());
  for (auto const x : keys) {
    auto const number = hash.rank(x);
    if (number >= seen.size() || seen[number]) return false;
    seen[number] = true;
  }
  return hash.size() == keys.size();
}

double bits_per_key(perfect_hash const& hash) {
  return 8 * static_cast<double>(hash.size_bytes()) / static_cast<double>(hash.size());
}

TEST(perfect_hash, numbers_every_small_set) {
  for (std::uint64_t items = 0; items <= 2000; ++items) {
    auto const keys = digests(items << 20, items);
    auto const hash = perfect_hash::build(keys);
    ASSERT_TRUE(hash.valid()) << items;
    ASSERT_TRUE(numbers_all(hash, keys)) << items;
  }
}

TEST(perfect_hash, numbers_larger_sets_in_few_bits) {
  for (std::uint64_t items = 2048; items <= 100'000; items = items * 5 / 4 + 1) {
    auto const keys = digests(items << 20, items);
    auto const hash = perfect_hash::build(keys);
    ASSERT_TRUE(numbers_all(hash, keys)) << items;
    EXPECT_LE(bits_per_key(hash), items < 10'000 ? 3.6 : items < 30'000 ? 2.6 : 2.3) << items;
  }
}

TEST(perfect_hash, numbers_a_million_keys_in_two_bits_each) {
  auto const keys = digests(0, 1'000'000);
  auto const hash = perfect_hash::build(keys);
  EXPECT_TRUE(numbers_all(hash, keys));
  EXPECT_LE(bits_per_key(hash), 2.05);
  EXPECT_LE(hash.levels(), 6U);
  EXPECT_LE(hash.kept_words(), plan::perfect_hash_shape::few_items);
}

TEST(perfect_hash, absent_keys_have_numbers_too) {
  auto const absent = digests(std::uint64_t{1} << 50, 100'000);
  for (std::uint64_t const items : {0U, 1U, 2U, 3U, 16U, 17U, 100U, 5000U}) {
    auto const hash = perfect_hash::build(digests(0, items));
    for (auto const x : absent) ASSERT_LT(hash.rank(x), std::max<std::uint64_t>(items, 1)) << items;
  }
  EXPECT_EQ(perfect_hash().rank(digest(7)), 0U);
  EXPECT_EQ(perfect_hash(), perfect_hash::build({}));
}

/// Keys that crowd into few buckets, of the first level or of the second.
TEST(perfect_hash, structured_digests_are_numbered) {
  std::vector<std::vector<digest>> sets(8);
  auto const unmixed = [](std::uint64_t x) {  // mix64(unmixed(x)) == x
    x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3U;
    x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089U;
    return x ^ (x >> 30) ^ (x >> 60);
  };
  ASSERT_EQ(mix64(unmixed(12345)), 12345U);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    sets[0].emplace_back(i);                                // sequential: all in the first bucket
    sets[1].emplace_back(i << 40);                          // equal low bits
    sets[2].emplace_back(std::uint64_t{7} << 61 | i << 3);  // equal top bits
    sets[3].emplace_back(mix64(i) & ~std::uint64_t{0xffffffff});
    sets[4].emplace_back(mix64(i / 200) ^ i % 200);  // in groups of 200
    sets[5].emplace_back(~i);
    sets[6].emplace_back(unmixed(i) - golden_ratio64);  // sequential in the second level, if it were empty in the first
    sets[7].emplace_back(mix64(i) >> 32);
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    auto keys = sets[i];
    auto const words = distinct_words(keys);
    keys.assign(as_digests(words).begin(), as_digests(words).end());
    auto const hash = perfect_hash::build(keys);
    EXPECT_TRUE(numbers_all(hash, keys)) << i;
    EXPECT_LE(bits_per_key(hash), 24) << i;
  }
}

/// Words that are in one bucket in every level, as far as that can be arranged: all of them equal in the first bits, and
/// chosen among many for those of the second level.
TEST(perfect_hash, keys_may_crowd_in_two_levels) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; keys.size() < 2000; ++i)
    if (mix64(i + golden_ratio64) >> 54 == 0) keys.emplace_back(i);
  auto const hash = perfect_hash::build(keys);
  EXPECT_TRUE(numbers_all(hash, keys));
  EXPECT_GE(hash.levels(), 3U);
}

/// With parts of very different sizes there are more slots than keys in the first level.
TEST(perfect_hash, parts_may_be_uneven) {
  std::vector<digest> keys;
  auto const many = plan::perfect_hash_shape::max_part_items + 1;
  for (std::uint64_t i = 0; i < many - 2; ++i) keys.emplace_back(mix64(i) >> 1);
  keys.emplace_back(~std::uint64_t{0});
  keys.emplace_back(~std::uint64_t{0} >> 1 ^ ~std::uint64_t{0});
  ASSERT_EQ(perfect_hash::parts(many).count(), 2U);
  auto const hash = perfect_hash::build(keys);
  EXPECT_TRUE(numbers_all(hash, keys));
  EXPECT_LE(bits_per_key(hash), 2.1);
  auto const absent = digests(std::uint64_t{1} << 50, 100'000);
  for (auto const x : absent) ASSERT_LT(hash.rank(x), many);
}

TEST(perfect_hash, order_and_duplicates_do_not_matter) {
  auto keys = digests(0, 20'000);
  auto const hash = perfect_hash::build(keys);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(1));
  keys.insert(keys.end(), keys.begin(), keys.begin() + 5000);
  EXPECT_EQ(perfect_hash::build(keys), hash);
}

TEST(perfect_hash, threads_give_the_same_bytes) {
  auto const words = distinct_words(digests(0, 5'000'000));
  ASSERT_EQ(perfect_hash::parts(words.size()).count(), 4U);
  auto const hash = build_of_words<perfect_hash>(words, {});
  EXPECT_EQ(build_of_words<perfect_hash>(words, {}, in_threads(3)), hash);
  EXPECT_TRUE(numbers_all(hash, as_digests(words)));
}

TEST(perfect_hash, batches_answer_as_single_lookups_do) {
  auto asked = digests(0, 30'000);
  auto const hash = perfect_hash::build(asked);
  for (auto const x : digests(std::uint64_t{1} << 50, 5001)) asked.push_back(x);
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, asked.size()}) {
    std::vector<std::uint64_t> ranks(count);
    hash.rank(std::span<digest const>(asked).first(count), ranks.data());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(ranks[i], hash.rank(asked[i])) << i;
  }
}

TEST(perfect_hash, is_empty_after_clear) {
  auto const keys = digests(0, 3000);
  auto hash = perfect_hash::build(keys);
  hash.clear();
  EXPECT_TRUE(hash.valid());
  EXPECT_EQ(hash.size(), 0U);
  for (auto const x : keys) ASSERT_EQ(hash.rank(x), 0U);
  EXPECT_EQ(hash.rank(digest(0)), 0U);
}

/// Reads what a writer listed, after `change` changed the sections.
template <class Change>
void read_changed(perfect_hash const& hash, std::vector<std::uint64_t> const& scalars, std::span<digest const> keys,
                  Change change) {
  field_writer out;
  out(hash);
  std::vector<memory> sections;
  for (auto const bytes : out.sections()) sections.push_back(memory(memory::borrow(bytes, nullptr)));
  change(sections);
  field_reader in(scalars, std::move(sections));
  perfect_hash read;
  try {
    in(read);
  } catch (error const&) {
    return;
  }
  if (!read.valid()) return;
  for (auto const x : keys) ASSERT_LT(read.rank(x), std::max<std::uint64_t>(read.size(), 1));
}

/// Every field of a header may lie, and every byte. What is read then is within the file, or the file is refused.
TEST(perfect_hash, lying_bytes_are_refused_or_harmless) {
  auto keys = digests(0, 1000);
  auto const hash = perfect_hash::build(keys);
  field_writer out;
  out(hash);
  for (auto const x : digests(std::uint64_t{1} << 50, 1000)) keys.push_back(x);
  for (std::size_t scalar = 0; scalar < out.scalars().size(); ++scalar)
    for (std::uint64_t const lie : {0ULL, 1ULL, 5ULL, 11ULL, 63ULL, 64ULL, 999ULL, 1001ULL, 1ULL << 41, ~0ULL}) {
      auto scalars = out.scalars();
      scalars[scalar] = lie;
      read_changed(hash, scalars, keys, [](auto&) {});
    }
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i)
    read_changed(hash, out.scalars(), keys, [&](std::vector<memory>& sections) {
      memory changed = sections[random() % sections.size()];  // a copy, which may be written
      auto const which = random() % sections.size();
      changed = memory(sections[which]);
      if (changed.size() == 0) return;
      switch (i % 3) {
        case 0:
          changed.data()[random() % changed.size()] = static_cast<std::byte>(random());
          break;
        case 1:
          for (auto& byte : std::span(changed.data(), changed.size())) byte = static_cast<std::byte>(random());
          break;
        default:
          changed = memory(random() % 2 == 0 ? changed.size() - 1 : changed.size() + 8);
      }
      sections[which] = std::move(changed);
    });
}

TEST(perfect_hash, is_as_large_as_planned) {
  for (std::uint64_t items = 1; items <= 1'000'000; items = items * 4 / 3 + 1) {
    auto const bytes = static_cast<double>(perfect_hash::build(digests(items << 20, items)).size_bytes());
    auto const planned = static_cast<double>(plan::perfect_hash_bytes(items));
    EXPECT_NEAR(bytes, planned, items < 5000 ? 150 : items < 100'000 ? .1 * planned : .03 * planned) << items;
  }
}

}  // namespace
}  // namespace hortus
