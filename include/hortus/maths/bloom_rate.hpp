#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/covering.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/maths/occupancy.hpp>

namespace hortus::plan {

/// The shape of a bloom filter: m bits, k probes per key.
struct bloom_shape {
  std::uint64_t bits = 0;
  unsigned probes = 0;
  bool operator==(bloom_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline bloom_shape checked(bloom_shape shape) {
  if (shape.bits < 1 || shape.bits > max_bits || shape.probes < 1 || shape.probes > max_probes)
    throw error(errc::bad_params, "a bloom filter has 1 to 2^42 bits and 1 to 64 probes");
  return shape;
}

/// The false-positive rate in the limit of large filters: (1 - e^(-k/c))^k at c bits per item.
[[nodiscard]] inline double bloom_fpr_limit(double bits_per_item, unsigned probes) {
  return std::pow(-std::expm1(-(probes / bits_per_item)), probes);
}

/// (1 - e^(-kn/m))^k: always too low, by 1.3 % at 512 bits and 5 % at 128 (8 bits per item).
[[nodiscard]] inline double bloom_fpr_asymptotic(bloom_shape shape, std::uint64_t items) {
  checked(shape);
  return items == 0 ? 0 : bloom_fpr_limit(static_cast<double>(shape.bits) / static_cast<double>(items), shape.probes);
}

/// (1 - (1 - 1/m)^(kn))^k, which textbooks call exact. It is a lower bound: the rate is the mean of a convex function of the
/// fill, and this is the function of the mean (Bose et al., "On the false-positive rate of Bloom filters", IPL 108, 2008).
[[nodiscard]] inline double bloom_fpr_textbook(bloom_shape shape, std::uint64_t items) {
  checked(shape);
  double const throws = static_cast<double>(shape.probes) * static_cast<double>(items);
  return items == 0 ? 0 : std::pow(-std::expm1(throws * std::log1p(-1 / static_cast<double>(shape.bits))), shape.probes);
}

/// The relative increase of the rate due to the spread of the fill between filters, to first order: k(k-1)/2 (sd / mean)^2.
[[nodiscard]] inline double bloom_fpr_excess(bloom_shape shape, std::uint64_t items) {
  checked(shape);
  double const load = shape.probes * (static_cast<double>(items) / static_cast<double>(shape.bits));
  if (load > 100) return 0;  // it falls like e^(-load)
  double const pairs = shape.probes * (shape.probes - 1.0) / 2;
  double const growth = std::expm1(load);
  return pairs / static_cast<double>(shape.bits) * (load > 0 ? exp_excess(load) / growth / growth : 0.5);
}

/// The textbook's rate corrected for the spread of the fill. With an excess of e the relative error is about e^2 / 2:
/// negligible for large filters, large for few items with many probes.
[[nodiscard]] inline double bloom_fpr_second_order(bloom_shape shape, std::uint64_t items) {
  return std::min(1.0, bloom_fpr_textbook(shape, items) * (1 + bloom_fpr_excess(shape, items)));
}

/// The exact rate, E[(X/m)^k] with X ones after kn throws, at every size. Takes 10 us with 10 probes, 10 ms with 64.
[[nodiscard]] inline double bloom_fpr_exact(bloom_shape shape, std::uint64_t items) {
  checked(shape);
  auto const bits = static_cast<double>(shape.bits);
  if (items == 0) return 0;
  if (shape.probes * (static_cast<double>(items) / bits) > 50) return 1;  // P(a bit is free) is e^-50: 1 to all digits
  covering chain;
  chain.cells = static_cast<unsigned>(std::min<std::uint64_t>(shape.probes, shape.bits));
  for (unsigned u = 1; u <= chain.cells; ++u) {
    chain.step[u][u - 1] = u / bits;
    chain.log_stay[u] = std::log1p(-(u / bits));
  }
  auto const covered = covered_after(chain, shape.probes * items);

  covering::row distinct{};  // distinct[j]: probability that the probes of the query hit j different bits
  distinct[0] = 1;
  for (unsigned probe = 0; probe < shape.probes; ++probe) {
    for (unsigned j = chain.cells; j > 0; --j)
      distinct[j] = distinct[j] * (j / bits) + distinct[j - 1] * ((bits - j + 1) / bits);
    distinct[0] = 0;
  }
  double rate = 0;
  for (unsigned j = 1; j <= chain.cells; ++j) rate += distinct[j] * covered[j];
  return std::min(1.0, rate);
}

/// The rate, exact to six digits, by the cheapest method. Planners and reports use this one.
[[nodiscard]] inline double bloom_fpr(bloom_shape shape, std::uint64_t items) {
  auto const bits = static_cast<double>(checked(shape).bits);
  if (items == 0) return 0;
  auto const count = static_cast<double>(items);
  double const excess = bloom_fpr_excess(shape, items);
  double const load = shape.probes * (count / bits);
  // The error of the second order: the third-order term, and the error of its variance for few items or few bits.
  double const left_out = excess * (excess + 1 / count + load * load / bits);
  return left_out < 1e-6 ? bloom_fpr_second_order(shape, items) : bloom_fpr_exact(shape, items);
}

/// The rate of the variant whose k probes hit k different bits, in inserts and in queries. Up to half fill it is lower than
/// bloom_fpr, by 0.65 % at 512 bits and negligibly at a million; but it requires drawing without repetition.
[[nodiscard]] inline double bloom_fpr_distinct(bloom_shape shape, std::uint64_t items) {
  checked(shape);
  if (shape.bits < shape.probes) throw error(errc::bad_params, "distinct probes need at least as many bits as probes");
  auto const bits = static_cast<double>(shape.bits);
  double const probes = shape.probes;
  if (items == 0) return 0;
  if (probes * (static_cast<double>(items) / bits) > 50) return 1;
  covering chain;
  chain.cells = shape.probes;
  for (unsigned u = 1; u <= shape.probes; ++u) {
    // Hypergeometric: an insert hits j of the u free bits, and at least `least` if the other bits are too few for its probes.
    auto const least = bits < u + probes ? static_cast<unsigned>(u + probes - bits) : 0U;
    double hit = 1;
    if (least == 0) {
      for (unsigned i = 0; i < shape.probes; ++i) chain.log_stay[u] += std::log1p(-(u / (bits - i)));
      hit = std::exp(chain.log_stay[u]);
    } else {
      for (unsigned i = 0; i < least; ++i) hit *= (u - i) / (least - i * 1.0);    // C(u, least) ways to hit the free bits,
      for (unsigned i = 0; i < shape.probes; ++i) hit *= (i + 1.0) / (bits - i);  // of C(bits, probes) in all
      chain.log_stay[u] = -std::numeric_limits<double>::infinity();
    }
    for (unsigned j = least; j <= std::min(u, shape.probes); ++j) {
      if (j > 0) chain.step[u][u - j] = hit;
      hit *= (u - j) * (probes - j) / ((j + 1.0) * (bits - u - probes + j + 1));
    }
  }
  return std::min(1.0, covered_after(chain, items)[shape.probes]);
}

/// The rate of an existing filter: the probability that all probes of an absent key hit ones, (ones / bits)^probes.
[[nodiscard]] inline double fill_fpr(bloom_shape shape, std::uint64_t ones) {
  checked(shape);
  if (ones > shape.bits) throw error(errc::bad_params, "a filter has at most as many ones as bits");
  return std::pow(static_cast<double>(ones) / static_cast<double>(shape.bits), shape.probes);
}

}  // namespace hortus::plan
