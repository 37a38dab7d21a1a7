#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// Multiply chain, the default: the digest is the state of a multiplicative generator, stepped before every position.
///
///     state *= c        position = the high bits of state * range
///
/// Promise  as good as independent positions: no penalty was found, to about 1 %, at any shape.
/// Price    two multiplications a position, nothing to set up.
/// Folds    yes: the states do not know the range.
/// Source   multiplier: G. L. Steele and S. Vigna, "Computationally easy, spectrally good multipliers for congruential
///          pseudorandom number generators", 2021. Measurements: docs/index-derivation.md.
///
/// Stepping first matters: read off the digest itself, the first position of keys that share their digest's high bits, such as
/// those of one shard, would fall where all is full; the rate would be twice what the fill tells. The state is made odd: it
/// stays so, and never gets stuck. Two digests that differ in their lowest bit alone thus share all positions; a pair does with
/// 2^-63.
class multiply_chain {
 public:
  static constexpr std::uint32_t id = 1;
  static constexpr std::string_view name = "multiply_chain";
  static constexpr bool folds = true;

  constexpr multiply_chain(digest x, std::uint64_t range) noexcept : state_(x.bits() | 1), range_(range) {}

  constexpr std::uint64_t next() noexcept {
    state_ *= multiplier;
    return fastrange(state_, range_);
  }

  /// What call number i of next(), from 0 to 63, would answer, without those before it: for who looks at slices in any order.
  static constexpr std::uint64_t at(digest x, std::uint64_t range, unsigned i) noexcept {
    return fastrange((x.bits() | 1) * powers[i], range);
  }

 private:
  static constexpr std::uint64_t multiplier = 0xf1357aea2e62a9c5U;
  static constexpr std::array<std::uint64_t, 64> powers = [] {
    std::array<std::uint64_t, 64> all{};
    for (std::uint64_t power = 1; auto& one : all) one = power *= multiplier;
    return all;
  }();

  std::uint64_t state_, range_;
};

static_assert(index_policy<multiply_chain>);

/// What filters with scattered probes use unless told otherwise.
using default_index = multiply_chain;

}  // namespace hortus
