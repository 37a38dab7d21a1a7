#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/digest.hpp>

namespace hortus::cli {

/// Counts the distinct keys of a stream in 16 MiB: exactly up to a million, above that from the million smallest digests.
/// These are as dense as all digests, so the largest of them gives the number ("k minimum values": Bar-Yossef et al.,
/// "Counting distinct elements in a data stream", 2002), with a standard error of 0.1 %. The result depends only on the
/// keys, so files and pipes agree.
class distinct_keys {
 public:
  void add(std::span<digest const> xs);
  /// An upper bound, wrong with probability 3e-5; never more than the number of keys.
  [[nodiscard]] std::uint64_t at_most();

 private:
  static constexpr std::size_t kept = std::size_t{1} << 20;
  void compact();

  std::vector<std::uint64_t> smallest_;      // with duplicates since the last compact()
  std::size_t full_ = std::size_t{1} << 14;  // size at which to compact: small for few keys, so that sorting stays in the cache
  std::uint64_t below_ = ~std::uint64_t{0};
  std::uint64_t added_ = 0;
};

}  // namespace hortus::cli
