#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/siphash.hpp>

#include "pattern.hpp"

namespace {

using hortus::secret_key;
using hortus::siphash;
using hortus::siphash24;

/// The paper's key, and the paper's messages: 00 01 02 ...
std::vector<std::byte> count_up(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}
secret_key papers_key() { return secret_key::from_bytes(count_up(16)); }

// The values the reference implementation publishes (github.com/veorq/SipHash, vectors.h), also those of OpenSSL 3's SIPHASH.
constexpr std::array<std::uint64_t, 64> first_64_lengths_of_2_4 = {
    0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d, 0xcf2794e0277187b7, 0x18765564cd99a68d,
    0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
    0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5, 0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794,
    0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd, 0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
    0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad, 0xde4daaaca71dc9a5, 0xa6a2506687956571,
    0xad87a3535c49ef28, 0x32d892fad841c342, 0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238, 0x15e034d40fa197ae,
    0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c, 0x0e3ea96b5304a7d0, 0xad0c42d6fc585992,
    0x187306c89bc215a9, 0xd4a60abcf3792b95, 0xf935451de4f21df2, 0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb,
    0xe612a3cb9ecba951, 0xc766e62cfcadaf96, 0xee64435a9752fe72, 0xa192d576b245165a, 0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f,
    0x7fa8220ba3b2ecea, 0x245731c13ca42499, 0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
    0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
};

// Computed with OpenSSL 3's SIPHASH, c-rounds 1, d-rounds 3, size 8.
constexpr std::array<std::uint64_t, 64> first_64_lengths_of_1_3 = {
    0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb, 0xcf75576088d38328, 0xdef9d52f49533b67,
    0xc50d2b50c59f22a7, 0xd3927d989bb11140, 0x369095118d299a8e, 0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
    0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34, 0xd320d86d2a519956, 0xcc4fdd1a7d908b66, 0x9cf2689063dbd80c,
    0x8ffc389cb473e63e, 0xf21f9de58d297d1c, 0xc0dc2f46a6cce040, 0xb992abfe2b45f844, 0x7ffe7b9ba320872e, 0x525a0e7fdae6c123,
    0xf464aeb267349c8c, 0x45cd5928705b0979, 0x3a3e35e3ca9913a5, 0xa91dc74e4ade3b35, 0xfb0bed02ef6cd00d, 0x88d93cb44ab1e1f4,
    0x540f11d643c5e663, 0x2370dd1f8c21d1bc, 0x81157b6c16a7b60d, 0x4d54b9e57a8ff9bf, 0x759f12781f2a753e, 0xcea1a3bebf186b91,
    0x2cf508d3ada26206, 0xb6101c2da3c33057, 0xb3f47496ae3a36a1, 0x626b57547b108392, 0xc1d2363299e41531, 0x667cc1923f1ad944,
    0x65704ffec8138825, 0x24f280d1c28949a6, 0xc2ca1cedfaf8876b, 0xc2164bfc9f042196, 0xa16e9c9368b1d623, 0x49fb169c8b5114fd,
    0x9f3143f8df074c46, 0xc6fdaf2412cc86b3, 0x7eaf49d10a52098f, 0x1cf313559d292f9a, 0xc44a30dda2f41f12, 0x36fae98943a71ed0,
    0x318fb34c73f0bce6, 0xa27abf3670a7e980, 0xb4bcc0db243c6d75, 0x23f8d852fdb71513, 0x8f035f4da67d8a08, 0xd89cd0e5b7e8f148,
    0xf6f4e6bcf7a644ee, 0xaec59ad80f1837f2, 0xc3b2f6154b6694e0, 0x9d199062b7bbb3a8,
};

TEST(siphash, have_their_own_numbers_and_names) {
  EXPECT_EQ(siphash::id, 3U);
  EXPECT_EQ(siphash::name, "siphash13");
  EXPECT_EQ(siphash24::id, 4U);
  EXPECT_EQ(siphash24::name, "siphash24");
  EXPECT_EQ(siphash(papers_key()).seed(), 0U);
}

// Appendix A of the paper: 15 bytes 00 to 0e.
TEST(siphash, the_example_of_the_paper) {
  EXPECT_EQ(siphash24(papers_key()).of_bytes(count_up(15)).bits(), 0xa129ca6149be45e5U);
}

TEST(siphash, golden_values_of_every_length_to_256) {
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_EQ(siphash24(papers_key()).of_bytes(count_up(n)).bits(), first_64_lengths_of_2_4[n]) << n;
    EXPECT_EQ(siphash(papers_key()).of_bytes(count_up(n)).bits(), first_64_lengths_of_1_3[n]) << n;
  }
  EXPECT_EQ(hash_test::fold_0_to_256(siphash(papers_key())), 0x6ed6df4b4098a3deU);
  EXPECT_EQ(hash_test::fold_0_to_256(siphash24(papers_key())), 0xe49efaf1559266a9U);
}

