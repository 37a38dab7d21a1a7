#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <hortus/cells/counter_array.hpp>
#include <hortus/error.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/maths/divisors.hpp>

namespace hortus {
namespace {

/// What a counter_array does, in the plainest way.
struct model {
  std::vector<std::uint64_t> cells;
  std::uint64_t max;

  model(std::size_t size, unsigned width)
      : cells(size), max(width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) {}

  void add(std::size_t i, std::uint64_t amount) { cells[i] = amount > max - cells[i] ? max : cells[i] + amount; }
  void subtract(std::size_t i, std::uint64_t amount) {
    if (cells[i] != max) cells[i] = amount > cells[i] ? 0 : cells[i] - amount;
  }
  [[nodiscard]] std::uint64_t equal_to(std::uint64_t value) const {
    return static_cast<std::uint64_t>(std::ranges::count(cells, value));
  }
};

/// The same random numbers in every run.
class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t operator()() { return mix64(seed_ += golden_ratio64); }
  std::uint64_t below(std::uint64_t n) { return (*this)() % n; }

 private:
  std::uint64_t seed_;
};

void expect_equal(counter_array const& array, model const& m) {
  ASSERT_EQ(array.size(), m.cells.size());
  ASSERT_EQ(array.max(), m.max);
  for (std::size_t i = 0; i < m.cells.size(); ++i) {
    ASSERT_EQ(array.get(i), m.cells[i]) << "cell " << i << " of " << m.cells.size() << ", " << array.width() << " bits";
    ASSERT_EQ(array.test(i), m.cells[i] != 0);
  }
  EXPECT_TRUE(array.valid()) << "bits past the end stay zero";
  EXPECT_EQ(array.nonzero(), m.cells.size() - m.equal_to(0));
  EXPECT_EQ(array.saturated(), m.equal_to(m.max));
}

/// Zeros, ones, values around the middle, next to the maximum and at it.
std::uint64_t interesting(dice& roll, std::uint64_t max) {
  switch (roll.below(6)) {
    case 0:
      return 0;
    case 1:
      return max;
    case 2:
      return max - roll.below(std::min<std::uint64_t>(max, 3) + 1);
    case 3:
      return max / 2 + roll.below(2);
    case 4:
      return 1;
    default:
      return roll() & max;
  }
}

counter_array array_of(model const& m, unsigned width) {
  counter_array array(m.cells.size(), width);
  for (std::size_t i = 0; i < m.cells.size(); ++i) array.add(i, m.cells[i]);
  return array;
}

model random_model(dice& roll, std::size_t size, unsigned width) {
  model m(size, width);
  for (auto& cell : m.cells) cell = interesting(roll, m.max);
  return m;
}

class of_every_width : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(counter_array, of_every_width, ::testing::Range(1U, 65U));

TEST_P(of_every_width, does_what_a_vector_does) {
  auto const width = GetParam();
  dice roll(width);
  for (std::size_t const size : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 130U}) {
    auto m = random_model(roll, size, width);
    auto array = array_of(m, width);
    ASSERT_NO_FATAL_FAILURE(expect_equal(array, m));
    for (int step = 0; step < 4000; ++step) {
      auto const i = roll.below(size);
      switch (roll.below(4)) {
        case 0:
          array.increment(i), m.add(i, 1);
          break;
        case 1:
          array.decrement(i), m.subtract(i, 1);
          break;
        case 2: {
          auto const amount = interesting(roll, m.max);
          array.add(i, amount), m.add(i, amount);
          break;
        }
        default: {
          auto const amount = interesting(roll, m.max);
          array.subtract(i, amount), m.subtract(i, amount);
          break;
        }
      }
      ASSERT_EQ(array.get(i), m.cells[i]);
      if (m.equal_to(m.max) > size / 2) m = random_model(roll, size, width), array = array_of(m, width);  // too many are stuck
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal(array, m));
    array.clear();
    ASSERT_NO_FATAL_FAILURE(expect_equal(array, model(size, width)));
  }
}

