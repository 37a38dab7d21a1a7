#include <hortus/hash/any_hash.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <hortus/hash/keys.hpp>
#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/hash/mix_kernel.hpp>

#include "with_target.hpp"

/// A hash chosen at run time is the hash it was chosen to be, with its seed or its key; and batches of keys are hashed as
/// single keys are.
namespace hortus {
namespace {

constexpr std::uint64_t seeds[] = {0, 1, 77, std::uint64_t{1} << 32, ~std::uint64_t{0}};

secret_key key_of(std::uint64_t number) {
  std::array<std::byte, 16> bytes{};
  auto const low = little_endian_bytes(number);
  std::copy(low.begin(), low.end(), bytes.begin());
  return secret_key(bytes);
}

/// Single keys and batches of both kinds, one after the other.
template <class Hash>
std::vector<std::uint64_t> digests_under(Hash const& hash) {
  std::vector<std::uint64_t> const integers{0, 1, 2, 3, 1000, ~std::uint64_t{0}};
  std::vector<std::string> const texts{"", "a", "ada", "a key of more than sixteen bytes"};
  std::vector<std::uint64_t> all;
  for (auto const x : integers) all.push_back(digest_of(hash, x).bits());
  for (auto const& text : texts) all.push_back(digest_of(hash, text).bits());
  for (auto const x : all_digests(hash, integers)) all.push_back(x.bits());
  for (auto const x : all_digests(hash, texts)) all.push_back(x.bits());
  return all;
}

/// One that is chosen, one that is read back from what a file says of it, and the type itself.
template <class Hash>
void expect_the_same(Hash const& hash, std::optional<secret_key> const& key) {
  any_hash const chosen(hash);
  EXPECT_EQ(digests_under(chosen), digests_under(hash)) << Hash::name;
  EXPECT_EQ(chosen.seed(), hash.seed());
  auto const read = hash_from<any_hash>(chosen.id(), chosen.seed(), chosen.check(), key);
  EXPECT_EQ(read, chosen);
  EXPECT_EQ(digests_under(read), digests_under(hash)) << Hash::name;
  EXPECT_EQ(digests_under(hash_from<Hash>(chosen.id(), chosen.seed(), chosen.check(), key)), digests_under(hash));
}

TEST(any_hash, is_the_hash_it_was_chosen_to_be_with_its_seed) {
  for (auto const seed : seeds) {
    expect_the_same(xxh3(seed), std::nullopt);
    expect_the_same(xxh64(seed), std::nullopt);
    expect_the_same(siphash(key_of(seed)), key_of(seed));
    expect_the_same(siphash24(key_of(seed)), key_of(seed));
  }
}

TEST(any_hash, no_digest_is_the_same_under_another_seed_or_hash) {
  std::vector<std::vector<std::uint64_t>> all;
  for (auto const seed : seeds)
    for (any_hash const& hash : std::vector<any_hash>{xxh3(seed), xxh64(seed), siphash(key_of(seed)), siphash24(key_of(seed))})
      all.push_back(digests_under(hash));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < all[i].size(); ++k) EXPECT_NE(all[i][k], all[j][k]) << i << ", " << j << ", key " << k;
}

/// Whole vectors and what is left over, of every length; what lies behind stays as it was.
TEST(mix_kernel, mixes_as_many_integers_as_there_are_with_every_instruction_set) {
  std::vector<std::uint64_t> xs;
  for (std::uint64_t i = 0; i < 1100; ++i) xs.push_back(mix64(i) << i % 64);
  for (auto const name : kernels::targets()) {
    testing::with_target const chosen(name);
    for (std::uint64_t const salt : seeds)
      for (std::size_t count = 0; count < 1030; count += count < 300 ? 1 : 91) {
        std::vector<digest> out(count + 8, digest(42));
        kernels::mix64_each(std::span(xs).subspan(count % 5, count), salt, out.data());
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(out[i], digest(mix64(xs[count % 5 + i] ^ salt))) << name << ", " << i << " of " << count;
        for (std::size_t i = count; i < out.size(); ++i) ASSERT_EQ(out[i], digest(42)) << name << ", past " << count;
      }
  }
}

/// As a batch of keys goes: in blocks, and from containers that are not in a row.
TEST(batches_of_integers, are_hashed_as_single_ones_are) {
  for (auto const seed : seeds) {
    xxh3 const hash(seed);
    for (std::size_t const count : {1U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 256U, 257U, 1000U}) {
      std::vector<std::uint64_t> xs;
      for (std::uint64_t i = 0; i < count; ++i) xs.push_back(i * golden_ratio64);
      auto const batch = all_digests(hash, xs);
      ASSERT_EQ(batch.size(), count);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(batch[i], hash.of_integer(xs[i])) << i << " of " << count;
    }
  }
}

}  // namespace
}  // namespace hortus
