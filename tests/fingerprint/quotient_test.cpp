// The quotient filter: fingerprints, runs, a multiset beside it, one form of bytes, growth, merges of all shapes, files that
// lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <hortus/fingerprint/quotient.hpp>
#include <hortus/io/store.hpp>

namespace hortus::testing {
namespace {

static_assert(membership<quotient> && countable<quotient> && erasable<quotient> && estimating<quotient>);
static_assert(mergeable<quotient> && merges_any_shape<quotient> && growable<quotient> && can_be_full<quotient> &&
              !foldable<quotient>);

using contents = std::map<std::uint64_t, std::uint64_t>;  // fingerprint, copies

digest key(std::uint64_t i) { return digest::of_hash(i); }

/// A key with this fingerprint: undoes the multiplication of the digest.
digest key_of_print(std::uint64_t number, unsigned bits) {
  std::uint64_t inverse = golden_ratio64;
  for (int i = 0; i < 6; ++i) inverse *= 2 - golden_ratio64 * inverse;
  return digest((number << (64 - bits)) * inverse);
}
std::uint64_t print_of(digest x, unsigned bits) { return quotient_fingerprint::of(x, bits).number(bits); }

contents contents_of(quotient const& f) {
  contents all;
  std::uint64_t next = 0;
  f.for_each_fingerprint([&](std::uint64_t number, std::uint64_t copies) {
    EXPECT_GE(number, next) << "in ascending order, each once";
    next = number + 1;
    all[number] = copies;
  });
  return all;
}
/// The filter of these fingerprints, inserted in an order of their own.
quotient filter_of(contents const& wanted, quotient::params shape, std::uint64_t order) {
  std::vector<std::uint64_t> all;
  for (auto const& [number, copies] : wanted) all.insert(all.end(), copies, number);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[mix64(order + i) % i]);
  quotient f(shape);
  for (auto const number : all) EXPECT_TRUE(f.insert(key_of_print(number, shape.fingerprint_bits)));
  return f;
}
bool sound(quotient const& f) {
  try {
    return from_bytes<quotient_filter>(to_bytes(quotient_filter(f))).family() == f;  // loading checks everything
  } catch (error const&) {
    return false;
  }
}

TEST(quotient_fingerprint, has_a_pair_of_its_own_for_any_number_of_slots) {
  for (std::uint64_t slots = 1; slots < 300; slots += slots < 20 ? 1 : 7)
    for (unsigned bits = static_cast<unsigned>(std::bit_width(slots)); bits <= 11; ++bits) {
      plan::quotient_shape const shape{slots, bits};
      std::pair<std::uint64_t, std::uint64_t> last;
      for (std::uint64_t number = 0; number < std::uint64_t{1} << bits; ++number) {
        auto const pair = quotient_fingerprint::from(number, bits).in(slots, shape.remainder_bits());
        ASSERT_LT(pair.quotient, slots);
        ASSERT_EQ(pair.quotient, number * slots >> bits);
        ASSERT_LT(pair.remainder, std::uint64_t{1} << shape.remainder_bits());
        ASSERT_TRUE(number == 0 || std::pair(pair.quotient, pair.remainder) > last) << "in the order of fingerprints";
        last = {pair.quotient, pair.remainder};
        ASSERT_EQ(quotient_fingerprint::at(pair, shape).number(bits), number);
      }
    }
}

TEST(quotient_fingerprint, comes_back_at_large_sizes) {
  for (auto const shape :
       {plan::quotient_shape{(std::uint64_t{1} << 35) - 19, 64}, plan::quotient_shape{std::uint64_t{1} << 31, 40},
        plan::quotient_shape{256, 64}, plan::quotient_shape{1, 56}, plan::quotient_shape{1'000'003, 27}})
    for (std::uint64_t i = 0; i < 1000; ++i) {
      auto const print = quotient_fingerprint::of(key(i), shape.fingerprint_bits);
      auto const pair = print.in(shape.slots, shape.remainder_bits());
      ASSERT_LT(pair.quotient, shape.slots);
      ASSERT_EQ(quotient_fingerprint::at(pair, shape).top, print.top);
      ASSERT_EQ(quotient_fingerprint::of(key_of_print(print.number(shape.fingerprint_bits), shape.fingerprint_bits),
                                         shape.fingerprint_bits)
                    .top,
                print.top);
    }
}

TEST(quotient_fingerprint, of_fewer_bits_is_a_prefix) {
  for (std::uint64_t i = 0; i < 100; ++i)
    for (unsigned bits = 1; bits < 64; ++bits) ASSERT_EQ(print_of(key(i), bits), print_of(key(i), 64) >> (64 - bits));
}

/// Random inserts and erases, compared with a map of fingerprints: every answer, and every byte with those of a filter that was
/// filled in another order. Loads from empty to full, many keys on one fingerprint, runs across blocks.
TEST(quotient, against_a_multiset) {
  for (std::uint64_t const slots : {1U, 2U, 19U, 40U, 63U, 64U, 65U, 100U, 700U})
    for (unsigned const bits : {7U, 9U, 12U, 17U, 40U}) {
      if (!plan::quotient_shape{slots, bits}.possible()) continue;
      quotient f({slots, bits});
      auto const room = plan::quotient_shape{slots, bits}.room();
      contents model;
      bool was_full = false;
      for (std::uint64_t t = 0; t < 8000; ++t) {
        auto const random = mix64(t + 77 * bits + 1000 * slots);
        auto const number = random % (3 * slots) < slots / 4 ? (std::uint64_t{1} << bits) - 1 - random % 5  // the last slots
                                                             : print_of(key(random % (2 * slots + 5)), bits);
        auto const x = key_of_print(number, bits);
        auto const there = model.find(number);
        if (random >> 32 & 1 & (t / 1000)) {  // in every second thousand as many erases as inserts
          ASSERT_EQ(f.erase(x), there != model.end());
          if (there != model.end() && --there->second == 0) model.erase(there);
        } else if (f.insert(x)) {
          ++model[number];
        } else {
          ASSERT_TRUE(there == model.end()) << "a copy always fits";
        }
        std::uint64_t in_slots = 0;
        for (auto const& entry : model) in_slots += std::min<std::uint64_t>(entry.second, 3);
        was_full = was_full || in_slots >= room;
        auto const asked = print_of(key(mix64(random) % (2 * slots + 5)), bits);
        auto const it = model.find(asked);
        ASSERT_EQ(f.count(key_of_print(asked, bits)), it == model.end() ? 0 : it->second);
        ASSERT_EQ(f.may_contain(key_of_print(asked, bits)), it != model.end());
        ASSERT_EQ(f.fpr(), static_cast<double>(model.size()) / std::ldexp(1.0, static_cast<int>(bits)));
        if (t % 500 != 0) continue;
        ASSERT_EQ(contents_of(f), model) << slots << " " << bits;
        ASSERT_TRUE(sound(f)) << slots << " " << bits << " " << t;
        if (!was_full) {
          ASSERT_EQ(filter_of(model, {slots, bits}, t), f) << slots << " " << bits;
        }
      }
      for (auto const& [number, copies] : contents(model))
        for (std::uint64_t i = 0; i < copies; ++i) ASSERT_TRUE(f.erase(key_of_print(number, bits)));
      if (was_full) f.clear();
      EXPECT_EQ(f, quotient({slots, bits})) << "nothing stays behind";
    }
}

/// In so many slots there are groups of runs of several thousand slots without a gap.
TEST(quotient, long_groups_of_runs_are_shifted) {
  constexpr std::uint64_t items = 4'000'000;
  quotient f(quotient::plan({.items = items, .fpr = .01}));
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(f.insert(digest::of_hash(i))) << i;
  EXPECT_TRUE(sound(f));
  for (std::uint64_t i = 0; i < items; i += 10) ASSERT_TRUE(f.erase(digest::of_hash(i))) << i;
  for (std::uint64_t i = 0; i < items; i += 10) ASSERT_TRUE(f.insert(digest::of_hash(items + i))) << i;
  EXPECT_TRUE(sound(f));
}

/// Keys chosen to have one slot, and the last slot: they are refused when the reach, or the spare slots, are used up.
TEST(quotient, keys_chosen_to_collide_are_refused_in_time) {
  quotient f({20'000, 40});
  for (std::uint64_t const first : {std::uint64_t{0}, (std::uint64_t{1} << 40) - 20'000}) {
    std::uint64_t in = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) in += f.insert(key_of_print(first + i, 40)) ? 1U : 0U;
    EXPECT_EQ(in, first == 0 ? quotient_table::max_reach + 1 : 317 * 64 - 19'999U) << "to the end of the last block";
    for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(f.may_contain(key_of_print(first + i, 40)), i < in);
    EXPECT_TRUE(sound(f));
  }
  for (std::uint64_t i = 0; i < 10'000; ++i) (void)f.erase(key_of_print(i, 40));
  for (std::uint64_t i = 0; i < 10'000; ++i) (void)f.erase(key_of_print((std::uint64_t{1} << 40) - 20'000 + i, 40));
  EXPECT_EQ(f, quotient({20'000, 40}));
}

TEST(quotient, a_frequent_key_does_not_fill_the_table) {
  quotient f({100, 30});
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(f.insert(key(i)));
  auto const before = f;
  for (std::uint64_t copies = 1; copies <= 10'000; ++copies) {
    ASSERT_TRUE(f.insert(key(5)));
    ASSERT_EQ(f.count(key(5)), copies + 1);
  }
  EXPECT_LT(f.size_bytes(), before.size_bytes() + 1000);
  for (std::uint64_t i = 100; i < 140; ++i) ASSERT_TRUE(f.insert(key(i))) << "there is room for others";
  EXPECT_TRUE(sound(f));
  for (std::uint64_t i = 100; i < 140; ++i) ASSERT_TRUE(f.erase(key(i)));
  for (std::uint64_t copies = 10'000; copies > 0; --copies) {
    ASSERT_EQ(f.count(key(5)), copies + 1);
    ASSERT_TRUE(f.erase(key(5)));
  }
  EXPECT_EQ(f, before);
}

/// A stream with repeated keys, planned for its distinct keys: all of them go in.
TEST(quotient, copies_leave_the_slots_to_new_keys) {
  for (std::uint64_t const distinct : {1U, 10U, 300U, 5000U}) {
    quotient f(quotient::plan({.items = distinct, .fpr = .01}));
    auto const empty = f;
    contents model;
    for (std::uint64_t i = 0; i < distinct; ++i)
      for (std::uint64_t copies = 0; copies < 1 + i % 6; ++copies) {
        ASSERT_TRUE(f.insert(key(i))) << i << " of " << distinct;
        ++model[print_of(key(i), f.shape().fingerprint_bits)];
      }
    EXPECT_EQ(contents_of(f), model);
    EXPECT_TRUE(sound(f));
    auto taken_over = empty;
    taken_over.merge(f);
    EXPECT_EQ(taken_over, f) << "copies take no slots there either";
    auto grown = f;
    grown.grow();
    EXPECT_EQ(contents_of(grown), model);
    for (std::uint64_t i = 0; i < distinct; ++i)
      for (std::uint64_t copies = 0; copies < 1 + i % 6; ++copies) ASSERT_TRUE(f.erase(key(i)));
    EXPECT_EQ(contents_of(f), contents());
    f.clear();
    EXPECT_EQ(f, empty);
  }
}

TEST(quotient, every_width_of_remainder_works) {
  for (unsigned bits = 1; bits <= 56; ++bits) {
    quotient f({256, bits + 8});
    for (std::uint64_t i = 0; i < 240; ++i) ASSERT_TRUE(f.insert(key(i)));
    for (std::uint64_t i = 0; i < 240; ++i) ASSERT_GE(f.count(key(i)), 1U) << bits;
    EXPECT_TRUE(sound(f)) << bits;
    if (bits < 30) continue;
    for (std::uint64_t i = 1000; i < 2000; ++i) ASSERT_FALSE(f.erase(key(i))) << bits;
  }
}

TEST(quotient, grows_without_changing_an_answer) {
  for (std::uint64_t const slots : {1U, 3U, 100U, 5000U}) {
    quotient f({slots, 22});
    auto const room = plan::quotient_shape{slots, 22}.room();
    for (std::uint64_t i = 0; i < room; ++i) ASSERT_TRUE(f.insert(key(i)));
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(f.insert(key(0)));  // beside the table: it is full
    auto const all = contents_of(f);
    auto const rate = f.fpr();
    for (unsigned doublings = 1; doublings <= 3; ++doublings) {
      std::vector<bool> before;
      for (std::uint64_t i = 0; i < 20'000; ++i) before.push_back(f.may_contain(key(i)));
      f.grow();
      EXPECT_EQ(f.shape(), (quotient::params{slots << doublings, 22}));
      EXPECT_EQ(contents_of(f), all);
      EXPECT_EQ(f.fpr(), rate);
      if (slots > 2 || doublings > 1) {  // three copies in the slots
        EXPECT_EQ(f, filter_of(all, f.shape(), doublings)) << "as if it had been made with that size";
      }
      for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(f.may_contain(key(i)), before[i]) << i;
      EXPECT_EQ(f.count(key(0)), 8U);
    }
    for (std::uint64_t i = 0; i < 4 * slots; ++i) ASSERT_TRUE(f.insert(key(100'000 + i))) << "there is room";
  }
}

TEST(quotient, does_not_grow_without_a_bit_to_take) {
  quotient f({100, 9});
  for (std::uint64_t i = 0; i < 80; ++i) ASSERT_TRUE(f.insert(key(i)));
  f.grow();
  f.grow();
  auto const before = f;
  try {
    f.grow();
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::full);
    EXPECT_NE(std::string(e.what()).find("400 slots with fingerprints of 9 bits"), std::string::npos) << e.what();
  }
  EXPECT_EQ(f, before);
}

/// The bytes of the filter that all keys would have made in the shape of the result, with the fingerprints of the shorter one.
TEST(quotient, filters_of_all_shapes_merge) {
  struct side {
    quotient::params shape;
    std::uint64_t keys;
  };
  std::vector<side> const sides{{{1, 20}, 1},     {{100, 14}, 90},   {{100, 30}, 0},    {{64, 24}, 58},
                                {{333, 18}, 300}, {{1000, 13}, 900}, {{1000, 64}, 940}, {{5000, 22}, 100}};
  for (auto const& a : sides)
    for (auto const& b : sides) {
      auto const made = [](side const& s, std::uint64_t from) {
        quotient f(s.shape);
        for (std::uint64_t i = 0; i < s.keys; ++i) EXPECT_TRUE(f.insert(key(from + i)));
        for (int i = 0; i < 5 && s.keys != 0; ++i) EXPECT_TRUE(f.insert(key(7'000'000)) || s.keys == 1);  // both have it
        return f;
      };
      auto f = made(a, 0);
      auto const other = made(b, 1'000'000);
      unsigned bits = std::min(a.shape.fingerprint_bits, b.shape.fingerprint_bits);
      if (a.keys == 0) bits = b.shape.fingerprint_bits;
      if (b.keys == 0) bits = a.shape.fingerprint_bits;
      contents both;
      for (quotient const* from : {&std::as_const(f), &other})
        for (auto const& [number, copies] : contents_of(*from))
          both[number >> (from->shape().fingerprint_bits - bits)] += copies;
      std::uint64_t needed = 0;
      for (auto const& entry : both) needed += std::min<std::uint64_t>(entry.second, 3);
      auto slots = a.shape.slots;
      while (plan::quotient_shape{slots, bits}.room() < needed) slots *= 2;
      f.merge(other);
      EXPECT_EQ(f.shape(), (quotient::params{slots, bits}));
      EXPECT_EQ(contents_of(f), both);
      EXPECT_EQ(f, filter_of(both, f.shape(), 1));
      EXPECT_TRUE(sound(f));
      EXPECT_EQ(f.fpr(), std::ldexp(static_cast<double>(both.size()), -static_cast<int>(bits)));
      for (std::uint64_t i = 0; i < a.keys; ++i) ASSERT_TRUE(f.may_contain(key(i)));
      for (std::uint64_t i = 0; i < b.keys; ++i) ASSERT_TRUE(f.may_contain(key(1'000'000 + i)));
    }
}

TEST(quotient, merges_with_itself) {
  quotient f({100, 20});
  for (std::uint64_t i = 0; i < 90; ++i) ASSERT_TRUE(f.insert(key(i)));
  f.merge(f);
  EXPECT_EQ(f.shape().slots, 200U);
  for (std::uint64_t i = 0; i < 90; ++i) EXPECT_GE(f.count(key(i)), 2U);
}

/// The first has more slots than the fingerprints of the second have bits for. Both orders give the same keys.
TEST(quotient, a_large_filter_with_few_keys_merges_with_a_small_coarse_one) {
  quotient large(quotient::plan({.items = 500'000, .fpr = 1e-5})), small(quotient::plan({.items = 2000, .fpr = .01}));
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(large.insert(key(i)));
  for (std::uint64_t i = 900; i < 2000; ++i) ASSERT_TRUE(small.insert(key(i)));
  for (auto const& [to, from] : {std::pair(large, small), std::pair(small, large)}) {
    auto both = to;
    both.merge(from);
    for (std::uint64_t i = 0; i < 2000; ++i) ASSERT_GE(both.count(key(i)), i >= 900 && i < 1000 ? 2U : 1U) << i;
    EXPECT_EQ(both.shape().fingerprint_bits, small.shape().fingerprint_bits);
    EXPECT_LE(both.shape().slots, 4 * small.shape().slots);
    EXPECT_TRUE(sound(both));
  }
}

TEST(quotient, a_filter_that_is_too_coarse_does_not_merge) {
  quotient fine({1000, 30}), coarse({8, 5});
  for (std::uint64_t i = 0; i < 900; ++i) ASSERT_TRUE(fine.insert(key(i)));
  ASSERT_TRUE(coarse.insert(key(0)));
  for (auto const& [to, from] : {std::pair(fine, coarse), std::pair(coarse, fine)}) {
    auto f = to;
    try {
      f.merge(from);
      FAIL();
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::incompatible);
      EXPECT_NE(std::string(e.what()).find("fingerprints of 5 bits are too short"), std::string::npos) << e.what();
    }
    EXPECT_EQ(f, to);
  }
}

TEST(quotient, counts_stay_at_the_maximum) {
  quotient f({10, 20});
  auto rich = f;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(rich.insert(key(1)));
  for (int i = 0; i < 70; ++i) rich.merge(rich);  // 10 * 2^70
  EXPECT_EQ(rich.count(key(1)), ~std::uint64_t{0});
  EXPECT_EQ(rich.shape(), f.shape());
  EXPECT_TRUE(sound(rich));
}

/// Reads the scalars of a filter with other cells.
quotient read_with(quotient const& like, memory cells, bool verifies, std::vector<std::uint64_t> const* scalars = nullptr) {
  field_writer out;
  quotient::fields(like, out);
  std::vector<memory> sections;
  sections.push_back(std::move(cells));
  sections.emplace_back();
  field_reader in(scalars == nullptr ? out.scalars() : *scalars, std::move(sections), verifies);
  quotient f;
  quotient::fields(f, in);
  return f;
}

/// Any content of the cells is safe in a file that is mapped without verification. Every verb ends and stays in its memory.
TEST(quotient, cells_that_nobody_wrote_do_no_harm) {
  std::size_t not_written = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    auto const bits = 10 + static_cast<unsigned>(seed % 14);
    quotient like({seed % 3 == 0 ? 40U : 300U, bits});
    for (std::uint64_t i = 0; i < 30; ++i) ASSERT_TRUE(like.insert(key(i)));
    auto cells = like.cells();
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (auto const random = mix64(seed * 100'000 + i); seed % 2 == 0 || random % 64 == 0)
        cells.data()[i] = static_cast<std::byte>(seed % 5 == 0 ? 0xff : seed % 7 == 0 ? random & random >> 8 : random);
    auto f = read_with(like, std::move(cells), false);
    ASSERT_TRUE(f.valid());
    bool written = true;  // into another file, only if that can be read
    try {
      field_writer out;
      quotient::fields(f, out);
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      written = false;
      ++not_written;
    }
    if (written) {
      EXPECT_NO_THROW((void)read_with(f, f.cells(), true));
    }
    std::uint64_t seen = 0;
    f.for_each_fingerprint([&](std::uint64_t number, std::uint64_t) {
      ++seen;
      EXPECT_LT(number, std::uint64_t{1} << bits);
    });
    EXPECT_LE(seen, 64 * (300 + 200) / 64U + 64);
    for (std::uint64_t i = 0; i < 300; ++i) {
      (void)f.erase(key(i % 50));
      (void)f.insert(key(i));
      EXPECT_EQ(f.may_contain(key(i)), f.count(key(i)) > 0);
    }
    EXPECT_LE(f.fpr(), 1);
    EXPECT_GE(f.estimate().high, f.estimate().low);
    for (auto const act : {0, 1, 2}) {
      auto copy = f;
      try {
        act == 0 ? copy.grow() : act == 1 ? copy.merge(like) : copy.merge(f);
      } catch (error const&) {
        EXPECT_EQ(copy, f);
      }
    }
  }
  EXPECT_GT(not_written, 300U);
}

/// A file that is verified is refused for any cell that does not fit the others. A flipped bit of a remainder may leave another
/// sound filter: then the checksums, which this test goes round, are what notices.
TEST(quotient, cells_that_do_not_fit_together_are_refused) {
  quotient like({100, 13});
  for (std::uint64_t i = 0; i < 90; ++i) ASSERT_TRUE(like.insert(key(i)));
  std::size_t refused = 0, planes = 0;
  auto const block_bytes = like.cells().size() / plan::quotient_shape{100, 13}.blocks();
  for (std::size_t bit = 0; bit < 8 * like.cells().size(); ++bit) {
    auto cells = like.cells();
    cells.data()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    bool const head = bit / 8 % block_bytes < quotient_blocks::head_bytes;
    planes += head ? 0 : 1;
    try {
      auto const f = read_with(like, std::move(cells), true);
      EXPECT_TRUE(f.valid());
      EXPECT_FALSE(head) << bit;
      (void)contents_of(f);  // in ascending order
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      ++refused;
    }
  }
  EXPECT_GT(refused, 8 * like.cells().size() - planes + planes / 4);
}

TEST(quotient, numbers_that_do_not_fit_the_cells_are_refused) {
  quotient good({100, 13});
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(good.insert(key(i)));
  field_writer out;
  quotient::fields(good, out);
  ASSERT_EQ(out.scalars().size(), 5U);  // slots, fingerprint bits, used, distinct, copies in slots
  auto const used = out.scalars()[2], distinct = out.scalars()[3];
  using numbers = std::vector<std::uint64_t>;
  auto const accepted = [&](numbers const& scalars, bool verifies) {
    try {
      return read_with(good, good.cells(), verifies, &scalars).valid();
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      return false;
    }
  };
  EXPECT_TRUE(accepted(out.scalars(), true));
  for (bool const verifies : {true, false})
    for (auto const& wrong :
         {numbers{0, 13, used, distinct, 3}, numbers{100, 14, used, distinct, 3}, numbers{100, 6, used, distinct, 3},
          numbers{100, 0, used, distinct, 3}, numbers{100, 65, used, distinct, 3}, numbers{200, 14, used, distinct, 3},
          numbers{~0ULL, 13, used, distinct, 3}, numbers{100, 13, 96, distinct, 3}, numbers{100, 13, used, used + 1, 3},
          numbers{100, 13, 0, distinct, 3}, numbers{100, 13, used, 0, 3}, numbers{100, 13, used, distinct, 2},
          numbers{100, 13, used, distinct, 0}, numbers{100, 13, used, distinct, 1}})
      EXPECT_FALSE(accepted(wrong, verifies)) << wrong[0] << " " << wrong[1] << " " << wrong[2] << " " << wrong[3];
  EXPECT_FALSE(accepted({100, 13, used + 1, distinct, 3}, true));
  EXPECT_FALSE(accepted({100, 13, used, distinct - 1, 3}, true));
  EXPECT_TRUE(accepted({100, 13, used + 1, distinct, 3}, false)) << "believed: nothing is read that depends on it";
  EXPECT_THROW(quotient(quotient::params{}), error);
  EXPECT_THROW(quotient({1, 58}), error);
  EXPECT_THROW(quotient({~std::uint64_t{0}, 64}), error);
}

}  // namespace
}  // namespace hortus::testing
