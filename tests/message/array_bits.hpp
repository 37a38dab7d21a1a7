#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/hash/mix64.hpp>

namespace hortus::testing {

/// A stream of random words, the same in every run.
class random_words {
 public:
  explicit random_words(std::uint64_t seed) : state_(mix64(seed + 1)) {}
  std::uint64_t operator()() { return mix64(state_ += 0x9e3779b97f4a7c15U); }
  double uniform() { return (static_cast<double>((*this)() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Independent bits, each set with probability `density`.
inline std::vector<std::byte> independent_bits(std::size_t bytes, double density, std::uint64_t seed) {
  random_words random(seed);
  std::vector<std::byte> bits(bytes);
  if (density <= 0) return bits;
  bool const full = density > 0.5;
  double const rate = std::log1p(-(full ? 1 - density : density));
  double const end = 8.0 * static_cast<double>(bytes);
  for (double at = rate == 0 ? end : std::floor(std::log(random.uniform()) / rate); at < end;
       at += 1 + std::floor(std::log(random.uniform()) / rate)) {
    auto const bit = static_cast<std::size_t>(at);
    bits[bit / 8] |= std::byte{1} << bit % 8;
  }
  if (full)
    for (auto& byte : bits) byte = ~byte;
  return bits;
}

inline std::uint64_t ones_in(std::span<std::byte const> bytes) {
  std::uint64_t ones = 0;
  for (auto const byte : bytes) ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
  return ones;
}

/// Of a bit, in bits.
inline double binary_entropy(double p) { return p <= 0 || p >= 1 ? 0 : -(p * std::log2(p) + (1 - p) * std::log2(1 - p)); }

/// Bytes that an ideal code of the bits takes, if they are independent and their number is known.
inline double entropy_bytes(std::span<std::byte const> bits) {
  auto const all = static_cast<double>(bits.size());
  return all * binary_entropy(static_cast<double>(ones_in(bits)) / (8 * all));
}

}  // namespace hortus::testing
