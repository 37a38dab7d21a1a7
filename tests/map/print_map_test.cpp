// Values beside the remainders of a quotient table: they move with their fingerprints.
#include <hortus/map/print_map.hpp>

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include <hortus/io/fields.hpp>

namespace hortus::testing {
namespace {

std::uint64_t random(std::uint64_t i) { return mix64(i * golden_ratio64 + 5); }

std::map<std::uint64_t, std::uint64_t> contents_of(print_map const& f) {
  std::map<std::uint64_t, std::uint64_t> all;
  std::uint64_t next = 0;
  f.for_each([&](quotient_fingerprint print, std::uint64_t value) {
    EXPECT_GE(print.top, next) << "in ascending order, each once";
    next = print.top + 1;
    all[print.top] = value;
  });
  return all;
}
print_map back(print_map const& f, bool verifies = true) {
  field_writer out;
  print_map::fields(std::as_const(f), out);
  field_reader in(out.scalars(), {f.cells()}, verifies);
  print_map made;
  print_map::fields(made, in);
  return made;
}

/// Random operations, from empty to full, all widths of values: every answer, all contents, and the checks of a reader.
TEST(print_map, against_a_map) {
  for (std::uint64_t const slots : {1U, 2U, 19U, 63U, 64U, 65U, 300U, 1000U})
    for (unsigned const bits : {11U, 20U, 63U, 64U})
      for (unsigned const value_bits : {0U, 1U, 7U, 8U, 33U, 63U, 64U}) {
        print_map f({slots, bits}, value_bits);
        std::map<std::uint64_t, std::uint64_t> model;
        auto const room = plan::quotient_shape{slots, bits}.room();
        for (std::uint64_t t = 0; t < 3000; ++t) {
          digest const x = digest::of_hash(random(t) % (2 * slots + 2));
          auto const value = value_bits == 0 ? 0 : random(t + 70'000) >> (64 - value_bits);
          auto const at = f.find(x);
          auto const there = model.find(f.print_of(x).top);
          ASSERT_EQ(at.found(), there != model.end());
          if (at.found()) {
            ASSERT_EQ(f.value(at), there->second) << slots << " " << bits << " " << value_bits;
            if (random(t) >> 62 == 0) {
              ASSERT_TRUE(f.erase(at));
              model.erase(there);
            } else {
              f.set_value(at, value);
              there->second = value;
            }
          } else if (f.insert(at, value)) {
            model[f.print_of(x).top] = value;
          } else {
            ASSERT_EQ(model.size(), room);
          }
          ASSERT_EQ(f.size(), model.size());
          if (t % 750 != 749) continue;
          ASSERT_EQ(contents_of(f), model);
          ASSERT_EQ(back(f), f);
          print_map again({slots, bits}, value_bits);  // in another order: the same bytes
          for (auto at_end = model.rbegin(); at_end != model.rend(); ++at_end)
            ASSERT_TRUE(again.insert(again.find(quotient_fingerprint{at_end->first}), at_end->second));
          ASSERT_EQ(again, f);
        }
        f.clear();
        EXPECT_EQ(f, print_map({slots, bits}, value_bits));
      }
}

/// Groups of runs over many blocks, at 95 % load.
TEST(print_map, values_are_shifted_with_their_fingerprints) {
  constexpr std::uint64_t slots = 200'000;
  print_map f({slots, 40}, 17);
  auto const room = f.shape().room();
  for (std::uint64_t i = 0; i < room; ++i) {
    auto const at = f.find(digest::of_hash(i));
    if (!at.found()) {
      ASSERT_TRUE(f.insert(at, i & 0x1ffff));
    }
  }
  for (std::uint64_t i = 0; i < room; i += 3) ASSERT_TRUE(f.erase(f.find(digest::of_hash(i))));
  for (std::uint64_t i = 0; i < room; ++i) {
    auto const at = f.find(digest::of_hash(i));
    ASSERT_EQ(at.found(), i % 3 != 0);
    if (at.found()) {
      ASSERT_EQ(f.value(at), i & 0x1ffff);
    }
  }
  EXPECT_EQ(back(f), f);
}

/// The first fingerprint with a prefix, for numbers of slots for which prefixes lie in one run or in two.
TEST(print_map, finds_the_first_with_a_prefix) {
  for (std::uint64_t const slots : {1U, 2U, 3U, 7U, 64U, 100U, 200U})
    for (unsigned const bits : {8U, 9U, 13U}) {
      print_map f({slots, 64}, 5);
      EXPECT_FALSE(f.first_with({0}, bits).found());
      std::map<std::uint64_t, std::uint64_t> model;
      for (std::uint64_t i = 0; i < slots - slots / 20; ++i) {
        // Near each other, and near the borders between the runs of two quotients.
        auto const border =
            static_cast<std::uint64_t>((static_cast<quotient_fingerprint::wide>(random(i) % slots) << 64) / slots);
        auto const top = border + (random(i) >> 40) - (std::uint64_t{1} << 23);
        auto const at = f.find(quotient_fingerprint{top});
        if (at.found()) continue;
        ASSERT_TRUE(f.insert(at, i % 32));
        model[top] = i % 32;
      }
      for (std::uint64_t prefix = 0; prefix < std::uint64_t{1} << bits; ++prefix) {
        auto const low = prefix << (64 - bits);
        auto const it = model.lower_bound(low);
        bool const there = it != model.end() && it->first >> (64 - bits) == prefix;
        auto const at = f.first_with({low}, bits);
        ASSERT_EQ(at.found(), there) << slots << " " << bits << " " << prefix;
        if (there) {
          ASSERT_EQ(f.value(at), it->second);
        }
      }
      for (auto const& [top, value] : model) {
        auto const at = f.first_with({top}, 64);
        ASSERT_TRUE(at.found());
        ASSERT_EQ(f.value(at), value);
      }
    }
}

TEST(print_map, without_slots_has_nothing) {
  print_map f({0, 64}, 9);
  EXPECT_FALSE(f.find(digest(5)).found());
  EXPECT_FALSE(f.insert(f.find(digest(5)), 1));
  EXPECT_FALSE(f.first_with({0}, 1).found());
  EXPECT_EQ(f.cells().size(), 0U);
  EXPECT_EQ(back(f), f);
  EXPECT_EQ(print_map().size(), 0U);
  EXPECT_TRUE(print_map().valid());
  f.clear();
}

/// Every bit of a table flipped: it is refused, or is another map that works. Bits of values in free slots are refused.
TEST(print_map, damaged_slots_are_refused_or_harmless) {
  print_map f({90, 14}, 6);
  for (std::uint64_t i = 0; i < 50; ++i)
    if (auto const at = f.find(digest::of_hash(i)); !at.found()) {
      ASSERT_TRUE(f.insert(at, i));
    }
  std::uint64_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * f.cells().size(); ++bit)
    for (bool const verifies : {true, false}) {
      auto cells = f.cells();
      cells.data()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      field_writer out;
      print_map::fields(std::as_const(f), out);
      field_reader in(out.scalars(), {cells}, verifies);
      print_map made;
      try {
        print_map::fields(made, in);
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::corrupt);
        ++refused;
        continue;
      }
      for (std::uint64_t i = 0; i < 100; ++i) {
        auto const at = made.find(digest::of_hash(i));
        if (!at.found()) {
          (void)made.insert(at, 1);
        } else {
          (void)made.value(at);
          made.set_value(at, 3);
          if (i % 2 == 0) (void)made.erase(at);
        }
        (void)made.first_with(made.print_of(digest::of_hash(i)), 14);
      }
      std::uint64_t seen = 0;
      made.for_each([&](quotient_fingerprint, std::uint64_t) { ++seen; });
      EXPECT_LE(seen, 64 * 3U);
    }
  EXPECT_GT(refused, 8 * f.cells().size() / 2);
}

/// Free slots are zero, values too, so that equal maps have equal bytes.
TEST(print_map, bits_in_free_slots_are_refused) {
  print_map const empty({90, 14}, 6);
  field_writer out;
  print_map::fields(empty, out);
  for (std::size_t bit = 0; bit < 8 * empty.cells().size(); ++bit) {
    auto cells = empty.cells();
    cells.data()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    field_reader in(out.scalars(), {cells});
    print_map made;
    EXPECT_THROW(print_map::fields(made, in), error) << bit;
  }
}

TEST(print_map, numbers_that_do_not_fit_are_refused) {
  print_map f({100, 14}, 6);
  for (std::uint64_t i = 0; i < 20; ++i) (void)f.insert(f.find(digest::of_hash(i)), i);
  field_writer out;
  print_map::fields(std::as_const(f), out);
  using scalars = std::vector<std::uint64_t>;
  auto const used = out.scalars()[3];
  for (bool const verifies : {true, false})
    for (auto const& wrong :
         {scalars{0, 14, 6, used}, scalars{300, 14, 6, used}, scalars{100, 6, 6, used}, scalars{100, 0, 6, used},
          scalars{100, 65, 6, used}, scalars{100, 14, 7, used}, scalars{100, 14, 65, used}, scalars{100, 14, 6, 96},
          scalars{~0ULL, 14, 6, used}, scalars{1ULL << 40, 64, 6, used}, scalars{0, 0, 0, 0}}) {
      field_reader in(wrong, {f.cells()}, verifies);
      print_map made;
      EXPECT_THROW(print_map::fields(made, in), error) << wrong[0] << " " << wrong[1] << " " << wrong[2] << " " << wrong[3];
    }
  field_reader in({100, 14, 6, used + 1}, {f.cells()}, true);
  print_map made;
  EXPECT_THROW(print_map::fields(made, in), error);
}

}  // namespace
}  // namespace hortus::testing
