#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

/// Golomb codes of the gaps between random values: how long they are, and what shape a set of them has.
namespace hortus::plan {

/// The best divisor for gaps g = 0, 1, 2 ... of probability density (1 - density)^g: quotients are then 0 about half of the
/// time (R. Gallager, D. van Voorhis, "Optimal source codes for geometrically distributed integer alphabets", 1975).
[[nodiscard]] inline double golomb_divisor(double density) {
  return std::max(1.0, std::ceil(std::log(2 - density) / -std::log1p(-density)));
}

/// Expected bits of a gap's code: the quotient by `divisor` in unary, the remainder in floor(log2 divisor) bits or one more.
/// A divisor of 2^P is a Rice code: P + 1 / (1 - (1 - density)^(2^P)).
[[nodiscard]] inline double golomb_bits(double density, double divisor) {
  double const log_q = std::log1p(-density), some = -std::expm1(log_q * divisor);  // that a quotient is 0
  double const short_bits = std::floor(std::log2(divisor)), cutoff = std::exp2(short_bits + 1) - divisor;
  return short_bits + 1 / some + (std::exp(log_q * cutoff) - std::exp(log_q * divisor)) / some;
}

/// The entropy of such a gap: no code is shorter.
[[nodiscard]] inline double gap_entropy(double density) {
  return -std::log2(density) - (1 - density) / density * std::log1p(-density) / std::log(2.0);
}

/// The shape of a golomb_set. Its values are in blocks of equal ranges. A line of the index, planned to take 64 bytes, has a
/// position and a field for each of its blocks.
struct golomb_set_shape {
  static constexpr unsigned line_bits = 512;  // as planned; values that are no random ones may need longer fields
  static constexpr unsigned position_bits = 64;
  static constexpr unsigned min_field_bits = 4;
  static constexpr unsigned max_field_bits = 48;  // positions are below 2^42
  static constexpr unsigned max_line_blocks = (line_bits - position_bits) / min_field_bits;
  static constexpr std::uint64_t max_range = std::uint64_t{1} << 63;

  std::uint64_t lines = 0;
  unsigned line_blocks = 0;       ///< blocks of a line
  std::uint64_t block_range = 0;  ///< values of a block
  std::uint64_t divisor = 0;      ///< of gaps, in the Golomb code
  unsigned field_bits = 0;
  std::uint64_t code_words = 0;  ///< of 64 bits; room for the codes

