#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/xxh64.hpp>

#include "pattern.hpp"

namespace {

using hortus::xxh64;

// Computed with libxxhash.so 0.8.1, which was compiled separately from the inlined code that is tested.
constexpr std::array<std::uint64_t, 64> first_64_lengths = {
    0xef46db3751d8e999, 0x17fd8339c3b45154, 0x42dfabb3c5dd978d, 0x9f2d31b55357de18, 0x7d2dd0ebcb15666f, 0x24d674acc708ca67,
    0x4df46bb0c1295969, 0x76524c5509813139, 0xa19f48ea16a0d757, 0xc87f01ebb498ae8e, 0xbe9d026b5b000d46, 0xfd34c2ac1a8abd7d,
    0x7061d391e0c8b8f9, 0x6d62efa9cd76a950, 0x8bb48b1f78f64a17, 0x4c352da4ca0f6a62, 0x06b23682687b8772, 0xd52c2a5cb5d38a5f,
    0x9d16d812ccc234f6, 0x7c9d25f2d479fa0d, 0x135201d5e28ef8b3, 0x55d3ca94d0e8e42b, 0x6638bae24e1b1276, 0x6908d5d8ff20ddb1,
    0x9bc52b2c7a6284a7, 0xca96a572b86e0ebb, 0xe2929f1651100e37, 0x377e91345bc6d9a5, 0xf30840b73c0a7bb3, 0x231691feb44e281d,
    0x5837134c7412c694, 0x9e9cd429eba3affd, 0x6d9612bb14463a09, 0xfa1427f95cda94b8, 0xe1d8bc63bd8b9304, 0x14f499570190be76,
    0x828314500c75fa28, 0xd873e253aa3dde84, 0x2ffbd7697a2e783d, 0x47a2ca43606ba055, 0xd21f90eedb463cea, 0xd9bc202e78c207a6,
    0xd5ff71b9e153b033, 0x31b7a65e2997ea85, 0x4a65191d1e930e17, 0xfeece3a0b0fe00cf, 0x7e75cc8c531e8a66, 0x23f9e23c2dc671b4,
    0xe3c3388335a04688, 0x0218ffb106d7564a, 0x9a4114ab8e593a12, 0xc2a48e12632a3f40, 0x0a2282d3bc7c8866, 0x60cc08b29fb8c1ac,
    0x0f02264a3c80bdf2, 0x9ab09529e1f2b1f5, 0xc59851119a19c5d4, 0x8b3c196fb9c47ab3, 0xbc0766a877068292, 0xa4630d889e578aaa,
    0x03fb815ef1b76706, 0x067bea3c083a418c, 0xe429f6691178fce2, 0xe413470c443c95db,
};

std::uint64_t of_text(std::string_view text) { return xxh64().of_bytes(std::as_bytes(std::span(text))).bits(); }

TEST(xxh64, has_its_own_number_and_name) {
  EXPECT_EQ(xxh64::id, 2U);
  EXPECT_EQ(xxh64::name, "xxh64");
  EXPECT_EQ(xxh64(7).seed(), 7U);
  EXPECT_EQ(xxh64(7).check(), 0U);
  EXPECT_EQ(xxh64(), xxh64(0));
  EXPECT_NE(xxh64(1), xxh64(2));
}

TEST(xxh64, golden_values_of_every_length_to_256) {
  auto const bytes = hash_test::pattern(64);
  for (std::size_t n = 0; n < 64; ++n) EXPECT_EQ(xxh64().of_bytes(std::span(bytes).first(n)).bits(), first_64_lengths[n]) << n;
  EXPECT_EQ(hash_test::fold_0_to_256(xxh64()), 0x0ed70ae2af6e51c3U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh64(1)), 0x9fc89c51824c9354U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh64(2)), 0x4cf6fdec66dd5d2aU);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh64(42)), 0x5a245eeaf3068a96U);
  EXPECT_EQ(hash_test::fold_0_to_256(xxh64(~std::uint64_t{0})), 0xdf6dff1bc90ca415U);
}

// The values xxHash publishes for its own self-test (tests/sanity_test_vectors.h), and how it fills its buffer.
TEST(xxh64, is_the_published_function_with_its_seed_as_it_is) {
  std::array<std::byte, 222> buffer{};
  std::uint64_t const seed = 2654435761U;
  std::uint64_t state = seed;
  for (auto& byte : buffer) {
    byte = static_cast<std::byte>(state >> 56);
    state *= 11400714785074694797U;
  }
  struct vector {
    std::size_t length;
    std::uint64_t unseeded, seeded;
  };
  for (auto [length, unseeded, seeded] :
       {vector{0, 0xef46db3751d8e999U, 0xac75fda2929b17efU}, vector{1, 0xe934a84adb052768U, 0x5014607643a9b4c3U},
        vector{4, 0x9136a0dca57457eeU, 0xcaab286bd8e9fdb5U}, vector{14, 0x8282dcc4994e35c8U, 0xc3bd6bf63deb6df0U},
        vector{222, 0xb641ae8cb691c174U, 0x20cb8ab7ae10c14aU}}) {
    EXPECT_EQ(xxh64().of_bytes(std::span(buffer).first(length)).bits(), unseeded) << length;
    EXPECT_EQ(xxh64(seed).of_bytes(std::span(buffer).first(length)).bits(), seeded) << length;
  }
  EXPECT_EQ(of_text(""), 0xef46db3751d8e999U);
  EXPECT_EQ(of_text("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(of_text("abc"), 0x44bc2cf5ad770999U);
}

TEST(xxh64, a_key_of_64_mebibytes) {
  EXPECT_EQ(xxh64().of_bytes(hash_test::pattern(std::size_t{64} << 20)).bits(), 0xbbc5a48aec1b5bc3U);
}

TEST(xxh64, an_integer_is_its_eight_little_endian_bytes) {
  std::array<std::byte, 8> const bytes = {std::byte{0x08}, std::byte{0x07}, std::byte{0x06}, std::byte{0x05},
                                          std::byte{0x04}, std::byte{0x03}, std::byte{0x02}, std::byte{0x01}};
  EXPECT_EQ(xxh64().of_integer(0x0102030405060708U), xxh64().of_bytes(bytes));
  EXPECT_EQ(xxh64().of_integer(0).bits(), 0x34c96acdcadb1bbbU);  // eight zero bytes
}

TEST(xxh64, unaligned_bytes_hash_as_aligned_ones) {
  auto const aligned = hash_test::pattern(100);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<std::byte> moved(100 + shift);
    std::memcpy(moved.data() + shift, aligned.data(), aligned.size());
    for (std::size_t n : {1U, 7U, 8U, 33U, 100U})
      EXPECT_EQ(xxh64(3).of_bytes(std::span(moved).subspan(shift, n)), xxh64(3).of_bytes(std::span(aligned).first(n)));
  }
}

}  // namespace
