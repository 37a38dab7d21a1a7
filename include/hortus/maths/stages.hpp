#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>

/// Filters that grow by adding stages: scalable (Almeida et al. 2007), whose stages get larger and have lower rates, so
/// that all of them together keep a rate for ever, and dynamic (Guo et al. 2006), whose stages are equal.
namespace hortus::plan {

/// The rate of a lookup in several filters with independent contents: 1 - prod(1 - f).
class compound_fpr {
 public:
  void add(double fpr, std::uint64_t times = 1) {
    if (times != 0) log_missed_ += static_cast<double>(times) * std::log1p(-fpr);  // 0 times a rate of 1: not 0 * infinity
  }
  [[nodiscard]] double value() const { return -std::expm1(log_missed_) + 0.0; }  // never -0
  [[nodiscard]] double missed() const { return std::exp(log_missed_); }          ///< 1 - value()

 private:
  double log_missed_ = 0;
};

/// The same for filters of which no two find the same absent key: the sum. So it is with stages whose fingerprints are parts of
/// one number of the key, longer in later stages. A key with the fingerprint of an older stage never enters a younger one, so
/// the fingerprints of the younger one lie outside those of the older.
class disjoint_fpr {
 public:
  void add(double fpr, std::uint64_t times = 1) { sum_ += static_cast<double>(times) * fpr; }
  [[nodiscard]] double value() const { return std::min(sum_, 1.0); }
  [[nodiscard]] double missed() const { return 1 - value(); }

 private:
  double sum_ = 0;
};

/// The rate of stage `number` of a scalable filter: fpr (1 - r) r^number, where r is the tightening. Over all stages that adds
/// up to fpr; without the factor 1 - r it would add up to fpr / (1 - r). A stage's rate is at least 2^-64, the probability that
/// two digests are equal. Computed by multiplications only, so that every machine gets the same result.
[[nodiscard]] inline double stage_fpr(double fpr, double tightening, unsigned number) {
  double rate = checked_fpr(fpr) * (1 - tightening);
  for (unsigned i = 0; i < number && rate > min_fpr; ++i) rate *= tightening;
  return std::max(rate, min_fpr);
}

/// The number of keys of the stage after one for `items`: growth times as many, capped at 2^64 - 1, for which no filter can be
/// planned.
[[nodiscard]] constexpr std::uint64_t next_stage_items(std::uint64_t items, std::uint64_t growth) noexcept {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return items > most / growth ? most : items * growth;
}

/// The rate of each stage of `stage_items` keys in a dynamic filter that has rate fpr with `items` keys: 1 - (1 - fpr)^share,
/// where share = stage_items / items. A stage that is not full has less than its share of the rate, so the goal also holds if
/// the last stage is not full.
[[nodiscard]] inline double equal_stage_fpr(double fpr, std::uint64_t stage_items, std::uint64_t items) {
  double const share = std::min(1.0, static_cast<double>(stage_items) / static_cast<double>(std::max(items, stage_items)));
  return std::max(share == 1 ? checked_fpr(fpr) : -std::expm1(share * std::log1p(-checked_fpr(fpr))), min_fpr);
}

/// The rate of a dynamic filter with `stages` full stages and one more: 1 - (1 - full)^stages (1 - last).
[[nodiscard]] inline double dynamic_fpr(double full, std::uint64_t stages, double last) {
  compound_fpr all;
  all.add(full, stages);
  all.add(last);
  return all.value();
}

/// The estimated number of keys in a stage, and its rate.
struct stage_content {
  estimate items;
  double fpr = 0;
};

/// Distinct keys in all stages, oldest first. New keys that are false positives of older stages never enter a younger one, so
/// each key in that one stands for 1 / (1 - rate of the older stages) keys. How many did not enter is binomial. The errors of
/// stages are independent, so their squares add up.
template <class Together = compound_fpr>
[[nodiscard]] estimate stages_cardinality(std::span<stage_content const> stages) {
  estimate all;
  Together older;
  double below = 0;
  double above = 0;
  for (auto const& s : stages) {
    double const share = std::max(older.missed(), 1e-9);
    all.value += s.items.value / share;
    double const kept_out = z95 * z95 * s.items.value * (1 - share) / (share * share);
    below += std::pow((s.items.value - s.items.low) / share, 2) + kept_out;
    above += std::pow((s.items.high - s.items.value) / share, 2) + kept_out;
    all.saturated |= s.items.saturated || older.missed() < share;
    older.add(std::min(s.fpr, 1.0));
  }
  all.low = std::max(all.value - std::sqrt(below), 0.0);
  all.high = all.saturated ? std::numeric_limits<double>::infinity() : all.value + std::sqrt(above);
  return all;
}

}  // namespace hortus::plan