TEST(siphash, a_key_of_64_mebibytes) {
  auto const bytes = hash_test::pattern(std::size_t{64} << 20);
  EXPECT_EQ(siphash(papers_key()).of_bytes(bytes).bits(), 0x05edf5e8027fa316U);
  EXPECT_EQ(siphash24(papers_key()).of_bytes(bytes).bits(), 0xc60d882d6958d506U);
}

TEST(siphash, an_integer_is_its_eight_little_endian_bytes) {
  for (std::uint64_t x : {std::uint64_t{0}, std::uint64_t{42}, std::uint64_t{0x0102030405060708U}, ~std::uint64_t{0}}) {
    auto const bytes = hortus::little_endian_bytes(x);
    EXPECT_EQ(bytes[0], static_cast<std::byte>(x & 0xff));
    EXPECT_EQ(bytes[7], static_cast<std::byte>(x >> 56));
    EXPECT_EQ(siphash(papers_key()).of_integer(x), siphash(papers_key()).of_bytes(bytes));
    EXPECT_EQ(siphash24(papers_key()).of_integer(x), siphash24(papers_key()).of_bytes(bytes));
  }
  EXPECT_EQ(siphash24(papers_key()).of_integer(0x0706050403020100U).bits(), first_64_lengths_of_2_4[8]);
}

TEST(siphash, unaligned_bytes_hash_as_aligned_ones) {
  auto const aligned = hash_test::pattern(40);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<std::byte> moved(40 + shift);
    std::memcpy(moved.data() + shift, aligned.data(), aligned.size());
    for (std::size_t n = 0; n <= 40; ++n)
      EXPECT_EQ(siphash().of_bytes(std::span(moved).subspan(shift, n)), siphash().of_bytes(std::span(aligned).first(n)));
  }
}

TEST(siphash, works_at_compile_time) {
  constexpr siphash24 hash{secret_key()};
  static_assert(hash.of_integer(1) != hash.of_integer(2));
  static_assert(hash.of_bytes({}) == siphash24().of_bytes({}));
}

TEST(siphash, every_bit_of_the_key_counts) {
  auto const plain = siphash(papers_key());
  auto const plain24 = siphash24(papers_key());
  for (unsigned bit = 0; bit < 128; ++bit) {
    auto bytes = count_up(16);
    bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    auto const other = secret_key::from_bytes(bytes);
    EXPECT_NE(siphash(other), plain);
    EXPECT_NE(siphash(other).of_integer(1), plain.of_integer(1));
    EXPECT_NE(siphash24(other).of_integer(1), plain24.of_integer(1));
    EXPECT_NE(siphash(other).check(), plain.check());
  }
  EXPECT_EQ(siphash(papers_key()), plain);
}

// Stored in files: never changes. 4-8 rounds over the label, computed with OpenSSL 3's SIPHASH.
TEST(siphash, golden_check_values) {
  EXPECT_EQ(siphash(papers_key()).check(), 0xf4f4af1a7c799aaaU);
  EXPECT_EQ(siphash24(papers_key()).check(), 0xf4f4af1a7c799aaaU);
  EXPECT_EQ(siphash().check(), 0x94379e4e37f0b8e9U);
}

// The check value in a file must not reveal the digest of any key.
TEST(siphash, the_check_value_is_nobodys_digest) {
  std::string_view const label = "hortus: check of a secret key";
  auto const bytes = std::as_bytes(std::span(label));
  EXPECT_NE(siphash(papers_key()).check(), siphash(papers_key()).of_bytes(bytes).bits());
  EXPECT_NE(siphash24(papers_key()).check(), siphash24(papers_key()).of_bytes(bytes).bits());
}

TEST(secret_key, is_exactly_16_bytes) {
  for (std::size_t size : {0U, 1U, 15U, 17U, 32U}) {
    try {
      (void)secret_key::from_bytes(count_up(size));
      ADD_FAILURE() << size;
    } catch (hortus::error const& e) {
      EXPECT_EQ(e.code(), hortus::errc::bad_params);
      EXPECT_EQ(std::string(e.what()), "a secret key is 16 bytes, not " + std::to_string(size));
    }
  }
  std::array<std::byte, 16> const bytes{std::byte{1}};
  EXPECT_EQ(secret_key(bytes).bytes()[0], std::byte{1});
  EXPECT_NE(secret_key(bytes), secret_key());
}

}  // namespace
