#pragma once
// Shared by the tests of plan/: slow and obvious ways to compute the same numbers, and fixed random numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

namespace oracle {

using sizes = std::initializer_list<std::uint64_t>;

/// Does the value, rounded to the digits printed, give what is printed? "0.0561", "4.658e-04". With `ulps` = 1 instead of 0.5 a
/// truncated figure passes too.
inline testing::AssertionResult printed(double value, std::string_view figure, double ulps = 0.5) {
  std::string const copy(figure);
  auto const mantissa = copy.substr(0, copy.find('e'));
  auto const exponent = copy.find('e') == std::string::npos ? 0 : std::atoi(copy.c_str() + copy.find('e') + 1);
  auto const point = mantissa.find('.');
  auto const decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  double const unit = std::pow(10.0, exponent - decimals);
  double const expected = std::strtod(copy.c_str(), nullptr);
  if (std::abs(value - expected) <= ulps * unit * (1 + 1e-9)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << value << " is not printed as " << figure;
}

/// Relative difference at most `tolerance`.
inline testing::AssertionResult close(double value, double expected, double tolerance) {
  if (std::abs(value - expected) <= tolerance * std::abs(expected)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << value << " differs from " << expected << " by " << value / expected - 1
                                     << " in proportion";
}

/// The code of the error thrown, or -1 for none.
template <class Call>
int thrown(Call call) {
  try {
    (void)call();
  } catch (hortus::error const& e) {
    EXPECT_GT(std::string_view(e.what()).size(), 20U);
    return static_cast<int>(e.code());
  }
  return -1;
}
inline constexpr int bad_goal = static_cast<int>(hortus::errc::bad_goal);
inline constexpr int bad_params = static_cast<int>(hortus::errc::bad_params);

/// Distribution of the number of occupied cells after `throws` throws, one throw at a time.
inline std::vector<double> occupancy(std::uint64_t cells, std::uint64_t throws) {
  std::vector<double> p(cells + 1, 0.0);
  p[0] = 1;
  auto const m = static_cast<double>(cells);
  for (; throws > 0; --throws) {
    for (std::size_t x = cells; x > 0; --x)
      p[x] = p[x] * static_cast<double>(x) / m + p[x - 1] * (m - static_cast<double>(x) + 1) / m;
    p[0] = 0;
  }
  return p;
}

/// E[(X/m)^k] from that distribution.
inline double fpr_by_occupancy(std::uint64_t bits, std::uint64_t items, unsigned probes) {
  auto const p = occupancy(bits, probes * items);
  double sum = 0;
  for (std::size_t x = 0; x <= bits; ++x) sum += p[x] * std::pow(static_cast<double>(x) / static_cast<double>(bits), probes);
  return sum;
}

inline double choose(double n, double k) {
  double product = 1;
  for (double i = 0; i < k; ++i) product *= (n - i) / (k - i);
  return k > n ? 0 : product;
}

/// The same where keys have distinct probes: one key at a time, by counting the subsets that set j new bits.
inline double fpr_by_committee(std::uint64_t bits, std::uint64_t items, unsigned probes) {
  auto const m = static_cast<double>(bits);
  std::vector<double> p(bits + 1, 0.0);
  p[0] = 1;
  for (; items > 0; --items) {
    std::vector<double> next(bits + 1, 0.0);
    for (std::size_t x = 0; x <= bits; ++x)
      for (unsigned j = 0; j <= probes && x + j <= bits; ++j)
        next[x + j] +=
            p[x] * choose(m - static_cast<double>(x), j) * choose(static_cast<double>(x), probes - j) / choose(m, probes);
    p = next;
  }
  double sum = 0;
  for (std::size_t x = 0; x <= bits; ++x) sum += p[x] * choose(static_cast<double>(x), probes) / choose(m, probes);
  return sum;
}

/// A fixed sequence of random numbers (SplitMix64).
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t range) { return hortus::fastrange(hortus::mix64(state_ += hortus::golden_ratio64), range); }

 private:
  std::uint64_t state_;
};

/// A bit array that is filled at random.
class thrown_bits {
 public:
  explicit thrown_bits(std::uint64_t bits) : set_(bits, 0) {}
  void set(std::uint64_t at) { set_[at] = 1; }
  bool test(std::uint64_t at) const { return set_[at] != 0; }
  void throw_at(dice& d, std::uint64_t throws) {
    for (; throws > 0; --throws) set(d.below(set_.size()));
  }
  std::uint64_t ones() const { return static_cast<std::uint64_t>(std::count(set_.begin(), set_.end(), 1)); }
  std::uint64_t size() const { return set_.size(); }

 private:
  std::vector<unsigned char> set_;
};

/// Running mean and standard deviation of a sample.
class sample {
 public:
  void add(double x) {
    ++count_;
    double const delta = x - mean_;
    mean_ += delta / count_;
    squares_ += delta * (x - mean_);
  }
  double mean() const { return mean_; }
  double sd() const { return std::sqrt(squares_ / (count_ - 1)); }
  double count() const { return count_; }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

/// Half the width, in standard deviations, of a normal band that is exceeded with probability below 1e-9.
inline constexpr double z_1e9 = 6.2;

}  // namespace oracle
