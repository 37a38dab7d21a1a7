// Counters with the bytes of their keys, beside a std::map.
#include <hortus/cells/counted_keys.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "laws/support.hpp"

namespace hortus::testing {
namespace {

struct model_counter {
  std::uint64_t count, error;
  std::string key;
};

std::span<std::byte const> bytes_of(std::string const& key) { return std::as_bytes(std::span(key)); }

/// Of the whole key: at most 50 bytes of it are kept.
std::uint64_t length_of(std::string const& kept) { return kept.size() < 50 ? kept.size() : 1000; }

void check(counted_keys const& keys, std::map<std::uint64_t, model_counter> const& model) {
  ASSERT_EQ(keys.size(), model.size());
  for (auto const& [digest_bits, expected] : model) {
    auto const* const found = keys.find(digest(digest_bits));
    ASSERT_NE(found, nullptr) << digest_bits;
    EXPECT_EQ(found->count, expected.count);
    EXPECT_EQ(found->error, expected.error);
    auto const key = keys.key_of(*found);
    EXPECT_TRUE(std::ranges::equal(key.bytes, bytes_of(expected.key)));
    EXPECT_EQ(key.length, length_of(expected.key));
    EXPECT_EQ(key.kind, key_kind::bytes);
  }
}

/// `mixed` digests are spread over the index. The others have one home, which their mixed value finds: mix64 is a bijection,
/// but here they are simply looked for.
std::vector<std::uint64_t> digests(std::size_t count, bool mixed) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; all.size() < count; ++i)
    if (mixed || mix64(i) >> 52 == 7) all.push_back(i);
  return all;
}

TEST(counted_keys, does_what_a_map_does) {
  for (bool const mixed : {true, false}) {
    auto const some = digests(300, mixed);
    counted_keys keys;
    std::map<std::uint64_t, model_counter> model;
    numbers draw(mixed ? 1 : 2);
    for (int step = 0; step < 20'000; ++step) {
      auto const x = some[draw(some.size())];
      model_counter const fresh{1 + draw(1000), draw(1000), std::string(draw(1 + draw(51)), static_cast<char>(draw(256)))};
      counted_keys::entry const entry{
          x, fresh.count, fresh.error, {bytes_of(fresh.key), length_of(fresh.key), key_kind::bytes}};
      if (auto* const found = keys.find(digest(x)); found != nullptr) {
        if (draw(3) != 0) {
          keys.erase(found);
          model.erase(x);
        } else {
          found->count = model[x].count = fresh.count;
        }
      } else if (keys.reserve(fresh.key.size()); keys.size() != 0 && draw(2) == 0) {
        auto const out = keys.all()[draw(keys.size())].digest;
        keys.replace(keys.find(digest(out)), entry);
        model.erase(out);
        model[x] = fresh;
      } else {
        keys.insert(entry);
        model[x] = fresh;
      }
      if (step % 1000 == 0) {
        check(keys, model);
        auto const copy = keys;
        EXPECT_TRUE(copy == keys);
        counted_keys again;
        ASSERT_TRUE(again.restore(keys.counters_in_order(), keys.keys_in_order(), 50));
        EXPECT_TRUE(again == keys);
      }
    }
    check(keys, model);
  }
}

TEST(counted_keys, the_first_of_a_count_is_found_from_anywhere) {
  counted_keys keys;
  for (std::uint64_t i = 0; i < 10; ++i) {
    keys.reserve(0);
    keys.insert({i + 1, 5 + i % 3, 0, {}});
  }
  EXPECT_EQ(keys.least_count(), 5U);
  EXPECT_EQ(keys.with_count(5, 0)->digest, 1U);
  EXPECT_EQ(keys.with_count(5, 1)->digest, 4U);
  EXPECT_EQ(keys.with_count(7, 9), nullptr);
  EXPECT_EQ(keys.with_count(4, 0), nullptr);
  keys.erase(keys.find(digest(1)));
  EXPECT_EQ(keys.all()[0].digest, 10U) << "the last one took its place";
  EXPECT_EQ(keys.find(digest(1)), nullptr);
  EXPECT_NE(keys.find(digest(10)), nullptr);
}

/// A file of digests that have all one home would take hours to read; no stream of keys has them.
TEST(counted_keys, digests_that_were_chosen_to_be_slow_are_refused) {
  auto const read = [](std::vector<std::uint64_t> const& some) {
    memory counters(32 * some.size());
    auto* const words = reinterpret_cast<std::uint64_t*>(counters.data());
    for (std::size_t i = 0; i < some.size(); ++i) words[4 * i] = some[i], words[4 * i + 1] = 1, words[4 * i + 3] = 2;
    counted_keys keys;
    return keys.restore(counters, memory(), 8);
  };
  EXPECT_TRUE(read(digests(6000, true)));
  EXPECT_TRUE(read(digests(1000, false)));
  EXPECT_FALSE(read(digests(6000, false)));
}

}  // namespace
}  // namespace hortus::testing
