#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>
#include <vector>

#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/xxh3.hpp>

#include "pattern.hpp"

namespace {

using hortus::digest;
using hortus::xxh3;

// Filters made from digests are in files, so these values never change. All were computed with libxxhash.so 0.8.1, which was
// compiled separately from the inlined code that is tested.
constexpr std::array<std::uint64_t, 64> first_64_lengths = {
    0x2d06800538d394c2, 0x822eec778dade5b8, 0x4bc4e394e546137c, 0x6cadcfa9d0a9c70e, 0xa5a38cd3cb07d33c, 0x0bb78ce9276b70cc,
    0xdecbd5c3bcfea3aa, 0xf930e960fbd41c48, 0x815a787e56155fa3, 0xaa82d5bdddedb3fb, 0x40376c2480ad0d86, 0x1b79bcf25a5ff1f4,
    0xcae0ec6df0e4fe9e, 0x214dfeffab2a3526, 0xd0b279a7dfcbdec4, 0x292344654cabef6f, 0xd8d97180c8cac46c, 0x9019a6260ebd3317,
    0x2725fb6aa2348352, 0x8db686056277dd17, 0x401afd10083a1287, 0x580011a342393af1, 0x541aeecb21690436, 0x1a1a4eda6867913c,
    0x2a8952a4b9d20461, 0xde1c8fda7cac9df5, 0xa9ee84101d36d7a0, 0x78196e8243b1332f, 0x2ee067d490cbec0f, 0x71f587faead4f233,
    0xe9420f4a4d57c96d, 0x34ae6f34b9f7dcd4, 0x0e4f5e20a9caaf20, 0xf077a33c3f59be94, 0x670c8b26e1227ba4, 0xf332c1e5f738a529,
    0x926fe90fb8978081, 0x321a8e1a968cbf3d, 0x045544f00c7a0b14, 0x5a0ce772930cc894, 0x2e7abf0c83f293eb, 0x5b73e1c1af281fca,
    0xf09d29c44193f031, 0xaf43edc3d103137d, 0x575f0aace10ad0aa, 0x25fe945c4bfbee16, 0xbe1a15823eb76c92, 0x0570819b3ea0275b,
    0x67d2fe8080aa667a, 0x1560b95e4da6c111, 0xf53a1970a480d1a2, 0x2973b695f0968f5d, 0x7a50c7303c6789df, 0x0656d7bc4090a726,
    0x4248224671c127e1, 0x0ef26697869ddbda, 0x48ac31db6848e6fc, 0x9d7214b453439b03, 0xf8da4bbdbbbbf5e4, 0x7dd59b409c1038ea,
    0x046099abf3f8675c, 0x1ab2b96a5bc1e864, 0xdb060fce458abed8, 0x852d1f0a30ccd65f,
};

TEST(xxh3, has_its_own_number_and_name) {
  EXPECT_EQ(xxh3::id, 1U);
  EXPECT_EQ(xxh3::name, "xxh3");
  EXPECT_EQ(xxh3(7).seed(), 7U);
  EXPECT_EQ(xxh3(7).check(), 0U);
}

TEST(xxh3, golden_values_of_every_length_to_256) {
  auto const bytes = hash_test::pattern(64);
  for (std::size_t n = 0; n < 64; ++n) EXPECT_EQ(xxh3().of_bytes(std::span(bytes).first(n)).bits(), first_64_lengths[n]) << n;
  EXPECT_EQ(hash_test::fold_0_to_256(xxh3()), 0x909083f76620de9cU);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh3(1)), 0xfedd7b47280b75f9U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh3(2)), 0x2808599fcf796aa9U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh3(42)), 0x2fcef24762f8be57U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh3(~std::uint64_t{0})), 0x3e32384f1ed12ddeU);
}

