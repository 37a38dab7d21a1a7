#include <hortus/map/typed_map.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <hortus/io/store.hpp>
#include <hortus/map/bloomier_map.hpp>
#include <hortus/map/dynamic_bloomier_map.hpp>
#include <hortus/map/perfect_hash_map.hpp>

namespace hortus {
namespace {

enum class country : std::uint8_t { de, fr, uk };
struct place {
  std::uint16_t rack = 0;
  std::uint8_t shelf = 0;
  std::uint8_t box = 0;
  bool operator==(place const&) const = default;
};
struct padded {
  std::uint8_t a;
  std::uint32_t b;
};
template <class V>
constexpr bool has_codec = codec_of<value_codec<V>, V>;
static_assert(has_codec<country> && has_codec<place> && has_codec<double> && has_codec<bool> && has_codec<std::int64_t>);
template <class V>
concept encodable = requires(V v) {
  value_codec<V>::encode(v);
};
static_assert(!encodable<padded> && !encodable<std::string>);

template <class V>
void comes_back(V value) {
  EXPECT_EQ(value_codec<V>::decode(value_codec<V>::encode(value)), value);
}

TEST(typed_map, values_become_numbers_and_come_back) {
  for (auto const v : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                       std::numeric_limits<std::int64_t>::max()})
    comes_back(v);
  for (int v = -128; v < 128; ++v) comes_back(static_cast<std::int8_t>(v));
  comes_back(std::numeric_limits<std::uint64_t>::max());
  comes_back(true);
  comes_back(country::uk);
  comes_back(-1.5);
  comes_back(3.25F);
  comes_back(place{700, 3, 9});
  EXPECT_EQ(value_codec<int>::encode(0), 0U);
  EXPECT_EQ(value_codec<int>::encode(-1), 1U);
  EXPECT_EQ(value_codec<int>::encode(-64), 127U) << "small negative numbers take few bits";
  EXPECT_EQ(value_codec<place>::encode({1, 2, 3}), 0x03020001U);
}

TEST(typed_map, finds_what_was_given) {
  std::vector<std::string> keys;
  std::vector<place> places;
  std::vector<int> numbers;
  for (int i = 0; i < 3000; ++i) {
    keys.push_back("key " + std::to_string(i));
    places.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint8_t>(i % 7), static_cast<std::uint8_t>(i % 5)});
    numbers.push_back(i % 100 - 50);
  }
  auto const map = typed_map<bloomier_map, place>::build(keys, places, {.fpr = 1e-6});
  auto const signs = typed_map<perfect_hash_map, int>::build(keys, numbers, {.fpr = 1e-6});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(map.find(keys[i]), places[i]);
    ASSERT_EQ(signs.at(keys[i]), numbers[i]);
  }
  EXPECT_EQ(signs.map().family().value_bits(), 7U);
  EXPECT_EQ(map.find("nobody"), std::nullopt);
  EXPECT_THROW((void)map.at("nobody"), error);
  std::size_t seen = 0;
  map.find(keys, [&](std::size_t i, place const& value) { seen += value == places[i] ? 1U : 0U; });
  EXPECT_EQ(seen, keys.size());
  EXPECT_EQ((typed_map<bloomier_map, place>(from_bytes<bloomier_map>(to_bytes(map.map())))), map);
}

TEST(typed_map, has_the_verbs_of_its_map) {
  typed_map<dynamic_bloomier_map, country> map(dynamic_bloomier_map({.items = 10, .fpr = 1e-6, .value_bits = 2}));
  EXPECT_TRUE(map.put("ada", country::uk));
  EXPECT_EQ(map.find("ada"), country::uk);
  EXPECT_TRUE(map.assign("ada", country::de));
  EXPECT_EQ(map.at("ada"), country::de);
}

}  // namespace
}  // namespace hortus
