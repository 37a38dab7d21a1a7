#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <hortus/cells/wide_slots.hpp>

namespace hortus {
namespace {

TEST(wide_slots, hold_what_was_put_at_every_width) {
  std::mt19937_64 random(1);
  for (unsigned width = 0; width <= 64; ++width) {
    wide_slots slots(100, width);
    ASSERT_TRUE(slots.valid());
    ASSERT_TRUE(slots.holds(100));
    ASSERT_EQ(slots.size_bytes(), wide_slots::bytes_for(100, width));
    std::vector<std::uint64_t> values(100);
    for (int i = 0; i < 1000; ++i) {
      auto const at = random() % 100;
      slots.put(at, values[at] = random() & slots.max());
    }
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(slots.get(i), values[i]) << width;
    slots.with_reader([&](auto read) {
      for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(read(i) & slots.max(), values[i]) << width;
    });
  }
}

}  // namespace
}  // namespace hortus
