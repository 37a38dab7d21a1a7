#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/digest.hpp>

namespace hortus::cli {

/// How many distinct keys a stream has, in 16 MiB: exactly up to a million, past that from the million smallest digests. These
/// lie as densely as all do, so the largest of them tells how many there are ("k minimum values": Bar-Yossef et al., "Counting
/// distinct elements in a data stream", 2002), with a standard error of 0.1 %. A function of the keys: files and pipes agree.
class distinct_keys {
 public:
  void add(std::span<digest const> xs);
  /// Not more than this, but for a chance of 3e-5; never more than there were keys.
  [[nodiscard]] std::uint64_t at_most();

 private:
  static constexpr std::size_t kept = std::size_t{1} << 20;
  void compact();

  std::vector<std::uint64_t> smallest_;      // with repetitions since the last compact()
  std::size_t full_ = std::size_t{1} << 14;  // when to compact: small, while there are few, so that sorting stays in the cache
  std::uint64_t below_ = ~std::uint64_t{0};
  std::uint64_t added_ = 0;
};

}  // namespace hortus::cli
