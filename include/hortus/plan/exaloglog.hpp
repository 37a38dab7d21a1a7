#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <hortus/maths/distinct_likelihood.hpp>
#include <hortus/plan/hyperloglog.hpp>

/// ExaLogLog with update values of four per octave (t = 2) and a history of 20 values (d = 20): 28 bits a register.
namespace hortus::plan {

inline constexpr unsigned values_an_octave = 4;  ///< values of equal probability
inline constexpr unsigned history_bits = 20;     ///< values below the largest of which a register knows whether it met them

/// The relative variance is ln b / zeta(2, 1 + b^-20 / (b - 1)), with b = 2^(1/4) and Hurwitz' zeta function: 3.67 / 28.
inline constexpr register_kind history_registers{28, 4, 24, 0.13118730060701, "an exaloglog sketch"};

/// The maximum of the likelihood is too large by this part of 1 / registers:
/// ln b (1 + 2 s) zeta(3, 1 + s) / zeta(2, 1 + s)^2 with s = b^-20 / (b - 1).
inline constexpr double history_bias = 0.10553824307;

/// The largest update value: of a key all of whose rank bits are 0.
[[nodiscard]] constexpr unsigned largest_value(unsigned precision) noexcept { return values_an_octave * (63 - precision); }

/// A value v has probability 2^-exponent, given its register.
[[nodiscard]] constexpr unsigned exponent_of(unsigned value, unsigned precision) noexcept {
  return std::min(3 + (value - 1) / values_an_octave, 64 - precision);
}

/// The probability of a value above this one.
[[nodiscard]] inline double chance_above(unsigned value, unsigned precision) noexcept {
  if (value == 0) return 1;
  unsigned const octave = (value - 1) / values_an_octave;
  unsigned const left = values_an_octave - 1 - (value - 1) % values_an_octave;  // in the same octave
  double const later = octave < 62 - precision ? std::ldexp(1.0, -static_cast<int>(octave) - 1) : 0;
  return later + std::ldexp(left, -static_cast<int>(exponent_of(value, precision)));
}

/// What the registers of a sketch show: of how many a value is the largest, and how many met it before their largest.
struct history_histogram {
  std::array<std::uint64_t, 256> largest{};
  std::array<std::uint64_t, 256> before{};
};

/// Distinct keys, by maximum likelihood.
[[nodiscard]] inline estimate exaloglog_cardinality(history_histogram const& seen, unsigned precision) {
  auto const registers = std::ldexp(1.0, static_cast<int>(precision));
  met_values values;
  std::uint64_t showing = 0;  // registers whose history has this value
  for (unsigned value = largest_value(precision); value >= 1; --value) {
    auto const exponent = exponent_of(value, precision);
    values.met[exponent] += seen.largest[value] + seen.before[value];
    values.missed +=
        static_cast<double>(seen.largest[value]) * chance_above(value, precision) +
        std::ldexp(static_cast<double>(showing - std::min(showing, seen.before[value])), -static_cast<int>(exponent));
    showing += seen.largest[value];
    if (value + history_bits < seen.largest.size()) showing -= seen.largest[value + history_bits];
  }
  values.missed += static_cast<double>(seen.largest[0]);
  double const value = registers * likeliest_load(values) / (1 + history_bias / registers);
  return distinct_interval(values, registers, value, registers - static_cast<double>(seen.largest[0]));
}

}  // namespace hortus::plan
