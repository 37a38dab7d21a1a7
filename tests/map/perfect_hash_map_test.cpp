#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include <hortus/build_by_threads.hpp>
#include <hortus/io/store.hpp>
#include <hortus/map/perfect_hash_map.hpp>
#include <hortus/part_threads.hpp>

#include "statistics.hpp"

namespace hortus {
namespace {

using testing::binomial_band;
using goal = perfect_hashed::goal;

std::vector<digest> digests(std::uint64_t from, std::uint64_t count) {
  std::vector<digest> made;
  for (std::uint64_t i = 0; i < count; ++i) made.emplace_back(mix64(from + i + 1));
  return made;
}
std::vector<std::uint64_t> values_of(std::uint64_t count, unsigned bits) {
  std::vector<std::uint64_t> made(count);
  for (std::uint64_t i = 0; i < count; ++i) made[i] = mix64(i ^ 0xabcdef) >> (64 - bits);
  return made;
}
/// Of 0 signature bits: unchecked.
goal wish_of(unsigned signature_bits, unsigned value_bits) {
  return {.fpr = signature_bits == 0 ? 0.01 : std::ldexp(1.0, -static_cast<int>(signature_bits)),
          .value_bits = value_bits,
          .unchecked = signature_bits == 0 ? 1U : 0U};
}
double rate(unsigned bits) { return std::ldexp(1.0, -static_cast<int>(bits)); }

/// The number of keys whose value is not found, or is another.
std::uint64_t wrong(perfect_hashed const& map, std::span<digest const> keys, std::span<std::uint64_t const> values) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) count += std::uint64_t{map.find(keys[i]) != values[i]};
  return count;
}
std::uint64_t found(perfect_hashed const& map, std::span<digest const> keys) {
  return static_cast<std::uint64_t>(std::count_if(keys.begin(), keys.end(), [&](digest x) { return map.may_contain(x); }));
}

TEST(perfect_hash_map, holds_every_small_map) {
  for (std::uint64_t items = 0; items <= 1000; ++items) {
    auto const keys = digests(items << 20, items);
    auto const values = values_of(items, 13);
    auto const map = perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = 13});
    ASSERT_TRUE(map.valid()) << items;
    ASSERT_EQ(wrong(map, keys, values), 0U) << items;
    ASSERT_EQ(map.size(), items);
  }
}

