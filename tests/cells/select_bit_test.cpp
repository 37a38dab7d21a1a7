#include <hortus/cells/select_bit.hpp>

#include <gtest/gtest.h>

#include <hortus/hash/mix64.hpp>

namespace hortus::testing {
namespace {

TEST(select_bit, finds_every_set_bit_of_a_word) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    auto word = mix64(i);
    if (i % 4 == 1) word &= mix64(i + 1) & mix64(i + 2);
    if (i % 4 == 2) word |= mix64(i + 1) | mix64(i + 2);
    if (i < 64) word = std::uint64_t{1} << i;
    if (i == 64) word = ~std::uint64_t{0};
    unsigned rank = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      ASSERT_EQ(select_bit(word, rank), bit) << word << " " << rank;
      ASSERT_EQ(portable_select_bit(word, rank), bit) << word << " " << rank;
      ++rank;
    }
  }
}

}  // namespace
}  // namespace hortus::testing
