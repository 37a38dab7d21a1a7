#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <hortus/error.hpp>

#include "code_of.hpp"
#include "redis/heavy_keepers.hpp"

namespace hortus::redisbloom {
namespace {

using testing::code_of;
using namespace std::string_literals;

// -- stored bytes ------------------------------------------------------------------------------------------------------------

TEST(heavy_keeper, stores_no_addresses) {
  auto keeper = keeper_of(10, 20, 7, 0.9);
  for (auto const& item : zipf(10'000, 6)) add(keeper, item);
  EXPECT_NE(keeper.list().records()[0].padding, 0U);  // the number of draws
  for (std::uint64_t place = 0; place < 10; ++place) {
    auto const& its = keeper.list().records()[place];
    EXPECT_EQ(its.pointer, 0U);
    EXPECT_EQ(its.length, keeper.list().item(place).view().size());
    EXPECT_EQ(its.fingerprint, murmur32(keeper.list().item(place).view(), 1919));
    EXPECT_TRUE(place == 0 || its.padding == 0);
  }
}

/// Three places of RedisBloom's, with pointers and lengths of its process.
struct dump {
  heavy_keeper::shape shape{.items = 3, .width = 2, .depth = 1, .decay = 0.9};
  std::vector<char> buckets = std::vector<char>(16);
  top_list::record places[3] = {};
  std::vector<std::string> items = {"\0"s, "\0"s, "\0"s};

  void put(std::size_t place, std::string const& item, std::string const& stored, std::uint32_t count) {
    places[place] = {.fingerprint = murmur32(item, 1919),
                     .length = static_cast<std::uint32_t>(item.size()),
                     .pointer = 0x7fb684677490 + place,
                     .count = count,
                     .padding = 0};
    items[place] = stored + '\0';
  }
  heavy_keeper load() const { return restored(shape, buckets, {reinterpret_cast<char const*>(places), sizeof places}, items); }
};

TEST(heavy_keeper, reads_redisblooms_records) {
  dump its;
  its.put(0, "a", "a", 1);
  its.put(1, "b", "b", 2);
  its.put(2, "", "", 5);
  auto const keeper = its.load();
  EXPECT_EQ(list_of(keeper), (listed{{"", 5}, {"b", 2}, {"a", 1}}));
  for (auto const& record : keeper.list().records()) EXPECT_EQ(record.pointer, 0U);
}

/// RedisBloom cuts items at a NUL when it stores them.
TEST(heavy_keeper, drops_what_redisbloom_has_cut_if_it_is_not_unique) {
  dump its;
  its.put(0, "ab\0c"s, "ab", 1);
  its.put(1, "ab", "ab", 2);
  its.put(2, "\0x"s, "", 5);
  auto keeper = its.load();
  EXPECT_EQ(list_of(keeper), (listed{{"ab", 2}}));
  EXPECT_EQ(keeper.list().least(), 0U);  // there are free places again
  EXPECT_TRUE(keeper.contains("ab"));
  add(keeper, "ab", 3);
  EXPECT_EQ(list_of(keeper).size(), 1U);
  EXPECT_EQ(add(keeper, "d", 4).expelled, "-");
}

TEST(heavy_keeper, refuses_other_bytes) {
  dump const good;
  EXPECT_NO_THROW(good.load());
  for (auto const change : {+[](dump& its) { its.buckets.pop_back(); }, +[](dump& its) { its.buckets.clear(); },
                            +[](dump& its) { its.shape.items = 2; }, +[](dump& its) { its.items[1] = ""; },
                            +[](dump& its) { its.items[2] = "no NUL"; }}) {
    dump bad;
    change(bad);
    EXPECT_EQ(code_of([&] { bad.load(); }), errc::corrupt);
  }
}

TEST(heavy_keeper, bytes_of_a_shape_do_not_overflow) {
  using shape = heavy_keeper::shape;
  constexpr auto most = heavy_keeper::most_items;
  EXPECT_EQ((shape{.items = 3}.bytes()), 56 * 8 + 3 * top_list::place_bytes + sizeof(heavy_keeper));
  for (shape const wrong : {shape{.items = 0},
                            {.items = most + 1},
                            {1, 0, 7, 0.9},
                            {1, most + 1, 7, 0.9},
                            {1, 8, 0, 0.9},
                            {1, most, most, 0.9},
                            {1, 8, 7, 0},
                            {1, 8, 7, 1.1},
                            {1, 8, 7, std::nan("")}})
    EXPECT_EQ(wrong.bytes(), std::nullopt);
}

// -- memory ------------------------------------------------------------------------------------------------------------------

void* no_memory(std::size_t, std::size_t) noexcept { return nullptr; }

TEST(heavy_keeper, an_item_without_memory_changes_nothing) {
  auto keeper = keeper_of(2, 4, 3, 0.9);
  add(keeper, "a", 2);
  auto const before = bytes_of(keeper);
  set_memory_source({no_memory, default_memory_source().release});
  EXPECT_THROW(add(keeper, "b", 9), std::bad_alloc);
  EXPECT_EQ(bytes_of(keeper), before);
  EXPECT_NO_THROW(add(keeper, "a"));  // is in the list already
  EXPECT_THROW(keeper_of(2, 4, 3, 0.9), std::bad_alloc);
  set_memory_source(default_memory_source());
  EXPECT_EQ(add(keeper, "b", 9).expelled, "-");
}

TEST(heavy_keeper, grows_no_further_than_it_may) {
  auto keeper = keeper_of(3, 4, 3, 1);
  auto const empty = keeper.size_bytes();
  EXPECT_EQ(empty, keeper.dimensions().bytes());
  std::string const items[] = {"0123456789", "abcdefghij", "a", "zz"};
  std::size_t told = 0;
  EXPECT_THROW(keeper.add(
                   4,
                   [&](std::size_t i) {
                     return heavy_keeper::addition{items[i], 1};
                   },
                   [&](auto const&) { ++told; }, empty + 24),
               std::bad_alloc);
  EXPECT_EQ(told, 3U);  // "zz" would need 3 bytes beside 11 + 11 + 2
  EXPECT_EQ(keeper.size_bytes(), empty + 24);
  EXPECT_EQ(stored_and_restored(keeper).size_bytes(), empty + 24);
  EXPECT_EQ(add(keeper, "zz", 9).expelled.size() + 1 + keeper.size_bytes(), empty + 24 + 3);
}

TEST(heavy_keeper, works_on_after_its_blocks_have_moved) {
  auto keeper = keeper_of(3, 10, 3, 0.9);
  for (auto const& item : zipf(200, 7)) add(keeper, item);
  auto const before = bytes_of(keeper);
  int moved = 0;
  keeper.visit_blocks([&](void*& block) {
    auto const bytes = malloc_usable_size(block);
    void* const to = std::malloc(bytes);
    std::memcpy(to, block, bytes);
    std::free(std::exchange(block, to));
    ++moved;
  });
  EXPECT_EQ(moved, 4 + 3);  // buckets, records, fingerprints, items, and the bytes of three
  EXPECT_EQ(bytes_of(keeper), before);
  for (auto const& item : zipf(200, 8)) add(keeper, item);
}

}  // namespace
}  // namespace hortus::redisbloom