TEST(perfect_hash_map, without_values_finds_ranks) {
  for (std::uint64_t const items : {1U, 2U, 17U, 1000U, 100'000U}) {
    auto const keys = digests(0, items);
    auto const map = perfect_hashed::build(keys, goal{.fpr = 1 / 256.0});
    std::vector<bool> seen(items);
    for (auto const x : keys) {
      auto const number = map.find(x);
      ASSERT_TRUE(number.has_value());
      ASSERT_LT(*number, items);
      ASSERT_FALSE(seen[*number]);
      ASSERT_EQ(*number, map.rank(x));
      seen[*number] = true;
    }
  }
}

TEST(perfect_hash_map, values_that_are_all_zero_are_found) {
  auto const keys = digests(0, 500);
  std::vector<std::uint64_t> const zeros(keys.size());
  auto const map = perfect_hashed::build(keys, zeros, goal{});
  EXPECT_EQ(wrong(map, keys, zeros), 0U);
  EXPECT_EQ(map.value_bits(), 1U);
}

TEST(perfect_hash_map, of_no_keys_finds_nothing) {
  auto const asked = digests(0, 10'000);
  for (unsigned const signature_bits : {0U, 7U}) {
    EXPECT_EQ(found(perfect_hashed::build({}, wish_of(signature_bits, 0)), asked), 0U);
    EXPECT_EQ(found(perfect_hashed::build({}, {}, wish_of(signature_bits, 8)), asked), 0U);
  }
  EXPECT_EQ(found(perfect_hashed(), asked), 0U);
  EXPECT_EQ(perfect_hashed().fpr(), 0);
  EXPECT_TRUE(perfect_hashed().valid());
}

/// Signatures and values in one slot, packed or as a word, and in two arrays.
TEST(perfect_hash_map, all_widths) {
  auto const keys = digests(0, 700), absent = digests(std::uint64_t{1} << 50, 700);
  for (unsigned const signature_bits : {0U, 1U, 7U, 8U, 30U, 56U, 57U, 58U, 63U, 64U})
    for (unsigned const value_bits : {1U, 6U, 7U, 8U, 27U, 57U, 58U, 64U}) {
      auto values = values_of(keys.size(), value_bits);
      auto map = perfect_hashed::build(keys, values, wish_of(signature_bits, value_bits));
      ASSERT_EQ(map.shape().signature_bits, signature_bits);
      ASSERT_EQ(wrong(map, keys, values), 0U) << signature_bits << " " << value_bits;
      if (signature_bits >= 30) {
        EXPECT_EQ(found(map, absent), 0U) << signature_bits << " " << value_bits;
      }
      for (std::size_t i = 0; i < keys.size(); i += 3) {
        values[i] = ~values[i] & (~std::uint64_t{0} >> (64 - value_bits));
        ASSERT_TRUE(map.assign(keys[i], values[i]));
      }
      ASSERT_EQ(wrong(map, keys, values), 0U) << signature_bits << " " << value_bits;
      EXPECT_EQ(map, perfect_hashed::build(keys, values, wish_of(signature_bits, value_bits)));
    }
}

TEST(perfect_hash_map, every_rate_is_kept) {
  auto const keys = digests(0, 3000), others = digests(std::uint64_t{1} << 40, 2'000'000);
  EXPECT_EQ(found(perfect_hashed::build(keys, goal{.unchecked = 1}), others), others.size());
  for (unsigned bits = 1; bits <= 20; ++bits) {
    auto const map = perfect_hashed::build(keys, goal{.fpr = rate(bits)});
    EXPECT_EQ(map.fpr(), rate(bits));
    auto const hits = static_cast<double>(found(map, others));
    EXPECT_TRUE(binomial_band(static_cast<double>(others.size()), map.fpr()).holds(hits)) << bits << ": " << hits;
  }
}

TEST(perfect_hash_map, assign_changes_one_value) {
  auto const keys = digests(0, 1500);
  auto values = values_of(keys.size(), 11);
  auto map = perfect_hashed::build(keys, values, {.fpr = rate(9), .value_bits = 11});
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    auto const key = random() % keys.size();
    values[key] = random() >> 53;
    ASSERT_TRUE(map.assign(keys[key], values[key]));
    ASSERT_EQ(wrong(map, keys, values), 0U);
  }
}

/// An absent key changes nothing, unless it has the signature of a key.
TEST(perfect_hash_map, assign_of_an_absent_key_changes_nothing) {
  auto const keys = digests(0, 2000), absent = digests(std::uint64_t{1} << 50, 200'000);
  auto const values = values_of(keys.size(), 16);
  auto map = perfect_hashed::build(keys, values, {.fpr = rate(8), .value_bits = 16});
  auto const before = map;
  std::uint64_t changed = 0;
  for (auto const x : absent) {
    bool const hit = map.assign(x, 12345);
    if (!hit) continue;
    ASSERT_TRUE(before.may_contain(x));
    ++changed;
  }
  EXPECT_TRUE(binomial_band(200'000, rate(8)).holds(static_cast<double>(changed))) << changed;
  map = before;
  for (auto const x : absent)
    if (!before.may_contain(x)) {
      ASSERT_FALSE(map.assign(x, 12345));
    }
  EXPECT_EQ(map, before);
}

TEST(perfect_hash_map, structured_digests_are_all_found) {
  std::vector<std::vector<digest>> sets(5);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    sets[0].emplace_back(i);
    sets[1].emplace_back(i << 40);
    sets[2].emplace_back(std::uint64_t{7} << 61 | i << 3);
    sets[3].emplace_back(mix64(i / 200) ^ i % 200);
    sets[4].emplace_back(~i);
  }
  auto const values = values_of(50'000, 12);
  for (auto const& keys : sets) {
    auto const map = perfect_hashed::build(keys, values, {.fpr = rate(10), .value_bits = 12});
    EXPECT_EQ(wrong(map, keys, values), 0U);
    EXPECT_LE(map.size_bytes(), keys.size() * 8);
  }
  // Sequential keys, and those that follow: signatures are mixed.
  auto const map = perfect_hashed::build(sets[0], goal{.fpr = rate(4)});
  std::vector<digest> next;
  for (std::uint64_t i = 50'000; i < 550'000; ++i) next.emplace_back(i);
  EXPECT_TRUE(binomial_band(500'000, rate(4)).holds(static_cast<double>(found(map, next))));
}

TEST(perfect_hash_map, order_and_duplicates_do_not_matter) {
  auto keys = digests(0, 20'000);
  auto values = values_of(keys.size(), 9);
  goal const wish{.fpr = 0.01, .value_bits = 9};
  auto const map = perfect_hashed::build(keys, values, wish);
  std::vector<std::size_t> order(keys.size() + 5000);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i % keys.size();
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  std::vector<digest> shuffled;
  std::vector<std::uint64_t> their_values;
  for (auto const i : order) {
    shuffled.push_back(keys[i]);
    their_values.push_back(values[i]);
  }
  EXPECT_EQ(perfect_hashed::build(shuffled, their_values, wish), map);
  EXPECT_EQ(perfect_hashed::build(shuffled, goal{.fpr = 0.01}), perfect_hashed::build(keys, goal{.fpr = 0.01}));
}

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (error const& e) {
    return e.what();
  }
  return "";
}

TEST(perfect_hash_map, refuses_two_values_of_a_key) {
  for (std::size_t const items : {50U, 5000U}) {
    auto keys = digests(0, items);
    auto values = values_of(items, 8);
    keys[42] = keys[17];
    values[17] = 3;
    values[42] = 5;
    keys[20] = keys[17];
    values[20] = 3;
    EXPECT_EQ(message_of([&] { (void)perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = 8}); }),
              "key 17 and key 42 are equal (or have one digest), but their values 3 and 5 differ");
    values[42] = 3;
    EXPECT_EQ(perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = 8}).size(), items - 2);
  }
}

TEST(perfect_hash_map, refuses_values_that_do_not_fit) {
  auto const keys = digests(0, 3);
  std::vector<std::uint64_t> const values{1, 256, 2};
  auto const of_bits = [&](unsigned bits) {
    return message_of([&] { (void)perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = bits}); });
  };
  EXPECT_EQ(of_bits(9), "");
  EXPECT_EQ(of_bits(8), "the value 256 needs 9 bits, and value_bits is 8");
  EXPECT_EQ(of_bits(0), "");
  EXPECT_NE(of_bits(65), "");
  EXPECT_NE(message_of([&] { (void)perfect_hashed::build(keys, std::span(values).first(2), {.fpr = 0.01, .value_bits = 9}); }),
            "");
  auto map = perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = 9});
  EXPECT_THROW(map.assign(keys[0], 512), error);
  EXPECT_EQ(map.find(keys[0]), 1U);
  auto ranks = perfect_hashed::build(keys, goal{});
  EXPECT_THROW(ranks.assign(keys[0], 0), error);
}

