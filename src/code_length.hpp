#pragma once
#include <array>
#include <bit>
#include <cstdint>

/// How long a code would be, without making it.
namespace hortus::message {

/// Lengths of codes, in units of 2^-16 bits.
using length = std::uint64_t;
constexpr length in_bytes(std::uint64_t bytes) { return bytes << 19; }

/// log2(2^12 + i) - 12 in units of 2^-16, rounded down, by repeated squaring.
inline constexpr std::array<std::uint16_t, 4096> log2_of_mantissa = [] {
  std::array<std::uint16_t, 4096> all{};
  for (std::uint64_t i = 0; i < 4096; ++i) {
    std::uint64_t x = (4096 + i) << 18;  // 1 is 2^30
    unsigned log = 0;
    for (unsigned digit = 0; digit < 16; ++digit) {
      x = x * x >> 30;
      log <<= 1;
      if (x >> 31 != 0) {
        log |= 1;
        x >>= 1;
      }
    }
    all[i] = static_cast<std::uint16_t>(log);
  }
  return all;
}();

/// Pre: x >= 1.
inline length log2_of(std::uint64_t x) {
  auto const whole = static_cast<unsigned>(std::bit_width(x | 1)) - 1;
  auto const mantissa = whole >= 12 ? x >> (whole - 12) : x << (12 - whole);
  return (length{whole} << 16) + log2_of_mantissa[mantissa - 4096];
}
inline length x_log_x(std::uint64_t x) { return x == 0 ? 0 : x * log2_of(x); }
/// Of `all` independent bits of which `ones` are set. Rounding may make it a little less than nothing.
inline length entropy(std::uint64_t ones, std::uint64_t all) {
  auto const most = x_log_x(all), saved = x_log_x(ones) + x_log_x(all - ones);
  return most > saved ? most - saved : 0;
}

}  // namespace hortus::message
