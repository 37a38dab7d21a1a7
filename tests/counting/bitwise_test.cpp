#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <hortus/counting/bitwise.hpp>
#include <hortus/counting/bitwise_frozen.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

digest key(std::uint64_t i) { return digest::of_hash(i); }

TEST(digits, are_worth_what_their_offsets_say) {
  auto const digits = plan::digits_of(231);
  ASSERT_GE(digits.size(), 4U);
  EXPECT_EQ(digits[0], (plan::digit{0, 2}));
  EXPECT_EQ(digits[1], (plan::digit{2, 3}));
  EXPECT_EQ(digits[2], (plan::digit{5, 1}));
  EXPECT_EQ(digits[3], (plan::digit{6, 1})) << "the last width goes on";
  std::uint64_t const values[] = {3, 5, 1};
  EXPECT_EQ(plan::value_of(digits, values), 55U) << "3 + 5 * 4 + 1 * 32";
  for (unsigned const widths : {1U, 2U, 3U, 9U, 231U, 19U, 777U}) {
    auto const all = plan::digits_of(widths);
    EXPECT_EQ(all.back().offset + all.back().width, 64U) << widths;
    std::vector<std::uint64_t> full;
    for (auto const d : all) full.push_back(d.max());
    EXPECT_EQ(plan::value_of(all, full), ~std::uint64_t{0}) << widths;
  }
  EXPECT_TRUE(plan::digits_of(0).empty());
  EXPECT_TRUE(plan::digits_of(203).empty());
}

/// Counts up to 2^16 and down again, with single bits and with mixed widths. Levels are added as needed.
TEST(bitwise, a_lone_key_is_counted_exactly) {
  for (unsigned const widths : {1U, 2U, 231U, 5U, 9U}) {
    bitwise<> f({.cells = 1000, .probes = 4, .widths = widths, .taper = 1});
    for (std::uint64_t i = 1; i <= 1U << 16; ++i) {
      f.insert(key(7));
      ASSERT_EQ(f.count(key(7)), i) << widths;
    }
    EXPECT_TRUE(f.valid());
    for (std::uint64_t i = 1U << 16; i-- > 0;) {
      ASSERT_TRUE(f.erase(key(7)));
      ASSERT_EQ(f.count(key(7)), i) << widths;
    }
    auto const bytes = to_bytes(bitwise_filter(f));
    EXPECT_FALSE(f.erase(key(7)));
    EXPECT_EQ(to_bytes(bitwise_filter(f)), bytes) << "a refused erase changes nothing";
  }
}

TEST(bitwise, new_levels_are_small_and_clear_takes_them_away) {
  bitwise<> f(bitwise<>::plan({.items = 1000, .fpr = 0.01}));
  auto const planned = f.size_bytes();
  auto const levels = f.levels();
  EXPECT_EQ(planned, bitwise<>::planned_bytes(f.shape()));
  for (int i = 0; i < 5000; ++i) f.insert(key(1));
  EXPECT_GT(f.levels(), levels);
  EXPECT_LT(f.size_bytes() - planned, planned / 4) << "for seven more bits of the count";
  f.clear();
  EXPECT_EQ(f, bitwise<>(f.shape()));
  EXPECT_EQ(f.size_bytes(), planned);
}

