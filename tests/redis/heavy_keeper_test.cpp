#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <hortus/error.hpp>

#include "code_of.hpp"
#include "redis/redisbloom/heavy_keeper.hpp"
#include "statistics.hpp"

namespace hortus::redisbloom {
namespace {

using testing::binomial_band;
using testing::code_of;
using namespace std::string_literals;

heavy_keeper keeper_of(std::uint64_t items, std::uint64_t width, std::uint64_t depth, double decay) {
  return heavy_keeper({.items = items, .width = width, .depth = depth, .decay = decay});
}

struct added {
  bool changed;
  std::string expelled;  // "-" if none was
};
added add(heavy_keeper& keeper, std::string_view item, std::uint32_t by = 1) {
  added result;
  keeper.add(
      1,
      [&](std::size_t) {
        return heavy_keeper::addition{item, by};
      },
      [&](heavy_keeper::outcome const& its) {
        result = {its.changed, its.expelled ? std::string(its.expelled.view()) : "-"};
      });
  return result;
}

using listed = std::vector<std::pair<std::string, std::uint32_t>>;
listed list_of(heavy_keeper const& keeper) {
  listed found;
  for (auto const place : keeper.list().by_count())
    found.emplace_back(keeper.list().item(place).view(), keeper.list().count(place));
  return found;
}

/// Everything that is stored.
std::string bytes_of(heavy_keeper const& keeper) {
  auto const buckets = keeper.buckets().bytes();
  auto const records = keeper.list().records().bytes();
  std::string all(buckets.begin(), buckets.end());
  all.append(records.begin(), records.end());
  for (std::uint64_t place = 0; place < keeper.list().places(); ++place) all += keeper.list().item(place).stored();
  return all;
}

heavy_keeper restored(heavy_keeper::shape const& its, std::span<char const> buckets, std::span<char const> records,
                      std::vector<std::string> const& items) {
  heavy_keeper made(its);
  made.restore(buckets, records, [&, next = items.begin()]() mutable { return std::string_view(*next++); });
  return made;
}
heavy_keeper stored_and_restored(heavy_keeper const& keeper) {
  std::vector<std::string> items;
  for (std::uint64_t place = 0; place < keeper.list().places(); ++place) items.emplace_back(keeper.list().item(place).stored());
  return restored(keeper.dimensions(), keeper.buckets().bytes(), keeper.list().records().bytes(), items);
}

std::vector<std::string> zipf(int count, unsigned seed) {
  std::vector<double> weights;
  for (int i = 1; i <= 2000; ++i) weights.push_back(1.0 / i);
  std::discrete_distribution<int> rank(weights.begin(), weights.end());
  std::mt19937_64 random(seed);
  std::vector<std::string> items;
  for (int i = 0; i < count; ++i) items.push_back("z" + std::to_string(rank(random)));
  return items;
}

// -- chance ------------------------------------------------------------------------------------------------------------------

TEST(decay, powers_are_those_of_the_decay) {
  for (double const decay : {1e-300, 0.5, 0.9, 0.999999, 1.0}) {
    decay_powers const powers(decay);
    for (std::uint32_t const count : {0U, 1U, 2U, 15U, 16U, 17U, 255U, 256U, 4095U, 65536U, 1'000'000U, 4'294'967'295U}) {
      double const expected = std::pow(decay, count);
      EXPECT_NEAR(powers(count), expected, expected * count * 1e-15) << decay << "^" << count;
    }
  }
}

/// Draws of one fingerprint one after the other, and of many fingerprints with the same number: both are uniform.
TEST(decay, draws_are_uniform) {
  constexpr int draws = 400'000;
  constexpr std::size_t bins = 20;
  std::vector<double> by_number(bins);
  std::vector<double> by_fingerprint(bins);
  std::vector<double> pairs(bins);  // of draws that follow each other
  auto const bin = [](double draw) { return std::min(bins - 1, static_cast<std::size_t>(draw * bins)); };
  for (std::uint32_t i = 0; i < draws; ++i) {
    double const draw = uniform_draw(0x9d1c4d0f, i);
    EXPECT_TRUE(draw > 0 && draw <= 1);
    ++by_number[bin(draw)];
    ++by_fingerprint[bin(uniform_draw(i, 7))];
    ++pairs[bin(std::fmod(draw + uniform_draw(0x9d1c4d0f, i + 1), 1.0))];
  }
  auto const band = binomial_band(draws, 1.0 / bins);
  for (std::size_t i = 0; i < bins; ++i) {
    EXPECT_TRUE(band.holds(by_number[i])) << by_number[i];
    EXPECT_TRUE(band.holds(by_fingerprint[i])) << by_fingerprint[i];
    EXPECT_TRUE(band.holds(pairs[i])) << pairs[i];
  }
}

TEST(decay, the_first_success_is_found_by_products) {
  EXPECT_EQ(first_success(0.5, 0, 0.7), 0U);
  EXPECT_EQ(first_success(1, 1, 0x1p-53), 1U);
  EXPECT_EQ(first_success(0, 100'000, 1), 0U);
  EXPECT_EQ(first_success(1e-18, 4'294'967'295U, 1), 0U);  // 1 - chance is 1
  for (std::uint32_t tries = 1; tries < 40; ++tries)
    for (double const chance : {0.02, 0.3, 0.77})
      for (int i = 0; i < 997; ++i) {
        double const draw = (i + 0.5) / 997;
        std::uint32_t expected = 1;  // the smallest n with (1 - chance)^n < draw
        for (double failures = 1 - chance; failures >= draw; failures *= 1 - chance) ++expected;
        ASSERT_EQ(first_success(chance, tries, draw), expected <= tries ? expected : 0)
            << chance << " " << tries << " " << draw;
      }
}

/// A bucket of count 4 is decremented with probability 0.5^4, by an item that comes again and again.
TEST(heavy_keeper, a_bucket_decays_with_the_probability_of_its_count) {
  constexpr int tries = 320'000;
  auto keeper = keeper_of(1, 1, 1, 0.5);
  add(keeper, "owner", 4);
  int decrements = 0;
  for (int i = 0; i < tries; ++i) {
    add(keeper, "other");
    if (keeper.buckets()[0].count == 4) continue;
    ASSERT_EQ(keeper.buckets()[0].count, 3U);
    ++decrements;
    add(keeper, "owner");
  }
  EXPECT_TRUE(binomial_band(tries, 1.0 / 16).holds(decrements)) << decrements;
}

/// Taking over a bucket of count 2 by 6 units: one addition of 6 and six additions of 1 are equally likely to do it.
TEST(heavy_keeper, an_increment_is_as_likely_to_win_as_single_additions) {
  constexpr double decay = 0.5;
  // The probabilities of counts 2, 1 and 0 after each try; what takes over stays.
  double two = 1;
  double one = 0;
  for (int i = 0; i < 6; ++i) {
    one = one * (1 - decay) + two * decay * decay;
    two *= 1 - decay * decay;
  }
  constexpr int trials = 100'000;
  int at_once = 0;
  int one_by_one = 0;
  for (int i = 0; i < trials; ++i) {
    auto const item = "item" + std::to_string(i);
    auto keeper = keeper_of(1, 1, 1, decay);
    add(keeper, "owner", 2);
    auto other = keeper;
    add(keeper, item, 6);
    for (int j = 0; j < 6; ++j) add(other, item);
    at_once += keeper.count(item) != 0 ? 1 : 0;
    one_by_one += other.count(item) != 0 ? 1 : 0;
  }
  auto const band = binomial_band(trials, 1 - two - one);
  EXPECT_TRUE(band.holds(at_once)) << at_once;
  EXPECT_TRUE(band.holds(one_by_one)) << one_by_one;
}

TEST(heavy_keeper, an_item_that_failed_can_succeed_later) {
  auto keeper = keeper_of(1, 1, 1, 0.9);
  add(keeper, "owner", 20);
  int additions = 0;
  for (; keeper.count("other") == 0 && additions < 100'000; ++additions) add(keeper, "other");
  EXPECT_GT(additions, 20);
  EXPECT_LT(additions, 100'000);
}

// -- the same everywhere -----------------------------------------------------------------------------------------------------

TEST(heavy_keeper, copies_and_restored_ones_go_on_alike) {
  auto keeper = keeper_of(10, 20, 7, 0.9);
  for (auto const& item : zipf(10'000, 1)) add(keeper, item);
  auto copy = keeper;
  auto loaded = stored_and_restored(keeper);
  EXPECT_EQ(bytes_of(loaded), bytes_of(keeper));
  for (auto const& item : zipf(10'000, 2)) {
    auto const expelled = add(keeper, item).expelled;
    ASSERT_EQ(add(copy, item).expelled, expelled);
    ASSERT_EQ(add(loaded, item).expelled, expelled);
  }
  EXPECT_EQ(bytes_of(copy), bytes_of(keeper));
  EXPECT_EQ(bytes_of(loaded), bytes_of(keeper));
}

TEST(heavy_keeper, a_batch_does_what_single_additions_do) {
  for (std::uint64_t const depth : {1U, 7U, 8U, 9U, 20U}) {
    auto batch = keeper_of(5, 8, depth, 0.9);
    auto single = batch;
    auto const items = zipf(3000, 3);
    std::size_t told = 0;
    batch.add(
        items.size(),
        [&](std::size_t i) {
          return heavy_keeper::addition{items[i], static_cast<std::uint32_t>(i % 5)};
        },
        [&](heavy_keeper::outcome const& its) {
          auto const one = add(single, items[told], static_cast<std::uint32_t>(told % 5));
          EXPECT_EQ(its.expelled ? its.expelled.view() : "-", one.expelled);
          EXPECT_EQ(its.changed, one.changed);
          ++told;
        });
    EXPECT_EQ(told, items.size());
    EXPECT_EQ(bytes_of(batch), bytes_of(single));
  }
}

TEST(heavy_keeper, certain_decay_needs_no_draw) {
  auto keeper = keeper_of(3, 2, 2, 1);
  for (auto const& item : zipf(500, 4)) add(keeper, item);
  EXPECT_EQ(keeper.list().spare(), 0U);
}

// -- the list ----------------------------------------------------------------------------------------------------------------

/// Recorded from RedisBloom 8.10: TOPK.RESERVE 5 50 4 1, and one TOPK.INCRBY.
TEST(heavy_keeper, lists_what_redisbloom_lists) {
  auto keeper = keeper_of(5, 50, 4, 1);
  for (std::uint32_t i = 0; i < 40; ++i) add(keeper, "a" + std::to_string(i), i * 37 % 101 + 1);
  EXPECT_EQ(list_of(keeper), (listed{{"a30", 101}, {"a19", 98}, {"a8", 95}, {"a38", 94}, {"a27", 91}}));
}

/// As RedisBloom 8.10: which of equal counts leaves, and the order of equal counts.
TEST(heavy_keeper, equal_counts_have_redisblooms_order) {
  auto keeper = keeper_of(7, 1000, 5, 1);
  std::string expelled;  // each after the item that took its place
  for (char const c : "abcdefghijabcacbdxyhhij"s)
    if (auto const left = add(keeper, {&c, 1}).expelled; left != "-") expelled += c + left;
  EXPECT_EQ(expelled, "hcigjhcixjyfhxiyje");
  EXPECT_EQ(list_of(keeper), (listed{{"a", 3}, {"b", 3}, {"c", 3}, {"h", 3}, {"i", 2}, {"j", 2}, {"d", 2}}));
}

TEST(heavy_keeper, an_item_has_a_bucket_in_every_row) {
  auto keeper = keeper_of(1, 1000, 20, 0.9);
  add(keeper, "a", 3);
  std::vector<std::uint64_t> expected;
  for (std::uint32_t row = 0; row < 20; ++row) expected.push_back(row * 1000 + murmur32("a", row) % 1000);
  std::vector<std::uint64_t> used;
  for (std::uint64_t i = 0; i < keeper.buckets().size(); ++i)
    if (keeper.buckets()[i].count == 3) used.push_back(i);
  EXPECT_EQ(used, expected);
}

/// As in RedisBloom: buckets of an item in the list do not count if they have decayed below the least count in the list.
TEST(heavy_keeper, the_count_of_a_listed_item_is_that_of_a_bucket_or_0) {
  auto keeper = keeper_of(1, 1, 1, 1);
  add(keeper, "a", 4);
  EXPECT_EQ(keeper.count("a"), 4U);
  add(keeper, "b");
  EXPECT_EQ(keeper.buckets()[0].count, 3U);
  EXPECT_EQ(keeper.count("a"), 0U);
  EXPECT_EQ(list_of(keeper), (listed{{"a", 4}}));
}

TEST(heavy_keeper, keeps_the_frequent_items) {
  auto keeper = keeper_of(10, 100, 7, 0.9);
  for (auto const& item : zipf(50'000, 5)) add(keeper, item);
  std::set<std::string> kept;
  for (auto const& [item, count] : list_of(keeper)) kept.insert(item);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(kept.contains("z" + std::to_string(i))) << i;
}

TEST(heavy_keeper, expels_the_item_of_the_least_count) {
  auto keeper = keeper_of(2, 50, 5, 1);
  EXPECT_EQ(add(keeper, "a").expelled, "-");
  EXPECT_EQ(add(keeper, "b").expelled, "-");
  EXPECT_EQ(add(keeper, "a").expelled, "-");
  EXPECT_EQ(add(keeper, "c").expelled, "b");
  add(keeper, "c", 2);
  EXPECT_EQ(list_of(keeper), (listed{{"c", 3}, {"a", 2}}));
  EXPECT_TRUE(keeper.contains("a"));
  EXPECT_FALSE(keeper.contains("b"));
  EXPECT_EQ(keeper.count("b"), 1U);
  EXPECT_EQ(keeper.count("z"), 0U);
}

TEST(heavy_keeper, items_are_any_bytes) {
  auto keeper = keeper_of(4, 100, 5, 1);
  std::string const items[] = {"nul\0a"s, "nul\0b"s, "nul"s, ""s};
  std::uint32_t by = 5;
  for (auto const& item : items) add(keeper, item, --by);
  listed const expected{{items[0], 4}, {items[1], 3}, {items[2], 2}, {items[3], 1}};
  EXPECT_EQ(list_of(keeper), expected);
  auto loaded = stored_and_restored(keeper);
  EXPECT_EQ(list_of(loaded), expected);
  for (auto const& item : items) EXPECT_TRUE(loaded.contains(item));
  EXPECT_FALSE(loaded.contains("nul\0c"s));
  EXPECT_EQ(add(loaded, "new", 9).expelled, "");  // the empty item, which is not the same as none
}

TEST(heavy_keeper, an_increment_of_0_changes_nothing_that_is_counted) {
  auto keeper = keeper_of(1, 10, 3, 0.9);
  add(keeper, "a", 3);
  auto const before = bytes_of(keeper);
  EXPECT_FALSE(add(keeper, "a", 0).changed);
  EXPECT_EQ(bytes_of(keeper), before);
  EXPECT_TRUE(add(keeper, "a", 1).changed);
}

TEST(heavy_keeper, counts_stop_at_their_largest_number) {
  auto keeper = keeper_of(1, 10, 3, 0.9);
  for (int i = 0; i < 3; ++i) add(keeper, "a", 2'000'000'000);
  EXPECT_EQ(keeper.count("a"), std::numeric_limits<std::uint32_t>::max());
}

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
  heavy_keeper::blocks(keeper, [&](auto& block) {
    auto const bytes = block.bytes().size();
    block.relocate([&](void* from) {
      void* const to = std::aligned_alloc(16, (bytes + 15) / 16 * 16);
      std::memcpy(to, from, bytes);
      std::free(from);
      ++moved;
      return to;
    });
  });
  EXPECT_EQ(moved, 4 + 3);  // buckets, records, fingerprints, items, and the bytes of three
  EXPECT_EQ(bytes_of(keeper), before);
  for (auto const& item : zipf(200, 8)) add(keeper, item);
}

}  // namespace
}  // namespace hortus::redisbloom