TEST_P(of_every_width, stays_at_its_maximum_and_never_falls_below_zero) {
  auto const width = GetParam();
  counter_array array(70, width);
  auto const before = array;
  for (std::uint64_t i = 0; i < 70; ++i) array.decrement(i), array.subtract(i, 5);
  EXPECT_EQ(array, before);
  for (std::uint64_t i = 0; i < 70; i += 2) {
    array.add(i, array.max() - 1);
    EXPECT_EQ(array.get(i), array.max() - 1);
    array.increment(i);
  }
  auto const full = array;
  EXPECT_EQ(full.saturated(), 35U);
  for (std::uint64_t i = 0; i < 70; i += 2) {
    array.increment(i), array.decrement(i), array.add(i, ~std::uint64_t{0}), array.subtract(i, ~std::uint64_t{0});
    EXPECT_EQ(array.get(i), array.max());
  }
  EXPECT_EQ(array, full) << "no neighbour changed either";
}

TEST_P(of_every_width, adds_whole_arrays) {
  auto const width = GetParam();
  dice roll(100 + width);
  for (std::size_t const size : {1U, 16U, 17U, 64U, 333U}) {
    auto a = random_model(roll, size, width);
    auto const b = random_model(roll, size, width);
    auto array = array_of(a, width);
    array += array_of(b, width);
    for (std::size_t i = 0; i < size; ++i) a.add(i, b.cells[i]);
    ASSERT_NO_FATAL_FAILURE(expect_equal(array, a));
  }
}

TEST_P(of_every_width, folds_by_adding_neighbours) {
  auto const width = GetParam();
  dice roll(200 + width);
  for (std::size_t const size : {1U, 6U, 64U, 96U, 120U, 240U})
    for (bool const sparse : {false, true}) {
      auto m = random_model(roll, size, width);
      if (sparse)
        for (auto& cell : m.cells) cell = roll.below(5) == 0 ? std::min<std::uint64_t>(cell, m.max / 2) : 0;
      for (auto const by : plan::divisors(size)) {
        model small(size / by, width);
        for (std::size_t i = 0; i < size; ++i) small.add(i / by, m.cells[i]);
        ASSERT_NO_FATAL_FAILURE(expect_equal(array_of(m, width).folded(by), small)) << size << " by " << by;
      }
    }
}

TEST_P(of_every_width, tells_which_cells_are_not_zero) {
  auto const width = GetParam();
  dice roll(300 + width);
  for (std::size_t const size : {1U, 63U, 64U, 65U, 500U}) {
    auto const m = random_model(roll, size, width);
    auto const bits = array_of(m, width).nonzero_bits();
    ASSERT_EQ(bits.size(), size);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(bits.test(i), m.cells[i] != 0) << i;
    EXPECT_TRUE(bits.valid());
  }
}

/// The layout is that of files: cell i is `width` bits from bit i * width on, the lowest first.
TEST_P(of_every_width, lies_in_bytes_as_files_have_it) {
  auto const width = GetParam();
  dice roll(400 + width);
  auto const m = random_model(roll, 50, width);
  auto const array = array_of(m, width);
  EXPECT_EQ(array.size_bytes(), (50 * width + 63) / 64 * 8);
  auto const bytes = array.cells().bytes();
  for (std::uint64_t i = 0; i < 50; ++i)
    for (std::uint64_t b = 0; b < width; ++b) {
      auto const bit = i * width + b;
      ASSERT_EQ(std::to_integer<unsigned>(bytes[bit / 8]) >> bit % 8 & 1, m.cells[i] >> b & 1) << i << ' ' << b;
    }
}

TEST(counter_array, is_equal_by_size_width_and_cells) {
  EXPECT_EQ(counter_array(16, 4), counter_array(16, 4));
  EXPECT_NE(counter_array(16, 4), counter_array(15, 4)) << "the same bytes, another size";
  EXPECT_NE(counter_array(16, 4), counter_array(8, 8)) << "the same bytes, another width";
  counter_array a(16, 4);
  a.increment(15);
  EXPECT_NE(a, counter_array(16, 4));
}

