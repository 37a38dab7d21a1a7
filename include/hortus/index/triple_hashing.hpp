#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// Triple hashing: a third hash is added to the step each time, so that position i is a + ib + i(i-1)/2 c mod range.
///
/// Promise  three numbers below range instead of two determine a key's positions; at 2000 bits and 14 probes the rate is still
///          1.4 times too high.
/// Price    three mixers per key, two additions per position.
/// Folds    no: steps are different remainders for every range.
/// Source   P. C. Dillinger and P. Manolios, "Fast and accurate bitstate verification for SPIN", SPIN 2004.
class triple_hashing {
 public:
  static constexpr std::uint32_t id = 6;
  static constexpr std::string_view name = "triple_hashing";
  static constexpr bool folds = false;

  constexpr triple_hashing(digest x, std::uint64_t range) noexcept
      : at_(fastrange(x.remixed(0).bits(), range)),
        step_(fastrange(x.remixed(1).bits(), range)),
        growth_(fastrange(x.remixed(2).bits(), range)),
        range_(range) {}

  constexpr std::uint64_t next() noexcept {
    auto const position = at_;
    at_ = add_mod(at_, step_, range_);
    step_ = add_mod(step_, growth_, range_);
    return position;
  }

 private:
  std::uint64_t at_, step_, growth_, range_;
};

static_assert(index_policy<triple_hashing>);

}  // namespace hortus