TEST(perfect_hash_map, threads_give_the_same_bytes) {
  auto const keys = digests(0, 5'000'000);
  goal const wish{.fpr = rate(3)};  // of 3 bits: slots of neighbouring parts share bytes
  auto const map = perfect_hashed::build(keys, wish);
  EXPECT_EQ(build_by_threads<perfect_hashed>(keys, wish, 3), map);
  EXPECT_EQ(found(map, keys), keys.size());
}

TEST(perfect_hash_map, parts_may_be_uneven) {
  std::vector<digest> keys;
  auto const many = plan::perfect_hash_shape::max_part_items + 1;
  for (std::uint64_t i = 0; i < many; ++i) keys.emplace_back(i < 3 ? ~i : mix64(i) >> 1);
  auto const values = values_of(many, 5);
  auto const map = perfect_hashed::build(keys, values, {.fpr = 0.01, .value_bits = 5});
  EXPECT_EQ(wrong(map, keys, values), 0U);
}

TEST(perfect_hash_map, batches_answer_as_single_lookups_do) {
  auto asked = digests(0, 5000);
  auto const values = values_of(asked.size(), 20);
  std::vector<perfect_hashed> maps;
  maps.push_back(perfect_hashed());
  maps.push_back(perfect_hashed::build(asked, goal{.unchecked = 1}));
  maps.push_back(perfect_hashed::build(asked, goal{.fpr = rate(5)}));
  maps.push_back(perfect_hashed::build(asked, values, {.fpr = rate(6), .value_bits = 20}));
  maps.push_back(perfect_hashed::build(asked, values, {.fpr = rate(40), .value_bits = 20}));
  maps.push_back(perfect_hashed::build(asked, values, {.fpr = rate(60), .value_bits = 20}));
  for (auto const x : digests(std::uint64_t{1} << 50, 5001)) asked.push_back(x);
  for (auto const& map : maps) {
    std::span<digest const> const all(asked);
    std::vector<std::uint64_t> hits(mask_words(asked.size()));
    may_contain_all(map, all, hits.data());
    for (std::size_t i = 0; i < asked.size(); i += 64) {
      auto const block = all.subspan(i, std::min<std::size_t>(64, asked.size() - i));
      std::uint64_t of_block = 0;
      std::vector<std::uint64_t> found_values(64, 77);
      map.find(block, all.first(i == 64 ? 64 : 0), found_values.data(), &of_block);
      EXPECT_EQ(of_block, hits[i / 64]);
      for (std::size_t j = 0; j < block.size(); ++j) {
        auto const one = map.find(block[j]);
        ASSERT_EQ((of_block >> j & 1) != 0, one.has_value());
        ASSERT_EQ(found_values[j], one.value_or(0));
        ASSERT_EQ(map.may_contain(block[j]), one.has_value());
      }
    }
  }
}

