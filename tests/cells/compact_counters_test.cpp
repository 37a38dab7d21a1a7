#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <hortus/cells/compact_counters.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/maths/divisors.hpp>

namespace hortus {
namespace {

/// The same cases in every run, unless somebody asks for others.
[[maybe_unused]] bool const seeded = ::setenv("RC_PARAMS", "seed=1970", 0) == 0;

constexpr auto most = compact_counters::most;

/// A plain vector that sticks at 2^64 - 1: what the store must do.
struct model {
  std::vector<std::uint64_t> value;
  void add(std::size_t i, std::uint64_t amount) { value[i] = amount > most - value[i] ? most : value[i] + amount; }
  void subtract(std::size_t i, std::uint64_t amount) {
    if (value[i] != most) value[i] -= std::min(value[i], amount);
  }
};

/// What a file would hold.
struct stored {
  std::vector<std::uint64_t> scalars;
  std::vector<std::vector<std::byte>> sections;
  bool operator==(stored const&) const = default;
};

stored written(compact_counters const& counters) {
  field_writer out;
  compact_counters::fields(counters, out);
  stored all{out.scalars(), {}};
  for (auto const bytes : out.sections()) all.sections.emplace_back(bytes.begin(), bytes.end());
  return all;
}

compact_counters read(stored const& all, bool verifies = true) {
  std::vector<memory> sections;
  for (auto const& bytes : all.sections) {
    memory section(bytes.size());
    std::copy(bytes.begin(), bytes.end(), section.data());
    sections.push_back(std::move(section));
  }
  field_reader in(all.scalars, std::move(sections), verifies);
  compact_counters counters;
  compact_counters::fields(counters, in);
  EXPECT_TRUE(in.done());
  return counters;
}

bool refused(stored const& all) {
  try {
    (void)read(all);
    return false;
  } catch (error const& e) {
    return e.code() == errc::corrupt;
  }
}

/// Counters with these values and no history.
compact_counters fresh(std::vector<std::uint64_t> const& values) {
  compact_counters counters(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) counters.add(i, values[i]);
  return counters;
}

void expect_equal(compact_counters const& counters, model const& m) {
  ASSERT_EQ(counters.size(), m.value.size());
  std::uint64_t nonzero = 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < m.value.size(); ++i) {
    ASSERT_EQ(counters.get(i), m.value[i]) << i << " of " << m.value.size() << ", cells of " << counters.cell_bits() << " bits";
    ASSERT_EQ(counters.low(i), std::min(m.value[i], counters.full()));
    nonzero += m.value[i] != 0 ? 1U : 0U;
    bits += static_cast<std::uint64_t>(std::bit_width(m.value[i]));
  }
  EXPECT_EQ(counters.nonzero(), nonzero);
  EXPECT_EQ(counters.space().values, bits);
  EXPECT_EQ(counters.space().used, 8 * counters.size_bytes());
  EXPECT_TRUE(counters.valid());
}

TEST(compact_counters, every_cell_alone_and_to_every_power_of_two) {
  for (std::uint64_t const cells : {1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 130U, 1000U})
    for (std::uint64_t i = 0; i<cells; i += cells> 100 ? 7 : 1) {
      compact_counters counters(cells);
      auto const empty = written(counters);
      model m{std::vector<std::uint64_t>(cells)};
      for (unsigned bit = 0; bit < 63; ++bit)
        for (std::uint64_t const amount : {std::uint64_t{1}, (std::uint64_t{1} << bit) - 1}) {
          counters.add(i, amount);
          m.add(i, amount);
          ASSERT_EQ(counters.get(i), m.value[i]);
        }
      ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m));
      counters.subtract(i, m.value[i] - 3);
      m.subtract(i, m.value[i] - 3);
      ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m));
      counters.subtract(i, 5);
      m.subtract(i, 5);
      ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m));
      EXPECT_EQ(written(counters), empty) << "back to nothing, cells of " << counters.cell_bits() << " bits";
    }
}

/// Steps of one, up past the ends of the first three widths and down again, neighbours untouched.
TEST(compact_counters, counts_up_and_down_one_by_one) {
  compact_counters counters(70);
  model m{std::vector<std::uint64_t>(70)};
  auto const step = [&](std::uint64_t round, bool up) {
    for (std::size_t i = 0; i < 70; i += 1 + i % 3) {
      if (i % 7 == 0 && round > 20) continue;
      if (up)
        counters.add(i, 1), m.add(i, 1);
      else
        counters.subtract(i, 1), m.subtract(i, 1);
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m)) << round;
  };
  for (std::uint64_t round = 0; round < 300; ++round) step(round, true);
  EXPECT_EQ(counters.cell_bits(), 16U);
  for (std::uint64_t round = 300; round-- > 0;) step(round, false);
  EXPECT_EQ(counters.nonzero(), 0U);
  EXPECT_EQ(written(counters), written(compact_counters(70)));
}

