#include <gtest/gtest.h>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>

#include "code_of.hpp"
#include "io/parts.hpp"
#include "io/scratch_folder.hpp"

/// Files of filters made with a secret key: the key is not in them, and without it they keep their secret.
namespace hortus::testing {
namespace {

secret_key key_of(unsigned char first) {
  std::array<std::byte, secret_key::size> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(first + 17 * i);
  return secret_key(bytes);
}

/// A keyed filter of every family and both keyed hashes.
template <class Act>
void for_each_keyed(Act act) {
  std::vector<std::string> members;
  for (int i = 0; i < 1000; ++i) members.push_back("member " + std::to_string(i));
  for (auto const& family : catalogue())
    for (auto const& hash : {any_hash(siphash(key_of(1))), any_hash(siphash24(key_of(1)))}) {
      auto const filter = build_filter(family.name, members, {.items = 1000, .fpr = 0.01, .settings = {}}, hash);
      SCOPED_TRACE(std::string(family.name) + ", hash " + std::to_string(hash.id()));
      act(filter);
    }
}

TEST(secret_keys, with_the_key_it_is_the_filter_that_was_saved) {
  scratch_folder const folder;
  for_each_keyed([&](any_filter const& filter) {
    auto const path = folder / "filter";
    save(filter, path);
    auto const bytes = to_bytes(filter);
    reading const how{.key = key_of(1), .verify = true};
    auto const seen = view(bytes, how);
    for (auto const& read : {load(path, how), open(path, how), from_bytes(bytes, how), *seen}) {
      EXPECT_EQ(read, filter);
      if (read.family().has(verb::may_contain)) {
        EXPECT_TRUE(read.may_contain("member 999"));
      }
      EXPECT_EQ(to_bytes(read), bytes);
    }
  });
}

TEST(secret_keys, a_wrong_key_is_told_at_once) {
  scratch_folder const folder;
  for_each_keyed([&](any_filter const& filter) {
    auto const path = folder / "filter";
    save(filter, path);
    auto const bytes = to_bytes(filter);
    for (unsigned bit = 0; bit < 128; ++bit) {
      std::array<std::byte, secret_key::size> off_by_one{};
      std::ranges::copy(key_of(1).bytes(), off_by_one.begin());
      off_by_one[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      reading const how{.key = secret_key(off_by_one), .verify = false};
      EXPECT_EQ(code_of([&] { (void)from_bytes(bytes, how); }), errc::wrong_key);
      EXPECT_EQ(code_of([&] { (void)view(bytes, how); }), errc::wrong_key);
    }
    reading const how{.key = secret_key(), .verify = false};
    EXPECT_EQ(code_of([&] { (void)load(path, how); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)open(path, how); }), errc::wrong_key);
  });
}

TEST(secret_keys, a_key_for_a_filter_without_one_is_refused) {
  for (auto const& hash : {any_hash(xxh3(5)), any_hash(xxh64(5))}) {
    auto const bytes = to_bytes(make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}}, hash));
    EXPECT_EQ(code_of([&] { (void)from_bytes(bytes, {.key = key_of(1), .verify = false}); }), errc::wrong_key);
    EXPECT_EQ(from_bytes(bytes).about().seed, 5U);
  }
}

TEST(secret_keys, where_the_type_says_which_hash_a_missing_key_is_an_error) {
  using keyed_filter = of_keys<bloom<>, siphash>;
  keyed_filter filter({.items = 10}, siphash(key_of(1)));
  filter.insert("ada");
  auto const bytes = to_bytes(filter);
  EXPECT_EQ(code_of([&] { (void)from_bytes<keyed_filter>(bytes); }), errc::wrong_key);
  EXPECT_EQ(code_of([&] { (void)from_bytes<keyed_filter>(bytes, {.key = key_of(2), .verify = false}); }), errc::wrong_key);
  EXPECT_TRUE(from_bytes<keyed_filter>(bytes, {.key = key_of(1), .verify = false}).may_contain("ada"));
  EXPECT_EQ(code_of([&] { (void)from_bytes<bloom_filter>(bytes); }), errc::incompatible) << "another hash than the type's";
  EXPECT_EQ(code_of([&] { (void)from_bytes<of_keys<bloom<>, siphash24>>(bytes, {.key = key_of(1), .verify = false}); }),
            errc::incompatible);
}