  [[nodiscard]] std::uint64_t blocks() const noexcept { return lines * line_blocks; }
  [[nodiscard]] std::uint64_t range() const noexcept { return blocks() * block_range; }
  [[nodiscard]] std::uint64_t line_bytes() const noexcept {
    return (position_bits + std::uint64_t{line_blocks} * field_bits + 63) / 64 * 8;
  }
  [[nodiscard]] std::uint64_t index_bytes() const noexcept { return lines * line_bytes(); }
  /// A word more at both ends, because whole words are read.
  [[nodiscard]] std::uint64_t code_bytes() const noexcept { return (code_words + 2) * 8; }
  [[nodiscard]] bool possible() const noexcept {
    return lines >= 1 && lines <= max_bits / line_bits && line_blocks >= 1 && line_blocks <= max_line_blocks &&
           block_range >= 1 && block_range <= max_range / lines / line_blocks && divisor >= 1 && divisor <= max_range &&
           field_bits >= min_field_bits && field_bits <= max_field_bits && code_words <= max_bits / 64;
  }
  /// Do equal keys have equal values and equal codes in both?
  [[nodiscard]] bool same_codes(golomb_set_shape const& other) const noexcept {
    return lines == other.lines && line_blocks == other.line_blocks && block_range == other.block_range &&
           divisor == other.divisor;
  }
  bool operator==(golomb_set_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no set can have it.
inline golomb_set_shape checked(golomb_set_shape shape) {
  if (!shape.possible())
    throw error(errc::bad_params,
                "a golomb_set has at least 1 line of at most 112 blocks, at most 2^63 values, fields of 4 to 48 bits and 2^42 "
                "bits in all");
  return shape;
}

/// Probability that an absent key has the value of one of `items` distinct keys: 1 - (1 - 1/range)^items. Exact.
[[nodiscard]] inline double golomb_set_fpr(golomb_set_shape shape, std::uint64_t items) {
  auto const range = static_cast<double>(checked(shape).range());
  if (items == 0) return 0;
  return range < 2 ? 1 : -std::expm1(static_cast<double>(items) * std::log1p(-1 / range));
}

/// The codes of a block of `block_range` values, a share `density` of which are in the set.
struct golomb_block_bits {
  double mean = 0;
  double deviation = 0;

  /// The last value of a block is followed by no code, although on average 1/density - 1 values come after it: that saves the
  /// quotient of such a gap. Values vary in number like a Poisson variable, but a block with one value more has shorter gaps:
  /// one bit of a quotient less for every `divisor` values.
  static golomb_block_bits of(double density, double block_range, double divisor) {
    double const values = density * block_range, bits = golomb_bits(density, divisor);
    double const empty = std::exp(std::log1p(-density) * block_range), gap = (1 - density) / density / divisor;
    return {values * bits - (1 - empty) * gap, std::sqrt(values) * std::max(bits - gap, 0.5)};
  }
};

/// The bits of a field if a line of 64 bytes has so many.
[[nodiscard]] constexpr unsigned golomb_set_field_bits(unsigned line_blocks) noexcept {
  return std::min((golomb_set_shape::line_bits - golomb_set_shape::position_bits) / line_blocks,
                  golomb_set_shape::max_field_bits);
}

/// Standard deviations that a plan allows for: with 7.5 a set of random keys exceeds its plan with probability 1e-9 at most,
/// whatever its size.
inline constexpr double golomb_set_deviations = 7.5;

/// The most blocks of a line of the index, so that the fields have enough bits: for how far the codes of up to that many blocks
/// deviate from their mean, which is rounded.
[[nodiscard]] inline unsigned golomb_line_blocks(golomb_block_bits block) {
  auto const fit = [&](unsigned blocks) {
    double const most = golomb_set_deviations * std::sqrt(blocks) * block.deviation + blocks / 2.0;
    return most < std::ldexp(1.0, static_cast<int>(golomb_set_field_bits(blocks)) - 1);
  };
  unsigned blocks = golomb_set_shape::max_line_blocks;
  while (blocks > 1 && !fit(blocks)) --blocks;
  return blocks;
}

/// The most bits that the index may take for each key, if there are thousands.
inline constexpr double golomb_index_bits = 0.495;

/// The shape for a goal. The number of lines is a multiple of `parts`, so that a set can be built in as many parts.
[[nodiscard]] inline golomb_set_shape golomb_set(goal g, std::uint64_t parts = 1) {
  auto const count = std::max<std::uint64_t>(g.items, 1);
  auto const items = static_cast<double>(count);
  double const range = std::max(-1 / std::expm1(std::log1p(-checked_fpr(g.fpr)) / items), 1.0);
  double const divisor = golomb_divisor(g.fpr);
  checked_bits(items, "a golomb_set for that goal");
  if (!(range * (1 + 1e-6) + 1e6 < static_cast<double>(golomb_set_shape::max_range)))
    throw error(errc::bad_goal, "a golomb_set for " + text(items) + " items has a rate of at least " + text(items * 0x1p-63) +
                                    ": its values are below 2^63; ask for a higher fpr or fewer items");
  golomb_set_shape shape;
  shape.divisor = static_cast<std::uint64_t>(divisor);
  // The smallest blocks for which the index is small enough. With smaller ones fewer gaps are decoded.
  double keys = 8;  // of a block
  do {
    ++keys;
    shape.line_blocks = golomb_line_blocks(golomb_block_bits::of(g.fpr, keys * range / items, divisor));
  } while (golomb_set_shape::line_bits / (keys * shape.line_blocks) > golomb_index_bits);
  shape.field_bits = golomb_set_field_bits(shape.line_blocks);
  double const lines = items / (keys * shape.line_blocks);
  shape.lines = static_cast<std::uint64_t>(std::ceil(lines / static_cast<double>(parts))) * parts;
  shape.block_range = static_cast<std::uint64_t>(std::ceil(range / static_cast<double>(shape.blocks())));
  while (golomb_set_fpr(shape, count) > g.fpr) shape.block_range += 1 + (shape.block_range >> 50);  // rounding
  // Keys that share a value vary in number, and gaps of the same sum have codes of different lengths: measured in
  // tests/plan/golomb_set_test.cpp.
  double const density = golomb_set_fpr(shape, count), bits = golomb_bits(density, divisor);
  auto const block = golomb_block_bits::of(density, static_cast<double>(shape.block_range), divisor);
  double const deviation = std::sqrt(items * (0.5 + density * bits * bits / 2));
  double const most =
      std::max(static_cast<double>(shape.blocks()) * block.mean, 0.0) + golomb_set_deviations * deviation + 2 * bits;
  shape.code_words = (checked_bits(most, "a golomb_set for that goal") + 63) / 64;
  return checked(shape);
}

/// Distinct keys in a set of `values` different values. Few keys share one.
[[nodiscard]] inline estimate golomb_set_cardinality(golomb_set_shape shape, std::uint64_t values) {
  auto const range = checked(shape).range();
  if (range < 2) return {static_cast<double>(values), static_cast<double>(values), HUGE_VAL, values != 0};
  return detail::items_from(std::min(values, range), range, -std::log1p(-1 / static_cast<double>(range)), 1);
}

}  // namespace hortus::plan