/// Several cells at once, some named twice, at every width: each distinct one is changed, once.
TEST(compact_counters, change_several_at_once) {
  std::uint64_t state = 3;
  auto const draw = [&](std::uint64_t range) { return mix64(state += golden_ratio64) % range; };
  for (std::size_t const cells : {1U, 2U, 5U, 40U, 700U})
    for (unsigned const n : {1U, 2U, 5U, 7U, 64U})
      for (int const shift : {0, 2, 5, 10, 20, 40, 63}) {  // typical amounts
        compact_counters counters(cells);
        model m{std::vector<std::uint64_t>(cells)};
        for (int step = 0; step < 400; ++step) {
          std::vector<std::uint64_t> at(n);
          for (auto& cell : at) cell = draw(draw(2) == 0 ? cells : (cells + 6) / 7);
          auto distinct = at;
          std::ranges::sort(distinct);
          distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
          auto least = most;
          for (auto const cell : distinct) least = std::min(least, m.value[cell]);
          ASSERT_EQ(counters.least(at.data(), n), least);
          auto const amount = draw(3) != 0 ? 1 : draw((std::uint64_t{1} << shift) + 1);
          switch (draw(5)) {
            case 0:
            case 1:
              counters.make_room(at.data(), n, amount);
              counters.add(at.data(), n, amount);
              for (auto const cell : distinct) m.add(cell, amount);
              break;
            case 2:
              counters.raise_least(at.data(), n, amount);
              for (auto const cell : distinct)
                m.value[cell] = std::max(m.value[cell], amount > most - least ? most : least + amount);
              break;
            default:
              ASSERT_EQ(counters.take(at.data(), n), least != 0);
              if (least != 0)
                for (auto const cell : distinct) m.subtract(cell, 1);
          }
          for (std::size_t i = 0; i < cells; ++i)
            ASSERT_EQ(counters.get(i), m.value[i]) << i << " of " << cells << " by " << shift;
        }
        ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m));
        EXPECT_EQ(written(counters), written(fresh(m.value)));
      }
}

