#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <hortus/frozen/homogeneous_ribbon.hpp>
#include <hortus/plan/homogeneous_ribbon.hpp>

namespace hortus {
namespace {

/// The probability that an absent row is dependent, in an endless strip: Poisson numbers of rows start at each slot. `waiting`
/// is the number of rows that started and have no place yet. A slot is free with probability 2^-waiting, after those that start
/// there came. At the end of a block the waiting rows are random words of the next block, and only independent ones go on.
class dependence_chain {
 public:
  explicit dependence_chain(double starts_per_key) : arrivals_(24) {
    double const mean = 1 / starts_per_key;
    arrivals_[0] = std::exp(-mean);
    for (std::size_t i = 1; i < arrivals_.size(); ++i) arrivals_[i] = arrivals_[i - 1] * mean / static_cast<double>(i);
    for (std::size_t rows = 0; rows < most; ++rows) free_[rows] = std::ldexp(1.0, -static_cast<int>(rows));
    // How many of some random words of 64 bits are independent.
    ranks_.assign(most, std::vector<double>(65));
    ranks_[0][0] = 1;
    for (std::size_t rows = 0; rows + 1 < most; ++rows)
      for (std::size_t rank = 0; rank <= 64; ++rank) {
        double const dependent = std::ldexp(1.0, static_cast<int>(rank) - 64);
        ranks_[rows + 1][rank] += ranks_[rows][rank] * dependent;
        if (rank < 64) ranks_[rows + 1][rank + 1] += ranks_[rows][rank] * (1 - dependent);
      }
  }

  double dependent() {
    find_waiting();
    find_lost();
    double sum = 0;
    for (std::size_t slot = 0; slot < 64; ++slot)
      for (std::size_t rows = 0; rows < most; ++rows) sum += waiting_[slot][rows] * lost_[slot][rows];
    return sum / 64;
  }

 private:
  static constexpr std::size_t most = 160;
  using vector = std::vector<double>;

  /// waiting_[slot]: their stationary distribution before the slot.
  void find_waiting() {
    vector now(most);
    now[0] = 1;
    for (int round = 0; round < 3000; ++round) {
      for (std::size_t slot = 0; slot < 64; ++slot) {
        waiting_[slot] = now;
        vector next(most);
        for (std::size_t rows = 0; rows < most; ++rows) {
          if (now[rows] < 1e-30) continue;
          for (std::size_t i = 0; i < arrivals_.size(); ++i) {
            auto const all = std::min(rows + i, most - 1);
            next[all] += now[rows] * arrivals_[i] * free_[all];
            if (all > 0) next[all - 1] += now[rows] * arrivals_[i] * (1 - free_[all]);
          }
        }
        now = next;
      }
      vector next(most);
      for (std::size_t rows = 0; rows < most; ++rows)
        for (std::size_t rank = 0; rank <= 64; ++rank) next[rank] += now[rows] * ranks_[rows][rank];
      double change = 0;
      for (std::size_t rows = 0; rows <= 64; ++rows)
        change = std::max(change, std::abs(next[rows] - waiting_[0][rows]) / (next[rows] + 1e-15));
      now = next;
      if (change < 1e-5) break;
    }
  }
  /// lost_[slot][rows]: the probability that one more row finds itself dependent later.
  void find_lost() {
    vector begin(65);
    for (int round = 0; round < 3000; ++round) {
      lost_[64].assign(most, 0);
      for (std::size_t rows = 0; rows < most; ++rows)
        for (std::size_t rank = 0; rank <= 64; ++rank) {
          double const now = std::ldexp(1.0, static_cast<int>(rank) - 64);
          lost_[64][rows] += ranks_[rows][rank] * (now + (1 - now) * begin[rank]);
        }
      for (std::size_t slot = 64; slot-- > 0;) {
        lost_[slot].assign(most, 0);
        for (std::size_t rows = 0; rows < most; ++rows) {
          for (std::size_t i = 0; i < arrivals_.size(); ++i) {
            auto const all = std::min(rows + i, most - 1);
            // A slot that is free for the others is taken by the additional row every other time.
            lost_[slot][rows] += arrivals_[i] * free_[all] / 2 * lost_[slot + 1][all];
            if (all > 0) lost_[slot][rows] += arrivals_[i] * (1 - free_[all]) * lost_[slot + 1][all - 1];
          }
        }
      }
      double change = 0;
      for (std::size_t rows = 0; rows <= 64; ++rows)
        change = std::max(change, std::abs(lost_[0][rows] - begin[rows]) / (begin[rows] + 1e-300));
      std::copy_n(lost_[0].begin(), 65, begin.begin());
      if (change < 1e-5) break;
    }
  }

