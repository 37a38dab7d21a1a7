#include <hortus/plan/space_saving.hpp>

#include <gtest/gtest.h>

namespace hortus::plan {
namespace {

TEST(space_saving_plan, has_as_many_counters_as_the_error_asks_for) {
  for (auto const& [error, counters] :
       {std::pair{0.01, 100U}, {0.001, 1000U}, {1e-6, 1'000'000U}, {0.3, 4U}, {0.5, 2U}, {0.99, 2U}})
    for (std::uint64_t const key_bytes : {8U, 9U, 256U, 1'048'576U}) {
      if (1 / error * static_cast<double>(key_bytes) > 1e11) continue;
      auto const shape = space_saving(0, error, key_bytes);
      EXPECT_EQ(counters_in(shape), counters);
      EXPECT_LE(space_saving_error(shape), error);
      EXPECT_EQ(shape.key_bytes, key_bytes);
    }
}

TEST(space_saving_plan, a_counter_takes_its_place_and_its_key) {
  EXPECT_EQ(counter_bytes(0), 74U);
  EXPECT_EQ(counter_bytes(1), 84U);
  EXPECT_EQ(counter_bytes(8), 84U);
  EXPECT_EQ(counter_bytes(256), 394U);
}

TEST(space_saving_plan, what_cannot_be_is_refused) {
  EXPECT_THROW((void)space_saving(0, 1e-12, 256), error);
  EXPECT_THROW((void)space_saving(0, 0.01, 7), error);
  EXPECT_THROW((void)space_saving(0, 0.01, 1'048'577), error);
  EXPECT_THROW((void)space_saving_error({83, 8}), error);
  EXPECT_THROW((void)space_saving_error({most_room + 1, 8}), error);
  EXPECT_EQ(space_saving_error({84, 8}), 1);
}

}  // namespace
}  // namespace hortus::plan