/// Room that was made is enough, whatever the amount.
TEST(compact_counters, several_at_once_do_not_allocate_after_room_was_made) {
  compact_counters counters(10'000);
  for (std::uint64_t round = 0; round < 1200; ++round) {
    std::array<std::uint64_t, 7> at{};
    for (auto& cell : at) cell = mix64(round * 8 + static_cast<std::uint64_t>(&cell - at.data())) % 10'000;
    auto const amount = round % 3 == 0 ? 1 : std::uint64_t{1} << round % 40;
    counters.make_room(at.data(), 7, amount);
    auto const bytes = counters.size_bytes();
    counters.add(at.data(), 7, amount);
    ASSERT_EQ(counters.size_bytes(), bytes) << round;
  }
}

TEST(compact_counters, stick_at_the_top) {
  for (std::uint64_t const cells : {1U, 40U, 2000U}) {
    compact_counters counters(cells);
    counters.add(0, most - 1);
    EXPECT_EQ(counters.get(0), most - 1);
    counters.subtract(0, 1);
    EXPECT_EQ(counters.get(0), most - 2);
    counters.add(0, 2);
    EXPECT_EQ(counters.get(0), most);
    counters.add(0, 1);
    counters.add(0, most);
    EXPECT_EQ(counters.get(0), most);
    counters.subtract(0, 1);
    counters.subtract(0, most);
    EXPECT_EQ(counters.get(0), most) << "what it missed is not known";
    EXPECT_EQ(read(written(counters)), counters);
    counters.clear();
    EXPECT_EQ(counters.get(0), 0U);
  }
}

/// Random sequences with values to 2^40 and down to 0 again, in stores where few and where most counters are large.
RC_GTEST_PROP(compact_counters, do_what_a_vector_does, ()) {
  auto const cells = *rc::gen::inRange<std::size_t>(1, 600);
  auto const hot = *rc::gen::inRange<std::size_t>(1, cells + 1);  // operations fall on the first `hot` cells
  auto const log_most = *rc::gen::inRange<unsigned>(1, 41);
  std::uint64_t state = *rc::gen::inRange<std::uint64_t>(0, 1 << 30);
  auto const draw = [&](std::uint64_t range) { return mix64(state += golden_ratio64) % range; };
  compact_counters counters(cells);
  model m{std::vector<std::uint64_t>(cells)};
  auto const check = [&] {
    for (std::size_t i = 0; i < cells; ++i) RC_ASSERT(counters.get(i) == m.value[i]);
    RC_ASSERT(written(counters) == written(fresh(m.value)));
    RC_ASSERT(read(written(counters)) == counters);
  };
  for (int step = 0; step < 3000; ++step) {
    auto const i = draw(hot);
    auto const amount = draw((std::uint64_t{1} << draw(log_most)) + 1);
    if (draw(3) != 0)
      counters.add(i, amount), m.add(i, amount);
    else
      counters.subtract(i, amount), m.subtract(i, amount);
    RC_ASSERT(counters.get(i) == m.value[i]);
  }
  check();
  for (std::size_t i = 0; i < cells; ++i) {
    auto const rest = draw(4) == 0 ? m.value[i] / 3 : 0;
    counters.subtract(i, m.value[i] - rest), m.subtract(i, m.value[i] - rest);
  }
  check();
  for (std::size_t i = 0; i < cells; ++i) counters.subtract(i, most), m.subtract(i, most);
  check();
  RC_ASSERT(written(counters) == written(compact_counters(cells)));
}

/// Many cells, so that the table is searched, shifted and rebuilt with many entries in it.
TEST(compact_counters, keep_a_large_table_right) {
  constexpr std::size_t cells = 300'000;
  compact_counters counters(cells);
  model m{std::vector<std::uint64_t>(cells)};
  std::uint64_t state = 7;
  std::uint64_t widest = 0;
  for (int step = 0; step < 1'500'000; ++step) {
    auto const r = mix64(state += golden_ratio64);
    auto const i = r % cells;
    auto const amount = r >> 40 & 3;
    if (step < 900'000 ? r >> 62 != 0 : r >> 62 == 0)
      counters.add(i, amount), m.add(i, amount);
    else
      counters.subtract(i, amount), m.subtract(i, amount);
    ASSERT_EQ(counters.get(i), m.value[i]);
    widest = std::max(widest, counters.beyond());
  }
  EXPECT_GT(widest, 1000U);
  ASSERT_NO_FATAL_FAILURE(expect_equal(counters, m));
  EXPECT_EQ(written(counters), written(fresh(m.value)));
}

TEST(compact_counters, entries_never_take_more_room_than_cells) {
  compact_counters counters(12'800);  // 3200 bytes of cells: 200 entries
  for (std::uint64_t i = 0; i < 200; ++i) counters.add(i * 64, 1000);
  EXPECT_EQ(counters.cell_bits(), 2U);
  EXPECT_EQ(counters.beyond(), 200U);
  counters.add(1, 4);
  EXPECT_EQ(counters.cell_bits(), 4U);
  EXPECT_EQ(counters.beyond(), 200U);
  for (std::uint64_t i = 0; i < 200; ++i) counters.add(i * 64 + 5, 16);
  EXPECT_EQ(counters.cell_bits(), 4U);
  EXPECT_EQ(counters.beyond(), 400U);
  counters.add(2, 16);
  EXPECT_EQ(counters.cell_bits(), 8U);
  EXPECT_EQ(counters.beyond(), 200U);
}

TEST(compact_counters, are_planned_at_ten_thirds_of_a_bit_a_cell) {
  for (std::uint64_t const cells : {0U, 1U, 32U, 95U, 96U, 1280U, 1'000'000U})
    EXPECT_EQ(compact_counters(cells).size_bytes(), compact_counters::planned_bytes(cells)) << cells;
  EXPECT_EQ(compact_counters::planned_bytes(960'000), 400'000U + 1'256U) << "and a bit for each slot of the table";
}

/// At the loads of plans the table that was planned is enough. (At 0.75: 7293 +- 85 entries of 8333; twelve standard
/// deviations.)
TEST(compact_counters, hold_a_full_filter_as_planned) {
  constexpr std::uint64_t cells = 1'000'000;
  compact_counters counters(cells);
  for (std::uint64_t i = 0; i < 750'000; ++i) counters.add(mix64(i + golden_ratio64) % cells, 1);
  EXPECT_EQ(counters.size_bytes(), compact_counters::planned_bytes(cells));
  EXPECT_EQ(counters.cell_bits(), 2U);
}

TEST(compact_counters, add_up_and_fold_as_a_vector_does) {
  for (std::uint64_t const largest : {3U, 40U, 1'000'000U})
    for (std::size_t const cells : {1U, 60U, 257U, 840U}) {
      model a{std::vector<std::uint64_t>(cells)}, b{std::vector<std::uint64_t>(cells)}, sum{std::vector<std::uint64_t>(cells)};
      for (std::size_t i = 0; i < cells; ++i) {
        a.value[i] = mix64(i + largest) % largest;
        b.value[i] = i % 50 == 0 ? most - mix64(i) % largest : mix64(i * 3 + largest) % 5 / 4 * largest;
        sum.value[i] = a.value[i];
        sum.add(i, b.value[i]);
      }
      auto counters = fresh(a.value);
      counters += fresh(b.value);
      ASSERT_NO_FATAL_FAILURE(expect_equal(counters, sum));
      EXPECT_EQ(written(counters), written(fresh(sum.value)));
      for (auto const by : plan::divisors(cells)) {
        model small{std::vector<std::uint64_t>(cells / by)};
        for (std::size_t i = 0; i < cells; ++i) small.add(i / by, sum.value[i]);
        ASSERT_NO_FATAL_FAILURE(expect_equal(counters.folded(by), small));
      }
    }
}

TEST(compact_counters, are_equal_by_value_whatever_their_history) {
  std::vector<std::uint64_t> values(500);
  for (std::size_t i = 0; i < 500; ++i) values[i] = i % 9;
  auto const plain = fresh(values);
  auto travelled = fresh(values);
  for (std::size_t i = 0; i < 500; ++i) travelled.add(i, 1 << 20);
  EXPECT_NE(travelled, plain);
  for (std::size_t i = 0; i < 500; ++i) travelled.subtract(i, 1 << 20);
  EXPECT_NE(travelled.cell_bits(), plain.cell_bits());
  EXPECT_EQ(travelled, plain);
  EXPECT_EQ(written(travelled), written(plain));
  travelled.add(499, 1);
  EXPECT_NE(travelled, plain);
  auto copy = plain;
  copy.add(8, 1);
  EXPECT_NE(copy, plain) << "a difference beyond the cells";
  copy.subtract(8, 1);
  EXPECT_EQ(copy, plain);
  copy.clear();
  EXPECT_EQ(copy, compact_counters(500));
  travelled.clear();
  EXPECT_EQ(written(travelled), written(compact_counters(500)));
  EXPECT_NE(compact_counters(3), compact_counters(4));
}

TEST(compact_counters, no_adds_allocate_after_room_was_made) {
  compact_counters counters(10'000);
  for (std::uint64_t i = 0; i < 10'000; i += 100) {
    counters.make_room(100);
    auto const bytes = counters.size_bytes();
    for (std::uint64_t j = i; j < i + 100; ++j) counters.add(j, most);
    EXPECT_EQ(counters.size_bytes(), bytes);
  }
}

/// Bytes that no store writes are refused, and nothing out of bounds is touched on the way (the sanitizers watch).
TEST(compact_counters, hostile_bytes_are_refused) {
  std::vector<std::uint64_t> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 4;
  values[3] = 17, values[999] = 4, values[1000] = 3;
  auto const good = written(fresh(values));
  ASSERT_FALSE(refused(good));
  ASSERT_EQ(good.scalars, (std::vector<std::uint64_t>{1001, 1, 0}));
  ASSERT_EQ(good.sections[1].size(), 32U);
  auto const entry = [](stored& s, std::size_t n, std::uint64_t cell, std::uint64_t excess) {
    std::memcpy(s.sections[1].data() + 16 * n, &cell, 8);
    std::memcpy(s.sections[1].data() + 16 * n + 8, &excess, 8);
  };
  auto const with = [&](auto change) {
    auto bad = good;
    change(bad);
    return bad;
  };
  EXPECT_FALSE(refused(with([&](stored& s) { entry(s, 0, 7, 1); }))) << "another full cell may have an entry";
  EXPECT_FALSE(refused(with([&](stored& s) { entry(s, 0, 3, most - 3); }))) << "up to where it sticks";
  for (std::uint64_t const cells : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1025}, std::uint64_t{1} << 40,
                                    (std::uint64_t{1} << 40) + 1, most, std::uint64_t{1} << 63})
    EXPECT_TRUE(refused(with([&](stored& s) { s.scalars[0] = cells; }))) << cells;
  for (std::uint64_t const width : {0U, 2U, 3U, 6U, 7U, 64U, 1U << 31})
    EXPECT_TRUE(refused(with([&](stored& s) { s.scalars[1] = width; }))) << width;
  EXPECT_TRUE(refused(with([&](stored& s) { s.scalars[2] = 1; }))) << "no counters are large at the first width";
  EXPECT_TRUE(refused(with([&](stored& s) { s.sections[0].back() = std::byte{0x80}; }))) << "a bit past the end";
  EXPECT_TRUE(refused(with([&](stored& s) { s.sections[0].resize(s.sections[0].size() + 8); })));
  EXPECT_TRUE(refused(with([&](stored& s) { s.sections[0].clear(); })));
  EXPECT_TRUE(refused(with([&](stored& s) { s.sections[1].resize(31); })));
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 0, 2, 1); }))) << "a cell that is not full";
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 0, 3, 0); }))) << "nothing beyond";
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 0, 3, most - 2); }))) << "more than 2^64 - 1";
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 1, 1001, 1); }))) << "no such cell";
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 1, most, 1); })));
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 1, 3, 1); }))) << "a cell twice";
  EXPECT_TRUE(refused(with([&](stored& s) { entry(s, 0, 999, 1), entry(s, 1, 3, 1); }))) << "not in order";
  EXPECT_TRUE(refused(with([&](stored& s) { s.sections[1].resize(16 * 100); }))) << "more entries than the rule allows";
}

