// Parts shared by threads: each once, and an exception that one of them throws.
#include <gtest/gtest.h>

#include <stdexcept>

#include <hortus/part_threads.hpp>

namespace hortus::testing {
namespace {

TEST(part_threads, take_every_part_once) {
  for (unsigned const threads : {0U, 1U, 2U, 7U})
    for (std::uint64_t const count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> taken(count);
      in_threads(threads)(count, [&](std::uint64_t part) { ++taken[part]; });
      for (auto const& times : taken) EXPECT_EQ(times, 1) << threads << " threads, " << count << " parts";
    }
}

TEST(part_threads, hand_on_the_exception_of_a_part) {
  for (unsigned const threads : {1U, 4U}) {
    std::atomic<int> after = 0;
    EXPECT_THROW(in_threads(threads)(1'000'000,
                                     [&](std::uint64_t part) {
                                       if (part == 3) throw std::runtime_error("part 3");
                                       if (part > 3) ++after;
                                     }),
                 std::runtime_error);
    EXPECT_LT(after, 1'000'000 - 4) << "no further part is begun";
  }
}

}  // namespace
}  // namespace hortus::testing
