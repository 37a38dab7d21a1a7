#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/blocked_rate.hpp>
#include <hortus/maths/cardinality.hpp>

namespace hortus::plan {

namespace detail {

/// The number of zeros of a blocked filter as a function of its items. Both moments are exact for every size: a given bit stays
/// free with probability e^(-items * per_item), and a given pair of bits does with other exponents.
class block_zeros {
 public:
  explicit block_zeros(blocked_shape shape) : layout_(checked(shape).layout), blocks_(static_cast<double>(shape.blocks)) {
    auto const in_a_part = shape.probes / layout_.parts;
    auto const throws = static_cast<double>(in_a_part);
    double const word = layout_.word_bits, choices = layout_.choices;
    double const mark = block_mark(layout_, shape.probes);
    // Probability that a key marks at least one of two given bits of a word.
    double const one_of_two = -std::expm1(throws * std::log1p(-2 / word)) / choices;
    per_item_ = -std::log1p(-mark / blocks_);
    // The logarithm, per item, of how much likelier a pair is to stay free than if its bits were independent.
    auto const pair = [&](double either) { return std::log1p(-either / blocks_) + 2 * per_item_; };
    same_word_ = pair(one_of_two);
    other_word_ = pair(2 * mark);           // of the same part: a key marks at most one of the words
    other_part_ = pair(mark * (2 - mark));  // marked independently, but by the same keys
    double const rest = mark / (blocks_ - mark);
    other_block_ = blocks_ > 1 ? std::log1p(-rest * rest) : 0;  // a key of one block is not in the other
  }

  /// Minus the logarithm of the probability that an item leaves a given bit free.
  [[nodiscard]] double per_item() const noexcept { return per_item_; }

  /// Standard deviation over mean of the number of zeros, from E[zeros^2], a sum over all pairs of bits.
  [[nodiscard]] double relative_sd(double items) const {
    double const word = layout_.word_bits, choices = layout_.choices, parts = layout_.parts, block = layout_.bits();
    auto const excess = [&](double pairs, double log) { return pairs > 0 ? pairs * std::expm1(items * log) : 0; };
    double const sum = excess(1, per_item_) + excess(word - 1, same_word_) + excess((choices - 1) * word, other_word_) +
                       excess((parts - 1) * choices * word, other_part_) + excess((blocks_ - 1) * block, other_block_);
    return std::sqrt(std::max(sum, 0.0) / (blocks_ * block));
  }

 private:
  block_layout layout_;
  double blocks_;
  double per_item_, same_word_, other_word_, other_part_, other_block_;
};

}  // namespace detail

/// Standard deviation of blocked_cardinality at `items`. It exceeds that of a bloom filter with as many bits by 2 to 22 % at 8
/// to 16 bits per item, because the bits of a block share its load, and loads differ.
[[nodiscard]] inline double cardinality_sd(blocked_shape shape, double items) {
  detail::block_zeros const zeros(shape);
  return zeros.relative_sd(std::max(items, 0.0)) / zeros.per_item();
}

/// Distinct keys in a filter with `ones` set bits: ln(1 - fill) / ln(1 - (1-q)/blocks), where q is the probability that a
/// key leaves a given bit of its block free. With many blocks that is -blocks ln(1 - fill) / (1-q). The interval holds the
/// numbers of items at which the ones lie within 1.96 sd of their expectation, and none below ones / probes. For a full
/// filter the value is about the number of items that fill one, as a lower bound.
[[nodiscard]] inline estimate blocked_cardinality(blocked_shape shape, std::uint64_t ones) {
  detail::block_zeros const zeros(shape);
  if (ones > shape.bits()) throw error(errc::bad_params, "a filter has at most as many ones as bits");
  if (ones == 0) return {};
  auto const bits = static_cast<double>(shape.bits());
  double const per_item = zeros.per_item();
  double const sure = static_cast<double>(ones) / shape.probes;
  auto const width = [&](double load) { return z95 * zeros.relative_sd(load / per_item); };
  if (ones == shape.bits()) {
    double const value = std::max({std::log(bits) / per_item, sure, 1.0});
    double const low = detail::root(0, std::log(bits) + 2, [&](double load) { return width(load) - 1; }) / per_item;
    return {value, std::min(value, std::max(low, sure)), std::numeric_limits<double>::infinity(), true};
  }
  auto const set = static_cast<double>(ones);
  double const load = set < bits / 2 ? -std::log1p(-set / bits) : std::log(bits / (bits - set));  // accurate in both ranges
  double const low = detail::root(0, load, [&](double t) { return width(t) + std::expm1(t - load); });
  double gap = std::max(width(load), 1e-12);
  while (std::expm1(gap) <= width(load + gap)) gap *= 2;
  double const high = detail::root(load, load + gap, [&](double t) { return std::expm1(t - load) - width(t); });
  double const value = load / per_item;
  return {value, std::min(value, std::max(low / per_item, sure)), std::max(high / per_item, std::ceil(sure)), false};
}

}  // namespace hortus::plan
