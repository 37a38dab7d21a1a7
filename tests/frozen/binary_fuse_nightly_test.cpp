// Sizes at which a binary fuse filter is hardest to build, up to 2^24 keys: binary_fuse.no_size_is_hard_to_build has those up
// to 2^18.
#include <gtest/gtest.h>

#include <hortus/frozen/binary_fuse.hpp>

namespace hortus {
namespace {

std::vector<digest> digests(std::uint64_t from, std::uint64_t count) {
  std::vector<digest> made;
  made.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) made.emplace_back(mix64(from + i + 1));
  return made;
}

/// Builds, looks up all keys in batches, and compares the space and the bumped keys with the bounds.
void build(std::uint64_t items, std::uint64_t set, unsigned arity, double most_slots_per_key, double most_bumped) {
  auto const keys = digests((set << 56) + (items << 28), items);
  auto const f = binary_fuse_filter::build(keys, {.items = 0, .fpr = 1 / 256.0, .arity = arity});
  ASSERT_EQ(f.may_contain(keys).count(), items) << items << " of " << arity;
  auto const bumped = static_cast<double>(f.family().table().bumped().size());
  auto const n = static_cast<double>(items);
  EXPECT_LE((static_cast<double>(f.family().shape().slots) + 8 * bumped) / n, most_slots_per_key) << items << " of " << arity;
  EXPECT_LE(bumped, most_bumped * n) << items << " of " << arity;
}

/// The largest number of keys up to `items` with segments of its length: one key more has longer ones.
std::uint64_t tightest_below(std::uint64_t items, unsigned arity) {
  auto const length = [&](std::uint64_t n) {
    auto const shape = plan::binary_fuse_shape_of(n, 8, arity);
    return plan::binary_fuse_length(shape, n >> shape.part_bits);
  };
  while (length(items) == length(items + 1)) --items;
  return items;
}

TEST(binary_fuse_sweep, sizes_near_11500) {
  for (unsigned const arity : {3U, 4U})
    for (std::uint64_t items = 11'400; items <= 11'600; ++items)
      for (std::uint64_t set = 1; set <= 5; ++set) build(items, set, arity, 1.36, 0.02);
}

TEST(binary_fuse_sweep, tightest_of_every_step) {
  for (unsigned const arity : {3U, 4U})
    for (std::uint64_t step = 1024; step <= std::uint64_t{1} << 24; step *= 2) {
      bool const large = step >= std::uint64_t{1} << 18;
      for (auto const below : {step - 1, step + step / 4, step + step / 2, 2 * step - 1})
        if (auto const items = tightest_below(below, arity); items <= std::uint64_t{1} << 24)
          for (std::uint64_t set = 1; set <= (large ? 1 : 5); ++set)
            build(items, set, arity, large ? (arity == 3 ? 1.15 : 1.10) : 1.36, large ? 0.003 : 0.02);
    }
}

TEST(binary_fuse_sweep, both_sides_of_every_step) {
  for (unsigned const arity : {3U, 4U})
    for (std::uint64_t step = std::uint64_t{1} << 19; step <= std::uint64_t{1} << 24; step *= 2)
      for (auto const items : {step - 1, step, step + 1}) build(items, 1, arity, arity == 3 ? 1.15 : 1.10, 0.003);
}

}  // namespace
}  // namespace hortus
