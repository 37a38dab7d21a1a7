// Cascade maps: right for every key, at all sizes and skews; level sizes and rates; levels that do not shrink; conflicts; files
// that lie.
#include <hortus/map/cascade_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

static_assert(membership<cascaded> && plannable<cascaded> && buildable<cascaded> && storable<cascaded>);

digest key(std::uint64_t i) { return digest::of_hash(i); }
std::uint64_t random(std::uint64_t i) { return mix64(i * golden_ratio64 + 71); }
std::vector<digest> some_keys(std::uint64_t count) {
  std::vector<digest> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(key(i));
  return all;
}
std::string message_of(auto act, errc code) {
  try {
    act();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), code);
    return e.what();
  }
  return "nothing was thrown";
}

/// The number of keys on each level of the cascade of bit 0, and of those that are kept: a level is built of the keys that both
/// filters of the level before report, found here with filters of their own, made as the map makes them.
std::vector<std::uint64_t> cascade_sizes(std::span<digest const> keys, std::span<std::uint64_t const> values, double fpr) {
  std::vector<std::uint64_t> sizes;
  std::vector<std::size_t> left(keys.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (std::uint64_t level = 0;; ++level) {
    sizes.push_back(left.size());
    if (left.size() <= 16) return sizes;
    std::uint64_t of[2] = {};
    for (auto const i : left) ++of[values[i] & 1];
    bloom<> filters[2] = {bloom<>(bloom<>::plan({.items = of[0], .fpr = fpr})),
                          bloom<>(bloom<>::plan({.items = of[1], .fpr = fpr}))};
    for (auto const i : left) filters[values[i] & 1].insert(keys[i].remixed(level << 1 | (values[i] & 1)));
    std::erase_if(left, [&](std::size_t i) {
      auto const other = 1 - (values[i] & 1);
      return !filters[other].may_contain(keys[i].remixed(level << 1 | other));
    });
  }
}

/// One bit, at all skews: ones of a hundred keys.
TEST(cascade_map, is_right_for_every_key_at_any_skew) {
  for (std::uint64_t const items : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 18U, 40U, 100U, 1000U, 10'000U, 100'000U})
    for (unsigned const skew : {0U, 1U, 50U, 99U, 100U})
      for (double const fpr : {.5, .01}) {
        auto const keys = some_keys(items);
        std::vector<std::uint64_t> values;
        for (std::uint64_t i = 0; i < items; ++i) values.push_back(random(i) % 100 < skew ? 1 : 0);
        auto const f = cascaded::build(keys, values, {.fpr = fpr, .value_bits = 1});
        for (std::uint64_t i = 0; i < items; ++i)
          ASSERT_EQ(f.find(keys[i]), values[i]) << i << " of " << items << " at " << skew;
        EXPECT_EQ(f.shape(), cascaded::plan({.items = items, .fpr = fpr, .value_bits = 1}));
        if (items == 100'000 && fpr == .01) {
          double hits = 0;
          for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
          EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << skew << ": " << hits << " " << f.fpr();
          // The fill of a filter of 1000 keys spreads its rate by 4 %, and it has half of the sum.
          EXPECT_LE(f.fpr(), .01 * (1 + z_two_sided * .02));
        }
      }
}

TEST(cascade_map, small_sizes_one_by_one) {
  for (std::uint64_t items = 0; items <= 1000; ++items) {
    auto const keys = some_keys(items);
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < items; ++i) values.push_back(random(i) % 8);
    auto const f = cascaded::build(keys, values, {.fpr = .2, .value_bits = 3});
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(f.find(keys[i]), values[i]) << i << " of " << items;
  }
}