  vector arrivals_;
  std::array<double, most> free_;  // the probability that a slot is free
  std::vector<vector> ranks_;
  std::array<vector, 64> waiting_;
  std::array<vector, 65> lost_;
};

TEST(plan_homogeneous_ribbon, the_table_is_that_of_the_chain) {
  namespace law = plan::homogeneous_dependence;
  for (std::size_t const i : {2U, 7U, 10U, 14U, 15U, 25U}) {
    double const starts = law::first + law::step * static_cast<double>(i);
    EXPECT_NEAR(std::log(dependence_chain(starts).dependent()), law::of_starts[i], 0.002) << starts;
  }
}

/// Real rows: what build() finds out about them is what was planned, on average. Where keys meet, they meet in hundreds, so the
/// shares of single strips differ widely; the average of all is within a quarter.
TEST(plan_homogeneous_ribbon, rows_are_dependent_as_often_as_planned) {
  std::mt19937_64 random(5);
  for (auto const& [keys, starts, strips] : {std::tuple{20'000.0, 1.03, 60}, {20'000.0, 1.05, 300}, {2000.0, 1.024, 1500}}) {
    plan::homogeneous_shape s;
    s.items = static_cast<std::uint64_t>(keys);
    s.layers = 1;
    s.columns = 10;
    s.start_blocks = static_cast<std::uint64_t>(keys * starts / 64);
    double sum = 0;
    for (int i = 0; i < strips; ++i) {
      std::vector<std::uint64_t> words(s.items);
      for (auto& word : words) word = random();
      std::ranges::sort(words);
      homogeneous_cells cells(s);
      std::span<std::uint64_t const> const all(words);
      solve_homogeneous(cells, 0, 0, {&all, 1});
      sum += cells.rate(homogeneous_chances(cells, 0, 0, 1, 10));
    }
    double const by_chance = 0x1p-10;
    double const measured = (sum / strips - by_chance) / (1 - by_chance);
    double const planned = plan::homogeneous_dependent(keys, static_cast<double>(s.layer_starts()));
    EXPECT_NEAR(measured / planned, 1, 0.25) << keys << " keys, " << starts << ": " << measured << " " << planned;
  }
}

TEST(plan_homogeneous_ribbon, keeps_every_rate_in_a_tenth_more_than_its_bits) {
  for (std::uint64_t const items : {1U, 63U, 115U, 500U, 3000U, 100'000U, 1'000'000U, 50'000'000U})
    for (double fpr = 0.95; fpr > 1e-18; fpr *= 0.83) {
      auto const s = plan::homogeneous_ribbon({items, fpr});
      EXPECT_LE(plan::homogeneous_fpr(s, items), fpr * (1 + 1e-9)) << items << " at " << fpr;
      EXPECT_LE(s.columns, plan::homogeneous_shape::max_columns + 1);
      EXPECT_LE(s.layers, plan::homogeneous_shape::max_layers);
      double const bits = 8 * static_cast<double>(s.bytes()) / static_cast<double>(items);
      if (items < 1'000'000) continue;
      EXPECT_LE(bits, -std::log2(fpr) * 1.11 + 0.1 * s.layers) << items << " at " << fpr;
    }
  for (int const whole : {8, 16, 24}) {
    auto const s = plan::homogeneous_ribbon({100'000'000, std::ldexp(1.0, -whole)});
    EXPECT_EQ(s.columns, 8U);
    EXPECT_EQ(s.layers, static_cast<unsigned>(whole / 8));
    EXPECT_LE(static_cast<double>(s.bytes()) * 8 / 1e8 / whole, 1.101);
    EXPECT_LE(static_cast<double>(s.wide_blocks), 0.05 * static_cast<double>(s.layer_blocks()));
  }
}

/// More keys than planned raise the rate, fewer lower it.
TEST(plan_homogeneous_ribbon, the_rate_follows_the_number_of_keys) {
  auto const s = plan::homogeneous_ribbon({1'000'000, 0x1p-8});
  double last = 0;
  for (std::uint64_t items = 100'000; items < 2'000'000; items += 10'000) {
    double const rate = plan::homogeneous_fpr(s, items);
    EXPECT_GE(rate, last) << items;
    last = rate;
  }
  EXPECT_DOUBLE_EQ(last, 1);
  EXPECT_EQ(plan::homogeneous_fpr(s, 0), 0);
}

TEST(plan_homogeneous_ribbon, refuses_what_does_not_fit) {
  EXPECT_THROW((void)plan::homogeneous_ribbon({std::uint64_t{1} << 45, 0.5}), error);
  EXPECT_THROW((void)plan::homogeneous_ribbon({1000, 0}), error);
  EXPECT_THROW((void)plan::homogeneous_ribbon({1000, 1}), error);
}

}  // namespace
}  // namespace hortus