TEST(bitwise, plans_keep_their_rate) {
  for (std::uint64_t const items : {0ULL, 1ULL, 30ULL, 1000ULL, 1'000'000ULL})
    for (double const fpr : {0.5, 0.01, 1e-6})
      for (unsigned const widths : {1U, 231U})
        for (unsigned const taper : {0U, 1U, 2U, 9U}) {
          auto const p = bitwise<>::plan({.items = items, .fpr = fpr, .probes = 0, .widths = widths, .taper = taper});
          EXPECT_LE(bitwise<>::planned_fpr(p, items), fpr) << items << ' ' << fpr;
        }
  EXPECT_THROW((void)bitwise<>::plan({.items = 10, .fpr = 0.01, .probes = 0, .widths = 0}), error);
  EXPECT_THROW((void)bitwise<>::plan({.items = 10, .fpr = 0.01, .probes = 65}), error);
  EXPECT_THROW((void)bitwise<>::plan({.items = ~std::uint64_t{0}, .fpr = 0.01}), error);
  EXPECT_THROW((void)bitwise<>::plan({.items = 10, .fpr = 0.01, .probes = 0, .widths = 1, .taper = 65'537}), error);
  EXPECT_THROW(bitwise<>({.cells = 10, .probes = 4, .widths = 1, .taper = 65'537}), error);
  EXPECT_THROW(bitwise<>({.cells = 10, .probes = 4, .widths = 30}), error);
}

/// The sizes of levels are in files: with a taper of 1 they must be the same as when 1 was the only taper.
TEST(bitwise, levels_of_old_files_have_the_sizes_they_had) {
  plan::bitwise_shape const zipf{.cells = 13'000, .probes = 8, .widths = 1, .taper = 1};
  EXPECT_EQ(plan::bitwise_level(zipf, {0, 1}), (plan::counting_shape{13'000, 8, 4}));
  EXPECT_EQ(plan::bitwise_level(zipf, {1, 1}), (plan::counting_shape{7313, 9, 4}));
  EXPECT_EQ(plan::bitwise_level(zipf, {4, 1}), (plan::counting_shape{1219, 12, 4}));
  EXPECT_EQ(plan::bitwise_level(zipf, {20, 1}), (plan::counting_shape{647, 28, 4})) << "for 16 keys at least";
  EXPECT_EQ(plan::bitwise_level({.cells = 100, .probes = 8, .widths = 1, .taper = 1}, {20, 1}).cells, 100U);
  auto twice = zipf;
  twice.taper = 2;
  EXPECT_EQ(plan::bitwise_level(twice, {0, 1}), (plan::counting_shape{13'000, 8, 4}));
  EXPECT_EQ(plan::bitwise_level(twice, {1, 1}), (plan::counting_shape{14'625, 9, 4})) << "as many keys as on the lowest";
  EXPECT_EQ(plan::bitwise_level(twice, {2, 1}), (plan::counting_shape{8125, 10, 4})) << "half as many";
}

/// A stream in which key i comes times(i) times: key after key, or in turns.
std::vector<std::uint64_t> stream_of(std::uint64_t keys, bool in_turns, auto times) {
  std::vector<std::uint64_t> stream;
  if (!in_turns)
    for (std::uint64_t i = 0; i < keys; ++i) stream.insert(stream.end(), times(i), i);
  else
    for (std::uint64_t turn = 0, before = 1; before != stream.size(); ++turn) {
      before = stream.size();
      for (std::uint64_t i = 0; i < keys; ++i)
        if (times(i) > turn) stream.push_back(i);
    }
  return stream;
}

/// The promise of the card for keys of which at most taper / c come c times or more, in any order: an absent key counts
/// more than 0, and a member's count is wrong, with probability at most fpr. False alarm: 1e-9 in each (binomial; the
/// measured probabilities are at most half of fpr, except 0.72 of it for keys that all come three times). 40'000 keys,
/// because the fill of fewer keys varies by more than that margin.
TEST(bitwise, keeps_its_rate_for_keys_that_repeat) {
  constexpr std::uint64_t keys = 40'000;
  struct repeats {
    char const* name;
    unsigned taper;
    std::uint64_t (*times)(std::uint64_t);
  };
  for (auto const& [name, taper, times] : std::initializer_list<repeats>{
           {"once", 1, [](std::uint64_t) -> std::uint64_t { return 1; }},
           {"Zipf", 1, [](std::uint64_t i) { return std::min<std::uint64_t>(keys / (i + 1), 2000); }},
           {"once", 2, [](std::uint64_t) -> std::uint64_t { return 1; }},
           {"twice", 2, [](std::uint64_t) -> std::uint64_t { return 2; }},
           {"three times", 2, [](std::uint64_t) -> std::uint64_t { return 3; }},
           {"one to three times", 2, [](std::uint64_t i) { return 1 + i % 3; }},
           {"one to seven times", 2, [](std::uint64_t i) { return 1 + i % 7; }},
           {"Zipf", 2, [](std::uint64_t i) { return std::min<std::uint64_t>(2 * keys / (i + 1), 2000); }},
           {"four times", 4, [](std::uint64_t) -> std::uint64_t { return 4; }},
           {"one to twenty times", 20, [](std::uint64_t i) { return 1 + i % 20; }}})
    for (double const fpr : {0.1, 0.01, 0.001})
      for (bool const in_turns : {false, true}) {
        bitwise<> f(bitwise<>::plan({.items = keys, .fpr = fpr, .probes = 0, .widths = 1, .taper = taper}));
        for (auto const k : stream_of(keys, in_turns, times)) f.insert(key(k));
        double counted = 0, wrong = 0;
        for (std::uint64_t i = 0; i < 200'000; ++i) counted += f.count(key(absent + i)) > 0 ? 1 : 0;
        for (std::uint64_t i = 0; i < keys; ++i) wrong += f.count(key(i)) != times(i) ? 1 : 0;
        SCOPED_TRACE(std::string(name) + (in_turns ? " in turns" : "") + ", taper " + std::to_string(taper) + ", rate " +
                     std::to_string(fpr));
        EXPECT_LE(counted, binomial_band(200'000, fpr).high);
        EXPECT_LE(wrong, binomial_band(keys, fpr).high);
        EXPECT_GT(counted, fpr == 0.1 ? 0 : -1);
      }
}

TEST(bitwise, saved_with_its_levels) {
  bitwise<> f({.cells = 500, .probes = 4, .widths = 231, .taper = 1});
  for (std::uint64_t i = 0; i < 30'000; ++i) f.insert(key(mix64(i) % (i % 50 + 1)));
  auto const bytes = to_bytes(bitwise_filter(f));
  auto again = from_bytes<bitwise_filter>(bytes);
  EXPECT_EQ(again.family(), f);
  EXPECT_EQ(to_bytes(again), bytes);
  for (std::uint64_t i = 0; i < 60; ++i) EXPECT_EQ(again.family().count(key(i)), f.count(key(i)));
}

/// Fields as in a hostile file.
TEST(bitwise, notices_levels_that_do_not_fit) {
  bitwise<> f({.cells = 500, .probes = 4, .widths = 1, .taper = 1});
  for (int i = 0; i < 1000; ++i) f.insert(key(1));
  field_writer out;
  bitwise<>::fields(f, out);
  auto const accepted = [&](std::size_t changed, std::uint64_t value) {
    auto scalars = out.scalars();
    if (changed < scalars.size()) scalars[changed] = value;
    std::vector<memory> sections;
    for (auto const bytes : out.sections()) {
      memory copy(bytes.size());
      std::copy(bytes.begin(), bytes.end(), copy.data());
      sections.push_back(std::move(copy));
    }
    field_reader in(std::move(scalars), std::move(sections));
    try {
      (void)family_reader<bitwise<>>::read({.family = "bitwise"}, in);
      return true;
    } catch (error const&) {
      return false;
    }
  };
  EXPECT_TRUE(accepted(out.scalars().size(), 0)) << "as it was";
  for (std::size_t i = 0; i < out.scalars().size(); ++i)
    for (std::uint64_t const value : {std::uint64_t{0}, out.scalars()[i] + 1, std::uint64_t{65}, std::uint64_t{1} << 36,
                                      (std::uint64_t{1} << 36) + 1, ~std::uint64_t{0}})
      if (value != out.scalars()[i]) {
        EXPECT_FALSE(accepted(i, value)) << "field " << i << " as " << value;
      }
}

/// A stream of 20'000 keys of Zipf's law with exponent 1 over 1000 keys, the same in every run.
std::vector<std::uint64_t> zipf_stream(std::uint64_t seed) {
  std::vector<double> upto(1000);
  double sum = 0;
  for (std::size_t i = 0; i < upto.size(); ++i) upto[i] = sum += 1.0 / static_cast<double>(i + 1);
  std::vector<std::uint64_t> stream(20'000);
  for (std::size_t t = 0; t < stream.size(); ++t) {
    double const u = static_cast<double>(mix64((seed * 100'000 + t) * golden_ratio64) >> 11) * 0x1p-53 * sum;
    stream[t] = seed << 32 | static_cast<std::uint64_t>(std::lower_bound(upto.begin(), upto.end(), u) - upto.begin());
  }
  return stream;
}

struct errors {
  double wrong = 0, under = 0, off = 0;
  void add(std::uint64_t counted, std::uint64_t truth) {
    wrong += counted != truth ? 1 : 0;
    under += counted < truth ? 1 : 0;
    off += std::abs(static_cast<double>(counted) - static_cast<double>(truth));
  }
};

/// The method of libbf for comparison: plain bits, cleared when a key carries.
class ripple_of_bits {
 public:
  void insert(digest x) {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      bool has = true;
      for_each(x, i, [&](auto& bit) { has = has && bit; });
      for_each(x, i, [&](auto& bit) { bit = !has; });
      if (!has) return;
    }
  }
  [[nodiscard]] std::uint64_t count(digest x) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      bool has = true;
      for_each(x, i, [&](auto& bit) { has = has && bit; });
      count |= std::uint64_t{has} << i;
    }
    return count;
  }

 private:
  void for_each(digest x, std::size_t level, auto act) {
    multiply_chain at(x.remixed(level), 8000);
    for (int k = 0; k < 4; ++k) act(levels_[level][at.next()]);
  }
  std::vector<std::vector<char>> levels_ = std::vector(14, std::vector<char>(8000));
};

/// The table of the literature sheet: 1000 keys, 14 levels of 8000 cells, 4 probes, 20 runs. Fixed streams; the bands are the
/// sheet's figures within what two samples of 20 runs differ by.
TEST(bitwise, table_of_errors) {
  errors frozen, ripple, bits;
  constexpr int runs = 20;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    bitwise<> dynamic({.cells = 8000, .probes = 4, .widths = 1, .taper = 0});
    ripple_of_bits plain;
    std::map<std::uint64_t, std::uint64_t> truth;
    std::vector<digest> keys;
    for (auto const k : zipf_stream(run)) {
      dynamic.insert(key(k)), plain.insert(key(k)), ++truth[k];
      keys.push_back(key(k));
    }
    std::vector<plan::bloom_shape> const levels(14, plan::bloom_shape{8000, 4});
    auto const built = bitwise_frozen<>::of_counts(tally(keys), levels);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      auto const k = run << 32 | i;
      frozen.add(built.count(key(k)), truth[k]);
      ripple.add(dynamic.count(key(k)), truth[k]);
      bits.add(plain.count(key(k)), truth[k]);
    }
  }
  constexpr double all = runs * 1000;
  EXPECT_NEAR(frozen.wrong / all, 0.0048, 0.003);
  EXPECT_EQ(frozen.under, 0);
  EXPECT_NEAR(frozen.off / all, 0.013, 0.012);
  EXPECT_NEAR(ripple.wrong / all, 0.024, 0.01);
  EXPECT_NEAR(ripple.under / all, 0.015, 0.008);
  EXPECT_NEAR(ripple.off / all, 0.053, 0.04);
  EXPECT_NEAR(bits.wrong / all, 0.77, 0.05);
  EXPECT_NEAR(bits.under / all, 0.77, 0.05);
  EXPECT_NEAR(bits.off / all, 4.4, 1.0);
}

std::vector<digest> repeated(std::uint64_t keys) {
  std::vector<digest> all;
  for (std::uint64_t i = 0; i < keys; ++i)
    for (std::uint64_t r = 0; r <= keys / (i + 1) % 100; ++r) all.push_back(key(i));
  return all;
}

TEST(bitwise_frozen, tallies_keys_in_any_order) {
  std::vector<digest> const keys{key(3), key(1), key(3), key(2), key(3), key(1)};
  std::map<std::uint64_t, std::uint64_t> found;
  for (auto const& k : tally(keys)) found[k.key.bits()] = k.times;
  EXPECT_EQ(found, (std::map<std::uint64_t, std::uint64_t>{{key(1).bits(), 2}, {key(2).bits(), 1}, {key(3).bits(), 3}}));
  EXPECT_TRUE(tally({}).empty());
}

TEST(bitwise_frozen, never_counts_too_low_and_too_high_as_seldom_as_it_says) {
  for (std::uint64_t const items : {0U, 1U, 2U, 100U, 30'000U})
    for (double const fpr : {0.3, 0.01, 1e-4}) {
      auto const keys = repeated(items);
      auto const f = bitwise_frozen<>::build(keys, {.items = 0, .fpr = fpr});
      EXPECT_TRUE(f.valid());
      EXPECT_LE(f.fpr(), items >= 100 ? fpr * 1.1 : 1) << "given the fill, which varies";
      double wrong = 0;
      for (auto const& k : tally(keys)) {
        ASSERT_GE(f.count(k.key), k.times);
        ASSERT_TRUE(f.may_contain(k.key));
        wrong += f.count(k.key) != k.times ? 1 : 0;
      }
      EXPECT_LE(wrong, binomial_band(static_cast<double>(items), f.fpr()).high) << "members err in fewer bits than strangers";
      double found = 0;
      for (std::uint64_t i = 0; i < 50'000; ++i) {
        found += f.may_contain(key(absent + i)) ? 1 : 0;
        ASSERT_EQ(f.may_contain(key(absent + i)), f.count(key(absent + i)) != 0);
      }
      EXPECT_TRUE(binomial_band(50'000, f.fpr()).holds(found)) << found << " of 50000 at " << f.fpr();
    }
}

/// Rates that fall as 2^-i over the levels keep errors in the low bits: the mean error is below that of equal rates in the same
/// number of bits.
TEST(bitwise_frozen, sizes_levels_for_their_own_keys) {
  std::vector<std::uint64_t> const keys{50'000, 30'000, 10'000, 3000, 1000, 200, 20, 1};
  auto const levels = plan::bitwise_levels(keys, 0.01);
  std::uint64_t bits = 0, all = 0;
  double rates = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    bits += levels[i].bits, all += keys[i];
    rates += plan::bloom_fpr(levels[i], keys[i]);
  }
  EXPECT_LE(rates, 0.01);
  EXPECT_GT(rates, 0.0095);
  std::vector<plan::bloom_shape> even;
  for (auto const n : keys) even.push_back({bits * n / all + 1, plan::best_probes(bits * n / all + 1, n)});
  EXPECT_LT(3 * plan::bitwise_expected_error(levels, keys), plan::bitwise_expected_error(even, keys));
  EXPECT_EQ(plan::bitwise_levels(std::vector<std::uint64_t>{0, 5}, 0.01)[0], (plan::bloom_shape{1, 1}));
  EXPECT_TRUE(plan::bitwise_levels({}, 0.01).empty());
}

TEST(bitwise_frozen, batches_say_what_single_questions_say) {
  for (std::uint64_t const items : {1000U, 400'000U}) {  // within the cache and beyond it
    auto const f = bitwise_frozen<>::build(repeated(items), {.items = items, .fpr = 0.01});
    for (std::size_t const size : {0U, 1U, 63U, 64U, 65U, 256U}) {
      std::vector<digest> asked;
      for (std::size_t i = 0; i < size; ++i) asked.push_back(key(i % 2 == 0 ? i : absent + i));
      std::vector<std::uint64_t> counts(size), hits(4);
      f.count(asked, {}, counts.data());
      f.may_contain(asked, {}, hits.data());
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(counts[i], f.count(asked[i])) << i;
        ASSERT_EQ(hits[i / 64] >> (i % 64) & 1, f.may_contain(asked[i]) ? 1U : 0U) << i;
      }
    }
  }
}

static_assert(buildable<bitwise_frozen<>> && countable<bitwise_frozen<>> && membership<bitwise_frozen<>>);
static_assert(!insertable<bitwise_frozen<>> && !buildable<bitwise<>>);
static_assert(insertable<bitwise<>> && erasable<bitwise<>> && countable<bitwise<>> && plannable<bitwise<>> &&
              !membership<bitwise<>>);

TEST(bitwise_frozen, is_built_of_keys_by_the_front_and_saved) {
  std::vector<std::string> const words{"rose", "a", "rose", "is", "a", "rose"};
  auto const f = bitwise_frozen_filter::build(words, {.items = 0, .fpr = 0.001});
  EXPECT_EQ(f.family().count(f("rose")), 3U);
  EXPECT_EQ(f.family().count(f("a")), 2U);
  EXPECT_EQ(f.family().count(f("is")), 1U);
  EXPECT_TRUE(f.may_contain("rose"));
  EXPECT_EQ(f.about().items_inserted, 6U);
  EXPECT_EQ(f.about().kinds, key_kind::bytes);
  EXPECT_EQ(f.about().fpr_planned, 0.001);
  auto const bytes = to_bytes(f);
  auto const again = from_bytes<bitwise_frozen_filter>(bytes);
  EXPECT_EQ(again, f);
  EXPECT_EQ(to_bytes(again), bytes);
  auto reversed = words;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(bitwise_frozen_filter::build(reversed, {.items = 0, .fpr = 0.001}), f) << "in any order";
}

TEST(bitwise_frozen, refuses_levels_that_are_too_few) {
  std::vector<digest> const keys(5, key(1));
  std::vector<plan::bloom_shape> const two(2, plan::bloom_shape{100, 3});
  EXPECT_THROW((void)bitwise_frozen<>::of_counts(tally(keys), two), error);
  EXPECT_THROW((void)bitwise_frozen<>::build(keys, {.items = 0, .fpr = 1.5}), error);
}

}  // namespace
}  // namespace hortus::testing
