#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/hash/mix64.hpp>

/// Chance in a HeavyKeeper. Replicas, and servers that replay a log, must come to the same state as the first server, whatever
/// its processor and its C library are. So there are only products and comparisons of doubles here, which IEEE 754 defines to
/// the last bit, and neither pow() nor log() nor rand().
namespace hortus::redisbloom {

/// decay^count: the probability that a counter of this count is decremented.
class decay_powers {
 public:
  explicit decay_powers(double decay) noexcept {
    double base = decay;  // decay^(16^place)
    for (auto& place : powers_) {
      place[0] = 1;
      for (std::size_t digit = 1; digit < digits; ++digit) place[digit] = place[digit - 1] * base;
      base *= place[digits - 1];
    }
  }
  /// A product of one factor for each digit of the count in base 16: counts are mostly small.
  [[nodiscard]] double operator()(std::uint32_t count) const noexcept {
    double power = 1;
    for (std::size_t place = 0; count != 0; ++place, count /= digits) power *= powers_[place][count % digits];
    return power;
  }

 private:
  static constexpr std::uint32_t digits = 16;
  std::array<std::array<double, digits>, 8> powers_;
};

/// Draw number `number` of a generator that is different for each fingerprint, uniform in (0, 1]. It is SplitMix64, which jumps
/// to any place of its sequence.
[[nodiscard]] inline double uniform_draw(std::uint32_t fingerprint, std::uint32_t number) noexcept {
  auto const word = mix64((std::uint64_t{fingerprint} << 32) + (std::uint64_t{number} + 1) * golden_ratio64);
  return static_cast<double>((word >> 11) + 1) * 0x1p-53;
}

/// The number of the first success in a row of tries that each succeed with probability `chance`, from one draw for all of
/// them; 0 if all `tries` fail. The first n tries fail with probability (1 - chance)^n, so they do if that is not less than the
/// draw. Its distribution is that of one draw for each try, at the cost of log2(tries) products.
[[nodiscard]] inline std::uint32_t first_success(double chance, std::uint32_t tries, double draw) noexcept {
  double const failure = 1 - chance;
  if (tries == 0) return 0;
  if (failure < draw) return 1;
  if (tries == 1) return 0;        // as in most calls
  std::array<double, 32> squares;  // failure^(2^i)
  std::size_t known = 0;
  for (double power = failure; power >= draw && known < squares.size() && tries >> known != 0; power *= power)
    squares[known++] = power;
  std::uint32_t failures = 0;  // the most of them that are not too improbable, bit by bit
  double probability = 1;
  for (std::size_t i = known; i-- != 0;)
    if (probability * squares[i] >= draw) {
      probability *= squares[i];
      failures |= std::uint32_t{1} << i;
    }
  return failures < tries ? failures + 1 : 0;
}

}  // namespace hortus::redisbloom
