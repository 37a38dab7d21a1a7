// Keys of fixed size: the difference from messages, fixed and streamed, and messages that are damaged or of another stream.
#include <gtest/gtest.h>

#include <hortus/sets/reconciler.hpp>

#include "code_of.hpp"
#include "sets/sets_of_keys.hpp"

namespace hortus::testing {
namespace {

using namespace hortus::sets;

/// Sets with `common` keys and as many of their own as said; the difference must be exact. Returns symbols.
template <std::size_t Bytes>
std::uint64_t differ(std::uint64_t common, std::uint64_t only_mine, std::uint64_t only_theirs) {
  reconciler<Bytes> mine(secret_of(9));
  reconciler<Bytes> theirs(secret_of(9));
  for (auto const& key : numbered_keys<Bytes>(0, common)) mine.add(key), theirs.add(key);
  auto const a = numbered_keys<Bytes>(1U << 30, only_mine);
  auto const b = numbered_keys<Bytes>(1U << 31, only_theirs);
  for (auto const& key : a) mine.add(key);
  for (auto const& key : b) theirs.add(key);
  std::uint64_t rounds = 0;
  while (!mine.feed(theirs.next_symbols(mine.to_ask()))) ++rounds;
  EXPECT_EQ(sorted(mine.mine_only()), sorted(a));
  EXPECT_EQ(sorted(mine.theirs_only()), sorted(b));
  EXPECT_LT(rounds, 25U);
  EXPECT_TRUE(mine.feed(theirs.next_symbols(5)));  // more is not needed and does no harm
  return mine.fed();
}

TEST(reconciler, finds_the_exact_difference) {
  for (std::uint64_t const d : {0U, 1U, 2U, 10U, 100U, 1000U}) {
    differ<8>(2000, d, 0);
    differ<16>(2000, 0, d);
    differ<20>(2000, d / 2, d - d / 2);
    differ<32>(0, d, d / 3);
    differ<3>(1000, 5, 5);
  }
  differ<20>(50000, 50000, 50000);
}

TEST(reconciler, asks_for_hardly_more_than_it_takes) {
  for (auto const& [differences, most] : {std::pair{1000U, 1.50}, std::pair{10000U, 1.45}, std::pair{100000U, 1.43}}) {
    auto const symbols = differ<8>(20000, differences / 2, differences / 2);
    EXPECT_LT(static_cast<double>(symbols) / differences, most) << differences;
  }
}

TEST(reconciler, one_message_is_a_table_of_fixed_size) {
  reconciler<16> theirs(secret_of(1));
  for (auto const& key : numbered_keys<16>(0, 10000)) theirs.add(key);
  auto const table = theirs.next_symbols(200);
  EXPECT_LT(table.size(), 200 * 27 + 40);
  for (std::uint64_t const missing : {0U, 3U, 100U, 1000U}) {
    reconciler<16> mine(secret_of(1));
    for (auto const& key : numbered_keys<16>(0, 10000 - missing)) mine.add(key);
    EXPECT_EQ(mine.feed(table), missing <= 100) << missing;
    if (missing <= 100) {
      EXPECT_EQ(sorted(mine.theirs_only()), sorted(numbered_keys<16>(10000 - missing, missing)));
    }
  }
}

TEST(reconciler, refuses_what_is_damaged_or_of_another_stream) {
  reconciler<8> theirs(secret_of(1));
  theirs.add(numbered_key<8>(1));
  auto const first = theirs.next_symbols(2);
  auto const second = theirs.next_symbols(2);
  for (std::size_t size = 0; size < first.size(); ++size)
    EXPECT_EQ(code_of([&] { reconciler<8>(secret_of(1)).feed(std::span(first).first(size)); }), errc::corrupt);
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto damaged = first;
    damaged[i] ^= std::byte{4};
    EXPECT_EQ(code_of([&] { reconciler<8>(secret_of(1)).feed(damaged); }), errc::corrupt) << i;
  }
  EXPECT_EQ(code_of([&] { reconciler<8>(secret_of(2)).feed(first); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { reconciler<16>(secret_of(1)).feed(first); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { reconciler<8>(secret_of(1)).feed(second); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { theirs.feed(first); }), errc::bad_params);
}

TEST(reconciler, refuses_a_difference_that_contradicts_its_own_keys) {
  // The peer says that it lacks a key that this side does not have, with symbols that fit each other.
  auto const secret = secret_of(1);
  siphash const hash(secret);
  auto const key = numbered_key<8>(7);
  auto const checksum = checksum_of(hash, key);
  std::vector<coded_symbol<8>> symbols(40);
  for (symbol_index at = 0; at < 40; at = next_symbol(checksum, at)) symbols[at].subtract(key, checksum);
  reconciler<8> mine(secret);
  EXPECT_EQ(code_of([&] { mine.feed(symbols, ~std::uint64_t{0}); }), errc::corrupt);
}

// The wire format: a table of these two keys, byte for byte.
TEST(reconciler, writes_the_same_bytes_for_ever) {
  reconciler<8> some(secret_of(3));
  some.add(numbered_key<8>(1));
  some.add(numbered_key<8>(2));
  auto const bytes = some.next_symbols(3);
  std::string hex;
  for (auto const byte : bytes) {
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  EXPECT_EQ(hex,
            "89484f5253594d0a3ed3d54d2f55f04d08020003a6b08cec4da0e12fffa56a3db6f62b2200a6b08cec4da0e12fffa56a3db6f62b2202c15c02"
            "89ec2d0a91"
            "f43999e71829f380025cc10b50f20b5595");
}

}  // namespace
}  // namespace hortus::testing
