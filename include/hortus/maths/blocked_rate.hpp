#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// How a key marks its block. A block has `parts` parts, each of `choices` words of `word_bits` bits. A key picks one word of
/// every part and sets probes / parts bits in it, with repetition.
struct block_layout {
  unsigned word_bits;
  unsigned choices;
  unsigned parts;
  unsigned max_probes;       ///< of a key; the number of probes is a multiple of parts
  std::uint64_t max_blocks;  ///< that the family can address; a filter has at most 2^42 bits in any case
  [[nodiscard]] constexpr unsigned bits() const noexcept { return word_bits * choices * parts; }
  bool operator==(block_layout const&) const = default;
};

/// The layouts of the families. More probes than these allow never help at rates for which the layout is a good choice.
namespace layouts {
inline constexpr block_layout free_512{512, 1, 1, 64, max_bits / 512};          ///< bits anywhere in one cache line
inline constexpr block_layout free_1024{1024, 1, 1, 64, max_bits / 1024};       ///< bits anywhere in two cache lines
inline constexpr block_layout free_256{256, 1, 1, 64, std::uint64_t{1} << 32};  ///< two-bit cells anywhere in one cache line
inline constexpr block_layout sectorized{64, 4, 2, 32, max_bits / 512};         ///< one word of the first four, one of the last
inline constexpr block_layout split{32, 1, 8, 8, std::uint64_t{1} << 32};  ///< one bit in each of eight lanes, as in Parquet
inline constexpr block_layout word{64, 1, 1, 32, max_bits / 64};           ///< bits anywhere in one word
}  // namespace layouts

/// The shape of a blocked filter. A key belongs to one block.
struct blocked_shape {
  block_layout layout = layouts::free_512;
  std::uint64_t blocks = 0;
  unsigned probes = 0;
  /// The number of bits; at most 2^42 for a checked shape.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return blocks * layout.bits(); }
  bool operator==(blocked_shape const&) const = default;
};

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline blocked_shape checked(blocked_shape shape) {
  auto const& [word_bits, choices, parts, most, max_blocks] = shape.layout;
  if (word_bits < 8 || word_bits > 4096 || choices < 1 || choices > 64 || parts < 1 || parts > most || most > plan::max_probes)
    throw error(errc::bad_params, "a block has 1 to 64 parts of 1 to 64 words of 8 to 4096 bits, and 1 to 64 probes");
  auto const limit = std::min(max_blocks, max_bits / shape.layout.bits());
  if (shape.blocks < 1 || shape.blocks > limit)
    throw error(errc::bad_params, "a filter of this layout has 1 to " + std::to_string(limit) + " blocks of " +
                                      std::to_string(shape.layout.bits()) + " bits");
  if (shape.probes < 1 || shape.probes > most || shape.probes % parts != 0)
    throw error(errc::bad_params, "a key of this layout makes " + std::to_string(parts) + " to " + std::to_string(most) +
                                      " probes, in multiples of " + std::to_string(parts));
  return shape;
}

/// Probability that a key sets a given bit of its block, 1 - q. It is less than probes / bits, because probes may coincide.
[[nodiscard]] inline double block_mark(block_layout layout, unsigned probes) {
  auto const in_a_part = probes / layout.parts;
  return -std::expm1(static_cast<double>(in_a_part) * std::log1p(-1.0 / layout.word_bits)) / layout.choices;
}

/// The false-positive rates of filters of one layout and one number of probes. The rate of a block with 0, 1, 2 ... keys is
/// computed once and cached.
class block_rates {
 public:
  block_rates(block_layout layout, unsigned probes)
      : layout_(checked(blocked_shape{layout, 1, probes}).layout),
        throws_(probes / layout.parts),
        cells_(std::min(throws_, layout.word_bits)),
        // From this number of keys on a block answers "no" with probability below e^-40: at most probes * q^keys, the bound
        // for one of the probes to hit a zero.
        full_(std::ceil((40 + std::log(probes)) / -std::log1p(-block_mark(layout, probes)))) {
    for (unsigned u = 0; u <= cells_; ++u) hit_[u] = static_cast<double>(u) / layout.word_bits;
    covered_[0] = distinct_[0] = 1;
    for (unsigned probe = 0; probe < throws_; ++probe) {
      for (unsigned u = cells_; u > 0; --u) distinct_[u] = distinct_[u] * hit_[u] + distinct_[u - 1] * (1 - hit_[u - 1]);
      distinct_[0] = 0;
    }
  }