TEST(cascade_map, is_right_for_wide_values) {
  for (unsigned const bits : {2U, 8U, 17U, 63U, 64U})
    for (std::uint64_t const items : {1U, 20U, 5000U})
      for (double const fpr : {.9, .01}) {
        auto const keys = some_keys(items);
        std::vector<std::uint64_t> values;
        for (std::uint64_t i = 0; i < items; ++i)
          values.push_back(i == 0 ? ~std::uint64_t{0} >> (64 - bits) : random(i) >> (64 - bits));
        auto const f = cascaded::build(keys, values, {.fpr = fpr});
        EXPECT_EQ(f.shape().value_bits, bits) << "those of the largest value";
        for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(f.find(keys[i]), values[i]);
        if (items != 5000 || bits > 17) continue;
        double hits = 0;
        for (std::uint64_t i = 0; i < 200'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
        EXPECT_TRUE(binomial_band(2e5, f.fpr()).holds(hits)) << bits << ": " << hits << " " << f.fpr();
        EXPECT_LE(f.fpr(), 1.3 * fpr) << bits;
      }
}

/// The sheet: 20,000 keys at 1/64: levels of 20,000, 337 and 6 keys in its run, expected are 312.5 and 4.9; 8.81 bits per key;
/// absent keys answered at .0314. The keys of the next level are counted by a look at the filters.
TEST(cascade_map, levels_and_rate_of_the_sheet) {
  constexpr std::uint64_t items = 20'000;
  auto const keys = some_keys(items);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < items; ++i) values.push_back(random(i) & 1);
  auto const f = cascaded::build(keys, values, {.value_bits = 1, .filter_fpr = 1 / 64.0});
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(f.find(keys[i]), values[i]);
  EXPECT_EQ(f.of_bit(0).levels(), 2U);
  auto const sizes = cascade_sizes(keys, values, 1 / 64.0);
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[0], items);
  auto const planned = plan::cascade_levels({items, 1, 1 / 64.0});
  EXPECT_NEAR(static_cast<double>(sizes[1]), planned[1], 4 * std::sqrt(planned[1])) << "by 4 deviations";
  EXPECT_NEAR(static_cast<double>(sizes[2]), planned[2], 4 * std::sqrt(planned[2]));
  EXPECT_EQ(f.of_bit(0).kept(), sizes[2]);
  double hits = 0;
  for (std::uint64_t i = 0; i < 2'000'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
  EXPECT_TRUE(binomial_band(2e6, f.fpr()).holds(hits)) << hits / 2e6 << " " << f.fpr();
  EXPECT_NEAR(f.fpr(), plan::cascade_fpr(1 / 64.0), .002);
  double const bits = 8.0 * static_cast<double>(f.size_bytes()) / items;
  EXPECT_NEAR(bits, 8.81, .05);
  RecordProperty("levels", std::to_string(sizes[1]) + " " + std::to_string(sizes[2]));
  RecordProperty("rate", std::to_string(hits / 2e6));
  RecordProperty("bits_a_key", std::to_string(bits));
}

/// Why there is no put(): the rule of seed 004 inserts keys one by one, into the next level too if the other filter reports the
/// key at that time. Later inserts make filters report earlier keys, which are then missing from the next level.
TEST(cascade_map, inserting_keys_one_by_one_would_lose_some) {
  constexpr std::uint64_t items = 20'000;
  std::vector<std::array<bloom<>, 2>> levels;
  for (std::uint64_t const keys : {items / 2, items / 128, std::uint64_t{10}}) {
    bloom<> const empty(bloom<>::plan({.items = keys, .fpr = 1 / 64.0}));
    levels.push_back({empty, empty});
  }
  auto const salted = [](digest x, std::size_t level, std::size_t side) { return x.remixed(level << 1 | side); };
  auto const reports = [&](digest x, std::size_t level, std::size_t side) {
    return levels[level][side].may_contain(salted(x, level, side));
  };
  for (std::uint64_t i = 0; i < items; ++i)
    for (std::size_t level = 0, side = random(i) & 1; level < levels.size(); ++level) {
      levels[level][side].insert(salted(key(i), level, side));
      if (!reports(key(i), level, 1 - side)) break;
    }
  std::uint64_t wrong = 0, missing = 0;
  for (std::uint64_t i = 0; i < items; ++i)
    for (std::size_t level = 0, side = random(i) & 1; level < levels.size(); ++level) {
      bool const own = reports(key(i), level, side), other = reports(key(i), level, 1 - side);
      missing += own || other ? 0U : 1U;
      wrong += !own && other ? 1U : 0U;
      if (!own || !other) break;
    }
  EXPECT_GT(missing, 100U) << "about 1 %";
  EXPECT_LT(missing, 400U);
  RecordProperty("missing", std::to_string(missing) + ", wrong " + std::to_string(wrong));
}

