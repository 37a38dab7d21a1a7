#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// Slices of a wide hash: positions are cut one after the other from a stream of hash words, without overlap.
///
///     | slice 1 | slice 2 | slice 3 |..|   | slice 4 | ...        a slice: ceil(log2 range) + 8 bits
///
/// Promise  independent positions, equally likely to within 1/256: the 8 bits beyond log2 are for that.
/// Price    one mixer for every 64 / slice positions; one position per word once the range exceeds 2^24.
/// Folds    no: the width of a slice depends on the range.
/// Source   folklore; L. Fan, P. Cao, J. Almeida and A. Broder, "Summary cache", IEEE/ACM ToN 8(3), 2000, cut MD5 this way.
class sliced_probes {
 public:
  static constexpr std::uint32_t id = 3;
  static constexpr std::string_view name = "sliced_probes";
  static constexpr bool folds = false;

  constexpr sliced_probes(digest x, std::uint64_t range) noexcept
      : digest_(x), range_(range), slice_(std::min(static_cast<unsigned>(std::bit_width(range - 1)) + 8, 64U)) {}

  constexpr std::uint64_t next() noexcept {
    if (left_ < slice_) {
      word_ = digest_.remixed(number_++).bits();
      left_ = 64;
    }
    left_ -= slice_;
    auto const unused = 64 - slice_;
    auto const bits = word_ >> unused << unused;  // clears the bits of later slices
    word_ = unused != 0 ? word_ << slice_ : 0;
    return fastrange(bits, range_);
  }

 private:
  digest digest_;
  std::uint64_t range_, word_ = 0, number_ = 0;
  unsigned slice_, left_ = 0;
};

static_assert(index_policy<sliced_probes>);

}  // namespace hortus
