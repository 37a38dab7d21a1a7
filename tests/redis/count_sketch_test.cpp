#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hortus/error.hpp>

#include "code_of.hpp"
#include "redis/redisbloom/count_sketch.hpp"

namespace hortus::redisbloom {
namespace {

using testing::code_of;

constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();

std::vector<std::string> texts(std::string const& start, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(start + std::to_string(i));
  return all;
}
std::vector<std::uint32_t> increment(count_sketch& sketch, std::vector<count_sketch::addition> const& items) {
  std::vector<std::uint32_t> counts;
  sketch.increment(items, [&](std::uint32_t count) { counts.push_back(count); });
  return counts;
}
std::uint32_t increment(count_sketch& sketch, std::string_view item, std::uint64_t by) {
  return increment(sketch, std::vector<count_sketch::addition>{{item, by}}).at(0);
}
std::vector<std::uint32_t> counts(count_sketch const& sketch, std::vector<std::string> const& items) {
  std::vector<std::string_view> const views(items.begin(), items.end());
  std::vector<std::uint32_t> found;
  sketch.count(views, [&](std::uint32_t count) { found.push_back(count); });
  return found;
}
bool equal(count_sketch const& a, count_sketch const& b) {
  return a.dimensions() == b.dimensions() && a.total() == b.total() &&
         std::ranges::equal(a.counters().bytes(), b.counters().bytes());
}

// -- rows --------------------------------------------------------------------------------------------------------------------

TEST(sketch_rows, hashes_of_eight_rows_are_those_of_one_row_each) {
  std::string key;
  for (int length = 0; length <= 40; ++length, key.push_back(static_cast<char>(200 + 7 * length)))
    for (std::uint32_t const first : {0U, 8U, 1919U, 0xfffffffcU}) {
      auto const hashes = murmur32_rows(key, first);
      for (std::uint32_t row = 0; row < rows_at_once; ++row) EXPECT_EQ(hashes[row], murmur32(key, first + row)) << length;
    }
}

TEST(sketch_rows, a_column_is_the_hash_modulo_the_width) {
  for (std::uint64_t const width :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{20}, std::uint64_t{1000}, std::uint64_t{65537},
        most32 / 2 + 1, most32 - 1, most32, most32 + 1, most32 * 8}) {
    sketch_rows const rows(width, 9);
    for (auto const& item : texts("item", 500)) {
      auto const at = rows.places_of(item, 0);
      for (std::uint32_t row = 0; row < rows_at_once; ++row) ASSERT_EQ(at[row], row * width + murmur32(item, row) % width);
      ASSERT_EQ(rows.places_of(item, 8)[0], 8 * width + murmur32(item, 8) % width);
    }
    EXPECT_EQ(rows.rows_from(0), 8U);
    EXPECT_EQ(rows.rows_from(8), 1U);
  }
}

// -- counting ----------------------------------------------------------------------------------------------------------------

/// Recorded from RedisBloom 8.10: CMS.INITBYDIM 20 5, a0 to a49 with increments 1 to 50, then CMS.QUERY a0 ... a99.
TEST(count_sketch, counts_as_redisbloom) {
  count_sketch sketch({20, 5});
  auto const items = texts("a", 100);
  std::vector<count_sketch::addition> additions;
  for (std::size_t i = 0; i < 50; ++i) additions.push_back({items[i], i + 1});
  increment(sketch, additions);
  std::vector<std::uint32_t> const recorded = {1,  7,  32, 7,  45, 13, 13, 37, 9,  10, 11, 25, 25, 14, 85, 48, 31, 18, 41, 32,
                                               41, 42, 23, 24, 25, 71, 77, 28, 29, 30, 75, 86, 65, 86, 49, 76, 45, 59, 39, 45,
                                               45, 42, 78, 44, 45, 58, 71, 48, 54, 62, 42, 0,  25, 0,  45, 45, 32, 11, 18, 0,
                                               25, 72, 0,  13, 44, 1,  1,  0,  29, 0,  11, 11, 29, 1,  18, 7,  0,  0,  11, 0,
                                               62, 0,  9,  39, 29, 34, 0,  57, 7,  0,  0,  1,  0,  56, 0,  73, 49, 40, 0,  37};
  EXPECT_EQ(counts(sketch, items), recorded);
  EXPECT_EQ(sketch.total(), 1275U);
}

TEST(count_sketch, a_batch_answers_as_one_item_after_the_other) {
  std::mt19937_64 random(1);
  for (std::uint64_t const depth : {1U, 7U, 8U, 9U, 30U}) {
    count_sketch batch({13, depth});
    count_sketch single({13, depth});
    auto const items = texts("k", 25);
    std::vector<count_sketch::addition> additions;
    for (int i = 0; i < 100; ++i) additions.push_back({items[random() % items.size()], random() % 1000});
    std::vector<std::uint32_t> one_by_one;
    for (auto const& each : additions) one_by_one.push_back(increment(single, each.item, each.increment));
    EXPECT_EQ(increment(batch, additions), one_by_one);
    EXPECT_TRUE(equal(batch, single));
  }
}

TEST(count_sketch, counts_are_never_too_small) {
  count_sketch sketch({30, 3});
  std::map<std::string, std::uint32_t> truth;
  std::mt19937_64 random(2);
  auto const items = texts("x", 200);
  for (int i = 0; i < 5000; ++i) {
    auto const& item = items[random() % items.size()];
    EXPECT_GE(increment(sketch, item, 3), truth[item] += 3);
  }
  auto const found = counts(sketch, items);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_GE(found[i], truth[items[i]]);
}

TEST(count_sketch, counters_stop_at_their_largest_number_and_the_total_goes_on) {
  for (std::uint64_t const last : {std::uint64_t{6}, most32, most32 + 1, std::uint64_t{1} << 63}) {
    count_sketch sketch({5, 2});
    EXPECT_EQ(increment(sketch, "a", most32 - 5), most32 - 5);
    EXPECT_EQ(increment(sketch, "a", last), count_sketch::most_count);
    EXPECT_EQ(increment(sketch, "a", 0), count_sketch::most_count);
    EXPECT_EQ(sketch.total(), most32 - 5 + last);
  }
}

// -- shapes ------------------------------------------------------------------------------------------------------------------

TEST(count_sketch, shapes_for_errors_are_those_of_redisbloom) {
  using shape = count_sketch::shape;
  EXPECT_EQ(count_sketch::shape_for(0.001, 0.01), (shape{2000, 7}));
  EXPECT_EQ(count_sketch::shape_for(0.01, 0.01), (shape{200, 7}));
  EXPECT_EQ(count_sketch::shape_for(0.5, 0.5), (shape{4, 1}));
  EXPECT_EQ(count_sketch::shape_for(0.9, 0.9), (shape{3, 1}));
  EXPECT_EQ(count_sketch::shape_for(1e-300, 0.01), std::nullopt);
  EXPECT_EQ(count_sketch::shape_for(0.01, 1e-300), std::nullopt);     // 0 in single precision
  EXPECT_EQ(count_sketch::shape_for(0.01, 1 - 1e-12), std::nullopt);  // 1 in single precision
}

TEST(count_sketch, bytes_of_a_shape_do_not_overflow) {
  using shape = count_sketch::shape;
  EXPECT_EQ((shape{20, 5}.bytes()), 400U);
  EXPECT_EQ((shape{most32 + 1, 1}.bytes()), 4 * (most32 + 1));
  for (auto const impossible : {shape{0, 5}, shape{5, 0}, shape{1ULL << 62, 4}, shape{1ULL << 32, 1ULL << 32}, shape{~0ULL, 1},
                                shape{1, ~0ULL}, shape{~0ULL, ~0ULL}, shape{1ULL << 61, 1}})
    EXPECT_EQ(impossible.bytes(), std::nullopt) << impossible.width << " x " << impossible.depth;
}

// -- bytes -------------------------------------------------------------------------------------------------------------------

TEST(count_sketch, comes_back_from_its_bytes) {
  count_sketch sketch({7, 3});
  increment(sketch, "a", 12);
  auto const again = count_sketch::from_bytes({7, 3}, sketch.total(), sketch.counters().bytes());
  EXPECT_TRUE(equal(sketch, again));
}

TEST(count_sketch, refuses_bytes_of_another_shape) {
  std::vector<char> const bytes(84);
  EXPECT_NO_THROW(count_sketch::from_bytes({7, 3}, 0, bytes));
  for (count_sketch::shape const wrong :
       {count_sketch::shape{7, 4}, {7, 2}, {0, 3}, {7, 0}, {1ULL << 61, 3}, {(1ULL << 62) + 21, 1}, {(1ULL << 63) + 7, 3}})
    EXPECT_EQ(code_of([&] { count_sketch::from_bytes(wrong, 0, bytes); }), errc::corrupt) << wrong.width;
}

// -- merging -----------------------------------------------------------------------------------------------------------------

struct two_sketches {
  count_sketch a{{2000, 3}};
  count_sketch b{{2000, 3}};
  two_sketches() {
    increment(a, "x", 10);
    increment(a, "y", 42);
    increment(b, "x", 7);
  }
  count_sketch::merged merge(long long weight_a, long long weight_b) {
    std::vector<count_sketch::weighted> const sources{{&a, weight_a}, {&b, weight_b}};
    return b.merge(sources);
  }
};

TEST(count_sketch, becomes_the_weighted_sum_even_of_itself) {
  two_sketches its;
  EXPECT_EQ(its.merge(1, 2), count_sketch::merged::changed);
  EXPECT_EQ(counts(its.b, {"x", "y", "z"}), (std::vector<std::uint32_t>{24, 42, 0}));
  EXPECT_EQ(its.b.total(), 66U);
  EXPECT_EQ(its.merge(0, 1), count_sketch::merged::same);
  EXPECT_EQ(its.merge(-1, 1), count_sketch::merged::changed);
  EXPECT_EQ(counts(its.b, {"x", "y"}), (std::vector<std::uint32_t>{14, 0}));
}

TEST(count_sketch, a_sum_that_is_no_counter_changes_nothing) {
  for (auto const& [first, second] : {std::pair<long long, long long>{-1, 1},
                                      {1'000'000'000, 0},
                                      {0, 1'000'000'000},
                                      {std::numeric_limits<long long>::max(), 0},
                                      {std::numeric_limits<long long>::min(), 0}}) {
    two_sketches its;
    auto const before = its.b;
    EXPECT_EQ(its.merge(first, second), count_sketch::merged::overflow) << first << " " << second;
    EXPECT_TRUE(equal(its.b, before));
  }
}

TEST(count_sketch, merges_modulo_two_to_the_32_as_releases_before_2_8_did) {
  two_sketches its;
  std::vector<count_sketch::weighted> const sources{{&its.a, 1'000'000'000}, {&its.b, -1}};
  EXPECT_EQ(its.b.merge_modulo(sources), count_sketch::merged::changed);
  auto const cut_off = [](long long sum) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum)); };
  EXPECT_EQ(counts(its.b, {"x", "y"}), (std::vector<std::uint32_t>{cut_off(9'999'999'993), cut_off(42'000'000'000)}));
  EXPECT_EQ(its.b.total(), 51'999'999'993U);
}

TEST(count_sketch, a_total_that_overflows_is_an_overflow) {
  count_sketch sketch({3, 1});
  for (int i = 0; i < 2; ++i) increment(sketch, "a", std::uint64_t{1} << 62);
  std::vector<count_sketch::weighted> const itself{{&sketch, 1}};  // 2^63 is no signed number
  EXPECT_EQ(sketch.merge(itself), count_sketch::merged::overflow);
}

// -- memory ------------------------------------------------------------------------------------------------------------------

TEST(count_sketch, throws_bad_alloc_if_there_is_no_memory) {
  set_memory_source(
      {[](std::size_t, std::size_t) noexcept -> void* { return nullptr; }, [](void*, std::size_t, std::size_t) noexcept {}});
  EXPECT_THROW(count_sketch({10, 10}), std::bad_alloc);
  set_memory_source(default_memory_source());
}

TEST(count_sketch, works_on_after_its_block_has_moved) {
  count_sketch sketch({10, 10});
  increment(sketch, "a", 5);
  int moved = 0;
  sketch.visit_blocks([&](void*& block) {
    void* const to = std::aligned_alloc(16, 400);
    std::memcpy(to, block, 400);
    std::free(std::exchange(block, to));
    ++moved;
  });
  EXPECT_EQ(moved, 1);
  EXPECT_EQ(increment(sketch, "a", 1), 6U);
}

}  // namespace
}  // namespace hortus::redisbloom
