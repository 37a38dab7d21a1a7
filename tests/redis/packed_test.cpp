#include "redis/packed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "code_of.hpp"

namespace hortus::server {
namespace {

using testing::code_of;

/// All items, and the sizes of the blocks in which they came.
struct unpacked {
  std::vector<std::string> items;
  std::vector<std::size_t> blocks;
};
unpacked unpack(packing how, std::string const& bytes, std::size_t width = 0) {
  unpacked all;
  packed_items const packed(how, width, bytes);
  packed.in_blocks([&](auto keys) {
    all.blocks.push_back(keys.size());
    for (auto const& each : keys) {
      using key = std::remove_cvref_t<decltype(each)>;
      if constexpr (std::same_as<key, std::string_view>)
        all.items.emplace_back(each);
      else if constexpr (std::derived_from<key, digest>)
        all.items.push_back("digest " + std::to_string(each.bits()));
      else
        all.items.push_back(std::to_string(each));
    }
  });
  EXPECT_EQ(packed.size(), all.items.size());
  return all;
}
using texts = std::vector<std::string>;

std::string word(std::uint64_t value) { return {reinterpret_cast<char const*>(&value), sizeof value}; }
std::string length32(std::uint32_t value) { return {reinterpret_cast<char const*>(&value), sizeof value}; }

TEST(packed_items, lines_end_with_a_newline_that_may_be_missing_at_the_end) {
  EXPECT_EQ(unpack(packing::lines, "").items, texts());
  EXPECT_EQ(unpack(packing::lines, "\n").items, texts({""}));
  EXPECT_EQ(unpack(packing::lines, "a\nb").items, texts({"a", "b"}));
  EXPECT_EQ(unpack(packing::lines, "a\nb\n").items, texts({"a", "b"}));
  EXPECT_EQ(unpack(packing::lines, "\n\na\r\n").items, texts({"", "", "a\r"}));
}

TEST(packed_items, of_one_width) {
  EXPECT_EQ(unpack(packing::fixed, "abcdef", 2).items, texts({"ab", "cd", "ef"}));
  EXPECT_EQ(unpack(packing::fixed, "", 2).items, texts());
  EXPECT_EQ(unpack(packing::fixed, "abc", 3).items, texts({"abc"}));
  EXPECT_EQ(code_of([] { unpack(packing::fixed, "abc", 2); }), errc::bad_params);
  EXPECT_EQ(code_of([] { unpack(packing::fixed, "abc", 0); }), errc::bad_params);
  EXPECT_EQ(code_of([] { unpack(packing::fixed, "abc", ~std::size_t{0}); }), errc::bad_params);
}

TEST(packed_items, words_are_integers_or_digests_wherever_they_lie) {
  auto const two = word(7) + word(~std::uint64_t{0});
  EXPECT_EQ(unpack(packing::integers, two).items, texts({"7", "18446744073709551615"}));
  EXPECT_EQ(unpack(packing::digests, two).items, texts({"digest 7", "digest 18446744073709551615"}));
  auto const shifted = "x" + two;  // not aligned
  std::vector<std::uint64_t> seen;
  packed_items(packing::integers, 0, std::string_view(shifted).substr(1)).in_blocks([&](auto keys) {
    for (auto const& each : keys)
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(each)>, std::uint64_t>) seen.push_back(each);
  });
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{7, ~std::uint64_t{0}}));
  EXPECT_EQ(code_of([&] { unpack(packing::digests, two.substr(1)); }), errc::bad_params);
}

TEST(packed_items, after_their_lengths) {
  auto const bytes = length32(2) + "ab" + length32(0) + length32(3) + std::string("c\0d", 3);
  EXPECT_EQ(unpack(packing::u32len, bytes).items, texts({"ab", "", std::string("c\0d", 3)}));
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    if (cut == 6 || cut == 10) continue;  // after an item
    EXPECT_EQ(code_of([&] { unpack(packing::u32len, bytes.substr(0, cut)); }), errc::bad_params) << cut;
  }
  EXPECT_EQ(code_of([] { unpack(packing::u32len, length32(~std::uint32_t{0})); }), errc::bad_params);
}

TEST(packed_items, after_lengths_in_groups_of_7_bits) {
  std::string const longer(300, 'x');
  EXPECT_EQ(unpack(packing::varint,
                   "\x02"
                   "ab" +
                       std::string(1, '\0') + "\xac\x02" + longer)
                .items,
            texts({"ab", "", longer}));
  EXPECT_EQ(unpack(packing::varint, std::string("\x81\x80\0", 3) + "a").items, texts({"a"}));  // longer than it need be
  std::string const too_short = std::string("\x05") + "abc";
  for (auto const* const wrong :
       {"\x80", "\xff", too_short.c_str(), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"})
    EXPECT_EQ(code_of([&] { unpack(packing::varint, wrong); }), errc::bad_params);
}

TEST(packed_items, tell_the_bytes_of_the_first) {
  EXPECT_EQ(packed_items(packing::lines, 0, "a\n\nbc").first_bytes(2), "a\n\n");
  EXPECT_EQ(packed_items(packing::lines, 0, "a\n\nbc").first_bytes(3), "a\n\nbc");
  EXPECT_EQ(packed_items(packing::fixed, 2, "abcdef").first_bytes(2), "abcd");
  EXPECT_EQ(packed_items(packing::varint, 0,
                         "\x01"
                         "a\x02"
                         "bc")
                .first_bytes(1),
            "\x01"
            "a");
  EXPECT_EQ(packed_items(packing::digests, 0, word(1) + word(2)).first_bytes(0), "");
}

TEST(packed_items, tell_the_bytes_of_some) {
  auto const but_the_second = [](std::size_t i) { return i != 1; };
  auto const of = [&](packing how, std::size_t width, std::string const& bytes, std::size_t count) {
    return packed_items(how, width, bytes).bytes_of_some(count, but_the_second);
  };
  EXPECT_EQ(of(packing::lines, 0, "a\nlong\n\nbc", 4), "a\n\nbc");
  EXPECT_EQ(of(packing::lines, 0, "a\nlong\n\nbc", 2), "a\n");
  EXPECT_EQ(of(packing::fixed, 2, "abcdef", 3), "abef");
  EXPECT_EQ(of(packing::u32len, 0, length32(1) + "a" + length32(0) + length32(2) + "bc", 3),
            length32(1) + "a" + length32(2) + "bc");
  EXPECT_EQ(of(packing::varint, 0,
               std::string("\x01"
                           "a"
                           "\x00"
                           "\x82\x00"
                           "bc",
                           7),
               3),
            std::string("\x01"
                        "a"
                        "\x82\x00"
                        "bc",
                        6));
  EXPECT_EQ(of(packing::digests, 0, word(1) + word(2) + word(3), 3), word(1) + word(3));
}

TEST(packed_items, come_in_blocks) {
  std::string lines;
  std::string words;
  for (std::uint64_t i = 0; i < 2 * packed_items::block_items + 5; ++i) {
    lines += std::to_string(i) + "\n";
    words += word(i);
  }
  auto const by_lines = unpack(packing::lines, lines);
  EXPECT_EQ(by_lines.blocks, (std::vector<std::size_t>{packed_items::block_items, packed_items::block_items, 5}));
  EXPECT_EQ(by_lines.items, unpack(packing::integers, words).items);
}

}  // namespace
}  // namespace hortus::server