TEST(cascade_map, is_about_as_large_as_planned) {
  for (std::uint64_t const items : {1U, 2U, 16U, 17U, 100U, 1000U, 100'000U})
    for (unsigned const bits : {0U, 1U, 8U})
      for (double const fpr : {.5, .01, 1e-6}) {
        auto const keys = some_keys(items);
        std::vector<std::uint64_t> values;
        for (std::uint64_t i = 0; i < items; ++i) values.push_back(bits == 0 ? 0 : random(i) >> (64 - bits));
        auto const f = cascaded::build(keys, values, {.fpr = fpr, .value_bits = bits});
        auto const planned = static_cast<double>(cascaded::planned_bytes(f.shape()));
        EXPECT_NEAR(static_cast<double>(f.size_bytes()), planned, .05 * planned + 64.0 * std::max(bits, 1U))
            << items << " " << bits << " " << fpr;
      }
}

/// Levels that do not shrink are an error; a few keys that all go on by chance are not.
TEST(cascade_map, levels_that_do_not_shrink_are_refused) {
  auto const keys = some_keys(2000);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 2000; ++i) values.push_back(i & 1);
  auto const said = message_of([&] { (void)cascaded::build(keys, values, {.filter_fpr = .99999}); }, errc::bad_goal);
  EXPECT_EQ(said,
            "level 1 of a cascade_map would have 2000 keys, as many as the level before: filters with a rate of 1 do not tell "
            "them apart; ask for a lower one");
  for (std::uint64_t const few : {17U, 40U, 64U}) {
    auto const f = cascaded::build(std::span(keys).first(few), std::span(values).first(few), {.filter_fpr = .99999});
    EXPECT_EQ(f.of_bit(0).kept(), few) << "they are kept exactly";
    for (std::uint64_t i = 0; i < few; ++i) ASSERT_EQ(f.find(keys[i]), values[i]);
  }
}

TEST(cascade_map, order_and_repetition_change_no_byte) {
  auto keys = some_keys(3000);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 3000; ++i) values.push_back(random(i) % 16);
  auto const f = cascaded::build(keys, values, {.items = 7});
  for (std::uint64_t i = 0; i < 500; ++i) keys.push_back(key(3 * i)), values.push_back(values[3 * i]);
  std::reverse(keys.begin(), keys.end());
  std::reverse(values.begin(), values.end());
  auto const other = cascaded::build(keys, values, {.items = ~std::uint64_t{0}});
  EXPECT_EQ(f, other);
  EXPECT_EQ(to_bytes(cascade_map(f)), to_bytes(cascade_map(other)));
}

TEST(cascade_map, conflicts_and_values_that_do_not_fit_are_named) {
  auto keys = some_keys(50);
  std::vector<std::uint64_t> values(50, 3);
  keys[42] = keys[17];
  EXPECT_EQ(cascaded::build(keys, values, {}).shape().items, 49U) << "a pair that is given twice is one";
  values[42] = 5;
  EXPECT_EQ(message_of([&] { (void)cascaded::build(keys, values, {}); }, errc::bad_params),
            "key 17 and key 42 are equal (or have one digest), but their values 3 and 5 differ");
  values[42] = 3;
  values[9] = 300;
  EXPECT_EQ(message_of([&] { (void)cascaded::build(keys, values, {.value_bits = 8}); }, errc::bad_params),
            "the value 300 needs 9 bits, and value_bits is 8");
  values.pop_back();
  EXPECT_EQ(message_of([&] { (void)cascaded::build(keys, values, {}); }, errc::bad_params),
            "50 keys want as many values, not 49");
}

TEST(cascade_map, without_values_is_a_bloom_filter) {
  auto const keys = some_keys(5000);
  auto const f = cascaded::build(keys, {.fpr = .01});
  for (auto const x : keys) ASSERT_EQ(f.find(x), 0U);
  EXPECT_EQ(f.shape().value_bits, 0U);
  EXPECT_NEAR(f.fpr(), .01, .001);
  EXPECT_LT(f.size_bytes(), bloom<>::planned_bytes(bloom<>::plan({.items = 5000, .fpr = .01})) + 16);
  cascaded const none;
  EXPECT_EQ(none.find(key(1)), std::nullopt);
  EXPECT_EQ(none.fpr(), 0);
  EXPECT_TRUE(none.valid());
}

