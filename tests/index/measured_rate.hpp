#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/index_policy.hpp>

/// The false-positive rate of Bloom filters with an index policy, compared with that of independent positions. Independent of
/// the library's own filters and formulas, so that it can check them.
namespace index_test {

struct shape {
  std::uint64_t bits, items;
  unsigned probes;
};

/// The source of the digests: well-mixed bits, but related as in practice.
enum class keys {
  random,
  sequential,  ///< the integers 0, 1, 2, ... through the default hash's mixer
  one_shard,   ///< all with the same upper 8 bits: the keys of one of 256 shards
  one_bucket,  ///< all with the same lower 12 bits
};

class key_source {
 public:
  key_source(keys kind, std::uint64_t seed) : kind_(kind), salt_(hortus::mix64(seed + 1)) {}
  hortus::digest next() {
    auto const i = count_++;
    if (kind_ == keys::sequential) return hortus::digest(hortus::mix64(i ^ salt_));
    auto const bits = hortus::mix64(hortus::mix64(i * hortus::golden_ratio64 + salt_) ^ salt_);
    if (kind_ == keys::one_shard) return hortus::digest(bits >> 8 | std::uint64_t{0xa5} << 56);
    if (kind_ == keys::one_bucket) return hortus::digest(bits << 12 | 0x5a5);
    return hortus::digest(bits);
  }

 private:
  keys kind_;
  std::uint64_t salt_, count_ = 0;
};

/// The exact rate of independent positions, averaged over filters: E[(X / bits)^probes], where X is the number of bits set by
/// items * probes throws (Bose et al. 2008). Computed throw by throw; negligible probabilities are dropped.
inline double independent_rate(shape s) {
  auto const bits = static_cast<double>(s.bits);
  std::vector<double> chance(s.bits + 2, 0.0);
  chance[0] = 1;
  std::uint64_t low = 0, high = 0;  // the range where probabilities are not negligible
  for (std::uint64_t thrown = 0; thrown < s.items * s.probes; ++thrown) {
    high = std::min(high + 1, s.bits);
    for (auto x = high; x > low; --x)
      chance[x] = chance[x] * static_cast<double>(x) / bits + chance[x - 1] * (bits - static_cast<double>(x - 1)) / bits;
    chance[low] *= static_cast<double>(low) / bits;
    while (low < high && chance[low] < 1e-40) chance[low++] = 0;
    while (high > low + 1 && chance[high] < 1e-40) chance[high--] = 0;
  }
  double rate = 0;
  for (auto x = low; x <= high; ++x) rate += chance[x] * std::pow(static_cast<double>(x) / bits, s.probes);
  return rate;
}

struct measured {
  double ratio;       ///< rate, over that of independent positions
  double error;       ///< standard error of ratio, from the spread between filters
  double given_fill;  ///< rate, over that of independent positions at the filter's actual fill
  std::uint64_t hits;
};

template <hortus::index_policy Index>
measured measure(shape s, keys kind, std::uint64_t filters, std::uint64_t queries) {
  std::vector<std::uint8_t> bits(s.bits);
  double sum = 0, squares = 0, expected_from_fill = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    std::ranges::fill(bits, std::uint8_t{0});
    key_source source(kind, f);
    for (std::uint64_t i = 0; i < s.items; ++i) {
      Index at(source.next(), s.bits);
      for (unsigned p = 0; p < s.probes; ++p) bits[at.next()] = 1;
    }
    auto const fill = static_cast<double>(std::ranges::count(bits, 1)) / static_cast<double>(s.bits);
    expected_from_fill += static_cast<double>(queries) * std::pow(fill, s.probes);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < queries; ++i) {
      Index at(source.next(), s.bits);
      unsigned found = 0;
      while (found < s.probes && bits[at.next()] != 0) ++found;
      hits += found == s.probes ? 1 : 0;
    }
    sum += static_cast<double>(hits);
    squares += static_cast<double>(hits) * static_cast<double>(hits);
  }
  auto const n = static_cast<double>(filters);
  auto const one = static_cast<double>(queries) * independent_rate(s);  // hits to expect of one filter
  auto const variance = std::max(0.0, squares / n - sum / n * sum / n);
  return {sum / n / one, std::sqrt(variance / n) / one, sum / expected_from_fill, static_cast<std::uint64_t>(sum)};
}

}  // namespace index_test
