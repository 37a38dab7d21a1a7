// Lines as keys of filters that ask how near they are.
#include "cli/near_keys.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hortus::cli {
namespace {

std::string refusal(char const* metric, std::string_view text) {
  try {
    (void)near_keys(*any_metric::named(metric)).of(text);
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_goal);
    return e.what();
  }
  return "";
}

TEST(near_keys, hexadecimal_digits_are_bits) {
  near_keys keys(*any_metric::named("hamming"));
  auto const bits = std::get<bit_string>(keys.of("8fA0"));
  ASSERT_EQ(bits.bits, 16U);
  EXPECT_EQ(bits.bytes[0], std::byte{0x8f});  // as everywhere: the key that a program inserts as bytes
  EXPECT_EQ(bits.bytes[1], std::byte{0xa0});
  auto const odd = std::get<bit_string>(keys.of("8f7"));
  ASSERT_EQ(odd.bits, 12U);
  EXPECT_EQ(odd.bytes[0], std::byte{0x8f});
  EXPECT_EQ(odd.bytes[1], std::byte{0x07});  // its bits are the lowest four
  EXPECT_EQ(std::get<bit_string>(keys.of("f")).bits, 4U);
}

TEST(near_keys, what_is_no_hexadecimal_digit_is_refused) {
  for (auto const* const text : {"", "0x12", "12 34", "12g4", "-1", "12\r"}) EXPECT_NE(refusal("hamming", text), "") << text;
}

TEST(near_keys, a_text_is_itself) {
  near_keys keys(*any_metric::named("jaccard"));
  for (std::string_view const text : {"", "some text", "\xff"}) EXPECT_EQ(std::get<std::string_view>(keys.of(text)), text);
}

TEST(near_keys, numbers_are_vectors) {
  near_keys keys(*any_metric::named("angle"));
  auto const vector = [&](std::string_view text) {
    auto const row = std::get<std::span<double const>>(keys.of(text));
    return std::vector<double>(row.begin(), row.end());
  };
  std::vector<double> const expected{1, -2.5, 3e10};
  for (std::string_view const text : {"1 -2.5 3e10", "1,-2.5,3e10", " 1 ,\t-2.5 , 3e10 ", "1\t-2.5\t3e10", "1  -2.5,  3e10"})
    EXPECT_EQ(vector(text), expected) << text;
  EXPECT_EQ(vector("7"), std::vector<double>{7});
}

TEST(near_keys, what_is_no_vector_is_refused) {
  for (auto const* const text : {"", "  ", "1 x", "1,,2", "1 2,", ",1", "1;2", "1 2x", "--1"})
    EXPECT_NE(refusal("angle", text), "") << text;
}

TEST(near_keys, errors_name_the_line) {
  near_keys keys(*any_metric::named("hamming"));
  std::vector<std::string_view> const lines{"ff", "no"};
  record_block block;
  block.lines = lines;
  block.keys = lines;
  block.first_line = 11;
  auto const told = [&](std::string_view input) {
    block.input = input;
    std::string text;
    int used = 0;
    try {
      for_each_near_key(keys, block, [&](near_key const&, std::size_t) { ++used; });
    } catch (error const& e) {
      text = e.what();
    }
    EXPECT_EQ(used, 1);
    return text;
  };
  EXPECT_TRUE(told("some.txt").starts_with("line 12 of 'some.txt': 'n' is no hexadecimal digit"));
  EXPECT_TRUE(told("-").starts_with("line 12 of standard input: "));
  EXPECT_TRUE(told("").starts_with("-e 'no': "));
}

}  // namespace
}  // namespace hortus::cli