TEST(counter_array, refuses_what_no_filter_has) {
  auto const refused = [](std::uint64_t cells, unsigned width) {
    try {
      counter_array const array(cells, width);
    } catch (error const& e) {
      return e.code() == errc::bad_params;
    }
    return false;
  };
  EXPECT_TRUE(refused(10, 0));
  EXPECT_TRUE(refused(10, 65));
  EXPECT_TRUE(refused(10, ~0U));
  EXPECT_TRUE(refused((counter_array::max_bits >> 2) + 1, 4));
  EXPECT_TRUE(refused(std::uint64_t{1} << 60, 16)) << "the product is 0 in 64 bits";
  EXPECT_TRUE(refused(~std::uint64_t{0}, 64));
}

/// Fields as a hostile file may have them: each of these must be noticed before a cell is touched.
TEST(counter_array, notices_fields_that_do_not_fit) {
  auto const accepted = [](std::uint64_t width, std::uint64_t cells, std::size_t bytes, std::uint8_t last = 0) {
    memory section(bytes);
    if (bytes != 0) section.data()[bytes - 1] = static_cast<std::byte>(last);
    std::vector<memory> sections;
    sections.push_back(section);
    field_reader in({width, cells}, std::move(sections));
    counter_array array;
    counter_array::fields(array, in);
    return array.valid();
  };
  EXPECT_TRUE(accepted(4, 16, 8));
  EXPECT_TRUE(accepted(4, 16, 8, 0xff));
  EXPECT_TRUE(accepted(3, 43, 24));
  EXPECT_FALSE(accepted(4, 15, 8, 0xff)) << "bits past the end";
  EXPECT_TRUE(accepted(4, 15, 8, 0x0f));
  EXPECT_FALSE(accepted(4, 17, 8));
  EXPECT_FALSE(accepted(4, 16, 16));
  EXPECT_FALSE(accepted(0, 16, 0));
  EXPECT_FALSE(accepted(65, 16, 136));
  EXPECT_FALSE(accepted(64, std::uint64_t{1} << 58, 0)) << "2^64 bits are none";
  EXPECT_FALSE(accepted(32, (std::uint64_t{1} << 59) + 1, 8));
  EXPECT_THROW(accepted(std::uint64_t{1} << 32, 16, 8), error) << "too large for its field";
}

TEST(counter_array, lowers_a_range_of_cells_and_none_below_0) {
  for (unsigned width = 1; width <= 64; ++width) {
    counter_array array(133, width);
    std::vector<std::uint64_t> model(133);
    for (std::uint64_t i = 0; i < 133; ++i)
      array.put(i, model[i] = mix64(i * width) % 3 == 0 ? array.max() : mix64(i) & array.max() & 1);
    for (std::uint64_t step = 0; step < 300; ++step) {
      auto const first = mix64(step) % 134;
      auto const last = std::min<std::uint64_t>(133, first + mix64(step + 1000) % (step % 3 == 0 ? 5 : 134));
      array.lower(first, last);
      for (auto i = first; i < last; ++i) model[i] -= model[i] != 0 ? 1U : 0U;
      for (std::uint64_t i = 0; i < 133; ++i)
        ASSERT_EQ(array.get(i), model[i]) << i << " of width " << width << ", " << first << " to " << last;
      ASSERT_TRUE(array.valid());
    }
    array.lower(7, 7);
    array.lower(9, 3);
    for (std::uint64_t i = 0; i < 133; ++i) EXPECT_EQ(array.get(i), model[i]);
  }
}

/// Past 2^31 cells and 2^33 bits (1 GiB, of which the system gives only the pages touched).
TEST(counter_array, reaches_the_end_of_a_large_array) {
  std::uint64_t const cells = (std::uint64_t{1} << 32) / 2 + 7;
  counter_array array(cells, 4);
  array.add(cells - 1, 9);
  array.increment(0);
  EXPECT_EQ(array.get(cells - 1), 9U);
  EXPECT_EQ(array.get(0), 1U);
  EXPECT_EQ(array.get(cells - 1 - (std::uint64_t{1} << 30)), 0U);
  EXPECT_TRUE(array.valid());
}

}  // namespace
}  // namespace hortus