/// Wide cells: the number of large counters decides how a file is written, so it is counted and not believed.
TEST(compact_counters, hostile_bytes_of_wide_cells_are_refused) {
  auto const good = written(fresh(std::vector<std::uint64_t>(640, 9)));
  ASSERT_EQ(good.scalars, (std::vector<std::uint64_t>{640, 2, 640}));
  for (std::uint64_t const large :
       {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{11}, std::uint64_t{639}, std::uint64_t{641}, most}) {
    auto bad = good;
    bad.scalars[2] = large;
    EXPECT_TRUE(refused(bad)) << large;
  }
}

TEST(compact_counters, count_those_that_half_the_width_could_not_hold_at_every_width) {
  for (unsigned width = 2; width <= 6; ++width) {
    auto const half = most >> (64 - (1U << width) / 2);
    for (std::size_t const cells : {64U, 67U, 1000U}) {
      std::vector<std::uint64_t> values(cells, half + 1);
      for (std::size_t i = 0; i < cells; i += 3) values[i] = i % 2 == 0 ? half : 0;
      auto const good = written(fresh(values));
      ASSERT_EQ(good.scalars, (std::vector<std::uint64_t>{cells, width, cells - (cells + 2) / 3}));
      for (std::uint64_t const wrong : {good.scalars[2] - 1, good.scalars[2] + 1}) {
        auto bad = good;
        bad.scalars[2] = wrong;
        EXPECT_TRUE(refused(bad)) << width;
      }
    }
  }
}

