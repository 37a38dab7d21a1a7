// The front: keys in all their spellings, batches of anything, what it remembers.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <string>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/hash/xxh64.hpp>

namespace hortus::testing {
namespace {

bloom_filter small() { return bloom_filter({.items = 1000, .fpr = 1e-6}); }

TEST(keys, one_key_however_it_is_spelled) {
  auto f = small();
  f.insert("ada");
  EXPECT_TRUE(f.may_contain(std::string("ada")));
  EXPECT_TRUE(f.may_contain(std::string_view("ada")));
  EXPECT_TRUE(f.may_contain(std::vector<std::uint8_t>{'a', 'd', 'a'}));
  EXPECT_TRUE(f.may_contain(std::as_bytes(std::span("ada", 3))));
  EXPECT_FALSE(f.may_contain("ad"));
  EXPECT_FALSE(f.may_contain(""));
  f.insert(42);
  EXPECT_TRUE(f.may_contain(42U));
  EXPECT_TRUE(f.may_contain(std::int8_t{42}));
  EXPECT_TRUE(f.may_contain(std::uint64_t{42}));
  EXPECT_FALSE(f.may_contain("42"));
  f.insert("");
  EXPECT_TRUE(f.may_contain(std::string()));
}

/// For programs that hash in other threads: the bytes and what the file says are those of inserting the keys.
TEST(keys, are_inserted_as_digests_that_were_made_of_them) {
  auto by_keys = small();
  auto by_digests = small();
  std::vector<std::string> const names{"ada", "eve", "bob"};
  std::vector<digest> hashed;
  for (auto const& name : names) hashed.push_back(by_digests(name));
  by_keys.insert(names);
  EXPECT_EQ(by_digests.insert(as_text_digests(hashed)), 3U);
  EXPECT_EQ(by_digests, by_keys);
  EXPECT_EQ(by_digests.about(), by_keys.about());
  EXPECT_EQ(by_digests.may_contain(as_text_digests(hashed)).count(), 3U);

  by_keys.insert(std::vector<int>{7, 8});
  EXPECT_EQ(by_digests.insert(as_integer_digests(std::vector{by_digests(7), by_digests(8)})), 2U);
  EXPECT_EQ(by_digests, by_keys);
  EXPECT_EQ(by_digests.about(), by_keys.about());
}

TEST(keys, a_digest_is_handed_on_as_it_is) {
  auto f = small();
  auto const x = f("ada");
  f.insert(x);
  EXPECT_TRUE(f.may_contain("ada"));
  f.insert(digest::of_hash(std::hash<int>{}(7)));
  EXPECT_TRUE(f.may_contain(digest::of_hash(std::hash<int>{}(7))));
}

TEST(batches, any_range_of_keys_is_one) {
  auto f = small();
  EXPECT_EQ(f.insert(std::vector<std::string>{"a", "b"}), 2U);
  EXPECT_EQ(f.insert(std::list<std::string_view>{"c", "d", "e"}), 3U);
  EXPECT_EQ(f.insert(std::vector<int>{1, 2, 3}), 3U);
  EXPECT_EQ(f.insert(std::array{digest(11), digest(12)}), 2U);
  std::map<std::string, int> const ages{{"ada", 36}, {"grace", 85}};
  std::vector<char const*> const literals{"x", "y"};
  f.insert(literals);
  for (auto const& entry : ages) f.insert(entry.first);
  auto const hits = f.may_contain(std::vector<std::string>{"a", "zz", "e", "grace", "x"});
  EXPECT_TRUE(hits[0] && !hits[1] && hits[2] && hits[3] && hits[4]);
  EXPECT_EQ(hits.count(), 4U);
  EXPECT_TRUE(f.may_contain(digest(12)));
  EXPECT_EQ(f.insert(std::vector<int>()), 0U);
  EXPECT_EQ(f.may_contain(std::vector<int>()).size(), 0U);
}

TEST(memory_of_the_front, a_folded_filter_is_planned_for_what_it_holds_then) {
  bloom_filter f({.items = 100'000, .fpr = 0.01});
  for (int i = 0; i < 20'000; ++i) f.insert(i);
  auto const whole = f;
  f.fold(4);
  EXPECT_EQ(f.about().items_planned, 25'000U);
  EXPECT_EQ(f.about().fpr_planned, 0.01);
  EXPECT_NEAR(f.planned_fpr(25'000), 0.01, 1e-4);
  f.fold(1);
  EXPECT_EQ(f.about().items_planned, 25'000U);

  auto small = whole;
  auto const by = small.fold_to_fpr(0.2);  // a new plan
  EXPECT_GT(by, 5U);
  EXPECT_EQ(small.about().fpr_planned, 0.2);
  EXPECT_GE(small.about().items_planned, 20'000U);
  EXPECT_LE(small.planned_fpr(small.about().items_planned), 0.2);
  EXPECT_GT(small.planned_fpr(small.about().items_planned + 1), 0.2);

  auto strict = whole;
  EXPECT_EQ(strict.fold_to_fpr(0.005), 4U);  // the plan stays at 1 %
  EXPECT_EQ(strict.about().fpr_planned, 0.01);
  EXPECT_EQ(strict.about().items_planned, 25'000U);

  bloom_filter unplanned(bloom<>({.bits = 1024, .probes = 3}));
  unplanned.fold(2);
  (void)unplanned.fold_to_fpr(0.5);
  EXPECT_EQ(unplanned.about().items_planned, 0U);
  EXPECT_EQ(unplanned.about().fpr_planned, 0);
  bloom_filter one({.items = 3, .fpr = 0.01});
  one.fold(one.family().fold_width());
  EXPECT_EQ(one.about().items_planned, 1U) << "0 would be no plan";
}

TEST(memory_of_the_front, counts_inserts_and_notes_the_kind_of_keys) {
  auto f = small();
  EXPECT_EQ(f.about().items_planned, 1000U);
  EXPECT_EQ(f.about().fpr_planned, 1e-6);
  EXPECT_EQ(f.about().kinds, key_kind::none);
  f.insert("a");
  f.insert("a");
  (void)f.insert_if_new("a");
  EXPECT_EQ(f.about().items_inserted, 3U);
  EXPECT_EQ(f.about().kinds, key_kind::bytes);
  f.insert(std::vector<int>{1, 2});
  EXPECT_EQ(f.about().items_inserted, 5U);
  EXPECT_EQ(f.about().kinds, key_kind::bytes | key_kind::integers);
  f.clear();
  EXPECT_EQ(f.about().items_inserted, 0U);
  EXPECT_EQ(f.about().kinds, key_kind::none);
}

/// A family whose insert fails when told to, and one that is full when told to.
struct unreliable : bloom<> {
  using bloom<>::bloom;
  static inline bool fails = false;
  void insert(digest x) {
    if (fails) throw std::bad_alloc();
    bloom<>::insert(x);
  }
  bool insert_if_new(digest x) {
    if (fails) throw std::bad_alloc();
    return bloom<>::insert_if_new(x);
  }
};
struct limited : bloom<> {
  using bloom<>::bloom;
  static inline bool full = false;
  [[nodiscard]] bool insert(digest x) {
    if (!full) bloom<>::insert(x);
    return !full;
  }
};

TEST(memory_of_the_front, an_insert_that_throws_is_not_counted) {
  of_keys<unreliable> f(unreliable(unreliable::params{1000, 3}));
  unreliable::fails = true;
  auto const before = f.about();
  EXPECT_THROW(f.insert(1), std::bad_alloc);
  EXPECT_THROW((void)f.insert_if_new(1), std::bad_alloc);
  EXPECT_EQ(f.about(), before);
  EXPECT_THROW(f.insert(std::vector<int>{1, 2}), std::bad_alloc);
  EXPECT_EQ(f.about().items_inserted, 0U);
  unreliable::fails = false;
  f.insert(std::vector<int>{1, 2});
  EXPECT_EQ(f.about().items_inserted, 2U);
}

TEST(memory_of_the_front, a_key_that_is_refused_is_not_counted) {
  of_keys<limited> f(limited(limited::params{1000, 3}));
  limited::full = true;
  EXPECT_FALSE(f.insert("a"));
  EXPECT_EQ(f.insert(std::vector<int>{1, 2}), 0U);
  EXPECT_EQ(f.about().items_inserted, 0U);
  EXPECT_EQ(f.about().kinds, key_kind::none);
  limited::full = false;
  EXPECT_TRUE(f.insert("a"));
  EXPECT_EQ(f.insert(std::vector<int>{1, 2}), 2U);
  EXPECT_EQ(f.about().items_inserted, 3U);
}

TEST(hashes, other_hashes_make_other_filters) {
  auto const key = secret_key::from_bytes(std::as_bytes(std::span("0123456789abcdef", 16)));
  of_keys<bloom<>, siphash> keyed({.items = 100, .fpr = 0.01}, siphash(key));
  of_keys<bloom<>, xxh64> parquet({.items = 100, .fpr = 0.01});
  bloom_filter seeded({.items = 100, .fpr = 0.01}, xxh3(7));
  keyed.insert("ada"), parquet.insert("ada"), seeded.insert("ada");
  EXPECT_TRUE(keyed.may_contain("ada") && parquet.may_contain("ada") && seeded.may_contain("ada"));
  EXPECT_NE(keyed("ada"), parquet("ada"));
  EXPECT_NE(seeded("ada"), small()("ada"));
  EXPECT_EQ(seeded.about().seed, 7U);
  EXPECT_NE(keyed.about().key_check, 0U);
  bloom_filter unseeded({.items = 100, .fpr = 0.01});
  EXPECT_THROW(unseeded.merge(seeded), error);
}

}  // namespace
}  // namespace hortus::testing