  /// Probability that a block with `keys` keys reports an absent key.
  [[nodiscard]] double inner(double keys) {
    if (keys >= full_) return 1;
    auto const at = static_cast<std::size_t>(keys);
    while (inner_.size() <= at) add_key();
    return inner_[at];
  }

  /// The rate of a filter with `blocks` blocks and `items` items: the mean of inner() over the load of the block that is read.
  ///
  /// That load is Binomial(items, 1/blocks). A Poisson distribution would not be cheaper, because binomial terms also
  /// follow from each other by a ratio; and it gives too high a rate, by a few parts of `blocks` (docs/maths.md). The sum
  /// goes from the most likely load outward until the rest cannot change the last digit. It is divided by the sum of the
  /// weights, so no logarithm is needed.
  [[nodiscard]] double operator()(std::uint64_t blocks, std::uint64_t items) {
    auto const keys = static_cast<double>(items);
    if (blocks == 1) return inner(keys);
    auto const all = static_cast<double>(blocks);
    double const spare = keys / all - full_;
    if (spare > 0 && spare * spare > 80 * (keys / all)) return 1;  // P(block not full) is below e^-40 (Chernoff)
    auto const ratio = [&](double i) { return (keys - i) / ((i + 1) * (all - 1)); };  // P(load i + 1) / P(load i)
    double const likeliest = std::floor((keys + 1) / all);
    double total = 0, yes = 0, weight = 1;
    for (double i = likeliest;; ++i) {
      total += weight;
      yes += weight * inner(i);
      double const next = ratio(i);
      weight *= next;
      if (next < 1 && weight <= 1e-17 * yes * (1 - next)) break;  // inner() <= 1, and the weights fall faster than next^j
    }
    weight = 1;
    for (double i = likeliest; i > 0 && weight * i > 1e-17 * total;) {
      weight /= ratio(--i);
      total += weight;
      yes += weight * inner(i);
    }
    return std::min(1.0, yes / total);
  }

 private:
  using row = std::array<double, plan::max_probes + 1>;

  /// Appends inner() for one more key than before. covered_[u] is the probability that u given bits of a word are all set,
  /// as in bloom_fpr_exact. A key throws at one of the words of a part.
  void add_key() {
    if (!inner_.empty()) {
      auto thrown = covered_;
      for (unsigned probe = 0; probe < throws_; ++probe)
        for (unsigned u = cells_; u > 0; --u) thrown[u] = thrown[u] * (1 - hit_[u]) + thrown[u - 1] * hit_[u];
      for (unsigned u = 1; u <= cells_; ++u) covered_[u] += (thrown[u] - covered_[u]) / layout_.choices;
    }
    double part = 0;
    for (unsigned u = 1; u <= cells_; ++u) part += distinct_[u] * covered_[u];
    inner_.push_back(std::min(1.0, std::pow(part, layout_.parts)));
  }

  block_layout layout_;
  unsigned throws_;  // probes of a key in a word
  unsigned cells_;
  double full_;
  row hit_{};       // hit_[u]: probability that a probe hits one of u given bits of a word
  row distinct_{};  // distinct_[u]: probability that the probes of a query hit u different bits of a word
  row covered_{};
  std::vector<double> inner_;
};

/// Probability that an absent key is found. Exact, from one block to 2^36 and for every number of items.
[[nodiscard]] inline double blocked_fpr(blocked_shape shape, std::uint64_t items) {
  checked(shape);
  return block_rates(shape.layout, shape.probes)(shape.blocks, items);
}

}  // namespace hortus::plan