TEST(perfect_hash_map, is_empty_after_clear) {
  auto const keys = digests(0, 3000);
  for (unsigned const signature_bits : {0U, 7U}) {
    auto map = perfect_hashed::build(keys, values_of(keys.size(), 7), wish_of(signature_bits, 7));
    map.clear();
    EXPECT_TRUE(map.valid());
    EXPECT_EQ(found(map, keys), 0U);
    EXPECT_EQ(map.fpr(), 0);
  }
}

/// Every field of a header may lie. What is read then is within the file, or the file is refused.
TEST(perfect_hash_map, lying_shapes_are_refused) {
  auto const keys = digests(0, 1000);
  for (unsigned const value_bits : {3U, 60U}) {
    auto const map = perfect_hashed::build(keys, values_of(keys.size(), value_bits), {.fpr = 0.01, .value_bits = value_bits});
    field_writer out;
    out(map);
    for (std::size_t scalar = 0; scalar < out.scalars().size(); ++scalar)
      for (std::uint64_t const lie : {0ULL, 1ULL, 2ULL, 5ULL, 11ULL, 57ULL, 63ULL, 64ULL, 65ULL, 999ULL, 1ULL << 41, ~0ULL}) {
        auto scalars = out.scalars();
        scalars[scalar] = lie;
        std::vector<memory> sections;
        for (auto const bytes : out.sections()) sections.push_back(memory(memory::borrow(bytes, nullptr)));
        field_reader in(scalars, std::move(sections));
        perfect_hashed read;
        try {
          in(read);
        } catch (error const&) {
          continue;
        }
        if (read.valid()) (void)found(read, keys);
      }
  }
}

/// A valid hash of many keys beside valid slots for few.
TEST(perfect_hash_map, slots_of_another_map_are_refused) {
  auto const many = digests(0, 1000);
  goal const wish{.fpr = 0.01, .value_bits = 3};
  auto const map = perfect_hashed::build(many, values_of(1000, 3), wish);
  for (std::uint64_t const items : {10U, 999U, 1000U, 1001U}) {
    auto const other = perfect_hashed::build(digests(0, items), values_of(items, 3), wish);
    field_writer hash, whole, other_hash, other_whole;
    hash(map.hash()), whole(map), other_hash(other.hash()), other_whole(other);
    auto scalars = hash.scalars();
    scalars.insert(scalars.end(), other_whole.scalars().begin() + static_cast<std::ptrdiff_t>(other_hash.scalars().size()),
                   other_whole.scalars().end());
    std::vector<memory> sections;
    for (auto const bytes : hash.sections()) sections.push_back(memory(memory::borrow(bytes, nullptr)));
    for (auto const bytes : std::span(other_whole.sections()).subspan(other_hash.sections().size()))
      sections.push_back(memory(memory::borrow(bytes, nullptr)));
    field_reader in(scalars, std::move(sections));
    perfect_hashed read;
    in(read);
    EXPECT_EQ(read.valid(), items == 1000) << items;
  }
}

}  // namespace
}  // namespace hortus