// The values xxHash publishes for its own self-test (tests/sanity_test_vectors.h), and how it fills its buffer.
TEST(xxh3, seed_zero_is_the_published_function) {
  std::array<std::byte, 2367> buffer{};
  std::uint64_t state = 2654435761U;
  for (auto& byte : buffer) {
    byte = static_cast<std::byte>(state >> 56);
    state *= 11400714785074694797U;
  }
  struct vector {
    std::size_t length;
    std::uint64_t value;
  };
  for (auto [length, value] :
       {vector{0, 0x2d06800538d394c2U}, vector{1, 0xc44bdff4074eecdbU}, vector{6, 0x27b56a84cd2d7325U},
        vector{12, 0xa713daf0dfbb77e7U}, vector{24, 0xa3fe70bf9d3510ebU}, vector{48, 0x397da259ecba1f11U},
        vector{80, 0xbcdefbbb2c47c90aU}, vector{195, 0xcd94217ee362ec3aU}, vector{403, 0xcdeb804d65c6dea4U},
        vector{512, 0x617e49599013cb6bU}, vector{2048, 0xdd59e2c3a5f038e0U}, vector{2240, 0x6e73a90539cf2948U},
        vector{2367, 0xcb37aeb9e5d361edU}})
    EXPECT_EQ(xxh3().of_bytes(std::span(buffer).first(length)).bits(), value) << length;
}

TEST(xxh3, a_key_of_64_mebibytes) {
  auto const bytes = hash_test::pattern(std::size_t{64} << 20);
  EXPECT_EQ(xxh3().of_bytes(bytes).bits(), 0x6a5c579471b3aa23U);
  EXPECT_EQ(xxh3(1).of_bytes(bytes).bits(), 0x45724f8d29e1b1b7U);
}

TEST(xxh3, no_bytes_are_a_key_wherever_they_are_not) {
  std::byte const here{};
  EXPECT_EQ(xxh3().of_bytes({}), xxh3().of_bytes(std::span(&here, std::size_t{0})));
  EXPECT_NE(xxh3().of_bytes({}), xxh3().of_bytes(std::span(&here, 1)));
}

TEST(xxh3, unaligned_bytes_hash_as_aligned_ones) {
  auto const aligned = hash_test::pattern(600);
  for (std::size_t shift = 1; shift < 16; ++shift) {
    std::vector<std::byte> moved(600 + shift);
    std::memcpy(moved.data() + shift, aligned.data(), aligned.size());
    for (std::size_t n : {1U, 7U, 8U, 17U, 129U, 241U, 600U})
      EXPECT_EQ(xxh3(3).of_bytes(std::span(moved).subspan(shift, n)), xxh3(3).of_bytes(std::span(aligned).first(n)));
  }
}

TEST(xxh3, golden_integers) {
  EXPECT_EQ(xxh3().of_integer(0).bits(), 0x48218226ff3cd4bfU);
  EXPECT_EQ(xxh3().of_integer(1).bits(), 0x9e0160293a33aaf7U);
  EXPECT_EQ(xxh3().of_integer(42).bits(), 0x4579b960bb007f46U);
  EXPECT_EQ(xxh3().of_integer(~std::uint64_t{0}).bits(), 0xf2c27ef86a95b080U);
  EXPECT_EQ(xxh3(1).of_integer(42).bits(), 0xa9cb101be2f6824fU);
  for (std::uint64_t seed : {0U, 1U, 2U, 42U}) {
    std::uint64_t fold = 0;
    for (std::uint64_t i = 0; i < 4096; ++i) fold = hortus::mix64(fold ^ xxh3(seed).of_integer(i * i * i).bits());
    EXPECT_EQ(fold, seed == 0   ? 0x0484f3ce4c93c58dU
                    : seed == 1 ? 0x3ff3e0eb4a324e62U
                    : seed == 2 ? 0xbea9b718af13ce84U
                                : 0xf310e5a6dd1ca7ecU);
  }
}

TEST(xxh3, equal_when_seeds_are) {
  EXPECT_EQ(xxh3(), xxh3(0));
  EXPECT_NE(xxh3(1), xxh3(2));
}