TEST(cascade_map, blocks_give_the_same_answers) {
  auto const keys = some_keys(3000);
  std::vector<std::uint64_t> all(keys.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = random(i) % 8;
  auto const f = cascaded::build(keys, all, {.fpr = .3});
  std::vector<digest> asked;
  for (std::uint64_t i = 0; i < 64; ++i) asked.push_back(key(random(i) % 6000));
  for (auto const count : {64U, 63U, 1U, 0U}) {
    std::vector<std::uint64_t> values(64, 99);
    std::uint64_t hits = 0, same = 0;
    find_block(f, std::span<digest const>(asked).first(count), asked, values.data(), &hits);
    may_contain_block(f, std::span<digest const>(asked).first(count), {}, &same);
    EXPECT_EQ(hits, same);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(f.find(asked[i]).value_or(0), values[i]);
      ASSERT_EQ(f.find(asked[i]).has_value(), (hits >> i & 1) != 0);
    }
  }
}

/// Digests of all structures: sequential, equal in their top or low bits.
TEST(cascade_map, structured_digests_keep_the_rate) {
  for (int const way : {0, 1, 2}) {
    auto const selected = [&](std::uint64_t i) {
      return digest(way == 0 ? i : way == 1 ? random(i) >> 16 : random(i) << 16 | 1);
    };
    std::vector<digest> keys;
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back(selected(i)), values.push_back(i % 4);
    auto const f = cascaded::build(keys, values, {.fpr = .01});
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(f.find(keys[i]), values[i]);
    double hits = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.may_contain(selected(absent + i)) ? 1 : 0;
    EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << way << ": " << hits << " " << f.fpr();
  }
}

TEST(cascade_map, comes_back_from_bytes_and_clears) {
  for (std::uint64_t const items : {0U, 1U, 17U, 2000U})
    for (unsigned const bits : {0U, 1U, 5U, 64U}) {
      auto const keys = some_keys(items);
      std::vector<std::uint64_t> values;
      for (std::uint64_t i = 0; i < items; ++i) values.push_back(bits == 0 ? 0 : random(i) >> (64 - bits));
      auto f = cascaded::build(keys, values, {.fpr = .1, .value_bits = bits});
      auto const back = from_bytes<cascade_map>(to_bytes(cascade_map(f))).family();
      EXPECT_EQ(back, f);
      for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(back.find(keys[i]), values[i]);
      f.clear();
      for (auto const x : keys) ASSERT_EQ(f.find(x), std::nullopt);
      EXPECT_EQ(f.fpr(), 0);
    }
}

TEST(cascade_map, files_that_lie_are_refused_or_harmless) {
  auto const keys = some_keys(400);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 400; ++i) values.push_back(random(i) % 4);
  auto const f = cascaded::build(keys, values, {.fpr = .2});
  field_writer out;
  cascaded::fields(f, out);
  auto const sections = [&] {
    std::vector<memory> all;
    for (auto const bytes : out.sections()) {
      memory one(bytes.size());
      std::copy(bytes.begin(), bytes.end(), one.data());
      all.push_back(std::move(one));
    }
    return all;
  };
  auto const use = [&](std::vector<std::uint64_t> const& scalars, std::vector<memory> parts) {
    field_reader in(scalars, std::move(parts));
    cascaded made;
    try {
      cascaded::fields(made, in);
    } catch (error const&) {
      return false;
    }
    if (!made.valid() || !in.done()) return false;
    for (auto const x : keys) (void)made.find(x);
    (void)made.fpr();
    return true;
  };
  EXPECT_TRUE(use(out.scalars(), sections()));
  auto fewer = out.scalars();
  fewer[0] = f.of_bit(0).kept() - 1;
  EXPECT_FALSE(use(fewer, sections())) << "fewer keys than are kept exactly";
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < out.scalars().size(); ++i)
    for (std::uint64_t const value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{65}, std::uint64_t{1} << 43, ~std::uint64_t{0}}) {
      auto scalars = out.scalars();
      if (scalars[i] == value) continue;
      scalars[i] = value;
      refused += use(scalars, sections()) ? 0U : 1U;
    }
  EXPECT_GT(refused, 3 * out.scalars().size());
  for (std::size_t i = 0; i < out.sections().size(); ++i) {
    auto parts = sections();
    parts[i] = memory(parts[i].size() + 4);
    EXPECT_FALSE(use(out.scalars(), std::move(parts)));
    parts = sections();
    parts.pop_back();
    EXPECT_FALSE(use(out.scalars(), std::move(parts)));
    parts = sections();  // any bits and any words are a map
    for (std::size_t at = 0; at < parts[i].size(); at += 3) parts[i].data()[at] ^= std::byte{0x55};
    (void)use(out.scalars(), std::move(parts));
  }
}

}  // namespace
}  // namespace hortus::testing