TEST(secret_keys, a_locked_filter_can_be_described_combined_and_saved_but_not_asked) {
  scratch_folder const folder;
  for_each_keyed([&](any_filter const& filter) {
    auto const path = folder / "filter";
    save(filter, path);
    auto locked = load(path);
    EXPECT_EQ(locked.about(), filter.about());
    EXPECT_EQ(locked, filter) << "its hash is the same, whether or not the key is at hand";
    auto const has = [&](verb v) { return filter.family().has(v); };
    if (has(verb::fpr)) {
      EXPECT_EQ(locked.fpr(), filter.fpr());
    }
    if (has(verb::estimate)) {
      EXPECT_EQ(locked.estimate(), filter.estimate());
    }
    EXPECT_EQ(to_bytes(locked), to_bytes(filter));

    EXPECT_EQ(code_of([&] { (void)locked.may_contain("member 1"); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.may_contain(1); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.may_contain(std::vector<int>{1, 2}); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.insert("new"); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.insert_if_new(7); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.insert(std::vector<std::string>{"new"}); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { locked.erase("member 1"); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.count("member 1"); }), errc::wrong_key);
    EXPECT_EQ(code_of([&] { (void)locked.count(std::vector<int>{1, 2}); }), errc::wrong_key);
    EXPECT_EQ(to_bytes(locked), to_bytes(filter)) << "and nothing was counted as inserted";

    if (!has(verb::merge) || !has(verb::insert)) return;
    auto other = filter;
    other.clear();
    (void)other.insert("from the other");
    auto expected = filter;
    expected.merge(other);
    save(other, path);
    locked.merge(load(path));  // locked with locked
    EXPECT_EQ(to_bytes(locked), to_bytes(expected));
    auto unlocked = filter;
    unlocked.merge(load(path));  // unlocked with locked
    EXPECT_EQ(to_bytes(unlocked), to_bytes(expected));

    if (!has(verb::fold) || !has(verb::may_contain)) return;
    locked.fold(locked.family().fold_width());
    save(locked, path);
    auto const folded = load(path, {.key = key_of(1), .verify = false});
    EXPECT_TRUE(folded.may_contain("member 5"));
    EXPECT_TRUE(folded.may_contain("from the other"));
  });
}

TEST(secret_keys, filters_of_different_keys_do_not_combine) {
  request const wish{.items = 10, .fpr = 0.01, .settings = {}};
  auto one = make_filter("bloom", wish, siphash(key_of(1)));
  auto const other = from_bytes(to_bytes(make_filter("bloom", wish, siphash(key_of(2)))));  // locked
  auto const rounds = from_bytes(to_bytes(make_filter("bloom", wish, siphash24(key_of(1)))));
  EXPECT_EQ(code_of([&] { one.merge(other); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { one.merge(rounds); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { one.merge(make_filter("bloom", wish)); }), errc::incompatible);
}

/// Neither the key nor either half of it, in any order of bytes, anywhere; nor does it show in the file of an empty filter
/// other than by the check value.
TEST(secret_keys, the_key_is_not_in_the_file) {
  for_each_keyed([&](any_filter const& filter) {
    auto const bytes = to_bytes(filter);
    auto const secret = key_of(1);
    auto const key = secret.bytes();
    for (std::size_t const start : {0U, 8U}) {
      std::vector<std::byte> half(key.begin() + static_cast<std::ptrdiff_t>(start),
                                  key.begin() + static_cast<std::ptrdiff_t>(start) + 8);
      EXPECT_EQ(std::search(bytes.begin(), bytes.end(), half.begin(), half.end()), bytes.end());
      std::reverse(half.begin(), half.end());
      EXPECT_EQ(std::search(bytes.begin(), bytes.end(), half.begin(), half.end()), bytes.end());
    }
  });
  for (auto const& family : catalogue()) {
    request const wish{.items = 10, .fpr = 0.01, .settings = {}};
    std::vector<std::string> const no_keys;
    auto one = to_bytes(build_filter(family.name, no_keys, wish, siphash(key_of(1))));
    auto two = to_bytes(build_filter(family.name, no_keys, wish, siphash(key_of(2))));
    EXPECT_NE(one, two);
    for (auto* file : {&one, &two}) {
      put(*file, at::key_check, std::uint64_t{1});
      sign(*file);
    }
    EXPECT_EQ(one, two);
  }
}

TEST(secret_keys, a_keyed_file_has_a_check_value_and_no_seed) {
  auto const original = to_bytes(make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}}, siphash(key_of(1))));
  for (auto const& how : {reading{}, reading{.key = key_of(1), .verify = false}}) {
    auto lie = original;
    put(lie, at::key_check, std::uint64_t{0});
    sign(lie);
    EXPECT_EQ(code_of([&] { (void)from_bytes(lie, how); }), errc::corrupt);
    lie = original;
    put(lie, at::seed, std::uint64_t{1});
    sign(lie);
    EXPECT_EQ(code_of([&] { (void)from_bytes(lie, how); }), errc::corrupt);
  }
  auto plain = to_bytes(make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}}));
  put(plain, at::key_check, std::uint64_t{7});
  sign(plain);
  EXPECT_EQ(code_of([&] { (void)from_bytes(plain); }), errc::corrupt);
}

}  // namespace
}  // namespace hortus::testing
