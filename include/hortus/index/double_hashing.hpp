#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// Double hashing as in textbooks: positions a, a + b, a + 2b, ... mod range, with b from 1 to range - 1.
///
/// Promise  the false-positive rate of independent positions, but only in the limit of large filters. Two numbers below range
///          determine all positions of a key: at 2000 bits and 14 probes the rate is 8 times too high
///          (docs/index-derivation.md).
/// Price    two mixers per key, one addition per position.
/// Folds    no: b is a different remainder for every range.
/// Source   A. Kirsch and M. Mitzenmacher, "Less hashing, same performance: building a better Bloom filter", ESA 2006.
class double_hashing {
 public:
  static constexpr std::uint32_t id = 4;
  static constexpr std::string_view name = "double_hashing";
  static constexpr bool folds = false;

  constexpr double_hashing(digest x, std::uint64_t range) noexcept
      : at_(fastrange(x.remixed(0).bits(), range)), step_(1 + fastrange(x.remixed(1).bits(), range - 1)), range_(range) {}

  constexpr std::uint64_t next() noexcept {
    auto const position = at_;
    at_ = add_mod(at_, step_, range_);
    return position;
  }

 private:
  std::uint64_t at_, step_, range_;
};

static_assert(index_policy<double_hashing>);

}  // namespace hortus
