// Buckets in bit planes against plain vectors of cells.
#include <gtest/gtest.h>

#include <vector>

#include <hortus/cells/plane_buckets.hpp>
#include <hortus/hash/mix64.hpp>

namespace hortus::testing {
namespace {

struct cell {
  std::uint64_t tag;
  unsigned counter;
};

void expect_equal(plane_buckets const& planes, std::vector<std::vector<cell>> const& model) {
  std::uint64_t used = 0;
  for (std::uint64_t b = 0; b < model.size(); ++b) {
    ASSERT_EQ(planes.used(b), (1U << model[b].size()) - 1);
    for (unsigned i = 0; i < model[b].size(); ++i) {
      ASSERT_EQ(planes.tag(b, i), model[b][i].tag);
      ASSERT_EQ(planes.counter(b, i), model[b][i].counter);
    }
    used += model[b].size();
  }
  ASSERT_EQ(planes.used(), used);
  ASSERT_TRUE(planes.valid());
}

TEST(plane_buckets, do_what_vectors_of_cells_do) {
  for (unsigned bits = 1; bits <= plane_buckets::max_tag_bits; ++bits) {
    plane_buckets planes(5, bits);
    std::vector<std::vector<cell>> model(5);
    auto const kinds = (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t t = 0; t < 400; ++t) {
      auto const random = mix64(1000 * bits + t);
      auto const b = random % 5;
      auto& bucket = model[b];
      switch (random >> 60 & 3) {
        case 0:
          if (bucket.empty()) break;
          {
            auto const i = static_cast<unsigned>((random >> 20) % bucket.size());
            planes.take(b, i);
            bucket[i] = bucket.back();
            bucket.pop_back();
          }
          break;
        case 1:
          if (bucket.empty()) break;
          {
            auto const i = static_cast<unsigned>((random >> 20) % bucket.size());
            planes.set_counter(b, i, bucket[i].counter = random >> 40 & 3);
          }
          break;
        default: {
          if (bucket.size() == 8) break;
          auto const tag = 1 + mix64(random) % kinds;
          planes.put(b, static_cast<unsigned>(bucket.size()), planes.spread(tag));
          bucket.push_back({tag, 0});
        }
      }
      auto const asked = bucket.empty() ? 1 + mix64(t) % kinds : bucket[mix64(t) % bucket.size()].tag;
      unsigned expected = 0;
      for (unsigned i = 0; i < bucket.size(); ++i) expected |= bucket[i].tag == asked ? 1U << i : 0;
      ASSERT_EQ(planes.matches(b, planes.spread(asked)), expected) << bits;
      if (t % 20 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_equal(planes, model)) << bits;
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal(planes, model)) << bits;
    for (std::uint64_t b = 0; b < 5; ++b)
      while (planes.used(b) != 0) planes.take(b, 0);
    EXPECT_EQ(planes, plane_buckets(5, bits)) << "no bit stays behind";
  }
}

TEST(plane_buckets, one_bit_tells_two_tags_apart) {
  for (unsigned bits = 2; bits <= plane_buckets::max_tag_bits; ++bits) {
    plane_buckets planes(3, bits);
    auto const tag = std::uint64_t{1} << (bits - 1) | 1;
    planes.put(1, 0, planes.spread(tag));
    planes.set_counter(1, 0, 3);
    planes.put(0, 0, planes.spread((std::uint64_t{1} << bits) - 1));  // neighbours with all bits set
    planes.put(2, 0, planes.spread((std::uint64_t{1} << bits) - 1));
    EXPECT_EQ(planes.matches(1, planes.spread(tag)), 1U) << bits;
    for (unsigned i = 0; i < bits; ++i) EXPECT_EQ(planes.matches(1, planes.spread(tag ^ std::uint64_t{1} << i)), 0U) << bits;
  }
}

TEST(plane_buckets, impossible_sizes_are_refused) {
  EXPECT_THROW(plane_buckets(1, 0), error);
  EXPECT_THROW(plane_buckets(1, 63), error);
  EXPECT_THROW(plane_buckets(std::uint64_t{1} << 38, 1), error);
  EXPECT_THROW(plane_buckets(~std::uint64_t{0}, 8), error);
}

}  // namespace
}  // namespace hortus::testing
