#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/bloom_rate.hpp>
#include <hortus/maths/bloom_size.hpp>
#include <hortus/maths/limits.hpp>

/// Bloom filters that are planned for the length of their message instead of their memory (M. Mitzenmacher, "Compressed Bloom
/// filters", 2002). Bits of which a share q is set take H(q) bits each in a message. So a filter of more bits and fewer probes,
/// which is sparse, has a lower rate at the same length: half full, the best filter in memory, is the worst one in a message.
namespace hortus::plan {

/// Entropy of a bit that is set with probability q, in bits.
[[nodiscard]] inline double bit_entropy(double q) {
  if (!(q > 0 && q < 1)) return 0;
  return -(q * std::log2(q) + (1 - q) * std::log1p(-q) / std::log(2.0));
}

/// Expected bits of a message for each item, if the filter has `bits_per_item` and `probes`, without the header.
[[nodiscard]] inline double message_bits_per_item(double bits_per_item, double probes) {
  return bits_per_item * bit_entropy(-std::expm1(-probes / bits_per_item));
}

/// The rate of such a filter, by the limit formula: (1 - e^(-probes / bits_per_item))^probes.
[[nodiscard]] inline double limit_rate(double bits_per_item, double probes) {
  return std::exp(probes * std::log(-std::expm1(-probes / bits_per_item)));
}

/// The most bits for each item with which the message takes `message_bits` for each. Below probes / ln 2 a filter is more than
/// half full, and a message only gets longer up to there; so 0 if even that is too long.
[[nodiscard]] inline double bits_per_item_in_message(double message_bits, unsigned probes) {
  double low = probes / std::log(2.0);
  if (message_bits_per_item(low, probes) > message_bits) return 0;
  double high = 2 * low;
  while (message_bits_per_item(high, probes) <= message_bits && high < 0x1p60) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    double const middle = low + (high - low) / 2;
    (message_bits_per_item(middle, probes) <= message_bits ? low : high) = middle;
  }
  return low;
}

/// What a message may cost. Give the bytes of the message, or the rate.
struct message_goal {
  std::uint64_t items = 0;
  std::uint64_t message_bytes = 0;       ///< the longest message; 0: the shortest that reaches `fpr`
  double fpr = 0;                        ///< if message_bytes is 0
  std::uint64_t memory_bits = max_bits;  ///< the most bits of the filter
};

/// A Bloom filter planned for a message.
struct message_plan {
  bloom_shape shape;
  double fpr = 1;            ///< of the filter with all items
  double message_bytes = 0;  ///< expected, with header
  double raw_fpr = 1;        ///< of the best filter that is sent as it is, in as many bytes
  bool operator==(message_plan const&) const = default;
};

/// The coder takes up to this much more than the entropy (tests/message/planned_test.cpp), and the number of ones varies.
inline constexpr double message_slack = 0.01;
/// Magic, sizes, checksums, family, scalars.
inline constexpr double message_header_bytes = 128;
/// More probes are never shorter than 12: with every one, the best filter for a message gets closer to half full.
inline constexpr unsigned most_message_probes = 12;

namespace detail {

inline message_plan message_planned(bloom_shape shape, std::uint64_t items) {
  auto const n = static_cast<double>(items), m = static_cast<double>(shape.bits);
  auto const coded = std::min(n * message_bits_per_item(m / n, shape.probes) * (1 + message_slack), m);
  auto const bytes = coded / 8 + message_header_bytes;
  auto const raw_bits = static_cast<std::uint64_t>(std::max(1.0, std::min(8 * bytes, static_cast<double>(max_bits))));
  return {shape, bloom_fpr(shape, items), bytes, bloom_fpr({raw_bits, best_probes(raw_bits, items)}, items)};
}

}  // namespace detail

/// The filter with the lowest rate whose message has at most goal.message_bytes on average, or the one with the shortest
/// message that reaches goal.fpr; with at most goal.memory_bits. Throws errc::bad_goal if there is none.
[[nodiscard]] inline message_plan compressed(message_goal goal) {
  auto const items = std::max<std::uint64_t>(goal.items, 1);
  auto const n = static_cast<double>(items);
  auto const most = std::min(goal.memory_bits, max_bits);
  bool const by_length = goal.message_bytes != 0;
  if (!by_length) checked_fpr(goal.fpr);
  message_plan best;
  for (unsigned probes = 1; probes <= most_message_probes; ++probes) {
    double bits = 0;
    if (by_length) {
      double const room = (static_cast<double>(goal.message_bytes) - message_header_bytes) * 8 / (1 + message_slack) / n;
      bits = std::floor(n * bits_per_item_in_message(std::max(room, 0.0), probes));
      bits = std::min(bits, static_cast<double>(most));  // fewer bits are a shorter message, if still less than half full
      if (bits < probes * n / std::log(2.0)) continue;
    } else {
      bits = n * bloom_bits_per_item(goal.fpr, probes) + 1;
      if (!(bits < static_cast<double>(most))) continue;
      bits = static_cast<double>(bloom_bits(items, goal.fpr, probes));
      if (bits > static_cast<double>(most)) continue;
    }
    auto const plan = detail::message_planned({static_cast<std::uint64_t>(bits), probes}, items);
    bool const better = by_length ? plan.fpr < best.fpr : plan.message_bytes < best.message_bytes;
    if (best.shape.probes == 0 || better) best = plan;
  }
  if (best.shape.probes == 0)
    throw error(errc::bad_goal, by_length ? "no filter for " + text(n) +
                                                " items has so short a message in the memory allowed; "
                                                "allow a longer message, or more memory"
                                          : "no filter with at most 12 probes reaches that rate in the memory allowed");
  return best;
}

}  // namespace hortus::plan
