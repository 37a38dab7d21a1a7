#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/sets/symbol_mapping.hpp>

namespace hortus::sets {

/// Estimates how many keys differ from the counts of the symbols fed so far, to ask for as many symbols as that takes.
///
/// With d differing keys, and a surplus of theirs over mine that is known, the count of the difference of symbols i is random
/// with mean surplus * p and variance d p (1-p), where p is share_of_keys(i). m symbols give d with a standard deviation of
/// sqrt(2/m). Only the number of symbols asked for depends on it, so floating point and lies do no harm.
class difference_estimate {
 public:
  /// The difference of the counts of symbol i, and of the numbers of keys: theirs minus mine.
  void add(symbol_index i, std::uint64_t count, std::uint64_t surplus) noexcept {
    if (i == 0) return;  // its variance is 0
    auto const share = share_of_keys(i);
    auto const mean = static_cast<double>(static_cast<std::int64_t>(surplus)) * share;
    auto const off = static_cast<double>(static_cast<std::int64_t>(count)) - mean;
    sum_ += off * off / (share * (1 - share));
    ++symbols_;
  }
  [[nodiscard]] double differences() const noexcept { return symbols_ == 0 ? 0 : sum_ / static_cast<double>(symbols_); }

  /// How many symbols to ask for after `fed` of them were not enough: at first as many as nearly suffice, then a few percent at
  /// a time.
  [[nodiscard]] std::uint64_t more(std::uint64_t fed) const noexcept {
    constexpr std::uint64_t first = 32;
    if (fed == 0) return first;
    // Less than the mean of 1.36, by 1.5 standard deviations: too many are a waste, too few one more round.
    auto const enough = 1.35 * differences() * (1 - 1.5 * std::sqrt(2 / static_cast<double>(fed)));
    auto const most = static_cast<double>(9 * fed);
    auto const target = static_cast<std::uint64_t>(std::min(enough, most));
    return std::max({target > fed ? target - fed : 0, fed / 32, std::uint64_t{8}});
  }

 private:
  double sum_ = 0;
  std::uint64_t symbols_ = 0;
};

}  // namespace hortus::sets
