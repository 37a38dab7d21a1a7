#pragma once
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>

namespace hortus::plan {

/// The most bits that a filter may have: half a tebibyte of memory, and small enough that doubles represent it exactly.
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 42;

/// The most probes of a key. More never help: at 2^-64, the lowest rate, 64 is the best number.
inline constexpr unsigned max_probes = 64;

/// The lowest rate that can be planned. Filters see 64-bit digests, and two digests are equal with this probability.
inline constexpr double min_fpr = 0x1p-64;

/// The part of every filter's rate that no size can reduce: the probability that an absent key has the digest of one of `items`
/// members.
[[nodiscard]] inline double digest_floor(std::uint64_t items) { return -std::expm1(-static_cast<double>(items) * 0x1p-64); }

/// The lower bound, in bits per item, of every structure with these rates, even if the keys are known in advance: the
/// divergence of "found with probability 1 - fnr" from "found with probability fpr". If no key is missed, it is log2(1/fpr).
[[nodiscard]] inline double least_bits_per_item(double fpr, double fnr = 0) {
  double const found = (1 - fnr) * std::log2((1 - fnr) / fpr);
  return fnr > 0 ? found + fnr * std::log2(fnr / (1 - fpr)) : found;
}

/// A number for error messages: four digits, the same in every locale.
[[nodiscard]] inline std::string text(double number) {
  std::array<char, 32> chars{};
  auto const end = std::to_chars(chars.data(), chars.data() + chars.size(), number, std::chars_format::general, 4).ptr;
  return {chars.data(), end};
}

/// Returns the rate; throws errc::bad_goal if it cannot be planned.
inline double checked_fpr(double fpr) {
  if (!(fpr >= min_fpr && fpr < 1))  // not (fpr < min_fpr || fpr >= 1): NaN must not pass
    throw error(errc::bad_goal, "fpr is " + text(fpr) + ": it must lie between 2^-64 (5.4e-20) and 1, 1 excluded");
  return fpr;
}

/// Rounds a number of bits up to an integer, at least 1. Throws errc::bad_goal if a filter cannot have as many; `what` begins
/// the message.
inline std::uint64_t checked_bits(double bits, std::string const& what) {
  if (!(bits <= static_cast<double>(max_bits)))
    throw error(errc::bad_goal,
                what + " needs " + text(bits) + " bits: the most is 2^42 (4.398e+12); ask for fewer items or a higher fpr");
  return bits < 1 ? 1 : static_cast<std::uint64_t>(std::ceil(bits));
}

}  // namespace hortus::plan
