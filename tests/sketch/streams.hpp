#pragma once
// Streams of keys with known counts, for the tests of sketches.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus::testing {

/// Key number i under hash seed s.
inline digest key_of(std::uint64_t i, std::uint64_t seed = 0) { return digest::of_hash(mix64(seed + 1) + i); }

/// How often each of `keys` keys occurs in a stream of that length, drawn by Zipf's law with that exponent (0: uniform).
inline std::vector<std::uint64_t> draw_counts(std::uint64_t keys, std::uint64_t length, double exponent, std::uint64_t seed) {
  std::vector<double> up_to(keys);
  double sum = 0;
  for (std::uint64_t i = 0; i < keys; ++i) up_to[i] = sum += std::pow(static_cast<double>(i + 1), -exponent);
  std::vector<std::uint64_t> counts(keys);
  for (std::uint64_t t = 0; t < length; ++t) {
    double const u = static_cast<double>(mix64(mix64(seed) + t) >> 11) * 0x1p-53 * sum;
    ++counts[std::min<std::uint64_t>(static_cast<std::uint64_t>(std::ranges::upper_bound(up_to, u) - up_to.begin()), keys - 1)];
  }
  return counts;
}

/// The stream itself, in random order: key numbers.
inline std::vector<std::uint64_t> shuffled(std::vector<std::uint64_t> const& counts, std::uint64_t seed) {
  std::vector<std::uint64_t> stream;
  for (std::uint64_t i = 0; i < counts.size(); ++i) stream.insert(stream.end(), counts[i], i);
  for (std::uint64_t i = stream.size(); i > 1; --i) std::swap(stream[i - 1], stream[fastrange(mix64(mix64(seed) + i), i)]);
  return stream;
}

}  // namespace hortus::testing