/// A mapped file that nobody verifies is not read whole. Nothing depends on the number then, and what is written is right.
TEST(compact_counters, a_wrong_number_of_large_ones_that_nobody_counted_is_put_right_when_written) {
  auto const good = written(fresh(std::vector<std::uint64_t>(640, 9)));
  auto lying = good;
  lying.scalars[2] = 11;  // one more than cells of 2 bits may have in the table: could be, is not
  auto counters = read(lying, false);
  EXPECT_EQ(written(counters), good);
  for (std::uint64_t i = 0; i < 600; ++i) counters.subtract(i, 9);
  EXPECT_FALSE(refused(written(counters)));
  for (std::uint64_t i = 600; i < 640; ++i) counters.subtract(i, 9);
  EXPECT_EQ(counters.nonzero(), 0U);
  EXPECT_EQ(written(counters), written(compact_counters(640)));
}

TEST(compact_counters, tell_how_many_have_stuck) {
  for (std::uint64_t const beside : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{1} << 40}) {  // several widths
    compact_counters counters = fresh(std::vector<std::uint64_t>(1000, beside));
    EXPECT_EQ(counters.saturated(), 0U);
    counters.add(3, most);
    counters.add(999, most - 1 - beside);
    EXPECT_EQ(counters.saturated(), 1U) << counters.cell_bits();
    counters.add(999, 1);
    EXPECT_EQ(counters.saturated(), 2U) << counters.cell_bits();
    counters.subtract(999, 5);
    EXPECT_EQ(counters.saturated(), 2U) << "they stay";
  }
}

TEST(compact_counters, refuse_more_than_2_to_the_40_cells) {
  for (auto const cells : {compact_counters::max_cells + 1, std::uint64_t{1} << 63, most}) {
    try {
      compact_counters const counters(cells);
      FAIL() << cells;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::bad_params);
    }
  }
}

}  // namespace
}  // namespace hortus
