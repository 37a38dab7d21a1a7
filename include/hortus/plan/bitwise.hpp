#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/counting.hpp>
#include <hortus/plan/goal.hpp>

/// Filters that keep one digit of a count on each of several levels.
namespace hortus::plan {

/// A digit of a count: `width` bits from bit `offset` on.
struct digit {
  unsigned offset = 0;
  unsigned width = 0;
  [[nodiscard]] constexpr std::uint64_t max() const noexcept { return ~std::uint64_t{0} >> (64 - width); }
  bool operator==(digit const&) const = default;
};

/// The digits from their widths, given as a decimal number with one place per digit, the lowest digit first; the last width
/// repeats. 1: single bits; 231: digits of 2, 3, 1, 1, 1 ... bits. All digits together have 64 bits, so the last one may be
/// narrower than its width.
[[nodiscard]] inline std::vector<digit> digits_of(unsigned widths) {
  std::vector<digit> digits;
  auto const places = std::to_string(widths);
  if (places.find('0') != std::string::npos) return digits;  // a digit without bits: invalid
  for (unsigned offset = 0, i = 0; offset < 64; ++i) {
    auto const width = static_cast<unsigned>(places[std::min<std::size_t>(i, places.size() - 1)] - '0');
    digits.push_back({offset, std::min(width, 64 - offset)});
    offset += width;
  }
  return digits;
}

/// The sum of digit i times 2^offset. (The formula of seed 000 has the widths up to and including i in the exponent, which
/// makes every count 2^w times too high.)
[[nodiscard]] inline std::uint64_t value_of(std::span<digit const> digits, std::span<std::uint64_t const> values) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < values.size(); ++i) value += values[i] << digits[i].offset;
  return value;
}

/// The shape of a bitwise filter: the cells and probes of its lowest level. The other levels follow from it.
struct bitwise_shape {
  std::uint64_t cells = 0;
  unsigned probes = 0;
  unsigned widths = 1;
  /// For every power of two c at most taper / c of the keys come c times or more, so that higher levels can be smaller. 1:
  /// Zipf's law with most keys coming once. 2: Zipf's law, and any keys that come up to three times. 0: all keys may come
  /// often, and all levels are as large as the lowest.
  unsigned taper = 2;
  bool operator==(bitwise_shape const&) const = default;
};

inline constexpr unsigned max_bitwise_taper = 1U << 16;

/// The bits of a cell above the width of its digit, because several keys share a cell. For digits of one bit that gives
/// cells of 4 bits, as in `counting`.
inline constexpr unsigned bitwise_spare_bits = 3;

/// No level is made for fewer keys than this. Small levels cost little space, and the law of large numbers does not hold there.
inline constexpr unsigned bitwise_least_keys = 16;

/// The largest share of keys with a count of 2^offset or more.
[[nodiscard]] inline double bitwise_share(unsigned taper, unsigned offset) noexcept {
  return taper == 0 ? 1 : std::min(1.0, std::ldexp(static_cast<double>(taper), -static_cast<int>(offset)));
}

/// The level for keys with a count of 2^offset or more. A false positive there costs 2^offset, so its rate should be lower by
/// that factor: one more probe for each bit, and cells in proportion. Files have levels of exactly these sizes, so this
/// computation must not change.
[[nodiscard]] inline counting_shape bitwise_level(bitwise_shape shape, digit d) {
  if (shape.taper == 0) return {shape.cells, shape.probes, d.width + bitwise_spare_bits};
  auto const probes = std::min(shape.probes + d.offset, max_probes);
  double const share = static_cast<double>(probes) / shape.probes * bitwise_share(shape.taper, d.offset);
  double const least = std::min(bitwise_least_keys * probes / std::numbers::ln2, static_cast<double>(shape.cells));
  double const cells = std::max(static_cast<double>(shape.cells) * share, least);
  return {static_cast<std::uint64_t>(std::ceil(cells)), probes, d.width + bitwise_spare_bits};
}

