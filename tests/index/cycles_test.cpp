#include <gtest/gtest.h>

#include <hortus/index/add_mod.hpp>
#include <hortus/index/coprime_steps.hpp>
#include <hortus/index/slot_cycles.hpp>

/// Steps and cycles that go through every place once.
namespace hortus::testing {
namespace {

TEST(slot_cycles, every_cycle_goes_through_all_slots_and_back) {
  for (unsigned slots = 2; slots <= slot_cycles::max_slots; ++slots) {
    slot_cycles const cycles(slots);
    ASSERT_EQ(cycles.count(), slots - 1);
    for (unsigned way = 0; way < cycles.count(); ++way) {
      unsigned at = 0;
      for (unsigned i = 1; i <= slots; ++i) {
        auto const next = cycles.next(at, way);
        ASSERT_LT(next, slots);
        ASSERT_EQ(cycles.previous(next, way), at);
        at = next;
        ASSERT_EQ(at == 0, i == slots) << slots << " slots, way " << way;
      }
    }
  }
}

TEST(slot_cycles, pinned) {
  slot_cycles const cycles(6);
  unsigned const by_two[] = {2, 3, 4, 5, 1, 0};  // 0 2 4 | 1 3 5 joined: 0 2 4 1 3 5
  for (unsigned slot = 0; slot < 6; ++slot) EXPECT_EQ(cycles.next(slot, 1), by_two[slot]) << slot;
}

TEST(coprime_steps, every_step_goes_through_all_places) {
  for (std::uint64_t const range : {1U, 2U, 3U, 4U, 6U, 7U, 12U, 30U, 64U, 210U, 1000U, 30'030U}) {
    coprime_steps const steps(range);
    for (unsigned i = 0; i < coprime_steps::count; ++i) {
      ASSERT_GE(steps[i], 1U);
      ASSERT_LE(steps[i], range);
      std::uint64_t at = 0, seen = 0;
      do {
        at = add_mod(at, steps[i], range);
        ++seen;
      } while (at != 0 && seen <= range);
      EXPECT_EQ(seen, range) << i;
    }
  }
  coprime_steps const large(std::uint64_t{1} << 33);
  for (unsigned i = 0; i < coprime_steps::count; ++i) EXPECT_EQ(large[i] % 2, 1U);
}

}  // namespace
}  // namespace hortus::testing
