// Hashes of users' own: their numbers, their files, and what programs without them can do with those files.
#include <gtest/gtest.h>

#include <string>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>

#include "hash/own_hash.hpp"
#include "io/parts.hpp"

namespace hortus::testing {
namespace {

static_assert(hash_policy<own_hash> && storable_hash<own_hash> && storable_hash<xxh3> && storable_hash<any_hash>);
struct with_a_number_of_ours : own_hash {
  static constexpr std::uint32_t id = 9;
};
static_assert(!storable_hash<with_a_number_of_ours>);

using own_filter = of_keys<bloom<>, own_hash>;

own_filter sample() {
  own_filter f({.items = 1000, .fpr = 0.001}, own_hash(7));
  f.insert("ada");
  f.insert(std::vector<std::string>{"bob", "eve"});
  return f;
}
template <class Act>
std::pair<errc, std::string> refusal(Act act) {
  try {
    act();
  } catch (error const& e) {
    return {e.code(), e.what()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(user_hash, is_kept_in_files_by_number_and_seed) {
  auto const f = sample();
  auto const again = from_bytes<own_filter>(to_bytes(f));
  EXPECT_EQ(again, f);
  EXPECT_TRUE(again.may_contain("eve"));
  EXPECT_EQ(again.hash().seed(), 7U);
  EXPECT_EQ(again.about().hash_id, 0x8000'0001U);
  auto const [code, what] = refusal([&] { (void)from_bytes<bloom_filter>(to_bytes(f)); });
  EXPECT_EQ(code, errc::incompatible);
  EXPECT_NE(what.find("hashed with user-defined (0x80000001), not with xxh3"), std::string::npos) << what;
}

TEST(user_hash, that_is_not_at_hand_leaves_everything_but_keys) {
  auto const f = sample();
  auto any = from_bytes(to_bytes(f));
  EXPECT_EQ(to_bytes(any), to_bytes(f));
  EXPECT_TRUE(any.hash().is<foreign_hash>());
  EXPECT_EQ(any.about(), f.about());
  for (auto const& act : std::vector<std::function<void()>>{
           [&] { (void)any.may_contain("ada"); }, [&] { (void)any.may_contain(7); }, [&] { (void)any.insert("ada"); },
           [&] { (void)any.may_contain(std::vector<std::string>{"ada"}); },
           [&] { (void)any.insert(std::vector<std::uint64_t>{1}); }, [&] { (void)any.digest_of("ada"); }}) {
    auto const [code, what] = refusal(act);
    EXPECT_EQ(code, errc::unsupported);
    EXPECT_NE(what.find("user-defined (0x80000001)"), std::string::npos) << what;
  }
  EXPECT_EQ(to_bytes(any), to_bytes(f)) << "and nothing changed";
  EXPECT_TRUE(any.may_contain(f.digest_of("ada")));
  EXPECT_FALSE(any.may_contain(f.digest_of("zoe")));
  EXPECT_EQ(any.estimate(), f.estimate());
  EXPECT_TRUE(any.insert(f.digest_of("zoe")));

  own_filter other({.items = 1000, .fpr = 0.001}, own_hash(7));
  other.insert("kim");
  any.merge(from_bytes(to_bytes(other)));
  any.fold(2);
  auto const back = from_bytes<own_filter>(to_bytes(any));
  for (auto const* const name : {"ada", "bob", "eve", "zoe", "kim"}) EXPECT_TRUE(back.may_contain(name));
  own_filter seeded({.items = 1000, .fpr = 0.001}, own_hash(8));
  EXPECT_EQ(refusal([&] { any.merge(from_bytes(to_bytes(seeded))); }).first, errc::incompatible);
}

TEST(user_hash, takes_no_key_and_must_make_sense) {
  auto const bytes = to_bytes(sample());
  EXPECT_EQ(refusal([&] { (void)from_bytes(bytes, {.key = secret_key()}); }).first, errc::wrong_key);
  auto lie = bytes;
  put(lie, at::key_check, std::uint64_t{5});  // a keyed hash has no seed
  sign(lie);
  EXPECT_EQ(refusal([&] { (void)from_bytes(lie); }).first, errc::corrupt);
  put(lie, at::seed, std::uint64_t{0});
  sign(lie);
  EXPECT_EQ(from_bytes(lie).about().key_check, 5U);
}

TEST(hash_name, of_every_number) {
  EXPECT_EQ(hash_name(1), "xxh3");
  EXPECT_EQ(hash_name(2), "xxh64");
  EXPECT_EQ(hash_name(siphash::id), siphash::name);
  EXPECT_EQ(hash_name(siphash24::id), siphash24::name);
  EXPECT_EQ(hash_name(99), "unknown (99)");
  EXPECT_EQ(hash_name(0x7fff'ffff), "unknown (2147483647)");
  EXPECT_EQ(hash_name(0x8000'0000), "user-defined (0x80000000)");
  EXPECT_EQ(hash_name(0xffff'ffff), "user-defined (0xffffffff)");
}

}  // namespace
}  // namespace hortus::testing