/// The number of levels at the start: those with more than the least number of keys. Others are added when needed.
[[nodiscard]] inline std::size_t bitwise_first_levels(bitwise_shape shape, std::span<digit const> digits) {
  std::size_t levels = 1;
  double const keys = static_cast<double>(shape.cells) * std::numbers::ln2 / shape.probes;
  while (shape.taper != 0 && levels < digits.size() &&
         keys * bitwise_share(shape.taper, digits[levels].offset) > bitwise_least_keys)
    ++levels;
  return levels;
}

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline bitwise_shape checked(bitwise_shape shape) {
  auto const digits = digits_of(shape.widths);
  if (digits.empty() || shape.cells < 1 || shape.cells > max_bits / 64 || shape.probes < 1 || shape.probes > max_probes ||
      shape.taper > max_bitwise_taper)
    throw error(
        errc::bad_params,
        "a bitwise filter has 1 to 64 probes, 1 to 2^36 cells on its lowest level, widths of 1 to 9 bits such as 231, and "
        "a taper of at most 65536");
  return shape;
}

/// Probability that an absent key counts more than 0 once `items` distinct keys are inserted. At most taper / c of them count c
/// or more, and all bits of their counts are assumed to be set. Without taper, all keys are assumed to count up to 2^16.
[[nodiscard]] inline double bitwise_fpr(bitwise_shape shape, std::uint64_t items) {
  checked(shape);
  double log_clean = 0;
  for (auto const d : digits_of(shape.widths)) {
    if (shape.taper == 0 && d.offset >= 16) break;
    auto const keys = static_cast<std::uint64_t>(static_cast<double>(items) * bitwise_share(shape.taper, d.offset));
    if (keys == 0) break;
    log_clean += std::log1p(-std::min(bloom_fpr(bitwise_level(shape, d).projection(), keys), 1 - 1e-16));
  }
  return -std::expm1(log_clean);
}

/// About the fewest cells for the goal: the lowest level takes half of the rate, the others share the rest.
[[nodiscard]] inline bitwise_shape bitwise(goal g, unsigned probes, unsigned widths, unsigned taper) {
  checked_fpr(g.fpr);
  if (digits_of(widths).empty())
    throw error(errc::bad_goal, "widths is " + std::to_string(widths) + ": one decimal place a digit, each 1 to 9 bits");
  if (taper > max_bitwise_taper)
    throw error(errc::bad_goal, "taper is " + std::to_string(taper) + ": 0 for none, or 1 to 65536");
  double const lowest = std::max(g.fpr / (taper != 0 ? 2 : 16), min_fpr);
  auto const level = probes == 0 ? bloom({g.items, lowest}) : bloom_shape{bloom_bits(g.items, lowest, probes), probes};
  bitwise_shape shape{level.bits, level.probes, widths, taper};
  auto const fits = [&] { return checked_bits(64 * static_cast<double>(shape.cells), "a bitwise filter for that goal") != 0; };
  while (fits() && bitwise_fpr(shape, g.items) > g.fpr) shape.cells += shape.cells / 128 + 1;
  return shape;
}

/// The levels of bitwise_frozen: bloom filters, level i for the `keys[i]` keys whose count has bit i. Together they report an
/// absent key with probability `fpr`. For a given number of bits the expected error, the sum of 2^i f_i, is least if the rates
/// f_i are proportional to keys[i] / 2^i, because lowering a level's rate by a factor costs bits in proportion to its keys.
[[nodiscard]] inline std::vector<bloom_shape> bitwise_levels(std::span<std::uint64_t const> keys, double fpr) {
  checked_fpr(fpr);
  double weights = 0;
  auto const weight = [&](std::size_t i) { return std::ldexp(static_cast<double>(keys[i]), -static_cast<int>(i)); };
  for (std::size_t i = 0; i < keys.size(); ++i) weights += weight(i);
  std::vector<bloom_shape> levels;
  for (std::size_t i = 0; i < keys.size(); ++i)
    levels.push_back(keys[i] == 0 ? bloom_shape{1, 1} : bloom({keys[i], std::max(fpr * weight(i) / weights, min_fpr)}));
  return levels;
}

/// The mean count of an absent key: the sum of 2^i times the rate of level i.
[[nodiscard]] inline double bitwise_expected_error(std::span<bloom_shape const> levels, std::span<std::uint64_t const> keys) {
  double error = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) error += std::ldexp(bloom_fpr(levels[i], keys[i]), static_cast<int>(i));
  return error;
}

}  // namespace hortus::plan
