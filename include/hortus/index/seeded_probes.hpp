#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

namespace hortus {

/// Seeded hashes: every position has its own hash, the digest remixed with the position's number. The reference against which
/// the other policies are measured.
///
/// Promise  independent positions.
/// Price    two mixers per position: about twice the time of multiply_chain.
/// Folds    yes: the hashes do not depend on the range.
/// Source   B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970: k hash functions.
class seeded_probes {
 public:
  static constexpr std::uint32_t id = 2;
  static constexpr std::string_view name = "seeded_probes";
  static constexpr bool folds = true;

  constexpr seeded_probes(digest x, std::uint64_t range) noexcept : digest_(x), range_(range) {}

  constexpr std::uint64_t next() noexcept { return fastrange(digest_.remixed(number_++).bits(), range_); }

 private:
  digest digest_;
  std::uint64_t range_, number_ = 0;
};

static_assert(index_policy<seeded_probes>);

}  // namespace hortus
