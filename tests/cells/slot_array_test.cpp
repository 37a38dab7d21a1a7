// Packed slots beside a vector of numbers, at every width.
#include <hortus/cells/slot_array.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <hortus/hash/mix64.hpp>

namespace hortus::testing {
namespace {

TEST(slot_array, agrees_with_a_vector_at_every_width) {
  for (unsigned width = 1; width <= slot_array::max_width; ++width)
    for (std::uint64_t const slots : {1U, 2U, 63U, 64U, 65U, 300U}) {
      slot_array packed(slots, width);
      std::vector<std::uint64_t> model(slots);
      EXPECT_EQ(packed.size_bytes(), slot_array::bytes_for(slots, width));
      for (std::uint64_t t = 0; t < 4 * slots; ++t) {
        auto const i = mix64(t) % slots;
        auto const value = t % 3 == 0 ? packed.max() : mix64(~t) & packed.max();
        packed.put(i, value);
        model[i] = value;
      }
      for (std::uint64_t i = 0; i < slots; ++i) {
        ASSERT_EQ(packed.get(i), model[i]) << width << " bits, slot " << i << " of " << slots;
        if (width > slot_array::pair_width || i + 1 == slots) continue;
        auto const pair = packed.get_pair(i);
        EXPECT_EQ(pair & packed.max(), model[i]);
        EXPECT_EQ(pair >> width & packed.max(), model[i + 1]) << width << " bits, after slot " << i;
      }
      EXPECT_TRUE(packed.valid()) << "nothing is written past the last slot";
      packed.clear();
      EXPECT_EQ(packed, slot_array(slots, width));
    }
}

TEST(slot_array, refuses_what_it_cannot_hold) {
  EXPECT_THROW(slot_array(1, 0), error);
  EXPECT_THROW(slot_array(1, 58), error);
  EXPECT_THROW(slot_array(slot_array::max_bits, 2), error);
  EXPECT_THROW(slot_array(~std::uint64_t{0}, 57), error);
}

}  // namespace
}  // namespace hortus::testing