// xxHash issue 469: if seeds 0, 1, 2, ... are passed to XXH3 directly, short sequential keys get the same set of hashes each
// time, in another order. By chance one of the 28 pairs of seeds shares one of 2^14 digests with probability
// 28 * 2^28 / 2^64 = 4e-10.
template <class Digests>
void expect_unrelated_seeds(Digests digests_of) {
  constexpr std::uint64_t keys = 1 << 14;
  std::unordered_set<std::uint64_t> seen;
  double agreeing_bits = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (std::uint64_t key = 0; key < keys; ++key) {
      auto const bits = digests_of(xxh3(seed), key).bits();
      ASSERT_TRUE(seen.insert(bits).second) << "seed " << seed << " key " << key;
      agreeing_bits += 64 - std::popcount(bits ^ digests_of(xxh3(seed + 1), key).bits());
    }
  // Each of 8 * 2^14 * 64 bits agrees with the next seed's with chance 1/2: 6.5 sigma are exceeded with chance 8e-11.
  double const all = 8.0 * keys * 64;
  EXPECT_NEAR(agreeing_bits, all / 2, 6.5 * std::sqrt(all) / 2);
}

// The last, multiples of 2^24, vary just the bytes that XXH3 adds a small seed to.
TEST(xxh3, sequential_seeds_give_unrelated_digests_of_short_keys) {
  struct form {
    std::size_t length;
    unsigned shift;
  };
  for (auto [length, shift] : {form{4, 0}, form{8, 0}, form{8, 24}})
    expect_unrelated_seeds([length = length, shift = shift](xxh3 hash, std::uint64_t key) {
      auto const bytes = hortus::little_endian_bytes(key << shift);
      return hash.of_bytes(std::span(bytes).first(length));
    });
}

TEST(xxh3, sequential_seeds_give_unrelated_digests_of_integers) {
  expect_unrelated_seeds([](xxh3 hash, std::uint64_t key) { return hash.of_integer(key); });
}

// Flipping any bit of an integer flips every bit of its digest with a chance near 1/2, whether integers are scattered or in
// sequence. 2^16 trials a pair of bits: sigma 0.00195. A perfect mixer would leave 0.5 +- 0.018, 9.2 sigma, in one of the 8192
// pairs with chance 3e-16.
TEST(xxh3, every_bit_of_an_integer_reaches_every_bit_of_the_digest) {
  constexpr std::uint64_t trials = 1 << 16;
  for (bool sequential : {false, true}) {
    std::vector<std::uint32_t> flips(64 * 64);
    for (std::uint64_t t = 0; t < trials; ++t) {
      auto const x = sequential ? t : hortus::mix64(t * hortus::golden_ratio64);
      auto const before = xxh3().of_integer(x).bits();
      for (unsigned in = 0; in < 64; ++in) {
        auto const changed = before ^ xxh3().of_integer(x ^ (std::uint64_t{1} << in)).bits();
        for (unsigned out = 0; out < 64; ++out) flips[in * 64 + out] += static_cast<std::uint32_t>(changed >> out & 1);
      }
    }
    for (unsigned pair = 0; pair < flips.size(); ++pair)
      EXPECT_NEAR(flips[pair] / static_cast<double>(trials), 0.5, 0.018) << "in " << pair / 64 << " out " << pair % 64;
  }
}

// No two integers share a digest: the mixer can be run backwards, which is how this test finds the integer again.
TEST(xxh3, integers_never_collide) {
  auto const unmix64 = [](std::uint64_t x) {
    x ^= x >> 31 ^ x >> 62;
    x *= 0x319642b2d24d8ec3U;  // the inverses of mix64's multipliers mod 2^64
    x ^= x >> 27 ^ x >> 54;
    x *= 0x96de1b173f119089U;
    return x ^ x >> 30 ^ x >> 60;
  };
  for (std::uint64_t seed : {0U, 1U, 77U}) {
    auto const salt = hortus::mix64(seed + hortus::golden_ratio64);
    for (std::uint64_t i = 0; i < 10000; ++i) EXPECT_EQ(unmix64(xxh3(seed).of_integer(i << 32 | i).bits()) ^ salt, i << 32 | i);
  }
}

}  // namespace
